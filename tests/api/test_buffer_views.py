# SPDX-License-Identifier: Apache-2.0
"""A buffer as an array: what numpy's basic indices give, assignments, values and shapes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nexus

Ints = npt.NDArray[np.int16]


def numbered(shape: tuple[int, ...]) -> Ints:
    return np.arange(math.prod(shape), dtype=np.int16).reshape(shape)


shapes = st.lists(st.integers(0, 4), max_size=4).map(tuple)


@st.composite
def keys(draw: st.DrawFn) -> Any:
    """Draws an index that numpy calls basic, which may be out of range."""
    bound = st.none() | st.integers(-6, 6)
    step = st.none() | st.sampled_from([-3, -2, -1, 1, 2, 3])
    part = st.builds(slice, bound, bound, step) | st.integers(-5, 4) | st.none() | st.just(...)
    parts = draw(st.lists(part, max_size=5))
    return parts[0] if len(parts) == 1 and draw(st.booleans()) else tuple(parts)


@given(shape=shapes, key=keys(), again=keys())
def test_indices_take_what_numpys_take(
    device: nexus.Device, shape: tuple[int, ...], key: Any, again: Any
) -> None:
    """An index, and one of the part, give numpy's elements, or an IndexError where numpy does."""
    array: Any = numbered(shape)
    buffer = device.create_buffer(array)
    for each in (key, again):
        try:
            array = array[view_key(each)]
        except IndexError:
            with pytest.raises(IndexError):
                buffer[each]
            return
        buffer = buffer[each]
        assert (buffer.shape, buffer.size, buffer.ndim) == (array.shape, array.size, array.ndim)
        np.testing.assert_array_equal(buffer.numpy(), array)
        np.testing.assert_array_equal(np.asarray(buffer), array)
        np.testing.assert_array_equal(np.from_dlpack(buffer), array)
        np.testing.assert_array_equal(buffer.T.numpy(), array.T)
        np.testing.assert_array_equal(buffer.ascontiguous().numpy(), array)
        assert str(buffer) == str(array)


def view_key(key: Any) -> tuple[Any, ...]:
    """Returns a key with which numpy gives an array, also for one element."""
    parts = key if isinstance(key, tuple) else (key,)
    return parts if ... in parts else (*parts, ...)


@given(data=st.data(), shape=shapes, key=keys())
def test_assignments_change_what_numpys_change(
    device: nexus.Device, data: st.DataObject, shape: tuple[int, ...], key: Any
) -> None:
    array = numbered(shape)
    buffer = device.create_buffer(array)
    try:
        part = array[view_key(key)]
    except IndexError:
        with pytest.raises(IndexError):
            buffer[key] = 0
        return
    value: Any = data.draw(
        st.sampled_from([7, -1.5, np.float64(3), [2] * (part.shape or (1,))[-1], "part", "wrong"])
    )
    if isinstance(value, str):
        value = np.full(part.shape if value == "part" else (5, *part.shape), 9, np.int16)
    try:
        array[key] = value
    except (ValueError, TypeError):
        with pytest.raises((ValueError, TypeError)):
            buffer[key] = value
    else:
        buffer[key] = value
    np.testing.assert_array_equal(buffer.numpy(), array)


@given(shape=shapes, key=keys())
def test_views_are_filled_and_copied(
    device: nexus.Device, shape: tuple[int, ...], key: Any
) -> None:
    array = numbered(shape)
    buffer = device.create_buffer(array)
    try:
        part = array[view_key(key)]
    except IndexError:
        return
    view = buffer[key]
    other = device.create_buffer(np.asarray(part + 1))
    view.copy_from(other)
    part += 1
    np.testing.assert_array_equal(buffer.numpy(), array)
    other.fill(0)
    other.copy_from(view)
    np.testing.assert_array_equal(other.numpy(), part)
    view.fill(-4)
    part[...] = -4
    np.testing.assert_array_equal(buffer.numpy(), array)


@given(shape=shapes, key=keys())
def test_arrays_with_strides_are_sources_and_targets(
    device: nexus.Device, shape: tuple[int, ...], key: Any
) -> None:
    whole = numbered(shape)
    try:
        array: Any = whole[view_key(key)]
    except IndexError:
        return
    for source in (array, array.T, np.asfortranarray(array)):
        buffer = device.create_buffer(source)
        np.testing.assert_array_equal(buffer.numpy(), source)
        assert buffer.shape == source.shape
        source.flags.writeable = False
        buffer.fill(0)
        buffer.copy_from(source)
        np.testing.assert_array_equal(buffer.numpy(), source)
        source.flags.writeable = True
    values = device.create_buffer(np.asarray(array + 5))
    expected = whole.copy()
    expected[key] = array + 5
    values.copy(array)
    np.testing.assert_array_equal(whole, expected)


