# SPDX-License-Identifier: Apache-2.0
"""Views with strides share the buffer's memory: copies and fills touch their elements only."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import nexus
from nexus.conformance.api.workbench import LONG, SHORT, Workbench

# Rows, columns, a box, every second element, from the end, one column, transposed later.
KEYS: list[Any] = [
    np.s_[2:4],
    np.s_[:, 1:5],
    np.s_[1:6, 2:3, 1:3],
    np.s_[::2, ::3],
    np.s_[::-1, 1, ::-2],
    np.s_[3, :, 2],
    np.s_[-1, -1, -1],
    np.s_[..., None, 1:],
    np.s_[5:2, ::2],
]


def box(seed: int = 0) -> np.ndarray[Any, np.dtype[np.int32]]:
    """Returns 7 x 6 x 5 numbers without a regular pattern."""
    return np.random.default_rng(seed).integers(0, 1 << 30, (7, 6, 5), np.int32)


@pytest.mark.promise("share-strides")
@pytest.mark.parametrize("key", KEYS)
def test_a_view_has_the_elements_that_numpys_has(work: Workbench, key: Any) -> None:
    data = box()
    view = work.device.create_buffer(data)[key]
    assert view.shape == data[key].shape
    for made, expected in ((view, data[key]), (view.T, np.transpose(data[key]))):
        assert np.array_equal(made.numpy(), expected)
        assert np.array_equal(made.ascontiguous().numpy(), expected)


@pytest.mark.promise("share-strides")
@pytest.mark.parametrize("key", KEYS)
def test_writes_to_a_view_touch_nothing_else(work: Workbench, key: Any) -> None:
    expected, other = box(), box(1)
    buffer = work.device.create_buffer(expected)
    buffer[key].copy_from(np.asarray(other[key]))
    expected[key] = other[key]
    assert np.array_equal(buffer.numpy(), expected)
    buffer[key].fill(-1)
    expected[key] = -1
    assert np.array_equal(buffer.numpy(), expected)
    buffer[key] = work.device.create_buffer(other)[key]
    expected[key] = other[key]
    assert np.array_equal(buffer.numpy(), expected)


def test_a_view_is_copied_to_another_of_its_buffer(work: Workbench) -> None:
    data = box()
    buffer = work.device.create_buffer(data)
    buffer[:3, :, ::2].copy_from(buffer[4:, ::-1, :3])
    expected = data.copy()
    expected[:3, :, ::2] = data[4:, ::-1, :3]
    assert np.array_equal(buffer.numpy(), expected)


@pytest.mark.promise("share-strides", "share-copied")
@pytest.mark.parametrize("key", KEYS)
def test_host_arrays_with_strides_are_copied_both_ways(work: Workbench, key: Any) -> None:
    data, host = box(), box(1)
    source = np.asarray(data[key])
    buffer = work.device.create_buffer(source)
    assert np.array_equal(buffer.numpy(), source)
    parts = key if isinstance(key, tuple) else (key,)
    buffer.copy(host[parts if ... in parts else (*parts, ...)])
    expected = box(1)
    expected[key] = source
    assert np.array_equal(host, expected)
    in_columns = np.asfortranarray(data)
    in_columns.flags.writeable = False
    assert np.array_equal(work.device.create_buffer(in_columns).numpy(), data)


@pytest.mark.parametrize(("dtype", "to"), [("<i4", "float32"), ("<f4", "uint8"), ("<f8", "bool")])
def test_astype_has_numpys_values(work: Workbench, dtype: str, to: str) -> None:
    data = (box() % 100).astype(dtype)
    made = work.device.create_buffer(data)[1:, ::2].astype(to)
    assert made.device == work.device
    assert made.dtype == to
    assert np.array_equal(made.numpy(), data[1:, ::2].astype(to))


@pytest.mark.promise("share-strides")
def test_a_contiguous_view_is_an_argument_and_others_are_refused(work: Workbench) -> None:
    data = np.arange(32, dtype=np.int32).reshape(4, 8)
    buffer, out = work.device.create_buffer(data), work.ints(0)
    schedule = work.device.create_schedule()
    with pytest.raises(ValueError, match=r"not contiguous.*ascontiguous\(\)"):
        work.copy(schedule, buffer[:, ::2], out)
    schedule = work.device.create_schedule()
    work.copy(schedule, buffer[:, ::2].ascontiguous().reshape(16), out)
    schedule.run(timeout=LONG)
    assert np.array_equal(out.numpy(), data[:, ::2].ravel())


@pytest.mark.promise("share-strides", "share-slice")
def test_copies_of_a_view_come_after_the_work_on_its_buffer(work: Workbench) -> None:
    buffer = work.ints(1, 64)
    schedule = work.device.create_schedule()
    event = work.device.create_event()
    schedule.create_wait_command(event, 1)
    schedule.create_fill_command(buffer, 7)
    stream = work.device.create_stream()
    schedule.run(stream, blocking=False)
    threading.Timer(SHORT, event.signal, (1,)).start()
    assert set(buffer[::3].numpy().tolist()) == {7}
    buffer[::2] = 5
    assert buffer[:4].numpy().tolist() == [5, 7, 5, 7]


@pytest.mark.promise("share-strides")
def test_new_buffers_have_their_values(work: Workbench) -> None:
    for made, expected in (
        (nexus.zeros((3, 4), "int16", device=work.device), np.zeros((3, 4), np.int16)),
        (nexus.ones(5, device=work.device), np.ones(5, np.float32)),
        (nexus.full((2, 2), 2.5, device=work.device), np.full((2, 2), 2.5, np.float32)),
        (nexus.arange(3, 9, 2, device=work.device), np.arange(3, 9, 2)),
    ):
        assert made.device == work.device
        assert made.dtype == expected.dtype
        assert np.array_equal(made.numpy(), expected)
        assert str(made) == str(expected)
        like = nexus.zeros_like(made)
        assert (like.device, like.shape, bool(like.numpy().any())) == (
            work.device, made.shape, False,
        )  # fmt: skip


@pytest.mark.promise("share-strides")
def test_a_long_buffer_prints_its_ends(work: Workbench) -> None:
    data = np.arange(40_000, dtype=np.int32).reshape(4, 100, 100)
    assert str(work.device.create_buffer(data)) == str(data)
