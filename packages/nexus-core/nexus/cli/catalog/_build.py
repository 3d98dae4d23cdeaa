# SPDX-License-Identifier: Apache-2.0
"""`nexus catalog build`: compiles programs for several targets into a catalog."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nexus
from nexus._catalog import _architecture, _build, _triton
from nexus._catalog._build import Build
from nexus._units import counted, size_text
from nexus.cli._console import progress, show
from nexus.cli._misuse import Misuse
from nexus.cli._program import options_of

# Languages by the ending of a file, and the backend of a language that only one has.
_LANGUAGES = {".cu": "cuda", ".hip": "hip", ".metal": "metal", ".cl": "opencl"}
_BACKENDS = {"c": "cpu", "c++": "cpu", "cuda": "cuda", "hip": "hip", "metal": "metal",
             "opencl": "opencl"}  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Writes the catalog; returns 0, or 1 if a target failed and the others were written.

    Raises:
        Misuse: an option or a file is wrong.
        nexus.NexusError: a program can't be compiled.
    """
    folder = Path(options.folder)
    if folder.exists() and not folder.is_dir():
        raise Misuse(f"FOLDER is '{folder}', which is not a folder.")
    if not (options.files or options.objects or options.triton):
        raise Misuse("Name a program, or a compiled file with --object or --triton.")
    builds = [_object(word) for word in options.objects]
    for path in options.triton:
        builds += _triton.builds(Path(path))
    programs = [_program(Path(name), options) for name in options.files]
    _check_names(programs)
    failures: list[str] = []
    for path, program in programs:
        if not options.no_source:
            builds.append(_source(path, program))
    builds += _compiled(programs, options, failures)
    try:
        file = _build.write(folder, _head(options), builds)
    except OSError as error:
        raise Misuse(f"'{folder}' can't be written: {error.strerror or error}.") from error
    except ValueError as error:
        raise Misuse(str(error)) from error
    size = size_text(sum(len(build.data) for build in builds))
    for failure in failures:
        print(f"nexus catalog: {failure}", file=sys.stderr)
    show(f"{file}: {counted(len(builds), 'build')}, {size}")
    return 1 if failures else 0


def _head(options: argparse.Namespace) -> dict[str, Any]:
    given = {
        "Name": options.name,
        "Version": options.version,
        "License": options.license,
        "Description": options.description,
    }
    return {key: value for key, value in given.items() if value is not None}


def _library_of(path: Path) -> str:
    """Returns the library's name: the file's without its extensions."""
    return path.name.partition(".")[0]


def _program(path: Path, options: argparse.Namespace) -> tuple[Path, nexus.Program]:
    language = options.language or _LANGUAGES.get(path.suffix, "nexus")
    backend = _BACKENDS.get(language, "")
    made = options_of(options, backend or "cpu")
    if made.include_paths and not options.no_source:
        raise Misuse(
            "-I needs --no-source: a source in a catalog is one file, and other machines lack "
            "the folder."
        )
    try:
        # The name is in messages, and in the object code: a whole path would tell where it was.
        name = str(path) if options.no_source else path.name
        return path, nexus.Program(path, language, name, made)
    except (OSError, ValueError) as error:
        raise Misuse(str(error)) from error


def _source(path: Path, program: nexus.Program) -> Build:
    given = program.options
    told: dict[str, Any] = {
        "defines": dict(given.defines),
        "fast_math": given.fast_math,
        "standard": given.standard,
        "name_expressions": list(given.name_expressions),
    }
    chosen = {key: value for key, value in told.items() if value}
    if given.optimization != nexus.ProgramOptions().optimization:
        chosen["optimization"] = given.optimization
    return _build.source_build(_library_of(path), path, program.language, chosen)


def _compiled(
    programs: list[tuple[Path, nexus.Program]], options: argparse.Namespace, failures: list[str]
) -> Iterator[Build]:
    """Compiles each program for each target of its language, several at a time."""
    tasks = [
        (path, program, target)
        for target in options.targets
        for path, program in _for_target(programs, target)
    ]
    with progress(len(tasks)) as begin, ThreadPoolExecutor(os.cpu_count()) as threads:
        started = [threads.submit(program.compile, target) for _, program, target in tasks]
        try:
            for (path, _, target), future in zip(tasks, started, strict=True):
                begin(f"{path.name} for {target}")
                code = _result(future, f"{path} for {target}", options.keep_going, failures)
                if code is not None:
                    yield _build.object_build(_library_of(path), code)
        finally:
            threads.shutdown(cancel_futures=True)


def _check_names(programs: list[tuple[Path, nexus.Program]]) -> None:
    """Raises Misuse if two programs make the same library in the same language."""
    first: dict[tuple[str, str], Path] = {}
    for path, program in programs:
        other = first.setdefault((_library_of(path), program.language), path)
        if other is not path:
            raise Misuse(
                f"FILE is '{path}', and '{other}' makes the library '{_library_of(path)}' too: "
                "rename one."
            )


def _for_target(
    programs: list[tuple[Path, nexus.Program]], target: str
) -> list[tuple[Path, nexus.Program]]:
    """Returns the programs to compile for a target. A library that has a program in the backend's
    own language is not compiled from the portable one.

    Raises:
        Misuse: there are none.
    """
    backend = target.partition(":")[0]
    own = {
        _library_of(path)
        for path, program in programs
        if _BACKENDS.get(program.language) == backend
    }
    fitting = [
        (path, program)
        for path, program in programs
        if _BACKENDS.get(program.language) == backend
        or (program.language not in _BACKENDS and _library_of(path) not in own)
    ]
    if not fitting:
        raise Misuse(f"--target is {target!a}, and no FILE is in a language of that backend.")
    return fitting


def _result(
    future: Future[nexus.ObjectCode], what: str, keep_going: bool, failures: list[str]
) -> nexus.ObjectCode | None:
    try:
        return future.result()
    except (nexus.NexusError, ValueError) as error:
        if not keep_going:
            raise
        failures.append(f"{what}: {error}")
        return None


def _object(word: str) -> Build:
    """Returns the build of a word of --object."""
    name, _, target = word.partition("=")
    path = Path(name)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Misuse(f"--object {word!a}: '{path}': {error.strerror or error}.") from error
    if data.startswith(b"NEXUSOBJ"):
        return _build.object_build(_library_of(path), nexus.ObjectCode.load(path))
    if not all(target.partition(":")):
        raise Misuse(
            f"--object {word!a} names no backend and architecture: write {name}=cuda:sm_90."
        )
    runtime, _, architecture = target.partition(":")
    if found := _architecture.contradiction(data, runtime, architecture):
        raise Misuse(
            f"--object {word!a} says {target}, and the file is code for {found}: write the "
            "architecture that it was compiled for."
        )
    return _build.bare_build(_library_of(path), data, target, path.suffix)
