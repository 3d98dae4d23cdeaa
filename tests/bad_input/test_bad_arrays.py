# SPDX-License-Identifier: Apache-2.0
"""Host arrays that a buffer can't be copied to, or from, or be made of."""

from __future__ import annotations

import array
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from workbench import (
    COUNT,
    Case,
    Workbench,
    Wrong,
    by_name,
    check_refused,
    check_wrong,
    refused,
    wrong,
)

import nexus

Floats = npt.NDArray[np.float32]

HALF = COUNT // 2
BYTES = 4 * COUNT


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


# Objects that Buffer.copy(host) can't write to.
TARGETS = [
    wrong("one element many times", np.broadcast_to(np.float32(1), (COUNT,)), ValueError,
          "host is read-only"),
    wrong("too small an array with gaps", strided()[1:], ValueError, "host has 60 bytes"),
    wrong("an array of float64 with gaps", np.zeros(2 * COUNT)[::2], TypeError,
          "host has dtype float64"),
    wrong("a read-only array", read_only(), ValueError, "host is read-only"),
    wrong("bytes, which are read-only", bytes(BYTES), ValueError, "host is read-only"),
    wrong("a read-only view", memoryview(bytearray(BYTES)).toreadonly(), ValueError,
          "host is read-only"),
    wrong("an array too small", np.zeros(HALF, np.float32), ValueError,
          "host has 32 bytes", "the buffer has 64"),
    wrong("an array too large", np.zeros(COUNT + 1, np.float32), ValueError,
          "host has 68 bytes", "the buffer has 64"),
    wrong("an empty array", np.zeros(0, np.float32), ValueError, "host has 0 bytes"),
    wrong("bytes too few", bytearray(BYTES - 1), ValueError, "host has 63 bytes"),
    wrong("an array of no dimensions", np.zeros((), np.float32), ValueError, "host has 4 bytes"),
    wrong("an array of float64", np.zeros(COUNT, np.float64), TypeError,
          "host has dtype float64", "has float32"),
    wrong("an array of int32, as wide", np.zeros(COUNT, np.int32), TypeError,
          "host has dtype int32", "has float32"),
    wrong("an array of Python's own doubles", array.array("d", [0.0] * COUNT), TypeError,
          "host has dtype float64"),
    wrong("an array of complex numbers", np.zeros(HALF, np.complex64), TypeError,
          "host has dtype complex64", "has float32"),
    wrong("an array of objects", np.zeros(COUNT, object), TypeError, "host has the dtype object"),
    wrong("an array of structures", np.zeros(HALF, [("x", "f4"), ("y", "f4")]), TypeError,
          "host has dtype [("),
    wrong("an array of text", np.zeros(COUNT, "U1"), TypeError, "host has the dtype <U1"),
    wrong("an array in the other byte order", swapped(), TypeError,
          "host has the dtype >f4", "astype(host.dtype.newbyteorder('='))"),
    wrong("an array with a mask", masked(), TypeError,
          "host is a masked array", "host.filled(value)"),
    wrong("a list", [0.0] * COUNT, TypeError, "host has to be an array", "list ([0.0,"),
    wrong("a number", 1.0, TypeError, "host has to be an array", "float (1.0)"),
    wrong("text", "0" * BYTES, TypeError, "host has to be an array", "str ('000"),
    wrong("None", None, TypeError, "host has to be an array", "NoneType (None)"),
    wrong("a class", np.ndarray, TypeError, "host has to be an array", "type (<class 'numpy."),
]  # fmt: skip

# Arrays that are not C-contiguous, which the host copies.
GAPS = [
    wrong("an array with gaps", strided(), ValueError, "host is not C-contiguous", "block"),
    wrong("an array from its end", np.zeros(COUNT, np.float32)[::-1], ValueError,
          "host is not C-contiguous", "block"),
    wrong("an array in Fortran's order", np.zeros((4, 4), np.float32, order="F"), ValueError,
          "host is not C-contiguous", "block"),
]  # fmt: skip

READ_ONLY = {"a read-only array", "bytes, which are read-only", "a read-only view"}


@pytest.mark.parametrize("wrong", TARGETS, ids=by_name)
@pytest.mark.smoke
def test_an_array_to_copy_to_is_refused(bench: Workbench, wrong: Wrong) -> None:
    check_wrong(bench, wrong, lambda b: b.data.copy(wrong.value))
    check_wrong(bench, wrong, lambda b: b.data.copy(wrong.value, stream=b.stream, blocking=False))


@pytest.mark.parametrize("wrong", GAPS, ids=by_name)
def test_an_array_with_gaps_needs_a_copy_that_blocks(bench: Workbench, wrong: Wrong) -> None:
    check_wrong(bench, wrong, lambda b: b.data.copy(wrong.value, blocking=False))
    texts = tuple(text.replace("host", "array", 1) for text in wrong.texts)
    check_wrong(
        bench,
        wrong._replace(texts=texts),
        lambda b: b.data.copy_from(wrong.value, stream=b.stream, blocking=False),
    )


