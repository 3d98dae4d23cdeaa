# SPDX-License-Identifier: Apache-2.0
"""Checks of parameters for functions written in Python, with the extension's error texts."""

from __future__ import annotations

import operator
import os
import stat
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

_LONGEST = 80  # characters of a value shown in a message
_LARGEST_FILE = 1 << 30  # bytes; the limit of libnexus
_OF_A_CALL = ("grid", "group", "stream", "blocking", "local_memory")  # of Kernel.__call__


def wrong_type(parameter: str, wanted: str, value: object) -> TypeError:
    """'<parameter> has to be <wanted>, not <type> (<value>).'"""
    kind = type(value)
    name = kind.__qualname__
    if kind.__module__ != "builtins":
        name = f"{kind.__module__}.{name}"
    return TypeError(f"{parameter} has to be {wanted}, not {name} ({shown(value)}).")


def wrong_value(parameter: str, value: object, remedy: str) -> ValueError:
    """'<parameter> is <value>: <remedy>.'"""
    return ValueError(f"{parameter} is {shown(value)}: {remedy}.")


def shown(value: object) -> str:
    """Returns the repr of a value, shortened."""
    try:
        text = repr(value)
    except Exception:  # a foreign class's repr may fail; the message must not
        return "an object whose repr fails"
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."


def text(parameter: str, value: object, *, empty: str = "") -> str:
    """Returns the value, which must be a str of one line.

    Args:
        empty: the advice for an empty str, such as 'give a name'; '' allows an empty str.
    """
    if not isinstance(value, str):
        raise wrong_type(parameter, "a str", value)
    if empty and not value.strip():
        raise wrong_value(parameter, value, f"it is empty; {empty}")
    if any(letter in value for letter in "\0\n\r"):
        raise wrong_value(parameter, value, "it has a line break or a NUL character; leave it out")
    return unicode(parameter, value)


def unicode(parameter: str, value: str) -> str:
    """Returns the str, which must be encodable as UTF-8."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise wrong_value(
            parameter,
            value,
            "it has a lone surrogate; give text that encodes as UTF-8",
        ) from None
    return value


def boolean(parameter: str, value: object) -> bool:
    """Returns the value, a bool or numpy bool, as a bool."""
    if isinstance(value, bool):
        return value
    kind = type(value)
    if kind.__module__ == "numpy" and kind.__name__ in ("bool", "bool_"):
        return bool(value)
    raise wrong_type(parameter, "a bool", value)


def integer(parameter: str, value: object) -> int:
    """Returns the value as an int; rejects bools."""
    if not isinstance(value, bool):
        try:
            return operator.index(value)  # type: ignore[arg-type]
        except TypeError:
            pass
    raise wrong_type(parameter, "an int", value)


def number(parameter: str, value: Any, dtype: str, wanted: str = "a number") -> Any:
    """Returns a number of a dtype, as a numpy scalar."""
    import numpy as np

    kind = np.dtype(dtype)
    numbers: tuple[type[Any], ...] = (bool, int, float, complex, np.generic)
    if not isinstance(value, numbers):
        raise wrong_type(parameter, f"{wanted} ({dtype})", value)
    if not np.can_cast(np.asarray(value).dtype, kind, "same_kind") and not (
        isinstance(value, (int, np.integer)) and kind.kind in "uif"
    ):
        raise wrong_type(parameter, f"a number that fits {dtype}", value)
    if kind.kind in "iu" and not np.iinfo(kind).min <= int(value) <= np.iinfo(kind).max:
        raise wrong_value(parameter, value, f"it does not fit {dtype}")
    try:
        with np.errstate(over="raise"):
            return kind.type(value)
    except (OverflowError, FloatingPointError):
        raise wrong_value(parameter, value, f"it does not fit {dtype}") from None


def path(parameter: str, value: Any, wanted: str = "a path (str or os.PathLike)") -> str:
    """Returns the path as a str that is not empty."""
    if not isinstance(value, (str, os.PathLike)):
        raise wrong_type(parameter, wanted, value)
    return text(parameter, os.fsdecode(value), empty="give a path")


def read_file(
    parameter: str, path: str, *, largest: int = _LARGEST_FILE, trusted: bool = False
) -> bytes:
    """Returns the bytes of a regular file. Rejects pipes and devices, which may block or never
    end.

    Args:
        trusted: also rejects files that an untrusted user may have written.
    """
    from nexus._errors import NexusValueError, missing_file

    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError as error:
        raise missing_file(path, f"There is no file '{path}'.") from error
    try:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            remedy = "a folder: give a file"
        elif not stat.S_ISREG(status.st_mode):
            remedy = "a pipe, a socket or a device: give a regular file"
        elif status.st_size > largest:
            remedy = f"a file of {status.st_size} bytes: give one of at most {largest}"
        elif trusted and (reason := _distrust(status)):
            remedy = reason
        else:
            with open(descriptor, "rb", closefd=False) as file:
                return file.read(largest)  # a file may grow while it is read
    finally:
        os.close(descriptor)
    raise NexusValueError(f"{parameter} is '{path}', which is {remedy}.")


def _distrust(status: os.stat_result) -> str:
    """Returns the reason why a file's content is not trusted; empty if it is."""
    owners = {0, os.geteuid(), os.stat(__file__).st_uid}  # noqa: PTH116  # we run his code already
    if status.st_uid not in owners:
        return (
            f"a file of the user with the ID {status.st_uid}: give one that belongs to you, to "
            "root, or to the owner of the package nexus"
        )
    if status.st_mode & stat.S_IWOTH:
        return "a file that every user may write: run chmod o-w on it"
    return ""


def refuse_argument_name(
    parameter: str, name: str, kernel: str, names: Sequence[str] | None
) -> NoReturn:
    """Raises the error for a name that no argument of the kernel has, or an unknown name."""
    if names is None or (names and not any(names)):
        raise TypeError(
            f"{parameter} names {name!r}, and the kernel '{kernel}' does not name its "
            "arguments: give their numbers, counted from 0."
        )
    listing = ", ".join(each or f"number {at}" for at, each in enumerate(names)) or "no arguments"
    others = _OF_A_CALL if parameter == "a keyword" else ()
    more = f" A call also takes {', '.join(others)}." if others else ""
    raise ValueError(
        f"{parameter} names {name!r}, which is not an argument of the kernel '{kernel}'"
        f"{near(name, (*names, *others))} It has {listing}.{more}"
    )


def near(name: str, known: Iterable[str]) -> str:
    """Returns '; did you mean 'x'?' if a known name is similar, else '.'."""
    import difflib

    found = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean '{found[0]}'?" if found else "."
