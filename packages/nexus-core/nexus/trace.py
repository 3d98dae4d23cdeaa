# SPDX-License-Identifier: Apache-2.0
"""Adds a program's own ranges and marks to its trace, and reads traces.

`nexus trace script.py`, or the environment variable NEXUS_LAYERS=trace, makes the trace. In a
process that is not traced, `range` and `mark` do nothing.
"""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Protocol

from nexus import _core

if TYPE_CHECKING:
    import os

    from nexus._trace import _file


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


class Trace:
    """A trace that was read from a file. A notebook shows it as a timeline with tables.

    Attributes:
        path: the file.
    """

    __slots__ = ("_parts", "path")

    path: str
    _parts: _file.Trace

    def __init__(self, path: str, parts: _file.Trace) -> None:
        self.path = path
        self._parts = parts

    def _repr_html_(self) -> str:
        from nexus import _html

        return _html.trace(self)

    def __repr__(self) -> str:
        work, calls = len(self._parts.work), len(self._parts.calls)
        return f"<trace {self.path!r}: work {work}, calls {calls}>"


def read(path: str | os.PathLike[str] | None = None) -> Trace:
    """Reads a trace, which a notebook shows as a timeline.

    Args:
        path: the file; None reads the trace of this process so far, which needs NEXUS_LAYERS=trace.
            Work that ended within the last 50 ms may be missing.

    Raises:
        TypeError: path is neither a str, an os.PathLike nor None.
        NexusFileNotFoundError: there is no such file.
        NexusValueError: the file is not a trace.
        NexusError: path is None, and this process is not traced.

    Example:
        trace = nexus.trace.read("nexus-trace.json")
    """
    from nexus import _checks
    from nexus._trace import _file

    name = _file.own_file() if path is None else _checks.path("path", path)
    return Trace(name, _file.read_trace(name))


def _check(name: object) -> None:
    if not isinstance(name, str):
        raise TypeError(f"name has to be a str, not {type(name).__name__} ({name!r}).")


__all__ = ["Range", "Trace", "is_on", "mark", "range", "read"]
