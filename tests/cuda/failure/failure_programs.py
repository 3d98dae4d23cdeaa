# SPDX-License-Identifier: Apache-2.0
"""Programs with known results that together call all functions of the driver."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

import numpy as np
from cuda_bench import COUNT, LONG, Bench
from driver_functions import BACKEND

import nexus

Program = Callable[[Bench], object]

MEMORIES: tuple[Literal["device", "host", "managed"], ...] = ("device", "host", "managed")
THREAD_DEFAULT = 2  # CU_STREAM_PER_THREAD, hipStreamPerThread
CLUSTERS = BACKEND == "cuda"  # and programmatic launches
LARGE = 5 << 20  # bytes: more than a slot of page-locked memory, so that threads copy parts
PORTABLE = """
NEXUS_SETTABLE_DATA float factor = 0;

NEXUS_KERNEL_BOUNDED(negate, (nexus_grid_size(0)), (NEXUS_GLOBAL float *, x)) {
  x[nexus_global_id(0)] *= factor;
}
"""


def read(buffer: nexus.Buffer, stream: nexus.Stream) -> list[float]:
    """Returns the buffer's contents after the stream's work."""
    got = np.zeros(buffer.shape, buffer.dtype)
    buffer.copy(got, stream)
    values: list[float] = got.tolist()
    return values


def launch(bench: Bench) -> None:
    """Loads code and runs a kernel."""
    library = bench.device.load_library(bench.cubin)
    assert len(library.get_property_str_vec("KernelNames")) == 4
    with bench.device.create_stream() as stream:
        x, out = bench.floats(3), bench.floats()
        bench.scaling(x, 4, out).run(stream, timeout=LONG)
        assert read(out, stream) == [12] * COUNT
    library.close()


def fills(bench: Bench) -> None:
    """Fills memory with patterns of each width, also one that the driver does not support."""
    with bench.device.create_stream() as stream:
        for width in (1, 2, 4, 8):
            value = int.from_bytes(range(1, width + 1), "little")
            buffer = bench.device.create_buffer(np.zeros(COUNT, f"u{width}"))
            buffer.fill(value, stream=stream)
            assert read(buffer, stream) == [value] * COUNT


def rows(bench: Bench) -> None:
    """Copies a part of each row."""
    given = np.arange(64 * COUNT, dtype=np.float32).reshape(64, COUNT)
    with bench.device.create_stream() as stream:
        buffer = bench.device.create_buffer(given)
        out = bench.device.create_buffer((64, COUNT // 2), np.float32)
        out.copy_from(buffer[:, : COUNT // 2], stream)
        assert read(out, stream) == given[:, : COUNT // 2].tolist()


def large_copies(bench: Bench) -> None:
    """Copies pageable memory in parts, before work and behind it."""
    given = np.arange(LARGE // 4, dtype=np.float32)
    with bench.device.create_stream() as stream:
        buffer = bench.device.create_buffer(given)
        other = bench.device.create_buffer(given.shape, np.float32)
        buffer.copy_from(given[::-1].copy(), stream)
        other.copy_from(buffer, stream)
        got = np.zeros_like(given)
        other.copy(got, stream)
        assert (got == given[::-1]).all()


def writes_behind_work(bench: Bench) -> None:
    """Writes a large array while the stream is busy."""
    given = np.arange(LARGE // 4, dtype=np.float32)
    x = bench.floats(1)
    with bench.device.create_stream() as stream, holding(bench, "scale"):
        buffer = bench.device.create_buffer(given.shape, np.float32)
        bench.scaling(x, 1, bench.floats()).run(stream, blocking=False)
        buffer.copy_from(given, stream, blocking=False)
        bench.driver.release()
        got = np.zeros_like(given)
        buffer.copy(got, stream)
        assert (got == given).all()


def host_memory(bench: Bench) -> None:
    """Uses page-locked, managed and system memory in place."""
    with bench.device.create_stream() as stream:
        host, managed = bench.floats(2, "host"), bench.floats(3, "managed")
        system = nexus.create_buffer(np.full(COUNT, 4, np.float32))
        for buffer, value in ((host, 2), (managed, 3), (system, 4)):
            out = bench.floats()
            bench.scaling(buffer, 10, out).run(stream, timeout=LONG)
            assert read(out, stream) == [10 * value] * COUNT


def graph(bench: Bench) -> None:
    """Replays several commands as a graph, with other arguments in between."""
    with bench.device.create_stream() as stream:
        x, y, out = bench.floats(5), bench.floats(), bench.floats()
        schedule = bench.device.create_schedule()
        schedule.create_fill_command(y, 1)
        command = bench.scale(schedule, x, 2, y)
        schedule.create_copy_command(out, y)
        for factor in (2, 2, 3, 3):
            command.set_arg(1, np.float32(factor))
            schedule.run(stream, timeout=LONG)
            assert read(out, stream) == [5 * factor] * COUNT
        schedule.prepare(stream)
        schedule.run(stream, timeout=LONG)
        assert read(out, stream) == [15] * COUNT


def captured(bench: Bench) -> None:
    """Replays captured copies of another library, alone and in a graph."""
    x, y, out = bench.floats(5), bench.floats(), bench.floats()
    alone, several = bench.device.create_schedule(), bench.device.create_schedule()
    with bench.device.create_stream() as stream:
        with alone.capture(stream):
            bench.copy_elsewhere(stream, out, x)
        replay(alone, stream, out, 5)
    with bench.device.create_stream(foreign=bench.elsewhere()) as stream:
        with several.capture(stream):
            bench.copy_elsewhere(stream, y, x)
        bench.scale(several, y, 2, out)
        replay(several, stream, out, 10)


def replay(schedule: nexus.Schedule, stream: nexus.Stream, out: nexus.Buffer, value: float) -> None:
    """Runs a schedule several times, which sets out to a value."""
    for _ in range(3):
        out.fill(0, stream=stream)
        schedule.run(stream, timeout=LONG)
        assert read(out, stream) == [value] * COUNT
    schedule.prepare(stream)


def two_streams(bench: Bench) -> None:
    """Lets streams wait for each other, times events, runs a schedule in another stream."""
    x, out = bench.floats(6), bench.floats()
    with bench.device.create_stream() as first, bench.device.create_stream(-1) as second:
        schedule = bench.scaling(x, 2, out)
        with holding(bench, "scale"):
            start = first.record()
            schedule.run(first, blocking=False)
            second.wait(first.record())
            schedule.run(second, blocking=False)
            bench.driver.release()
        end = second.record()
        second.synchronize(LONG)
        first.synchronize(LONG)
        assert end.elapsed_ms(start) >= 0
        assert read(out, second) == [12] * COUNT


def callbacks(bench: Bench) -> None:
    """Calls the host behind work."""
    told: list[nexus.NexusError | None] = []
    called = threading.Event()

    def call(error: nexus.NexusError | None) -> None:
        told.append(error)
        called.set()

    with bench.device.create_stream() as stream:
        out = bench.floats()
        bench.scaling(bench.floats(1), 2, out).run(stream, blocking=False)
        stream.add_callback(call)
        assert read(out, stream) == [2] * COUNT
        assert called.wait(LONG)
    assert told == [None]


def shared_memory(bench: Bench) -> None:
    """Runs a kernel with more shared memory than the default limit."""
    with bench.device.create_stream() as stream:
        x = bench.device.create_buffer(np.arange(COUNT, dtype=np.float32))
        kernel = bench.device.load_library(bench.cubin).get_kernel("reverse")
        schedule = bench.device.create_schedule()
        command = schedule.create_command(kernel)
        command.set_arg(0, x)
        command.finalize(COUNT, COUNT, local_memory=64 << 10)
        schedule.run(stream, timeout=LONG)
        assert read(x, stream) == list(range(COUNT))[::-1]


def launch_options(bench: Bench) -> None:
    """Runs and replays cooperative launches, with CUDA also in clusters and programmatic."""
    options: dict[str, Any] = {}
    if CLUSTERS:
        options = {"cluster_size": 2, "programmatic_launch": True}
    with bench.device.create_stream() as stream:
        x, y, out = bench.floats(3), bench.floats(), bench.floats()
        kernel = bench.device.load_library(bench.cubin).get_kernel("scale")
        schedule = bench.device.create_schedule()
        for source, target in ((x, y), (y, out)):
            args = (source, np.float32(2), target, np.int32(COUNT))
            schedule.create_command(kernel, args, 32, COUNT, cooperative_launch=True, **options)
        for _ in range(3):
            schedule.run(stream, timeout=LONG)
            assert read(out, stream) == [12] * COUNT


def occupancy(bench: Bench) -> None:
    """Queries a kernel's occupancy."""
    kernel = bench.device.load_library(bench.cubin).get_kernel("scale")
    alone = kernel.get_occupancy(256)
    assert alone.active_groups == 8
    if not CLUSTERS:
        return
    clustered = kernel.get_occupancy(256, cluster_size=2)
    assert clustered.active_groups == 8
    assert clustered.active_clusters * 2 == alone.max_groups


