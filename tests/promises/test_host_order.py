# SPDX-License-Identifier: Apache-2.0
"""What the host does with a buffer comes after the work that uses it, whatever its stream."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from workload import COUNT, LONG, Obstacle, Workload, values

import nexus

OLD, NEW, OTHER = 1, 2, 3


class Held:
    """A buffer of OLD that work, which was submitted and is held up, sets to NEW."""

    def __init__(self, work: Workload, release: Callable[[], None], stream: nexus.Stream) -> None:
        self.work = work
        self.release = release
        self.stream = stream
        self.buffer = work.ints(OLD)
        work.filling(self.buffer, NEW).run(stream, blocking=False)

    def meanwhile(self, call: Callable[[], Any]) -> Any:
        """What call() returns, which is to wait until the work was let go."""
        results: list[Any] = []
        caller = threading.Thread(target=lambda: results.append(call()), daemon=True)
        caller.start()
        caller.join(0.05)
        early = list(results)
        self.release()
        caller.join(LONG)
        assert not caller.is_alive()
        assert early == []
        return results[0]


@pytest.fixture
def held(obstacle: Obstacle) -> Iterator[Held]:
    stream = obstacle.work.device.create_stream()
    with obstacle.before(stream) as release:
        yield Held(obstacle.work, release, stream)


def copy_to_host(buffer: nexus.Buffer) -> Any:
    host = np.zeros(COUNT, np.int32)
    buffer.copy(host)
    return host


def copy_of_buffer(buffer: nexus.Buffer) -> Any:
    assert buffer.device
    return buffer.device.copy_buffer(buffer).numpy()


READS: dict[str, Callable[[nexus.Buffer], Any]] = {
    "numpy": lambda buffer: buffer.numpy(),
    "copy": copy_to_host,
    "asarray": lambda buffer: np.asarray(buffer).copy(),
    "memoryview": lambda buffer: list(memoryview(buffer)),
    "from_dlpack": lambda buffer: np.from_dlpack(buffer).copy(),
    "copy_buffer": copy_of_buffer,
}


@pytest.mark.parametrize("read", READS.values(), ids=list(READS))
def test_what_the_host_reads_is_what_the_work_wrote(
    held: Held, read: Callable[[nexus.Buffer], Any]
) -> None:
    assert set(np.asarray(held.meanwhile(lambda: read(held.buffer))).tolist()) == {NEW}


WRITES: dict[str, Callable[[nexus.Buffer], None]] = {
    "copy_from": lambda buffer: buffer.copy_from(np.full(COUNT, OTHER, np.int32)),
    "fill": lambda buffer: buffer.fill(OTHER),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=list(WRITES))
def test_what_the_host_writes_stays(held: Held, write: Callable[[nexus.Buffer], None]) -> None:
    held.meanwhile(lambda: write(held.buffer))
    assert values(held.buffer) == {OTHER}


def test_calls_that_do_not_block_come_after_the_work_too(held: Held) -> None:
    first, second = np.zeros(COUNT, np.int32), np.zeros(COUNT, np.int32)
    held.buffer.copy(first, blocking=False)
    held.buffer.fill(OTHER, blocking=False)
    held.buffer.copy(second, blocking=False)
    held.buffer.copy_from(np.full(COUNT, 4, np.int32), blocking=False)
    held.release()
    held.work.device.synchronize(LONG)
    assert (set(first.tolist()), set(second.tolist())) == ({NEW}, {OTHER})
    assert values(held.buffer) == {4}


@pytest.mark.unsanitized("reads what another stream writes, without an order", by="thread")
def test_a_copy_in_a_stream_is_ordered_in_that_stream_only(held: Held) -> None:
    other = held.work.device.create_stream()
    host = np.zeros(COUNT, np.int32)
    held.buffer.copy(host, stream=other)  # the held work's stream is another
    assert set(host.tolist()) == {OLD}
    held.release()


def test_a_buffer_that_is_closed_is_kept_for_the_work(held: Held) -> None:
    source, result = held.buffer, held.work.ints()
    held.work.copying(source, result).run(held.stream, blocking=False)
    source.close()
    held.release()
    assert values(result) == {NEW}


def test_waiting_for_the_device_waits_for_all_streams(held: Held) -> None:
    with pytest.raises(TimeoutError):
        held.work.device.synchronize(0.02)
    held.meanwhile(lambda: held.work.device.synchronize(LONG))
    assert held.stream.is_idle


def test_a_slice_waits_for_the_work_of_its_buffer(held: Held) -> None:
    half = COUNT // 2
    assert set(held.meanwhile(held.buffer[:half].numpy).tolist()) == {NEW}
    held.buffer[half:].fill(OTHER)
    assert held.buffer.numpy().tolist() == [NEW] * half + [OTHER] * half
