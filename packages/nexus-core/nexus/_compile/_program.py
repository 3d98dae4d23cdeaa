# SPDX-License-Identifier: Apache-2.0
"""Programs: source texts of kernels, and how they become libraries."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nexus import _checks, _core
from nexus._compile._options import (
    OPTION_NAMES,
    ProgramOptions,
    check_options,
    resolve_target,
    settings_of,
)
from nexus._errors import CompileError, NexusError

if TYPE_CHECKING:
    from nexus import Device, Library, ObjectCode

_NAMED_FILE = 255  # characters; a longer text is not a file's name
_CODE = frozenset("\n(;{")  # every program has one of them
_EXTENSION = re.compile(r"\.[A-Za-z]\w{0,4}\Z")


class Program:
    """The source of kernels, with its language and the options for compiling it.

    Args:
        source: the text, or a path object (pathlib.Path) of a file to read.
        language: 'nexus', the portable language; backends may have others, such as 'c' and 'c++'.
        name: the source's name in messages; None takes the file's path, or 'program' for a text.
            Files that the source includes with `"..."` are searched for beside it.
        options: None takes the defaults of ProgramOptions.

    Programs are immutable, comparable, hashable, and can be pickled.

    Raises:
        TypeError, ValueError: an argument is wrong, or the source is empty.
        FileNotFoundError: the file does not exist (also a NexusError).

    Example:
        >>> program = nexus.Program("NEXUS_KERNEL(k, (int, n)) {}", name="k.c")
        >>> program
        <nexus.Program 'k.c' in nexus>
    """

    __slots__ = ("__weakref__", "_language", "_name", "_options", "_source")

    def __init__(
        self,
        source: str | os.PathLike[str],
        language: str = "nexus",
        name: str | None = None,
        options: ProgramOptions | None = None,
    ) -> None:
        self._language = _checks.text("language", language, empty="name one, such as 'nexus'")
        self._source, found = _read(source)
        if name is not None:
            found = _checks.text("name", name, empty="give one, or leave it out")
        self._name = found
        self._options = check_options(options)

    @property
    def source(self) -> str:
        """The source text."""
        return self._source

    @property
    def language(self) -> str:
        """The language, such as 'nexus'."""
        return self._language

    @property
    def name(self) -> str:
        """The source's name in messages."""
        return self._name

    @property
    def options(self) -> ProgramOptions:
        """The options for compiling."""
        return self._options

    def compile(self, target: Device | str) -> ObjectCode:
        """Compiles the program, or returns cached code from this process or from disk.

        Args:
            target: a device, its selector ('cpu', 'cuda:0'), or a backend and an architecture as
                its compiler names it ('cpu:x86-64-v3', 'cuda:sm_90').

        Raises:
            CompileError: the compiler rejects the program, the program has no kernel, or an
                included file is missing.
            NexusError: the target can't compile, does not support this language (the text lists
                its languages), or has no compiler.
            ValueError: the backend rejects the target or an option.
        """
        device, text, runtime = resolve_target(target)
        return _compile(device, text, runtime, self._source, self._language, self._name,
                        self._options)  # fmt: skip

    def _key(self) -> tuple[object, ...]:
        return self._source, self._language, self._name, self._options

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Program) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple[Any, ...]:
        return Program, self._key()

    def _repr_html_(self) -> str:
        from nexus import _html

        return _html.program(self)

    def __repr__(self) -> str:
        return f"<nexus.Program {self._name!r} in {self._language}>"


Program.__module__ = "nexus"


def compile_library(
    device: Device,
    source: object,
    language: object,
    name: object,
    options: object,
    fields: Sequence[object],
) -> Library:
    """Implements Device.compile. Called by the extension.

    Args:
        fields: the values of OPTION_NAMES in their order; None for those not given.
    """
    given = {
        option: value
        for option, value in zip(OPTION_NAMES, fields, strict=True)
        if value is not None
    }
    if isinstance(source, Program):
        program = source
        if language is not None or name is not None or options is not None or given:
            raise TypeError("source is a nexus.Program, which has its language, name and options.")
    else:
        if given and options is not None:
            raise TypeError(
                f"options and {next(iter(given))} were given: give one of them, or "
                f"options.replace({next(iter(given))}=...)."
            )
        program = Program(
            source,  # type: ignore[arg-type]
            "nexus" if language is None else language,  # type: ignore[arg-type]
            name,  # type: ignore[arg-type]
            ProgramOptions(**given) if given else options,  # type: ignore[arg-type]
        )
    if program.options.relocatable:
        raise ValueError(
            "relocatable is True, and such code can't be loaded: compile it with "
            "Program.compile(), and link it with a nexus.Linker."
        )
    return device.load_library(program.compile(device))


def _compile(
    device: Device | None,
    target: str,
    runtime: str,
    source: str,
    language: str,
    name: str,
    options: ProgramOptions,
) -> ObjectCode:
    try:
        return _core.compile_program(
            device, target, source, language, name, settings_of(options, runtime)
        )
    except CompileError as error:
        with contextlib.suppress(NexusError):  # its text has them too, where there are some
            error.flags = options.flags(device or target, language)
        raise


def _read(source: object) -> tuple[str, str]:
    """Returns the text and the name of a `source` parameter."""
    if isinstance(source, str):
        _check_source(source, "source", source)
        return _checks.unicode("source", source), "program"
    if not isinstance(source, os.PathLike):
        raise _checks.wrong_type("source", "the text of a program or the path of a file", source)
    name = _checks.path("source", source)
    text = read_file(name)
    _check_source(text, f"The file '{name}'", source)
    return text, name


def read_file(path: str) -> str:
    """Returns the text of a program's file."""
    try:
        text = _checks.read_file("source", path).decode()
        return text.replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"source is '{path}', which is not UTF-8 (byte {error.start}): give the file "
            "of a program."
        ) from None


def _check_source(text: str, subject: str, given: object) -> None:
    if not text or text.isspace():
        raise ValueError(f"source is empty{'' if subject == 'source' else f': {subject}'}.")
    if "\0" in text:
        raise ValueError(f"{subject} has a NUL character: leave it out.")
    if isinstance(given, str) and _names_file(text):
        raise ValueError(
            f"source is {text!r}, the name of a file; a str is the text of a program. For the file "
            f"give pathlib.Path({text!r})."
        )


def _names_file(text: str) -> bool:
    """Returns whether a text looks like a file's name, not a program. The file need not exist."""
    if len(text) > _NAMED_FILE or _CODE & set(text):
        return False
    # pathlib's is_file raises for some texts
    return _EXTENSION.search(text) is not None or os.path.isfile(text)  # noqa: PTH113


__all__ = ["Program"]
