# SPDX-License-Identifier: Apache-2.0
"""Host arrays that a buffer can't be copied to, or from, or be made of."""

from __future__ import annotations

import array
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from workbench import COUNT, Case, Workbench, by_name, check_refused, refused

import nexus

Floats = npt.NDArray[np.float32]

HALF = COUNT // 2
BYTES = 4 * COUNT


def copy_to(host: Any, bench: Workbench) -> None:
    bench.data.copy(host)


def copy_from(host: Any, bench: Workbench) -> None:
    bench.data.copy_from(host)


def create(data: Any, bench: Workbench) -> nexus.Buffer:
    return bench.device.create_buffer(data)


def create_system(data: Any, bench: Workbench) -> nexus.Buffer:
    return nexus.create_buffer(data)


def read_only() -> Floats:
    """An array of the buffer's size that must not be written."""
    made = np.zeros(COUNT, np.float32)
    made.flags.writeable = False
    return made


def strided() -> Floats:
    """An array of the buffer's size whose elements have gaps between them."""
    made: Floats = np.zeros(2 * COUNT, np.float32)[::2]
    return made


def swapped() -> npt.NDArray[Any]:
    """An array whose elements are in the other byte order."""
    order = np.dtype(np.float32).newbyteorder("S")
    return np.zeros(COUNT, order)


def masked() -> Any:
    """An array of numpy.ma, of the buffer's size."""
    return np.ma.masked_array(np.zeros(COUNT, np.float32), np.arange(COUNT) > 1)


# What is no target of Buffer.copy(host): the array, the error, and what the text tells.
TARGETS: dict[str, tuple[Any, type[Exception], tuple[str, ...]]] = {
    "an array with gaps": (strided(), ValueError, ("host is not C-contiguous",)),
    "an array from its end": (
        np.zeros(COUNT, np.float32)[::-1], ValueError, ("host is not C-contiguous",)),
    "an array in Fortran's order": (
        np.zeros((4, 4), np.float32, order="F"), ValueError, ("host is not C-contiguous",)),
    "one element many times": (
        np.broadcast_to(np.float32(1), (COUNT,)), ValueError, ("host is not C-contiguous",)),
    "a read-only array": (read_only(), ValueError, ("host is read-only",)),
    "bytes, which are read-only": (bytes(BYTES), ValueError, ("host is read-only",)),
    "a read-only view": (
        memoryview(bytearray(BYTES)).toreadonly(), ValueError, ("host is read-only",)),
    "an array too small": (
        np.zeros(HALF, np.float32), ValueError, ("host has 32 bytes", "the buffer has 64")),
    "an array too large": (
        np.zeros(COUNT + 1, np.float32), ValueError, ("host has 68 bytes", "the buffer has 64")),
    "an empty array": (np.zeros(0, np.float32), ValueError, ("host has 0 bytes",)),
    "bytes too few": (bytearray(BYTES - 1), ValueError, ("host has 63 bytes",)),
    "an array of no dimensions": (np.zeros((), np.float32), ValueError, ("host has 4 bytes",)),
    "an array of float64": (
        np.zeros(COUNT, np.float64), TypeError, ("host has dtype float64", "has float32")),
    "an array of int32, as wide": (
        np.zeros(COUNT, np.int32), TypeError, ("host has dtype int32", "has float32")),
    "an array of Python's own doubles": (
        array.array("d", [0.0] * COUNT), TypeError, ("host has dtype float64",)),
    "an array of complex numbers": (
        np.zeros(HALF, np.complex64), TypeError, ("host has the dtype complex64", "host.real")),
    "an array of objects": (
        np.zeros(COUNT, object), TypeError, ("host has the dtype object",)),
    "an array of structures": (
        np.zeros(HALF, [("x", "f4"), ("y", "f4")]), TypeError, ("host has the dtype [(",)),
    "an array of text": (np.zeros(COUNT, "U1"), TypeError, ("host has the dtype <U1",)),
    "an array in the other byte order": (
        swapped(), TypeError, ("host has the dtype >f4", "astype(host.dtype.newbyteorder('='))")),
    "an array with a mask": (
        masked(), TypeError, ("host is a masked array", "host.filled(value)")),
    "a list": ([0.0] * COUNT, TypeError, ("host has to be an array", "list ([0.0,")),
    "a number": (1.0, TypeError, ("host has to be an array", "float (1.0)")),
    "text": ("0" * BYTES, TypeError, ("host has to be an array", "str ('000")),
    "None": (None, TypeError, ("host has to be an array", "NoneType (None)")),
    "a class": (np.ndarray, TypeError, ("host has to be an array", "type (<class 'numpy.")),
}  # fmt: skip

