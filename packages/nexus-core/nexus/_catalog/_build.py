# SPDX-License-Identifier: Apache-2.0
"""Writes kernel catalogs."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from nexus import _core
from nexus._catalog import _catalog, _load, _schema
from nexus._compile._object_code import write_whole
from nexus._errors import NexusValueError
from nexus.status import NXS_InvalidValue

if TYPE_CHECKING:
    from nexus import KernelDescription, ObjectCode

Entry = dict[str, Any]

_MEMBERS = ("Name", "Version", "Description", "License", "Kernels", "Objects", "Sources")
_UNFIT = re.compile(r"[^A-Za-z0-9_.+-]")


class Build(NamedTuple):
    """A build of a library that goes into a catalog.

    Attributes:
        library: the library's name.
        entry: the object's or source's entry, without File, FileSize and SHA256.
        data: the file's content.
        ending: the file's extension, such as '.nexus'.
        kernels: entries of the kernels.
    """

    library: str
    entry: Entry
    data: bytes
    ending: str
    kernels: list[Entry]


def object_build(library: str, code: ObjectCode) -> Build:
    """Returns the build of object code."""
    entry = {
        "Runtime": code.runtime,
        "Architecture": _catalog.base_of(code.target, code.runtime),
        "Format": code.format,
    }
    kernels = [_kernel(each) for each in code.kernels]
    return Build(library, entry, _core.write_object_code(code), ".nexus", kernels)


def _kernel(told: KernelDescription) -> Entry:
    entry: Entry = {"Name": told.name}
    if told.arguments:
        entry["Arguments"] = [
            {
                "Name": each.name,
                "Kind": each.kind,
                **({"DataType": each.dtype} if each.dtype else {}),
                **({"Type": each.type} if each.type else {}),
            }
            for each in told.arguments
        ]
    if told.attributes.required_group_size:
        entry["GroupSize"] = list(told.attributes.required_group_size)
    return entry


def write(folder: Path, head: Entry, builds: Sequence[Build]) -> Path:
    """Writes the builds, and the catalog, to a folder. Keeps the content of an existing catalog
    there, but replaces builds of the same library, version and target.

    Args:
        head: those of the catalog's Name, Version, License and Description that are given.

    Returns:
        The path of the catalog's file.

    Raises:
        NexusError: the folder has a file that is not a catalog.
        NexusValueError: a name or version is not allowed in a catalog.
        OSError: the folder can't be written.
    """
    file = folder / _catalog.FILE
    tree: Entry = {
        "CatalogVersion": 1,
        "Name": _UNFIT.sub("_", folder.resolve().name) or "kernels",
        "Version": "1.0.0",
    }
    if file.exists():
        tree |= _catalog.read(file).to_dict()
    tree |= head
    libraries: list[Entry] = tree.pop("Libraries", [])
    for build in builds:  # in the order in which they are given
        _library(libraries, build.library, tree["Version"])
    files = {}
    builds = sorted(builds, key=_described, reverse=True)
    for build in builds:
        library = _library(libraries, build.library, tree["Version"])
        if build.kernels and build is next(b for b in builds if b.library == build.library):
            library["Kernels"] = _load.merged(library.get("Kernels", ()), _common(build.kernels))
        path, entry = _placed(build, tree["Version"])
        files[path] = build.data
        _add(library, entry, build.kernels)
    tree["Libraries"] = [_ordered(each) for each in libraries]
    if reason := _schema.problem(tree):
        raise NexusValueError(f"The catalog can't be written: {reason}", NXS_InvalidValue)
    for path, data in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, data)
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(file, (json.dumps(tree, indent=2, ensure_ascii=False) + "\n").encode())
    return file


def _placed(build: Build, version: str) -> tuple[str, Entry]:
    """Returns the path of a build's file in the folder, and the build's whole entry."""
    is_source = "Language" in build.entry
    name = f"{build.library}-{version}"
    if not is_source:
        target = f"{build.entry['Runtime']}-{build.entry['Architecture']}"
        name = f"{name}.{_UNFIT.sub('_', target)}"
    path = f"{'sources' if is_source else 'objects'}/{name}{build.ending}"
    return path, {
        **build.entry,
        "File": path,
        "FileSize": len(build.data),
        "SHA256": hashlib.sha256(build.data).hexdigest(),
    }


def _library(libraries: list[Entry], name: str, version: str) -> Entry:
    for each in libraries:
        if (each["Name"], each["Version"]) == (name, version):
            return each
    libraries.append({"Name": name, "Version": version})
    return libraries[-1]


def _add(library: Entry, build: Entry, kernels: list[Entry]) -> None:
    """Adds a build to a library's entry. Kernel values that differ from the library's are stored
    with the build."""
    known = {each["Name"]: each for each in library.get("Kernels", ())}
    differing = [
        {"Name": kernel["Name"], **differs}
        for kernel in kernels
        if (differs := _differs(kernel, known.get(kernel["Name"], {})))
    ]
    if differing:
        build["Kernels"] = differing
    kind = "Sources" if "Language" in build else "Objects"
    others = [
        each for each in library.get(kind, ()) if _catalog.target(each) != _catalog.target(build)
    ]
    library[kind] = [*others, build]


def _ordered(library: Entry) -> Entry:
    """Returns a library's entry with its members in order, the builds to prefer first."""
    ordered = {key: library[key] for key in _MEMBERS if key in library} | library
    if "Objects" in library:  # sm_90 before sm_80, x86-64-v4 before x86-64
        ordered["Objects"] = sorted(
            library["Objects"], key=lambda each: _natural(_catalog.target(each)), reverse=True
        )
    if "Sources" in library:  # a backend's own language before the portable one
        ordered["Sources"] = sorted(
            library["Sources"], key=lambda each: bool(each["Language"] == "nexus")
        )
    return ordered


def _described(build: Build) -> int:
    """Returns the number of arguments that a build describes: some drivers read none."""
    return sum(len(each.get("Arguments", ())) for each in build.kernels)


def _common(kernels: list[Entry]) -> list[Entry]:
    """Returns the parts that all builds of the kernels have in common: names and arguments."""
    return [{key: each[key] for key in ("Name", "Arguments") if key in each} for each in kernels]


def _differs(kernel: Entry, known: Entry) -> Entry:
    return {key: value for key, value in kernel.items() if known.get(key) != value}


def _natural(text: str) -> list[tuple[int, str]]:
    """Returns a key that orders the numbers in texts by their values."""
    parts = re.findall(r"\d+|\D+", text)
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


def source_build(library: str, path: Path, language: str, options: Entry) -> Build:
    """Returns the build of a source file.

    Args:
        options: the entry's Options.

    Raises:
        NexusError: it is not a text, or includes files of its own.
    """
    data = path.read_bytes()
    _catalog.check_source(data, str(path))
    entry: Entry = {"Language": language}
    if options:
        entry["Options"] = options
    return Build(library, entry, data, path.suffix or ".c", [])


def bare_build(library: str, data: bytes, target: str, ending: str) -> Build:
    """Returns the build of a file that another compiler made.

    Args:
        target: a backend and an architecture, such as 'cuda:sm_90'.
    """
    runtime, _, architecture = target.partition(":")
    entry = {"Runtime": runtime, "Architecture": architecture}
    if ending.strip("."):
        entry["Format"] = ending.strip(".")
    return Build(library, entry, data, ending, [])
