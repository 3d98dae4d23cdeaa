# SPDX-License-Identifier: Apache-2.0
"""Linking: one program of pieces that were compiled apart."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from nexus import _checks, _core
from nexus._options import ProgramOptions, check_options, resolve_target, settings_of

if TYPE_CHECKING:
    from nexus import Device, ObjectCode

_WANTED = "a nexus.ObjectCode, bytes, or the path of a file"


class Linker:
    """Makes one program of pieces that were compiled apart: functions of one call those of others.

    Pieces are programs compiled with `relocatable=True`, and what else the backend links, told by
    its content: for CUDA PTX, LTO-IR, NVVM IR, cubins, fatbins, object files and static libraries;
    for the CPU object files.

    Args:
        codes: the pieces: nexus.ObjectCode, bytes, or paths of files.
        target: as for `Program.compile`; None is the backend that compiled the pieces, and its
            device.
        name: what messages call the whole.
        options: of its fields optimization, fast_math, debug, line_info and extra count. The flags
            in extra are the linker's.

    Raises:
        TypeError: a piece is none of those.
        ValueError: no piece, pieces of several backends, or no target where no piece tells one.
        FileNotFoundError: a file is not there (also a NexusError).

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
            raise ValueError("codes is empty: give the pieces that are to be linked.")
        read = [_piece(index, code) for index, code in enumerate(codes)]
        self._names = tuple(title for title, _ in read)
        self._codes = tuple(code for _, code in read)
        self._name = _checks.text("name", name, empty="give one, or leave it out")
        self._options = check_options(options)
        self._target = _backend_of(codes) if target is None else target
        resolve_target(self._target)

    def link(self) -> ObjectCode:
        """Links the pieces. Each call links anew: the caches keep compiled programs alone.

        Raises:
            CompileError: the pieces don't fit, such as a function that none of them has; its log
                has the linker's words.
            NexusError: a piece is nothing that the backend links, or it has no linker.
            ValueError: the target or a flag is refused.
        """
        device, text, runtime = resolve_target(self._target)
        return _core.link_program(
            device, text, self._codes, self._names, self._name, settings_of(self._options, runtime)
        )

    def __repr__(self) -> str:
        return f"<nexus.Linker of {', '.join(map(repr, self._names))}>"


Linker.__module__ = "nexus"


def _piece(index: int, code: object) -> tuple[str, bytes]:
    """The name and the bytes of what a `codes` parameter was given."""
    if isinstance(code, _core.ObjectCode):
        return code.name, code.code
    if isinstance(code, (bytes, bytearray, memoryview)):
        return f"codes[{index}]", bytes(code)
    if isinstance(code, os.PathLike):
        path = _checks.path(f"codes[{index}]", code)
        return path, _checks.read_file(f"codes[{index}]", path)
    raise _checks.wrong_type(f"codes[{index}]", _WANTED, code)


def _backend_of(codes: tuple[object, ...]) -> str:
    """The backend that compiled the pieces."""
    found = {code.runtime for code in codes if isinstance(code, _core.ObjectCode)}
    if not found:
        raise ValueError("target is needed: no piece says for which backend it is.")
    if len(found) > 1:
        listed = " and ".join(f"'{name}'" for name in sorted(found))
        raise ValueError(f"codes has pieces of {listed}: link those of one backend.")
    return found.pop()


__all__ = ["Linker"]
