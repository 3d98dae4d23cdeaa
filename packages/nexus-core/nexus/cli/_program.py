# SPDX-License-Identifier: Apache-2.0
"""Creates the program that a command line names."""

from __future__ import annotations

import argparse
from pathlib import Path

import nexus
from nexus.cli._misuse import Misuse


def program_of(options: argparse.Namespace, backend: str) -> nexus.Program:
    """Returns the program of `nexus run` and `nexus compile`.

    Args:
        backend: the backend whose compiler gets the flags.

    Raises:
        Misuse: the file can't be read, or an option is wrong.
    """
    try:
        return nexus.Program(
            Path(options.file), options.language, options=options_of(options, backend)
        )
    except OSError as error:
        raise Misuse(f"{options.file}: {error.strerror or error}.") from error
    except (TypeError, ValueError) as error:
        raise Misuse(str(error)) from error


def library_of(options: argparse.Namespace, device: nexus.Device) -> nexus.Library:
    """Returns the library of `nexus run`: FILE if it is compiled code, else compiled from it."""
    path = Path(options.file)
    if path.is_file() and b"\0" in _head(path):
        if options_of(options, device.runtime.name) != nexus.ProgramOptions():
            raise Misuse(f"'{path}' is compiled already: leave out the options of the compiler.")
        return device.load_library(path)
    return device.load_library(program_of(options, device.runtime.name).compile(device))


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(4096)
    except OSError as error:
        raise Misuse(f"{path}: {error.strerror or error}.") from error


def options_of(options: argparse.Namespace, backend: str) -> nexus.ProgramOptions:
    """Returns the options for compiling of a command line.

    Args:
        backend: the backend whose compiler gets the flags.

    Raises:
        Misuse: an option is wrong.
    """
    if options.optimization not in ("0", "1", "2", "3"):
        raise Misuse(f"-O is {options.optimization!r}: it has to be 0, 1, 2 or 3.")
    return nexus.ProgramOptions(
        defines=dict(_define(each) for each in options.defines),
        include_paths=options.include_paths,
        optimization=int(options.optimization),
        fast_math=options.fast_math,
        debug=options.debug,
        line_info=options.line_info,
        standard=options.standard,
        extra={backend: options.extra} if options.extra else None,
    )


def _define(word: str) -> tuple[str, str | None]:
    name, equals, value = word.partition("=")
    return name, value if equals else None
