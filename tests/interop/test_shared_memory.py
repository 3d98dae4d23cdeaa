# SPDX-License-Identifier: Apache-2.0
"""Buffers that go to other processes by pickle, and use the same memory there."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import pytest

import nexus

METHODS = [each for each in ("spawn", "fork") if each in multiprocessing.get_all_start_methods()]


def add_one(buffer: nexus.Buffer, done: Connection) -> None:
    """Runs in the other process."""
    array = np.asarray(buffer)
    array += 1
    done.send((buffer.shape, buffer.dtype, float(array.flat[0])))


def keep(name: Connection, go: Connection) -> None:
    """Runs in the other process: shares a buffer until it is told to end."""
    buffer = nexus.get_device("cpu").create_buffer(np.full(8, 5.0), shareable=True)
    name.send_bytes(pickle.dumps(buffer))
    go.recv()


@pytest.fixture
def device() -> nexus.Device:
    return nexus.get_device("cpu")


@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("memory", [None, "device", "host", "managed"])
def test_another_process_works_in_the_same_memory(
    device: nexus.Device, method: str, memory: Any
) -> None:
    context: Any = multiprocessing.get_context(method)
    buffer = device.create_buffer(np.arange(12.0).reshape(3, 4), memory=memory, shareable=True)
    here, there = context.Pipe()
    # The pickle is made here, as a queue's: a forked child has the buffers of before as objects
    # that are refused.
    process = context.Process(target=load_and_add, args=(pickle.dumps(buffer), there))
    process.start()
    assert here.recv() == ((3, 4), "float64", 1.0)
    process.join(60)
    assert process.exitcode == 0
    assert buffer.numpy().tolist() == (np.arange(12.0).reshape(3, 4) + 1).tolist()


def load_and_add(pickled: bytes, done: Connection) -> None:
    """Runs in the other process."""
    add_one(pickle.loads(pickled), done)


def test_a_process_is_given_it_as_an_argument(device: nexus.Device) -> None:
    context = multiprocessing.get_context("spawn")
    buffer = device.create_buffer(np.zeros(4, np.float32), shareable=True)
    here, there = context.Pipe()
    process = context.Process(target=add_one, args=(buffer, there))
    process.start()
    assert here.recv() == ((4,), "float32", 1.0)
    process.join(60)
    assert (buffer.numpy() == 1).all()


def test_a_slice_stays_one_and_outlives_the_buffer(device: nexus.Device) -> None:
    buffer = device.create_buffer(np.arange(16, dtype=np.int32), shareable=True)
    whole, part = (pickle.loads(pickle.dumps(each)) for each in (buffer, buffer[4:8]))
    assert (part.shape, part.dtype) == ((4,), "int32")
    assert part.numpy().tolist() == [4, 5, 6, 7]
    part.fill(1)
    buffer.close()
    assert whole.numpy().tolist() == [0, 1, 2, 3, 1, 1, 1, 1, *range(8, 16)]


def test_plain_bytes_go_too(device: nexus.Device) -> None:
    buffer = device.create_buffer(b"hello", shareable=True)
    other = pickle.loads(pickle.dumps(buffer))
    assert (other.dtype, bytes(memoryview(other))) == (None, b"hello")


def test_a_process_that_ended_shares_nothing() -> None:
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    go, wait = context.Pipe()
    process = context.Process(target=keep, args=(there, wait))
    process.start()
    pickled = here.recv_bytes()
    assert pickle.loads(pickled).numpy().tolist() == [5.0] * 8
    go.send(None)
    process.join(60)
    with pytest.raises(nexus.NexusError, match="keep the buffer open in process"):
        pickle.loads(pickled)


def test_a_closed_buffer_is_shared_no_more(device: nexus.Device) -> None:
    buffer = device.create_buffer(64, shareable=True)
    pickled = pickle.dumps(buffer)
    buffer.close()
    with pytest.raises(nexus.NexusError):
        pickle.dumps(buffer)
    with pytest.raises(nexus.NexusError, match="gone"):
        pickle.loads(pickled)


def test_others_are_not_pickled(device: nexus.Device) -> None:
    shared = device.create_buffer(64, shareable=True)
    imported = pickle.loads(pickle.dumps(shared))
    for buffer in (device.create_buffer(64), nexus.create_buffer(64), imported):
        with pytest.raises(TypeError, match=r"can't be pickled or copied.*shareable=True"):
            pickle.dumps(buffer)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_a_copy_is_asked_for_by_its_name(device: nexus.Device, duplicate: Any) -> None:
    with pytest.raises(TypeError, match=r"use buffer\.copy\(\)"):
        duplicate(device.create_buffer(64, shareable=True))


def test_too_much_is_refused(device: nexus.Device) -> None:
    with pytest.raises(nexus.NexusError):
        device.create_buffer(1 << 45, shareable=True)