def exports(bench: Bench) -> None:
    """Exports a buffer and imports it in the same process."""
    buffer = bench.device.create_buffer(np.full(COUNT, 5, np.float32), shareable=True)
    imported = pickle.loads(pickle.dumps(buffer))
    with bench.device.create_stream() as stream:
        assert read(imported, stream) == [5] * COUNT


def foreign_memory(bench: Bench) -> None:
    """Makes a buffer over foreign memory."""
    memory = bench.floats(6)
    buffer = bench.device.create_buffer_from_handle(
        memory.native_handle, memory.shape, np.float32, owner=memory
    )
    with bench.device.create_stream() as stream:
        assert read(buffer, stream) == [6] * COUNT


def foreign(bench: Bench) -> None:
    """Copies to page-locked memory in another library's stream."""
    with bench.device.create_stream() as theirs:
        copy_in(bench, theirs.native_handle)


def thread_default(bench: Bench) -> None:
    """Does so in the per-thread default stream."""
    copy_in(bench, THREAD_DEFAULT)


def copy_in(bench: Bench, handle: int) -> None:
    """Copies to page-locked memory in a stream of the driver."""
    buffer, target = bench.floats(6), bench.floats(memory="host")
    with bench.device.create_stream(foreign=handle) as stream:
        buffer.copy(np.asarray(target), stream)
    assert np.asarray(target).tolist() == [6] * COUNT