READ_ONLY = {
    "one element many times", "a read-only array", "bytes, which are read-only", "a read-only view",
}  # fmt: skip


@pytest.mark.parametrize(
    "case",
    [
        refused(what, partial(copy_to, host), error, *texts)
        for what, (host, error, texts) in TARGETS.items()
    ],
    ids=by_name,
)
@pytest.mark.smoke
def test_an_array_to_copy_to_is_refused(bench: Workbench, case: Case) -> None:
    check_refused(bench, case)


@pytest.mark.parametrize(
    "case",
    [
        refused(
            what,
            partial(copy_from, host),
            error,
            *(text.replace("host", "array", 1) for text in texts),
        )
        for what, (host, error, texts) in TARGETS.items()
        if what not in READ_ONLY
    ],
    ids=by_name,
)
def test_an_array_to_copy_from_is_refused(bench: Workbench, case: Case) -> None:
    check_refused(bench, case)


@pytest.mark.parametrize("what", sorted(READ_ONLY - {"one element many times"}))
def test_what_is_read_only_can_be_copied_from(bench: Workbench, what: str) -> None:
    bench.out.copy_from(TARGETS[what][0])
    assert bench.out.numpy().tolist() == [0.0] * COUNT
    bench.check_works()


SOURCES: dict[str, tuple[Any, type[Exception], tuple[str, ...]]] = {
    "an array with gaps": (strided(), ValueError, ("data is not C-contiguous",)),
    "an array in Fortran's order": (
        np.zeros((4, 4), np.float32, order="F"), ValueError, ("data is not C-contiguous",)),
    "numpy's number": (np.float32(4), TypeError, ("data has to be an array", "4.0")),
    "an array of complex numbers": (
        np.zeros(4, np.complex64), TypeError, ("data has the dtype complex64", "data.imag")),
    "an array of objects": (
        np.zeros(4, object), TypeError, ("data has the dtype object",)),
    "an array in the other byte order": (
        swapped(), TypeError, ("data has the dtype >f4", "astype(data.dtype.newbyteorder('='))")),
    "an array with a mask": (
        masked(), TypeError, ("data is a masked array", "data.filled(value)")),
    "dates": (np.zeros(4, "M8[s]"), ValueError, ("the dtype of data is dtype('<M8[s]')",)),
    "text": ("0" * BYTES, TypeError, ("data has to be an array", "str ('000")),
}  # fmt: skip


@pytest.mark.parametrize(
    "case",
    [
        refused(what, partial(create, data), error, *texts)
        for what, (data, error, texts) in SOURCES.items()
    ],
    ids=by_name,
)
def test_an_array_to_make_a_buffer_of_is_refused(bench: Workbench, case: Case) -> None:
    check_refused(bench, case)


@pytest.mark.parametrize(
    "case",
    [
        refused(what, partial(create_system, data), error, *texts)
        for what, (data, error, texts) in SOURCES.items()
    ],
    ids=by_name,
)
def test_an_array_to_make_a_system_buffer_of_is_refused(cpu_bench: Workbench, case: Case) -> None:
    check_refused(cpu_bench, case)


class Described:
    """Something that describes an array, wrongly."""

    def __init__(self, **wrong: Any) -> None:
        sound = np.zeros(COUNT, np.float32).__array_interface__
        self.__array_interface__ = {**sound, **wrong}


