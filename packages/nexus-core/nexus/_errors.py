# SPDX-License-Identifier: Apache-2.0
"""The exceptions of Nexus, and their statuses."""

from __future__ import annotations

import errno
import os

TYPE_CHECKING = False  # type checkers know the name; keeps typing out of `import nexus`
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from nexus.status import Status


class NexusError(RuntimeError):
    """The error of a failed call; the text says what failed and what to do.

    Attributes:
        status: a member of nexus.status.
        native_code: the driver's error number; 0 if there is none.
        backend: the backend that failed, such as 'cpu'; empty if Nexus itself did.
    """

    status: Status
    native_code: int
    backend: str

    def __init__(
        self,
        message: str = "",
        status: int | None = None,
        native_code: int = 0,
        backend: str = "",
    ) -> None:
        from nexus.status import Status

        super().__init__(message)
        self.status = Status.NXS_InternalError if status is None else Status(status)
        self.native_code = native_code
        self.backend = backend

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class NexusValueError(NexusError, ValueError):
    """A value that Nexus rejects, such as a size of zero."""


class NexusTimeoutError(NexusError, TimeoutError):
    """A wait that timed out; the work goes on."""


class NexusFileNotFoundError(NexusError, FileNotFoundError):
    """A file that does not exist."""


class PropertyNotFoundError(NexusError, KeyError):
    """A property that the object does not have, or does not have in the requested type."""


class CompileError(NexusError):
    """A program that can't be compiled or linked: the compiler rejects it, it has no kernel, or an
    included file is missing. The text gives the file, line and column of each mistake and shows
    the line. The messages are by Nexus for the portable language, else by the compiler.

    Attributes:
        log: the compiler's complete output, and its flags.
        flags: the compiler's flags, a tuple without the names of files.
    """

    log: str
    flags: tuple[str, ...]

    def __init__(
        self,
        message: str = "",
        status: int | None = None,
        native_code: int = 0,
        backend: str = "",
        log: str = "",
        flags: Sequence[str] = (),
    ) -> None:
        super().__init__(message, status, native_code, backend)
        self.log = log
        self.flags = tuple(flags)


for _public in (
    CompileError,
    NexusError,
    NexusValueError,
    NexusTimeoutError,
    NexusFileNotFoundError,
    PropertyNotFoundError,
):
    _public.__module__ = "nexus"  # the name shown in tracebacks


# Errors of a program's text.
_COMPILE_ERRORS = frozenset(
    {"NXS_CompileProgramFailure", "NXS_InvalidProgram", "NXS_LinkProgramFailure"}
)

# Errors of the caller's values that only the core or a backend detects.
_VALUE_ERRORS = frozenset(
    {
        "NXS_InvalidArgIndex",
        "NXS_InvalidArgSize",
        "NXS_InvalidArgValue",
        "NXS_InvalidBufferSize",
        "NXS_InvalidCompilerOptions",
        "NXS_InvalidGlobalOffset",
        "NXS_InvalidGlobalWorkSize",
        "NXS_InvalidValue",
        "NXS_InvalidWorkDimension",
        "NXS_InvalidWorkGroupSize",
        "NXS_InvalidWorkItemSize",
        "NXS_MaxSizeRestrictionExceeded",
    }
)


def _class_of(status: Status) -> type[NexusError]:
    if status.name in _VALUE_ERRORS:
        return NexusValueError
    if status.name == "NXS_Timeout":
        return NexusTimeoutError
    if status.name == "NXS_InvalidProperty":
        return PropertyNotFoundError
    return NexusError


def from_status(
    status: int, message: str, native_code: int, backend: str, log: str = ""
) -> NexusError:
    """Makes the exception for a failed call of libnexus. Called by the extension.

    log: a compiler's output, or the traceback of a host function's exception.
    """
    from nexus.status import NXS_InternalError, Status

    try:
        known = Status(status)
    except ValueError:  # a status of a newer plug-in
        known = NXS_InternalError
    if known.name in _COMPILE_ERRORS:
        return CompileError(message, known, native_code, backend, log)
    error = _class_of(known)(message, known, native_code, backend)
    if log:
        error.__cause__ = _Traceback(log)
    return error


class _Traceback(Exception):
    """The traceback of a host function's exception, which another thread caught."""

    def __str__(self) -> str:
        return f'\n"""\n{self.args[0]}"""'


def call_function(call: tuple[Callable[..., object], tuple[object, ...]]) -> tuple[str, str] | None:
    """Calls a host function of a schedule; returns the text and the traceback of its exception."""
    function, args = call
    try:
        function(*args)
    except BaseException as error:
        from traceback import format_exception, format_exception_only

        trace = error.__traceback__
        shown = "".join(format_exception(type(error), error, trace and trace.tb_next))
        return "".join(format_exception_only(type(error), error)).rstrip("\n"), shown
    return None


def missing_file(path: str, message: str, *rest: Any) -> NexusFileNotFoundError:
    """Makes the error for a missing file, with Python's attributes; rest: see NexusError."""
    error = NexusFileNotFoundError(message, *rest)
    error.errno = errno.ENOENT
    error.strerror = os.strerror(errno.ENOENT)
    error.filename = path
    return error


def raise_for_file(
    parameter: str,
    path: str,
    wanted: str,
    status: int,
    message: str,
    native_code: int,
    backend: str,
) -> None:
    """Raises NexusFileNotFoundError if there is no such file, NexusValueError if it is a folder.

    Args:
        wanted: the kind of file, such as "a library".
    """
    if os.path.isdir(path):  # noqa: PTH112 - pathlib raises for a name that is too long
        raise NexusValueError(
            f"{parameter} is '{path}', which is a folder: give the file of {wanted}.",
            status,
            native_code,
            backend,
        )
    if os.path.exists(path):  # noqa: PTH110
        return  # the message says what is wrong with it
    raise missing_file(path, message, status, native_code, backend)
