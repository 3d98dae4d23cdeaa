# SPDX-License-Identifier: Apache-2.0
"""Adds a program's own ranges and marks to its trace.

`nexus trace script.py`, or the environment variable NEXUS_LAYERS=trace, makes the trace. In a
process that is not traced, these functions do nothing.
"""

from __future__ import annotations

from types import TracebackType
from typing import Protocol

from nexus import _core


class Range(Protocol):
    """The result of `range`: a context manager without a value."""

    def __enter__(self) -> None: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...


class _Shown:
    __slots__ = ("_begin", "_name")

    def __init__(self, name: str) -> None:
        self._name = name
        self._begin = 0

    def __enter__(self) -> None:
        self._begin = _core.trace_time()

    def __exit__(self, *_: object) -> None:
        _core.trace_range(self._name, self._begin)


class _Nothing:
    __slots__ = ()

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


_IS_ON = _core.trace_is_on()
_NOTHING = _Nothing()


def is_on() -> bool:
    """Returns whether this process is traced."""
    return _IS_ON


def range(name: str) -> Range:  # noqa: A001
    """Marks the body of a `with` statement as a named range of this thread.

    The range is written when it ends. In the child of a fork it goes to the child's trace.

    Raises:
        TypeError: name is not a str.
    """
    _check(name)
    return _Shown(name) if _IS_ON else _NOTHING


def mark(name: str) -> None:
    """Marks this moment of this thread with a name.

    Raises:
        TypeError: name is not a str.
    """
    _check(name)
    if _IS_ON:
        _core.trace_mark(name)


def _check(name: object) -> None:
    if not isinstance(name, str):
        raise TypeError(f"name has to be a str, not {type(name).__name__} ({name!r}).")
