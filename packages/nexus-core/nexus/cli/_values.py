# SPDX-License-Identifier: Apache-2.0
"""Parses the values of `nexus run`: arrays, numbers and local memory."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nexus import _core
from nexus._arrays._values import named_dtype
from nexus.cli._misuse import Misuse

_SHAPED = re.compile(r"(\w+)\[([^\]]*)\]")
_TYPED = re.compile(r"([a-z]+\d*):(.+)", re.DOTALL)
_INTEGER = re.compile(r"([+-]?(?:0[xX][0-9a-fA-F]+|\d+))(u|ul|ull|l|ll)?", re.IGNORECASE)
_DECIMAL = re.compile(
    r"([+-]?(?:\d+\.\d*|\.\d+|\d+(?=[eEfF]))(?:[eE][+-]?\d+)?|[+-]?(?:inf|nan))(f)?", re.IGNORECASE
)
_SUFFIXES = {"u": "uint32", "l": "int64", "ll": "int64", "ul": "uint64", "ull": "uint64"}


@dataclass(frozen=True)
class Local:
    """Bytes of local memory for each group."""

    size: int


@dataclass(frozen=True)
class Untyped:
    """A number without a type: it gets the parameter's type, else the type that C gives it."""

    value: int | float

    def typed(self) -> Any:
        """Returns the number in C's type."""
        return _number("float64" if isinstance(self.value, float) else "int32", str(self.value))


def parse_value(word: str) -> Any:
    """Returns a numpy array, a numpy scalar, an Untyped or a Local.

    Raises:
        Misuse: the word is not a value, or names a file that can't be read.
    """
    word = word.strip()
    if word.lower().endswith(".npy"):
        return read_array(Path(word))
    if shaped := _SHAPED.fullmatch(word):
        return _shaped(word, *shaped.groups())
    if typed := _TYPED.fullmatch(word):
        name, digits = typed.groups()
        if "," in digits:  # a trailing comma is allowed: float32:2, is an array of one element
            numbers = digits.removesuffix(",").split(",")
            return np.array([_number(name, each.strip()) for each in numbers])
        return _number(name, digits)
    if word in ("true", "false"):
        return np.bool_(word == "true")
    if integer := _INTEGER.fullmatch(word):
        digits, suffix = integer.groups()
        return _number(_SUFFIXES[suffix.lower()], digits) if suffix else Untyped(_integer(digits))
    if decimal := _DECIMAL.fullmatch(word):
        digits, suffix = decimal.groups()
        return _number("float32", digits) if suffix else Untyped(float(digits))
    raise Misuse(
        f"{word!r} is not a value: write an array as x.npy or float32[64,64], local memory as "
        "local[1024], a number as 3, 2.5, 2.0f, 3u or int32:7, a vector as float32:1,2,3,4."
    )


def read_array(path: Path) -> np.ndarray[Any, Any]:
    """Returns the array in a .npy file."""
    try:
        return np.asarray(np.load(path, allow_pickle=False))
    except FileNotFoundError:
        raise Misuse(f"There is no file '{path}'.") from None
    except OSError as error:
        raise Misuse(f"'{path}' can't be read: {error.strerror or error}.") from error
    except (ValueError, EOFError) as error:
        raise Misuse(f"'{path}' is not an array of numbers in numpy's format: {error}") from error


def parse_size(option: str, text: str, lowest: int = 1) -> tuple[int, ...]:
    """Parses one to three lengths, such as '1024' or '64,64'."""
    lengths = text.strip().split(",")
    if len(lengths) > 3 or not all(re.fullmatch(r"\d+", each.strip()) for each in lengths):
        raise Misuse(f"{option} is {text.strip()!r}: write one to three lengths, such as 64,64.")
    sizes = tuple(int(each) for each in lengths)
    if min(sizes) < lowest:
        raise Misuse(f"{option} is {text.strip()!r}: a length is at least {lowest}.")
    return sizes


def _shaped(word: str, name: str, lengths: str) -> Any:
    if not re.fullmatch(r"\s*\d+\s*(,\s*\d+\s*)*", lengths):
        raise Misuse(f"{word!r}: write the lengths between the brackets, such as float32[64,64].")
    shape = tuple(int(each) for each in lengths.split(","))
    if name == "local":
        if min(shape) < 1:
            raise Misuse(f"{word!r}: a length is at least 1.")
        if len(shape) != 1:
            raise Misuse(f"{word!r}: local memory is a number of bytes, such as local[1024].")
        return Local(shape[0])
    try:
        return np.zeros(shape, _dtype(word, name))
    except (MemoryError, ValueError) as error:
        raise Misuse(f"{word!r} is too large for this machine.") from error


def _dtype(word: str, name: str) -> np.dtype[Any]:
    try:
        return named_dtype(_core.dtype_name(name, "the dtype"))
    except (TypeError, ValueError) as error:
        raise Misuse(f"{word!r}: {error}") from None


def _number(name: str, digits: str) -> Any:
    """Returns a numpy scalar. Raises Misuse if the digits are not a number of that dtype."""
    word = f"{name}:{digits}"
    dtype = _dtype(word, name)
    try:
        if dtype.kind == "b":
            return np.bool_({"true": True, "false": False, "1": True, "0": False}[digits])
        if dtype.kind in "iu":
            number = _integer(digits)
            limits = np.iinfo(dtype)
            if not limits.min <= number <= limits.max:
                raise Misuse(f"{word!r}: {name} goes from {limits.min} to {limits.max}.")
            return dtype.type(number)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # reported below
            made = dtype.type(float(digits))
    except (KeyError, ValueError):
        raise Misuse(f"{word!r}: {digits!r} is not a valid {name}.") from None
    if np.isinf(made) and not np.isinf(float(digits)):
        raise Misuse(f"{word!r}: {digits} is beyond the largest {name}.")
    return made


def _integer(digits: str) -> int:
    if re.fullmatch(r"[+-]?\d+", digits):
        return int(digits, 10)
    return int(digits, 0)
