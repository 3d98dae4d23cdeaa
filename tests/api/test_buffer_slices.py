# SPDX-License-Identifier: Apache-2.0
"""Slices: buffer[2:10] shares the memory of the buffer, and keeps it alive."""

from __future__ import annotations

import types
from typing import Any

import numpy as np
import pytest

import nexus

Part = slice | types.EllipsisType
Key = Part | tuple[Part, ...]


@pytest.fixture
def matrix(device: nexus.Device) -> nexus.Buffer:
    """Returns four rows of eight different numbers."""
    return device.create_buffer(np.arange(32, dtype=np.int32).reshape(4, 8))


def test_a_slice_outlives_the_close_of_its_buffer(buffer: nexus.Buffer) -> None:
    part = buffer[5:8]
    buffer.close()
    assert part.numpy().tolist() == [5, 6, 7]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (np.s_[-3:], [[8, 9], [10, 11], [12, 13]]),
        (np.s_[:1], [[0, 1]]),
        (np.s_[-2:-1], [[10, 11]]),
        (np.s_[5:100], [[10, 11], [12, 13]]),
        (np.s_[...], [[2 * row, 2 * row + 1] for row in range(7)]),
        (np.s_[2:3, ...], [[4, 5]]),
        (np.s_[..., :], [[2 * row, 2 * row + 1] for row in range(7)]),
        (np.s_[2:3, 1:], [[5]]),
        (np.s_[2:3, ..., 0:1], [[4]]),
        (np.s_[2:4:1], [[4, 5], [6, 7]]),
    ],
)
def test_the_elements_of_a_slice(device: nexus.Device, key: Key, expected: Any) -> None:
    buffer = device.create_buffer(np.arange(14, dtype=np.int32).reshape(7, 2))
    assert buffer[key].numpy().tolist() == expected


def test_a_slice_of_plain_bytes(device: nexus.Device) -> None:
    part = device.create_buffer(b"a buffer of bytes")[2:8]
    assert (part.dtype, bytes(part.numpy())) == (None, b"buffer")


def test_indices_may_be_numpys(buffer: nexus.Buffer) -> None:
    assert buffer[np.int64(3) : np.int64(5)].numpy().tolist() == [3.0, 4.0]


def test_a_slice_may_be_empty(buffer: nexus.Buffer) -> None:
    for part in (buffer[2:2], buffer[5:2], buffer[buffer.shape[0] :]):
        assert (part.shape, part.nbytes) == ((0,), 0)
        part.fill(1)
        assert part.numpy().tolist() == []
    assert buffer[2:2][0:0].shape == (0,)


def test_copies_do_not_reach_beyond_a_slice(buffer: nexus.Buffer) -> None:
    with pytest.raises(ValueError, match="array has 20 bytes, but the buffer has 16"):
        buffer[4:8].copy_from(np.zeros(5, np.float32))


def test_four_bit_elements_are_taken_in_whole_bytes(device: nexus.Device) -> None:
    buffer = device.create_buffer((7,), dtype="int4")
    buffer.copy_from(bytes([0x10, 0x32, 0x54, 0x06]))
    part = buffer[2:7]
    host = bytearray(part.nbytes)
    part.copy(host)
    assert (part.shape, bytes(host)) == ((5,), bytes([0x32, 0x54, 0x06]))


@pytest.mark.parametrize("key", [slice(1, 4), slice(2, 5)])
def test_four_bit_elements_that_share_a_byte_with_others_are_refused(
    device: nexus.Device, key: slice
) -> None:
    with pytest.raises(ValueError, match=r"within a byte: two int4 share one"):
        device.create_buffer((7,), dtype="int4")[key]


@pytest.mark.parametrize(
    ("key", "error", "text"),
    [
        (4, IndexError, r"buffer\[4\]: the index 4 is out of range, dimension 0 has 4 elements"),
        (-5, IndexError, r"the index -5 is out of range"),
        (np.s_[:1, 8], IndexError, r"buffer\[:1, 8\].*dimension 1 has 8 elements"),
        (1 << 80, IndexError, r"cannot fit"),
        ("x", TypeError, r"has to be an int, a slice.*not str \('x'\)"),
        (True, TypeError, r"has to be an int, a slice.*not bool"),
        (1.0, TypeError, r"has to be an int, a slice.*not float"),
        ([0, 1], TypeError, r"has to be an int, a slice.*not list"),
        (np.array([0, 1]), TypeError, r"has to be an int, a slice.*not numpy.ndarray"),
        (slice(1.5, 2), TypeError, r"slice indices must be integers"),
        (slice(0, 4, 0), ValueError, r"zero"),
        (np.s_[..., ...], IndexError, r"more than one Ellipsis"),
        (np.s_[:, :, :], IndexError, r"has 3 indices, but the buffer has 2 dimensions"),
    ],
)
def test_what_is_no_slice_of_a_buffer_is_refused_in_words(
    matrix: nexus.Buffer, key: Any, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        matrix[key]
    assert matrix[1:2].numpy().tolist() == [[8, 9, 10, 11, 12, 13, 14, 15]]
