# SPDX-License-Identifier: Apache-2.0
"""What functions written in Python say of parameters that are wrong, as the extension says it."""

from __future__ import annotations

import operator
import os
import stat
from collections.abc import Iterable
from typing import Any

_LONGEST = 80  # letters of a value that a message shows
_LARGEST_FILE = 1 << 30  # bytes, as of the files that libnexus reads


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
    """The repr of a value, cut where it is long."""
    try:
        text = repr(value)
    except Exception:  # of a stranger's class; the message has to come all the same
        return "an object whose repr fails"
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."


def text(parameter: str, value: object, *, empty: str = "") -> str:
    """The value as a str of one line.

    Args:
        empty: what an empty str lacks, such as 'give a name'; '' where it may be empty.
    """
    if not isinstance(value, str):
        raise wrong_type(parameter, "a str", value)
    if empty and not value.strip():
        raise wrong_value(parameter, value, f"it is empty; {empty}")
    if any(letter in value for letter in "\0\n\r"):
        raise wrong_value(parameter, value, "it has a line break or a NUL character; leave it out")
    return unicode(parameter, value)


def unicode(parameter: str, value: str) -> str:
    """The str, which has to encode as UTF-8."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise wrong_value(
            parameter,
            value,
            "it has a lone surrogate, which is no character; give text that encodes as UTF-8",
        ) from None
    return value


def boolean(parameter: str, value: object) -> bool:
    """The value as a bool; numpy's are bools too."""
    if isinstance(value, bool):
        return value
    kind = type(value)
    if kind.__module__ == "numpy" and kind.__name__ in ("bool", "bool_"):
        return bool(value)
    raise wrong_type(parameter, "a bool", value)


def integer(parameter: str, value: object) -> int:
    """The value as an int; a bool is none."""
    if not isinstance(value, bool):
        try:
            return operator.index(value)  # type: ignore[arg-type]
        except TypeError:
            pass
    raise wrong_type(parameter, "an int", value)


def path(parameter: str, value: Any, wanted: str = "a path (str or os.PathLike)") -> str:
    """The path as a str that names something."""
    if not isinstance(value, (str, os.PathLike)):
        raise wrong_type(parameter, wanted, value)
    return text(parameter, os.fsdecode(value), empty="give the path of something")


def read_file(parameter: str, path: str) -> bytes:
    """The bytes of a regular file. Never waits for a pipe, and never reads a device, which may
    have no end."""
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
        elif status.st_size > _LARGEST_FILE:
            remedy = f"a file of {status.st_size} bytes: give one of at most {_LARGEST_FILE}"
        else:
            with open(descriptor, "rb", closefd=False) as file:
                return file.read()
    finally:
        os.close(descriptor)
    raise NexusValueError(f"{parameter} is '{path}', which is {remedy}.")


def near(name: str, known: Iterable[str]) -> str:
    """'; did you mean 'x'?' where a known name is like this one, else '.'."""
    import difflib

    found = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean '{found[0]}'?" if found else "."
