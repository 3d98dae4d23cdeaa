# SPDX-License-Identifier: Apache-2.0
"""The exceptions of Nexus, and which one a status becomes."""

from __future__ import annotations

import errno
import os

TYPE_CHECKING = False  # type checkers know the name; `import nexus` needs nothing of typing
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from nexus.status import Status


class NexusError(RuntimeError):
    """What failing calls raise; the text says what failed and what to do.

    Attributes:
        status: a member of nexus.status.
        native_code: the driver's own error number, 0 for none.
        backend: the backend that failed, such as 'cpu'; empty where it was the core.
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
    """A value that Nexus refuses, such as a size of zero."""


class NexusTimeoutError(NexusError, TimeoutError):
    """A wait that ran out; what was waited for goes on."""


class NexusFileNotFoundError(NexusError, FileNotFoundError):
    """A file that is not there."""


class PropertyNotFoundError(NexusError, KeyError):
    """A property that the object does not have, or that is of another type than asked for."""


class CompileError(NexusError):
    """A program that can't be compiled: the compiler refuses it, or it has no kernel, or includes
    what is not there; or one whose pieces can't be linked. The text names each mistake with its
    file, line and column and shows the line: in the portable language in Nexus' own words, in
    others in the compiler's.

    Attributes:
        log: all that the compiler said, and its flags.
        flags: what the compiler was given, a tuple; the names of files are not among it.
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
    _public.__module__ = "nexus"  # as tracebacks name them, and programs write them


# What is wrong with a program's text.
_COMPILE_ERRORS = frozenset(
    {"NXS_CompileProgramFailure", "NXS_InvalidProgram", "NXS_LinkProgramFailure"}
)

# What is the caller's value, seen where only the core or the backend can tell.
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
    """The exception that a failing call of libnexus raises. Called by the extension.

    log is what a compiler said.
    """
    from nexus.status import NXS_InternalError, Status

    try:
        known = Status(status)
    except ValueError:  # a newer plug-in's
        known = NXS_InternalError
    if known.name in _COMPILE_ERRORS:
        return CompileError(message, known, native_code, backend, log)
    return _class_of(known)(message, known, native_code, backend)


def missing_file(path: str, message: str, *rest: Any) -> NexusFileNotFoundError:
    """The error of a path, with what Python's own has; rest is as of NexusError."""
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
    """Raises NexusFileNotFoundError for a file that is not there, NexusValueError for a folder.

    Args:
        wanted: what the file holds, such as "a library".
    """
    if os.path.isdir(path):  # noqa: PTH112 - pathlib raises for a name that is too long
        raise NexusValueError(
            f"{parameter} is '{path}', which is a folder: give the file of {wanted}.",
            status,
            native_code,
            backend,
        )
    if os.path.exists(path):  # noqa: PTH110
        return  # the text says what is wrong with it
    raise missing_file(path, message, status, native_code, backend)