@pytest.mark.parametrize(
    "wrong",
    [each for each in TARGETS if each.what not in {*READ_ONLY, "one element many times"}],
    ids=by_name,
)
def test_an_array_to_copy_from_is_refused(bench: Workbench, wrong: Wrong) -> None:
    texts = tuple(text.replace("host", "array", 1) for text in wrong.texts)
    check_wrong(bench, wrong._replace(texts=texts), lambda b: b.data.copy_from(wrong.value))


@pytest.mark.parametrize("wrong", [each for each in TARGETS if each.what in READ_ONLY], ids=by_name)
def test_what_is_read_only_can_be_copied_from(bench: Workbench, wrong: Wrong) -> None:
    bench.out.copy_from(wrong.value)
    assert bench.out.numpy().tolist() == [0.0] * COUNT
    bench.check_works()


SOURCES = [
    wrong("numpy's number", np.float32(4), TypeError, "data has to be an array", "4.0"),
    wrong("long complex numbers", np.zeros(4, np.clongdouble), TypeError,
          "data has the dtype complex256"),
    wrong("structures of another byte order", np.zeros(4, [("x", ">f4")]), ValueError,
          "the dtype of data is dtype([('x', '>f4')])", "byte order"),
    wrong("structures with objects", np.zeros(4, [("x", "O")]), ValueError, "objects"),
    wrong("an array of objects", np.zeros(4, object), TypeError, "data has the dtype object"),
    wrong("an array in the other byte order", swapped(), TypeError,
          "data has the dtype >f4", "astype(data.dtype.newbyteorder('='))"),
    wrong("an array with a mask", masked(), TypeError,
          "data is a masked array", "data.filled(value)"),
    wrong("dates", np.zeros(4, "M8[s]"), ValueError, "the dtype of data is dtype('<M8[s]')"),
    wrong("text", "0" * BYTES, TypeError, "data has to be an array", "str ('000"),
]  # fmt: skip


@pytest.mark.parametrize("wrong", SOURCES, ids=by_name)
def test_an_array_to_make_a_buffer_of_is_refused(bench: Workbench, wrong: Wrong) -> None:
    check_wrong(bench, wrong, lambda b: b.device.create_buffer(wrong.value))
    check_wrong(bench, wrong, lambda b: nexus.create_buffer(wrong.value))


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


IMPORTS = [
    wrong("an array that is not aligned", misaligned(), ValueError,
          "x does not begin at a multiple"),
    wrong("a list", [0.0], TypeError, "x has to be an array with __dlpack__", "list ([0.0])"),
    wrong("bytes", b"0000", TypeError, "x has to be an array with __dlpack__", "bytes (b'0000')"),
    wrong("None", None, TypeError, "x has to be an array with __dlpack__", "NoneType (None)"),
    wrong("a class", np.ndarray, TypeError, "x has to be an array with __dlpack__"),
]  # fmt: skip


@pytest.mark.parametrize("wrong", IMPORTS, ids=by_name)
def test_an_array_to_import_is_refused(bench: Workbench, wrong: Wrong) -> None:
    check_wrong(bench, wrong, lambda b: nexus.from_dlpack(wrong.value, b.device))


VIEWS = [
    refused("a shape of another size", lambda b: b.data.reshape(5, 3), ValueError,
            "shape is (5, 3)", "16 elements"),
    refused("a shape that does not divide", lambda b: b.data.reshape(-1, 5), ValueError,
            "shape is (-1, 5)"),
    refused("two unknown lengths", lambda b: b.data.reshape(-1, -1), ValueError,
            "shape is (-1, -1)"),
    refused("a negative length", lambda b: b.data.reshape(-2, 8), ValueError, "shape is (-2, 8)"),
    refused("a length of text", lambda b: b.data.reshape("16"), TypeError, "shape has to be"),
    refused("a shape of a view with gaps", lambda b: b.data[::2].reshape(2, 4), ValueError,
            "ascontiguous()"),
    refused("another width of a view with gaps", lambda b: b.data[::2].view("uint8"),
            (TypeError, ValueError, nexus.NexusError), "contiguous"),
    refused("one number of many", lambda b: b.data.item(), ValueError, "16 elements"),
    refused("an int of many", lambda b: int(b.data), ValueError, "16 elements"),
    refused("a float of many", lambda b: float(b.data), ValueError, "16 elements"),
    refused("the truth of many", lambda b: bool(b.data), ValueError, "16 elements"),
    refused("the length of one number", lambda b: len(b.data[0]), TypeError, "len()"),
    refused("an index beyond", lambda b: b.data[COUNT], IndexError, "16"),
    refused("too many indices", lambda b: b.data[0, 0], IndexError, "dimension"),
    refused("an index that is an array", lambda b: b.data[np.arange(3)], TypeError, "index"),
    refused("a range without a step", lambda b: nexus.arange(0, 4, 0, device=b.device), ValueError,
            "step is 0"),
]  # fmt: skip


@pytest.mark.parametrize("case", VIEWS, ids=by_name)
def test_what_a_buffer_is_no_array_for_is_refused(bench: Workbench, case: Case) -> None:
    check_refused(bench, case)