def kept_memory(bench: Bench) -> None:
    """Returns pooled memory to the driver."""
    bench.floats().close()
    bench.device.trim_memory()
    assert bench.device.memory_reserved >= bench.device.memory_used


def portable(bench: Bench) -> None:
    """Runs a kernel that describes itself, with a variable; the backend chooses the group size."""
    code = nexus.Program(PORTABLE, name="portable.c").compile(bench.device)
    with bench.device.create_stream() as stream:
        x = bench.floats(7)
        schedule = bench.device.create_schedule()
        library = bench.device.load_library(code)
        library.get_global("factor", np.float32).fill(-1, stream=stream)
        schedule.create_command(library.get_kernel("negate"), (x,), None, COUNT)
        schedule.run(stream, timeout=LONG)
        assert read(x, stream) == [-7] * COUNT


def freed_while_used(bench: Bench) -> None:
    """Releases code and memory of each kind while kernels of two streams use them."""
    with bench.device.create_stream() as first, bench.device.create_stream() as second:
        results = {first: bench.floats(), second: bench.floats()}
        with holding(bench, "scale"):
            for memory in MEMORIES:
                x = bench.floats(8, memory)
                for stream, out in results.items():
                    bench.scaling(x, 1, out).run(stream, blocking=False)
                x.close()
            bench.driver.release()
        for stream, out in results.items():
            stream.synchronize(LONG)
            assert read(out, stream) == [8] * COUNT


def exhausted(bench: Bench) -> None:
    """Allocates more memory than exists, then as much as exists."""
    size = bench.device.get_property_int("GlobalMemorySize")
    kept = bench.device.create_buffer(size // 2, np.uint8)
    try:
        bench.device.create_buffer(size // 4 * 3, np.uint8)
    except nexus.NexusError as error:
        if error.native_code != 2:
            raise
    else:
        raise AssertionError("there was more memory than there is")
    kept.close()
    again = bench.device.create_buffer(size // 4 * 3, np.uint8)
    again.close()


@contextmanager
def holding(bench: Bench, part_of_name: str) -> Iterator[None]:
    """Blocks kernels whose names contain a text, until release()."""
    bench.driver.hold(part_of_name)
    try:
        yield
    finally:
        bench.driver.release()


def conditions(bench: Bench) -> None:
    """Runs a loop of one turn with an if in it, in two streams."""
    going_on, x, out = bench.device.create_buffer((1,), "int32"), bench.floats(3), bench.floats()
    turn, schedule = bench.device.create_schedule(), bench.device.create_schedule()
    turn.create_if_command(going_on, bench.scaling(x, 4, out))
    turn.create_fill_command(going_on, 0)
    schedule.create_while_command(going_on, turn)
    for _ in range(2):
        with bench.device.create_stream() as stream:
            going_on.fill(1, stream=stream)
            schedule.run(stream, timeout=LONG)
            assert read(out, stream) == [12] * COUNT
            out.fill(0, stream=stream)
            stream.synchronize(LONG)


PROGRAMS: dict[str, Program] = {
    each.__name__: each
    for each in (
        launch, fills, rows, large_copies, writes_behind_work, host_memory, graph, conditions,
        captured, two_streams, callbacks, shared_memory, launch_options, occupancy, exports,
        foreign_memory, foreign, thread_default, kept_memory, portable, freed_while_used, exhausted,
    )
}  # fmt: skip


def outcome(bench: Bench, program: Program) -> nexus.NexusError | None:
    """Returns the error of a program, which must otherwise succeed."""
    try:
        program(bench)
    except nexus.NexusError as error:
        return error.with_traceback(None)
    return None
