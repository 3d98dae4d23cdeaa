# SPDX-License-Identifier: Apache-2.0
"""Linking separately compiled code into one program."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from nexus import _checks, _core
from nexus._compile._options import ProgramOptions, check_options, resolve_target, settings_of

if TYPE_CHECKING:
    from nexus import Device, ObjectCode

_WANTED = "a nexus.ObjectCode, bytes, or the path of a file"


class Linker:
    """Links separately compiled pieces, which may call each other's functions, into one program.

    A piece is a program compiled with `relocatable=True`, or another format that the backend
    links and recognizes by its content: PTX, LTO-IR, NVVM IR, cubins, fatbins, object files and
    static libraries on CUDA; object files on the CPU.

    Args:
        codes: the pieces: nexus.ObjectCode, bytes, or paths of files.
        target: see `Program.compile`; None takes the backend that compiled the pieces, and its
            device.
        name: the linked program's name in messages.
        options: only optimization, fast_math, debug, line_info and extra have an effect. The flags
            in extra go to the linker.

    Raises:
        TypeError: a piece has another type.
        ValueError: there are no pieces, or pieces of several backends, or neither a target nor a
            piece that implies one.
        FileNotFoundError: a file does not exist (also a NexusError).

    Example:
        >>> text = "float twice(float x) { return 2 * x; }"
        >>> piece = nexus.Program(text, "c", "twice.c", nexus.ProgramOptions(relocatable=True))
        >>> linker = nexus.Linker(piece.compile("cpu"), name="whole")
        >>> linker
        <nexus.Linker of 'twice.c'>
    """

    __slots__ = ("_codes", "_name", "_names", "_options", "_target")

    def __init__(
        self,
        *codes: ObjectCode | bytes | bytearray | memoryview | os.PathLike[str],
        target: Device | str | None = None,
        name: str = "program",
        options: ProgramOptions | None = None,
    ) -> None:
        if not codes:
            raise ValueError("codes is empty: give the code to link.")
        read = [_piece(index, code) for index, code in enumerate(codes)]
        self._names = tuple(title for title, _ in read)
        self._codes = tuple(code for _, code in read)
        self._name = _checks.text("name", name, empty="give one, or leave it out")
        self._options = check_options(options)
        self._target = _backend_of(codes) if target is None else target
        resolve_target(self._target)

    def link(self) -> ObjectCode:
        """Links the pieces. Each call links again, since linked programs are not cached.

        Raises:
            CompileError: the pieces don't fit together, for example because none defines a
                function that another calls; log has the linker's output.
            NexusError: the backend can't link a piece, or has no linker.
            ValueError: the backend rejects the target or a flag.
        """
        device, text, runtime = resolve_target(self._target)
        return _core.link_program(
            device, text, self._codes, self._names, self._name, settings_of(self._options, runtime)
        )

    def _repr_html_(self) -> str:
        from nexus import _html

        return _html.linker(self)

    def __repr__(self) -> str:
        return f"<nexus.Linker of {', '.join(map(repr, self._names))}>"


Linker.__module__ = "nexus"


def _piece(index: int, code: object) -> tuple[str, bytes]:
    """Returns the name and bytes of an element of `codes`."""
    if isinstance(code, _core.ObjectCode):
        return code.name, code.code
    if isinstance(code, (bytes, bytearray, memoryview)):
        return f"codes[{index}]", bytes(code)
    if isinstance(code, os.PathLike):
        path = _checks.path(f"codes[{index}]", code)
        return path, _checks.read_file(f"codes[{index}]", path)
    raise _checks.wrong_type(f"codes[{index}]", _WANTED, code)


def _backend_of(codes: tuple[object, ...]) -> str:
    """Returns the backend that compiled the pieces."""
    found = {code.runtime for code in codes if isinstance(code, _core.ObjectCode)}
    if not found:
        raise ValueError("target is missing: give one, since no code names its backend.")
    if len(found) > 1:
        listed = " and ".join(f"'{name}'" for name in sorted(found))
        raise ValueError(f"codes has code of {listed}: give code of one backend.")
    return found.pop()


__all__ = ["Linker"]
