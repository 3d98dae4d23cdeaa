# SPDX-License-Identifier: Apache-2.0
"""Upload, compute and download in three streams at once, beside the same one after another."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np

import nexus
from harness import Contestant, Mismatch, interleave
from measurement import Measurement
from nexus_side import GpuSide, image, stream_seconds

NAME = "upload, compute, download in three streams"
GOAL = "at least 1.8 times the serial run"
LEAST = 1.8
CHUNKS = 16
BYTES = 256 << 20
GROUPS, ITEMS = 264, 256
TRIAL_TURNS = 2000


@dataclass(frozen=True)
class _Chunk:
    """A part of the data: its buffers on the host and the device."""

    source: nexus.Buffer
    there: nexus.Buffer
    target: nexus.Buffer
    work: nexus.Schedule


def measure(*, smoke: bool) -> list[Measurement]:
    """The work takes about as long as a copy."""
    ours = GpuSide(image("launches.cu"))
    size = (BYTES // 16 if smoke else BYTES) // CHUNKS
    source = ours.device.create_buffer(size // 4 * CHUNKS, dtype="float32", memory="host")
    target = ours.device.create_buffer(size // 4 * CHUNKS, dtype="float32", memory="host")
    source.fill(1)
    turns = _turns(ours, source[: size // 4])
    chunks = [
        _chunk(ours, source[part], target[part], turns)
        for part in (slice(i * size // 4, (i + 1) * size // 4) for i in range(CHUNKS))
    ]
    streams = [ours.device.create_stream() for _ in range(3)]
    results = []
    for in_streams in ([streams[0]] * 3, streams):
        target.fill(0)
        _run(chunks, in_streams)
        results.append(target.numpy())
    if not np.array_equal(results[0], results[1]) or not np.all(results[0] != 1):
        raise Mismatch("the three streams and the one computed different values")
    overlapped, serial = interleave(
        [
            Contestant(f"{ours.label}, three streams", lambda: _timed(chunks, streams)),
            Contestant("one stream", lambda: _timed(chunks, [streams[0]] * 3)),
        ],
        3 if smoke else 15,
    )
    ratio = serial.median / overlapped.median
    note = f"{CHUNKS} chunks of {size >> 20} MiB, {turns} turns of the work for each value"
    return [
        Measurement(NAME, GOAL, (overlapped, serial), f"{ratio:.3f} times", ratio >= LEAST, [note])
    ]


def _turns(ours: GpuSide, source: nexus.Buffer) -> int:
    """Returns how many turns of the work take as long as the upload of a chunk."""
    there = ours.device.copy_buffer(source)
    copied = stream_seconds(
        ours.stream, lambda: there.copy_from(source, stream=ours.stream, blocking=False), 4
    )
    worked = ours.device_seconds(_work(ours, there, TRIAL_TURNS), 4)
    return max(1, round(TRIAL_TURNS * copied / worked))


def _work(ours: GpuSide, there: nexus.Buffer, turns: int) -> nexus.Schedule:
    arguments = (there, np.int32(turns), np.int32(there.nbytes // 4))
    return ours.schedule("scale", arguments, GROUPS, ITEMS)


def _chunk(ours: GpuSide, source: nexus.Buffer, target: nexus.Buffer, turns: int) -> _Chunk:
    there = ours.zeros(source.nbytes)
    return _Chunk(source, there, target, _work(ours, there, turns))


def _run(chunks: list[_Chunk], streams: list[nexus.Stream]) -> None:
    upload, compute, download = streams
    for chunk in chunks:
        chunk.there.copy_from(chunk.source, stream=upload, blocking=False)
        _follow(compute, upload)
        chunk.work.run(compute, False)
        _follow(download, compute)
        chunk.target.copy_from(chunk.there, stream=download, blocking=False)
    download.synchronize(timeout=120)


def _follow(stream: nexus.Stream, before: nexus.Stream) -> None:
    if stream != before:
        stream.wait(before)


def _timed(chunks: list[_Chunk], streams: list[nexus.Stream]) -> float:
    start = perf_counter()
    _run(chunks, streams)
    return perf_counter() - start