def test_imported_arrays_keep_their_strides(device: nexus.Device) -> None:
    array = numbered((4, 6))
    for part in (array.T, array[::-1, ::2], array[1:3, 2:4], array[:, 3]):
        buffer = nexus.from_dlpack(part, device)
        assert (buffer.shape, buffer.strides) == (part.shape, part.strides)
        buffer[...] = buffer.numpy() + 1
        np.testing.assert_array_equal(buffer.numpy(), part)


def test_properties_are_numpys(device: nexus.Device) -> None:
    array = np.zeros((2, 3, 4), np.float64)
    buffer = device.create_buffer(array)
    for name in ("shape", "size", "ndim", "itemsize", "nbytes", "strides"):
        assert getattr(buffer, name) == getattr(array, name)
        assert getattr(buffer.T, name) == getattr(array.T, name)
    assert (len(buffer), len(buffer[1, 2])) == (2, 4)
    assert buffer.is_contiguous
    assert not buffer.T.is_contiguous


def test_a_dtype_equals_its_other_forms(device: nexus.Device) -> None:
    dtype = device.create_buffer((2,), "float32").dtype
    assert isinstance(dtype, str)
    for same in ("float32", np.float32, np.dtype("f4"), nexus.data_type.F32):
        assert dtype == same
        assert same == dtype
        assert (dtype != same) is False
    others: list[Any] = ["float64", np.int32, np.dtype("f8"), None, 1, 32.0, [], "int"]
    for other in others:
        assert dtype != other
        assert (dtype == other) is False
    assert {dtype: 1}.get("float32") == 1
    assert np.dtype(dtype) == np.float32


def test_iteration_takes_the_first_dimension(device: nexus.Device) -> None:
    buffer = device.create_buffer(numbered((3, 2)))
    assert [row.numpy().tolist() for row in buffer] == [[0, 1], [2, 3], [4, 5]]
    assert [int(each) for each in buffer[2]] == [4, 5]
    assert [row.shape for row in reversed(buffer)] == [(2,)] * 3
    uses: list[Callable[[Any], object]] = [len, iter, list]
    for use in uses:
        with pytest.raises(TypeError, match="no dimensions"):
            use(buffer[0, 0])
    with pytest.raises(TypeError):
        1 in buffer  # type: ignore[operator]  # noqa: B015


def test_one_element_is_a_number(device: nexus.Device) -> None:
    buffer = device.create_buffer(np.array([[1.5, 0.0]], np.float32))
    assert (buffer[0, 0].item(), float(buffer[0, 0]), int(buffer[:, :1])) == (1.5, 1.5, 1)
    assert (bool(buffer[0, 0]), bool(buffer[0, 1])) == (True, False)
    uses: list[Callable[[Any], object]] = [float, int, bool, nexus.Buffer.item]
    for use in uses:
        with pytest.raises(ValueError, match=r"has 2 elements.*buffer\[i\]"):
            use(buffer)


def test_reshape_shares_the_memory(device: nexus.Device) -> None:
    buffer = device.create_buffer(numbered((2, 6)))
    for shape in ((3, 4), (-1,), (2, -1, 3), (12, 1), (1, 1, 12)):
        assert buffer.reshape(*shape).shape == numbered((2, 6)).reshape(shape).shape
        assert buffer.reshape(shape).shape == buffer.reshape(*shape).shape
    buffer.reshape(12)[5:7] = -1
    assert buffer.numpy().tolist() == [[0, 1, 2, 3, 4, -1], [-1, 7, 8, 9, 10, 11]]
    assert device.create_buffer(np.zeros(1)).reshape(()).shape == ()
    assert device.create_buffer((0, 3)).reshape(3, -1).shape == (3, 0)