DESCRIPTIONS: dict[str, tuple[Any, str]] = {
    "an address that is text": (Described(data=("0", False)), "the address of data"),
    "a negative address": (Described(data=(-1, False)), "the address of data"),
    "no flag": (Described(data=(0,)), "__array_interface__['data'] of data"),
    "a shape that is a list": (Described(shape=[16]), "__array_interface__['shape'] of data"),
    "a shape of text": (Described(shape=("16",)), "a length of data"),
    "a negative length": (Described(shape=(-16,)), "a length of data"),
    "no shape": (Described(shape=None), "__array_interface__['shape'] of data"),
    "a type that there is not": (Described(typestr="<x4"), "['typestr'] of data is '<x4'"),
    "a width that there is not": (Described(typestr="<f3"), "['typestr'] of data is '<f3'"),
    "the other byte order": (Described(typestr=">f4"), "['typestr'] of data is '>f4'"),
    "an empty type": (Described(typestr=""), "['typestr'] of data is ''"),
    "no type": (Described(typestr=None), "['typestr'] of data has to be a str"),
}


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint8", "int16", "uint32", "int64", "float16", "float32", "float64"]
)
def test_an_array_that_is_only_described_is_copied(bench: Workbench, dtype: str) -> None:
    array = np.arange(COUNT).astype(dtype)
    described = Described(**array.__array_interface__)
    buffer = bench.device.create_buffer(described)
    assert (buffer.dtype, buffer.shape) == (dtype, (COUNT,))
    assert buffer.numpy().tolist() == array.tolist()


@pytest.mark.parametrize("what", DESCRIPTIONS)
def test_an_array_that_is_described_wrongly_is_refused(bench: Workbench, what: str) -> None:
    described, text = DESCRIPTIONS[what]
    case = refused(what, lambda b: b.device.create_buffer(described), (TypeError, ValueError), text)
    check_refused(bench, case)


def test_a_description_that_is_no_dict_is_refused(bench: Workbench) -> None:
    class Wrong:
        __array_interface__ = 5

    case = refused("", lambda b: b.device.create_buffer(Wrong()), TypeError, "data", "int (5)")
    check_refused(bench, case)


class Raising:
    """An array whose library fails."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise ZeroDivisionError("An error of the array's own.")


@pytest.mark.parametrize("use", ["create_buffer", "copy", "copy_from"])
def test_an_error_of_the_arrays_library_comes_through(bench: Workbench, use: str) -> None:
    uses = {
        "create_buffer": lambda b: b.device.create_buffer(Raising()),
        "copy": lambda b: b.out.copy(Raising()),
        "copy_from": lambda b: b.out.copy_from(Raising()),
    }
    check_refused(bench, refused(use, uses[use], ZeroDivisionError, "of the array's own"))


def misaligned() -> Floats:
    """An array that begins one byte off its elements' width."""
    made: Floats = np.zeros(BYTES + 1, np.uint8)[1:].view(np.float32)
    return made


IMPORTS: dict[str, tuple[Any, type[Exception] | tuple[type[Exception], ...], tuple[str, ...]]] = {
    "an array with gaps": (strided(), ValueError, ("x is strided",)),
    "an array that is not aligned": (misaligned(), ValueError, ("x does not begin at a multiple",)),
    "an array of complex numbers": (
        np.zeros(4, np.complex64), TypeError, ("x has elements of the type complex64",)),
    "a list": ([0.0], TypeError, ("x has to be an array with __dlpack__", "list ([0.0])")),
    "bytes": (b"0000", TypeError, ("x has to be an array with __dlpack__", "bytes (b'0000')")),
    "None": (None, TypeError, ("x has to be an array with __dlpack__", "NoneType (None)")),
    "a class": (np.ndarray, TypeError, ("x has to be an array with __dlpack__",)),
}  # fmt: skip


@pytest.mark.parametrize("what", IMPORTS)
def test_an_array_to_import_is_refused(bench: Workbench, what: str) -> None:
    array_of, error, texts = IMPORTS[what]
    case = refused(what, lambda b: nexus.from_dlpack(array_of, b.device), error, *texts)
    check_refused(bench, case)
