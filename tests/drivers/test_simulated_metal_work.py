# SPDX-License-Identifier: Apache-2.0
"""The double of Metal: command buffers, events, and kernels that run."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from metal_objects import (
    COMPLETED,
    ERROR,
    OUT_OF_MEMORY,
    PAGE_FAULT,
    PRIVATE,
    SHARED,
    Block,
    Metal,
    settle,
)
from simulated import Range, Size

# ---- Command buffers ----


def test_work_of_a_queue_runs_in_order(metal: Metal) -> None:
    first, second, third = metal.buffer(64), metal.buffer(64, PRIVATE), metal.buffer(64)
    commands = [metal.commands() for _ in range(3)]
    metal.fill(commands[0], first, 64, 3)
    metal.copy(commands[1], first, second, 64)
    metal.copy(commands[2], second, third, 64)
    for each in commands:
        metal.do(each, "commit")
    metal.do(commands[2], "waitUntilCompleted")
    assert ctypes.string_at(metal.send(third, "contents"), 64) == b"\x03" * 64
    times = [
        metal.send(commands[0], selector, returns=ctypes.c_double)
        for selector in ("GPUStartTime", "GPUEndTime")
    ]
    assert 0 < times[0] <= times[1]


def test_enqueue_takes_a_place_in_the_order(metal: Metal) -> None:
    buffer, copy = metal.buffer(64), metal.buffer(64)
    first, second = metal.commands(), metal.commands()
    metal.do(first, "enqueue")
    metal.copy(second, buffer, copy, 64)
    metal.do(second, "commit")
    metal.fill(first, buffer, 64, 9)
    metal.do(first, "commit")
    metal.do(second, "waitUntilCompleted")
    assert ctypes.string_at(metal.send(copy, "contents"), 64) == b"\x09" * 64


@pytest.mark.parametrize(("offset", "size"), [(1, 4), (4, 6), (0, 0), (64, 4)])
def test_copies_and_fills_are_of_whole_words_within_buffers(
    metal: Metal, offset: int, size: int
) -> None:
    commands = metal.commands()
    encoder = metal.send(commands, "blitCommandEncoder")
    selector = "copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:"
    metal.do(encoder, selector, metal.buffer(64), offset, metal.buffer(64), 0, size)
    value = ctypes.c_uint8(1)
    metal.do(encoder, "fillBuffer:range:value:", metal.buffer(64), Range(offset, size), value)
    metal.do(encoder, "endEncoding")
    assert len(metal.misuse()) == 2
    metal.forget()


def test_a_queue_waits_for_an_event_of_another(metal: Metal) -> None:
    event = metal.keep(metal.send(metal.device, "newSharedEvent"))
    other = metal.keep(metal.send(metal.device, "newCommandQueue"))
    buffer, copy = metal.buffer(4), metal.buffer(4)
    waiting, signalling = metal.commands(), metal.commands(other)
    metal.do(waiting, "encodeWaitForEvent:value:", event, 5)
    metal.copy(waiting, buffer, copy, 4)
    metal.do(waiting, "commit")
    metal.fill(signalling, buffer, 4, 1)
    metal.do(signalling, "encodeSignalEvent:value:", event, 5)
    assert metal.status(waiting) < COMPLETED
    assert metal.run(signalling) == COMPLETED
    metal.do(waiting, "waitUntilCompleted")
    assert metal.ints(copy)[0] == 0x01010101
    assert metal.send(event, "signaledValue") == 5


def test_the_host_signals_and_is_told(metal: Metal) -> None:
    event = metal.keep(metal.send(metal.device, "newSharedEvent"))
    listener = metal.keep(metal.send(metal.named("MTLSharedEventListener"), "new"))
    told: list[tuple[int, int]] = []
    kinds = (ctypes.c_void_p, ctypes.c_uint64)
    block = Block(metal, lambda _block, *what: told.append(what), *kinds)
    metal.do(event, "notifyListener:atValue:block:", listener, 3, block.pointer)
    commands = metal.commands()
    metal.do(commands, "encodeWaitForEvent:value:", event, 3)
    metal.do(commands, "commit")
    metal.do(event, "setSignaledValue:", 2)
    assert told == []
    metal.do(event, "setSignaledValue:", 3)
    metal.do(commands, "waitUntilCompleted")
    settle(metal, lambda: told != [])
    assert told == [(event, 3)]
    metal.do(event, "setSignaledValue:", 1)
    assert metal.send(event, "signaledValue") == 3
    selector = "waitUntilSignaledValue:timeoutMS:"
    assert metal.send(event, selector, 3, 0, returns=ctypes.c_bool)
    assert not metal.send(event, selector, 4, 1, returns=ctypes.c_bool)


@pytest.mark.parametrize("what", ["fill", "commit"])
def test_a_command_buffer_that_fails_signals_nothing(metal: Metal, what: str) -> None:
    event = metal.keep(metal.send(metal.device, "newSharedEvent"))
    metal.fail(what, 1, OUT_OF_MEMORY)
    failed, next_one = metal.commands(), metal.commands()
    metal.fill(failed, metal.buffer(4), 4, 1)
    metal.do(failed, "encodeSignalEvent:value:", event, 1)
    assert metal.run(failed) == ERROR
    assert metal.error(failed) == OUT_OF_MEMORY
    assert metal.send(event, "signaledValue") is None
    assert metal.run(next_one) == COMPLETED
    assert metal.send(next_one, "error") is None


def test_handlers_run_on_another_thread(metal: Metal) -> None:
    told: list[tuple[str, bool, int]] = []

    def handler(name: str) -> Callable[[int, int], None]:
        def run(_block: int, commands: int) -> None:
            here = threading.get_ident() == own
            told.append((name, here, metal.status(commands) if name == "completed" else 0))

        return run

    own = threading.get_ident()
    commands = metal.commands()
    blocks = {
        name: Block(metal, handler(name), ctypes.c_void_p) for name in ("scheduled", "completed")
    }
    metal.do(commands, "addScheduledHandler:", blocks["scheduled"].pointer)
    metal.do(commands, "addCompletedHandler:", blocks["completed"].pointer)
    metal.fail("commit", 1, OUT_OF_MEMORY)
    assert metal.run(commands) == ERROR
    assert told == [("scheduled", False, 0), ("completed", False, ERROR)]


def test_a_block_of_a_stack_is_copied(metal: Metal) -> None:
    told: list[int] = []
    commands = metal.commands()
    function = lambda _block, commands: told.append(commands)  # noqa: E731
    block = Block(metal, function, ctypes.c_void_p, flags=1 << 25)
    metal.do(commands, "addCompletedHandler:", block.pointer)
    ctypes.memset(block.pointer, 0, ctypes.sizeof(Block.Layout))
    metal.run(commands)
    assert told == [commands]
    assert block.counts == [1, 1]


def test_a_queue_has_so_many_command_buffers(metal: Metal) -> None:
    selector = "newCommandQueueWithMaxCommandBufferCount:"
    queue = metal.keep(metal.send(metal.device, selector, 1))
    event = metal.keep(metal.send(metal.device, "newSharedEvent"))
    first = metal.commands(queue)
    metal.do(first, "encodeWaitForEvent:value:", event, 1)
    metal.do(first, "commit")
    second: list[int] = []

    def make() -> None:
        pool = metal.library.objc_autoreleasePoolPush()
        second.append(metal.run(metal.commands(queue)))
        metal.library.objc_autoreleasePoolPop(ctypes.c_void_p(pool))

    thread = threading.Thread(target=make)
    thread.start()
    assert second == []
    metal.do(event, "setSignaledValue:", 1)
    thread.join()
    assert second == [COMPLETED]


def test_threads_share_a_device(metal: Metal) -> None:
    event = metal.keep(metal.send(metal.device, "newSharedEvent"))
    buffers = [metal.buffer(400) for _ in range(5)]
    metal.ints(buffers[0])[:] = list(range(100))
    pipeline = metal.pipeline("add")
    selector = "dispatchThreadgroups:threadsPerThreadgroup:"
    status: list[int] = []

    def add(turn: int) -> None:
        pool = metal.library.objc_autoreleasePoolPush()
        queue = metal.send(metal.device, "newCommandQueue")
        commands = metal.commands(queue)
        metal.do(commands, "encodeWaitForEvent:value:", event, turn)
        encoder = metal.send(commands, "computeCommandEncoder")
        metal.do(encoder, "setComputePipelineState:", pipeline)
        for index in range(2):
            metal.do(encoder, "setBuffer:offset:atIndex:", buffers[turn + index], 0, index)
        one = ctypes.byref(ctypes.c_int(1))
        metal.do(encoder, "setBytes:length:atIndex:", one, 4, 2)
        metal.do(encoder, selector, Size(10, 1, 1), Size(10, 1, 1))
        metal.do(encoder, "endEncoding")
        metal.do(commands, "encodeSignalEvent:value:", event, turn + 1)
        status.append(metal.run(commands))
        metal.do(queue, "release")
        metal.library.objc_autoreleasePoolPop(ctypes.c_void_p(pool))

    threads = [threading.Thread(target=add, args=(turn,)) for turn in reversed(range(4))]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert status == [COMPLETED] * 4
    assert metal.ints(buffers[4])[:] == list(range(4, 104))


def test_a_command_buffer_keeps_what_it_uses(metal: Metal) -> None:
    event = metal.keep(metal.send(metal.device, "newSharedEvent"))
    commands = metal.commands()
    buffer = metal.send(metal.device, "newBufferWithLength:options:", 64, SHARED)
    metal.do(commands, "encodeWaitForEvent:value:", event, 1)
    metal.fill(commands, buffer, 64, 1)
    metal.do(commands, "commit")
    metal.do(buffer, "release")
    assert metal.live("MTLBuffer") == 1
    metal.do(event, "setSignaledValue:", 1)
    metal.do(commands, "waitUntilCompleted")
    assert metal.live("MTLBuffer") == 0


def test_without_references_the_program_keeps_it(metal: Metal) -> None:
    commands = metal.send(metal.queue, "commandBufferWithUnretainedReferences")
    buffer = metal.send(metal.device, "newBufferWithLength:options:", 64, SHARED)
    metal.fill(commands, buffer, 64, 1)
    metal.do(buffer, "release")
    metal.run(commands)
    assert metal.misuse() == ["MTLBuffer was released before work that uses it"]
    metal.forget()


# ---- Kernels ----


def test_a_kernel_runs_in_every_thread(metal: Metal) -> None:
    x, out = metal.buffer(400), metal.buffer(400)
    metal.ints(x)[:] = list(range(100))
    commands = metal.commands()
    metal.dispatch(commands, "add", {0: x, 1: out}, groups=10, threads=10, values={2: 5})
    assert metal.run(commands) == COMPLETED
    assert metal.ints(out)[:] == list(range(5, 105))
    assert metal.calls("kernel add") == 1


def test_threads_of_a_group_share_memory_and_wait_for_each_other(metal: Metal) -> None:
    x = metal.buffer(64 * 4)
    metal.ints(x)[:] = list(range(64))
    commands = metal.commands()
    metal.dispatch(commands, "neighbours", {3: x}, threads=64, memory=256)
    assert metal.run(commands) == COMPLETED
    assert metal.ints(x)[:] == [*range(2, 65), 1]


def test_vectors_are_shared_too(metal: Metal) -> None:
    x = metal.buffer(64)
    values = (ctypes.c_float * 16).from_buffer(metal.ints(x))
    values[:] = list(range(16))
    commands = metal.commands()
    metal.dispatch(commands, "backwards", {0: x}, threads=4)
    assert metal.run(commands) == COMPLETED
    assert values[:] == [12 - 4 * (i // 4) + i % 4 + 10 * i for i in range(16)]


def test_a_kernel_knows_its_place(metal: Metal) -> None:
    out = metal.buffer(16 * 4)
    commands = metal.commands()
    encoder = metal.send(commands, "computeCommandEncoder")
    metal.do(encoder, "setComputePipelineState:", metal.pipeline("places"))
    metal.do(encoder, "setBuffer:offset:atIndex:", out, 0, 0)
    selector = "dispatchThreadgroups:threadsPerThreadgroup:"
    metal.do(encoder, selector, Size(2, 1, 1), Size(2, 4, 1))
    metal.do(encoder, "endEncoding")
    assert metal.run(commands) == COMPLETED
    assert metal.ints(out)[:] == [
        20000 + x // 2 + 100 * (x % 2) + 1000 * y for y in range(4) for x in range(4)
    ]


def test_the_last_groups_of_a_grid_may_be_smaller(metal: Metal) -> None:
    out = metal.buffer(16 * 4)
    metal.ints(out)[:] = [-1] * 16
    commands = metal.commands()
    encoder = metal.send(commands, "computeCommandEncoder")
    metal.do(encoder, "setComputePipelineState:", metal.pipeline("places"))
    metal.do(encoder, "setBuffer:offset:atIndex:", out, 0, 0)
    metal.do(encoder, "dispatchThreads:threadsPerThreadgroup:", Size(3, 4, 1), Size(2, 4, 1))
    metal.do(encoder, "endEncoding")
    assert metal.run(commands) == COMPLETED
    assert metal.ints(out)[:] == [
        20000 + x // 2 + 100 * (x % 2) + 1000 * y if x < 3 else -1
        for y in range(4) for x in range(4)
    ]  # fmt: skip


def test_atomics_count(metal: Metal) -> None:
    out = metal.buffer(4)
    metal.ints(out)[0] = 0
    commands = metal.commands()
    metal.dispatch(commands, "count", {0: out}, groups=5, threads=20)
    assert metal.run(commands) == COMPLETED
    assert metal.ints(out)[0] == 100


def test_a_fault_ends_its_command_buffer_only(metal: Metal) -> None:
    buffer = metal.buffer(4)
    commands = metal.commands()
    metal.dispatch(commands, "fault", {0: buffer})
    assert metal.run(commands) == ERROR
    assert metal.error(commands) == PAGE_FAULT
    metal.fail("kernel count", 1, OUT_OF_MEMORY)
    commands = metal.commands()
    metal.dispatch(commands, "count", {0: buffer})
    assert metal.run(commands) == ERROR
    assert metal.error(commands) == OUT_OF_MEMORY


def test_a_kernel_is_held(metal: Metal) -> None:
    buffer = metal.buffer(4)
    metal.hold("count")
    commands = metal.commands()
    metal.dispatch(commands, "count", {0: buffer})
    metal.do(commands, "commit")
    assert metal.status(commands) < COMPLETED
    metal.release()
    metal.do(commands, "waitUntilCompleted")


@pytest.mark.parametrize(
    ("threads", "memory", "bound", "says"),
    [
        (65, 512, True, "65 threads, of which it takes 64"),
        (64, 256, False, "0 bytes for x, which has 4"),
        (64, 0, True, "0 bytes for tile, which has 4"),
        (64, 32768, True, "32832 bytes of threadgroup memory"),
        (64, 24, True, "setThreadgroupMemoryLength:atIndex: with the length 24"),
    ],
)
def test_a_dispatch_that_cannot_be_is_misuse(
    metal: Metal, threads: int, memory: int, bound: bool, says: str
) -> None:
    x = metal.buffer(256)
    metal.ints(x)[:] = [7] * 64
    commands = metal.commands()
    metal.dispatch(commands, "neighbours", {3: x} if bound else {}, 1, threads, memory)
    metal.run(commands)
    assert says in metal.misuse()[0]
    assert metal.ints(x)[:] == [7] * 64
    metal.forget()


def test_bytes_are_4096_at_most(metal: Metal) -> None:
    encoder = metal.send(metal.commands(), "computeCommandEncoder")
    memory = ctypes.create_string_buffer(4097)
    metal.do(encoder, "setBytes:length:atIndex:", memory, 4096, 0)
    assert metal.misuse() == []
    metal.do(encoder, "setBytes:length:atIndex:", memory, 4097, 0)
    metal.do(encoder, "endEncoding")
    assert metal.misuse() == ["setBytes:length:atIndex: with the length 4097"]
    metal.forget()


# ---- Capture ----


def test_a_capture_counts_what_was_committed(
    metal: Metal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = metal.send(metal.named("MTLCaptureManager"), "sharedCaptureManager")
    descriptor = metal.keep(metal.send(metal.named("MTLCaptureDescriptor"), "new"))
    metal.do(descriptor, "setCaptureObject:", metal.queue)
    metal.do(descriptor, "setDestination:", 2)
    path = metal.string(str(tmp_path / "some.gputrace"))
    metal.do(
        descriptor, "setOutputURL:", metal.send(metal.named("NSURL"), "fileURLWithPath:", path)
    )

    def start() -> int:
        error = ctypes.c_void_p()
        selector = "startCaptureWithDescriptor:error:"
        well = metal.send(manager, selector, descriptor, ctypes.byref(error), returns=ctypes.c_bool)
        return 0 if well else metal.send(error.value, "code")

    monkeypatch.delenv("METAL_CAPTURE_ENABLED", raising=False)
    assert start() == 1
    monkeypatch.setenv("METAL_CAPTURE_ENABLED", "1")
    assert start() == 0
    assert start() == 2
    metal.run(metal.commands())
    metal.do(manager, "stopCapture")
    assert (tmp_path / "some.gputrace" / "committed").read_text() == "1 command buffers\n"
    assert start() == 3