@pytest.mark.parametrize(
    ("shape", "error", "text"),
    [
        ((5,), ValueError, "the buffer has 12 elements"),
        ((-1, -1), ValueError, "one may be -1"),
        ((-2, 6), ValueError, "at least 0"),
        ((5, -1), ValueError, "has 12 elements"),
        (("3", 4), TypeError, "shape has to be an int"),
        ((3.0, 4), TypeError, "shape has to be an int"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(
    device: nexus.Device, shape: Any, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        device.create_buffer(numbered((2, 6))).reshape(shape)


def test_a_view_with_gaps_has_no_other_shape_in_place(device: nexus.Device) -> None:
    view = device.create_buffer(numbered((2, 6)))[:, ::2]
    with pytest.raises(ValueError, match=r"ascontiguous\(\)\.reshape"):
        view.reshape(6)
    assert view.ascontiguous().reshape(6).numpy().tolist() == [0, 2, 4, 6, 8, 10]


def test_a_view_of_another_dtype_may_have_gaps(device: nexus.Device) -> None:
    array = numbered((4, 6))
    view, part = device.create_buffer(array)[::2, 2:4], array[::2, 2:4]
    for dtype in ("uint16", "uint8", "int32"):
        np.testing.assert_array_equal(view.view(dtype).numpy(), part.view(dtype))
    with pytest.raises(ValueError, match=r"last dimension is not contiguous.*ascontiguous"):
        view[:, ::-1].view("uint8")


def test_astype_converts_as_numpy_does(device: nexus.Device) -> None:
    array = np.array([[-1.5, 0.0], [2.5, 200.0]], np.float32)
    for dtype in ("int32", "float64", "bool"):
        made = device.create_buffer(array).T.astype(dtype)
        assert (made.dtype, made.device) == (dtype, device)
        np.testing.assert_array_equal(made.numpy(), array.T.astype(dtype))
    with pytest.raises(ValueError, match="dtype"):
        device.create_buffer(array).astype("float33")


def test_kernels_and_schedules_take_contiguous_views_only(
    device: nexus.Device, library: nexus.Library, schedule: nexus.Schedule
) -> None:
    buffer = device.create_buffer((8, 8))
    view = buffer[:, :4]
    kernel = library.get_kernels()[0]
    uses: list[Callable[[], object]] = [
        lambda: schedule.create_command(kernel).set_buffer(0, view),
        lambda: schedule.create_copy_command(view, buffer[:4]),
        lambda: schedule.create_copy_command(buffer[:4], view),
        lambda: schedule.create_fill_command(view, 0),
    ]
    for use in uses:
        with pytest.raises(ValueError, match=r"not contiguous.*ascontiguous\(\)"):
            use()
    schedule.create_copy_command(buffer[:4], view.ascontiguous())


def test_copies_of_views_with_gaps_block(device: nexus.Device) -> None:
    view = device.create_buffer((8, 8))[:, :4]
    uses: list[Callable[[], None]] = [
        lambda: view.copy(np.zeros((8, 4), np.float32), blocking=False),
        lambda: view.copy_from(np.zeros((8, 4), np.float32), blocking=False),
        lambda: view.fill(0, blocking=False),
    ]
    for use in uses:
        with pytest.raises(ValueError, match="blocking is false"):
            use()


def test_copies_of_views_follow_their_stream(device: nexus.Device) -> None:
    stream = device.create_stream()
    view = device.create_buffer(numbered((4, 4)))[::2, ::2]
    view.fill(3, stream)
    back = np.zeros((2, 2), np.int16)
    view.copy(back, stream)
    assert back.tolist() == [[3, 3], [3, 3]]
    view.copy_from(device.create_buffer(numbered((2, 2))), stream)
    assert view.numpy().tolist() == [[0, 1], [2, 3]]


def test_a_view_keeps_the_memory_and_counts_its_arrays(device: nexus.Device) -> None:
    buffer = device.create_buffer(numbered((4, 4)))
    view = buffer[::2, 1]
    buffer.close()
    shared = np.asarray(view)
    with pytest.raises(BufferError, match="1 live view"):
        view.close()
    shared[0] = -7
    assert view.numpy().tolist() == [-7, 9]
    del shared
    view.close()
    assert str(view) == "<nexus.Buffer closed>"
    with pytest.raises(nexus.NexusError):
        view[0]


def test_parts_of_one_buffer_may_overlap_in_an_assignment(device: nexus.Device) -> None:
    buffer = device.create_buffer(numbered((6,)))
    buffer[1:] = buffer[:-1]
    assert buffer.numpy().tolist() == [0, 0, 1, 2, 3, 4]
    buffer[...] = buffer[::-1]
    assert buffer.numpy().tolist() == [4, 3, 2, 1, 0, 0]


def test_what_does_not_fit_is_not_assigned(device: nexus.Device) -> None:
    buffer = device.create_buffer(np.zeros((2, 3), np.float32))
    with pytest.raises(ValueError, match="broadcast"):
        buffer[...] = np.zeros(4)
    with pytest.raises(TypeError, match="masked"):
        buffer[...] = np.ma.masked_array(np.zeros((2, 3), np.float32), True)
    with pytest.raises(ValueError, match="float"):
        buffer[0] = "abc"
    array = np.zeros((2, 3), np.float32)
    array.flags.writeable = False
    read_only = nexus.from_dlpack(array, device)
    with pytest.raises(nexus.NexusError, match="read-only"):
        read_only[:, 1] = 1


def test_a_long_buffer_prints_its_ends(device: nexus.Device) -> None:
    for shape in ((3000,), (40, 60), (3, 7, 100), (1, 2000, 1)):
        array = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
        assert str(device.create_buffer(array)) == str(array)
        assert str(device.create_buffer(array).T) == str(array.T)
    assert str(device.create_buffer((8,), "int4")).startswith("<nexus.Buffer int4")


def test_system_buffers_are_arrays_too() -> None:
    array = numbered((4, 6))
    buffer = nexus.create_buffer(array)
    view = buffer[::-1, 1::2]
    np.testing.assert_array_equal(view.numpy(), array[::-1, 1::2])
    view[...] = 5
    array[::-1, 1::2] = 5
    np.testing.assert_array_equal(buffer.numpy(), array)
    assert (view.ascontiguous().device, view.astype("int8").device) == (None, None)


@pytest.mark.parametrize("dtype", ["float32", "int8", "uint64", "float16", "bool"])
def test_new_buffers_have_their_values(device: nexus.Device, dtype: str) -> None:
    for shape in (3, (2, 3), (), (0, 2)):
        for made, expected in (
            (nexus.zeros(shape, dtype, device=device), np.zeros(shape, dtype)),
            (nexus.ones(shape, dtype, device=device), np.ones(shape, dtype)),
            (nexus.full(shape, 1, dtype, device=device), np.full(shape, 1, dtype)),
        ):
            assert (made.shape, made.dtype, made.device) == (expected.shape, dtype, device)
            np.testing.assert_array_equal(made.numpy(), expected)
            for like in (made, expected):
                zeros = nexus.zeros_like(like, device=device)
                assert (zeros.shape, zeros.dtype, bool(zeros.numpy().any())) == (
                    made.shape,
                    dtype,
                    False,
                )
    assert nexus.empty((4, 2), dtype, device="cpu").shape == (4, 2)


def test_makers_choose_a_dtype(device: nexus.Device) -> None:
    assert nexus.zeros(2, device=device).dtype == "float32"
    assert nexus.full(2, 1, device=device).dtype == "int64"
    assert nexus.full(2, 1.0, device=device).dtype == "float32"
    assert nexus.full(2, True, device=device).dtype == "bool"
    assert nexus.full(2, np.int8(1), device=device).dtype == "int8"
    assert nexus.ones_like(device.create_buffer(4)).dtype == "uint8"
    assert nexus.full_like(nexus.zeros(2, device=device), 3, "int8").numpy().tolist() == [3, 3]
    assert nexus.empty_like(nexus.create_buffer((2,))).device is None
    assert nexus.arange(4, device=device).numpy().tolist() == [0, 1, 2, 3]
    assert nexus.arange(1, 2, 0.25, device=device).dtype == "float32"
    assert nexus.arange(5, 0, -2, "float16", device=device).numpy().tolist() == [5, 3, 1]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: nexus.zeros(-1), ValueError, "shape is -1"),
        (lambda: nexus.zeros(cast("int", "3")), TypeError, "shape has to be an int"),
        (lambda: nexus.zeros(cast("int", (2, 1.5))), TypeError, "shape has to be an int"),
        (lambda: nexus.zeros(2, "float33"), ValueError, "dtype is 'float33'"),
        (lambda: nexus.zeros(2, None), TypeError, "dtype has to be"),
        (
            lambda: nexus.zeros(2, device=cast("str", 3)),
            TypeError,
            "device has to be a nexus.Device",
        ),
        (lambda: nexus.full(2, 300, "int8"), ValueError, "value is 300"),
        (lambda: nexus.full(2, "x"), TypeError, "value has to be"),
        (lambda: nexus.zeros_like(3), TypeError, "x has to be a nexus.Buffer or an array"),
        (lambda: nexus.arange(1, 2, 0), ValueError, "step is 0"),
        (lambda: nexus.arange("1"), TypeError, "start has to be a number"),
        (lambda: nexus.arange([1]), TypeError, "start has to be a number"),
    ],
)
def test_makers_refuse_in_words(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()
