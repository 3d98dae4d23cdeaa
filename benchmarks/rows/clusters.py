# SPDX-License-Identifier: Apache-2.0
"""nexus.distributed beside numba's functions on the same Dask cluster, and the cost of a task."""

from __future__ import annotations

import contextlib
import logging
import os
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import nexus
from harness import (
    Contestant,
    Mismatch,
    NotMeasured,
    Result,
    our_version,
    race,
    timed_calls,
    version_of,
)

NAME = "clusters"
GOAL = "beside numba with Dask, see each"
STEPS = 4
BLOCKS = 16  # of the Monte-Carlo sum
ITEMS = 1024  # work items of a block

HEAT = """
NEXUS_KERNEL_BOUNDED(heat, (w, h), (NEXUS_GLOBAL const float *, x), (NEXUS_GLOBAL float *, y),
                     (int, w), (int, h)) {
  int i = nexus_global_id(0), j = nexus_global_id(1), pitch = w + 2;
  NEXUS_GLOBAL const float *c = x + (j + 1) * pitch + i + 1;
  y[j * w + i] = 0.25f * (c[-1] + c[1] + c[-pitch] + c[pitch]);
}
"""
# xorshift32, and integers: the same sum in every language.
POINTS = """
NEXUS_KERNEL_BOUNDED(points, (n), (NEXUS_GLOBAL const unsigned int *, seed),
                     (NEXUS_GLOBAL int *, hits), (int, count), (int, n)) {
  int i = nexus_global_id(0), found = 0;
  unsigned int s = (seed[0] * 1024u + (unsigned int)i) * 2654435761u + 1u;
  for (int k = 0; k < count; k++) {
    s ^= s << 13; s ^= s >> 17; s ^= s << 5;
    unsigned int x = s >> 17;
    s ^= s << 13; s ^= s >> 17; s ^= s << 5;
    unsigned int y = s >> 17;
    found += x * x + y * y < 1u << 30;
  }
  hits[i] = found;
}
"""

_compiled: dict[str, Any] = {}  # numba's functions in each worker


def measure(*, smoke: bool) -> list[Result]:
    """A row for each work and number of workers, and one for the cost of a task."""
    labels = our_version(), f"{version_of('numba')}, {version_of('distributed')}"
    most = 2 if smoke else max(len(_cores()), 2)
    counts = [each for each in (1, 2, 4, 8, 16, 32, 64) if each <= most]
    results: list[Result] = []
    for count in counts:
        with _cluster(count) as client:
            results.append(_stencil(client, count, labels, smoke))
            results.append(_monte_carlo(client, count, labels, smoke))
            if count == counts[-1]:
                results.append(_task(client, labels, smoke))
    return [*results, *_scaling(results)]


def _cores() -> list[int]:
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


@contextlib.contextmanager
def _cluster(count: int) -> Iterator[Any]:
    """Gives a client of workers with one thread and one core each.

    nexus.distributed.LocalCluster would divide all cores among them: Nexus uses every core of its
    worker, and numba's functions use one.
    """
    try:
        from distributed import Client, Nanny, Scheduler, SpecCluster

        import nexus.distributed
    except ImportError as error:
        raise NotMeasured(f"needs Dask ({error}): pip install dask[array,distributed]") from error
    cores = _cores()
    scheduler = {"cls": Scheduler, "options": {"host": "127.0.0.1", "dashboard_address": ":0"}}
    workers = {}
    for number in range(count):
        plugin = nexus.distributed.WorkerPlugin("cpu", cores=[cores[number % len(cores)]])
        options = {
            "nthreads": 1,
            "memory_limit": None,
            "plugins": (plugin,),
            "silence_logs": logging.WARNING,
        }
        workers[number] = {"cls": Nanny, "options": options}
    with (
        SpecCluster(workers, scheduler, silence_logs=logging.WARNING) as cluster,
        Client(cluster) as client,
    ):
        yield client


def _stencil(client: Any, count: int, labels: tuple[str, str], smoke: bool) -> Result:
    import dask.array as da

    size, blocks = (256, 2) if smoke else (8192, 8)
    array = da.random.default_rng(1).random((size, size), np.float32, chunks=(size // blocks, size))
    array = client.persist(array)

    def ours(made: Any) -> Any:
        for _ in range(STEPS):
            made = nexus.distributed.map_overlap(HEAT, made, depth=1, w=_width, h=_height)
        return made

    def theirs(made: Any) -> Any:
        for _ in range(STEPS):
            made = da.overlap.map_overlap(
                _heat, made, depth=1, boundary="periodic", trim=True, dtype=np.float32
            )
        return made

    if not np.allclose(ours(array).compute(), theirs(array).compute(), rtol=1e-5):
        raise Mismatch("the stencil differs")
    name = f"stencil of {size}^2, {count} workers"
    return _race(name, client, labels, array, ours, theirs, 3 if smoke else 7)


def _monte_carlo(client: Any, count: int, labels: tuple[str, str], smoke: bool) -> Result:
    import dask.array as da

    points = 100 if smoke else 20_000  # of each work item
    seeds = da.arange(BLOCKS, chunks=1, dtype=np.uint32)

    def ours(seeds: Any) -> Any:
        hits = nexus.distributed.map_blocks(
            POINTS, seeds, count=points, n=ITEMS, options={"chunks": ((ITEMS,) * BLOCKS,)}
        )
        return nexus.distributed.reduce("a + b", hits, dtype="int64")

    def theirs(seeds: Any) -> Any:
        return seeds.map_blocks(_points, points, dtype=np.int64).sum()

    if (found := int(ours(seeds).compute())) != (expected := int(theirs(seeds).compute())):
        raise Mismatch(f"the Monte-Carlo sum is {found} and numba's is {expected}")
    name = f"Monte-Carlo sum, {count} workers"
    return _race(name, client, labels, seeds, ours, theirs, 3 if smoke else 7)


def _race(
    name: str,
    client: Any,
    labels: tuple[str, str],
    array: Any,
    ours: Callable[[Any], Any],
    theirs: Callable[[Any], Any],
    repeats: int,
) -> Result:
    """Measures what both make of an array."""
    from distributed import futures_of, wait

    def call(make: Callable[[Any], Any]) -> None:
        # Under a new name, since Dask keeps the results of tasks that it knows.
        made = client.persist(make(array.map_blocks(_same, name=f"input-{uuid.uuid4()}")))
        wait(made)
        if any(each.status != "finished" for each in futures_of(made)):
            raise Mismatch(f"a task of the {name} failed")

    contestants = [
        Contestant(label, timed_calls(call, (make,), 1))
        for label, make in zip(labels, (ours, theirs), strict=True)
    ]
    return race(name, "not slower than numba with Dask", contestants, repeats)


def _task(client: Any, labels: tuple[str, str], smoke: bool) -> Result:
    device = nexus.get_device("cpu")
    schedule, buffer = device.create_schedule(), nexus.zeros(1024, device=device)
    schedule.create_fill_command(buffer, 1.0)
    [description] = client.scatter([schedule.describe()], broadcast=True)
    tasks = 20 if smoke else 500

    def run_all(
        function: Callable[..., Any], *arguments: Any, **options: Any
    ) -> Callable[[], float]:
        def call() -> None:
            made = [
                client.submit(function, *arguments, pure=False, **options) for _ in range(tasks)
            ]
            client.gather([made[-1]])
            for each in made:
                each.result()

        batch = timed_calls(call, (), 1)
        return lambda: batch() / tasks

    run = nexus.distributed.run
    contestants = [
        Contestant(labels[0], run_all(run, description, None, [0], resources={"nexus-cpu": 1})),
        Contestant(f"an empty task, {version_of('distributed')}", run_all(_nothing)),
    ]
    goal = "at most 1 ms more than an empty task"
    return race("a task with a schedule", goal, contestants, 3 if smoke else 7, allowance=1e-3)


def _scaling(results: list[Result]) -> list[Result]:
    """Returns the speed of each number of workers beside one worker's, as notes."""
    curves: dict[str, list[Result]] = {}
    for result in results:
        work, _, workers = result.name.rpartition(", ")
        if workers.endswith("workers") and result.ours and result.peer:
            curves.setdefault(work, []).append(result)
    rows = []
    for work, points in curves.items():
        first = points[0]
        notes = [
            f"{point.name.rpartition(', ')[2]}: "
            f"{first.ours.median / point.ours.median:.2f} times as fast as one, "
            f"the peer {first.peer.median / point.peer.median:.2f}"
            for point in points
            if point.ours and point.peer and first.ours and first.peer
        ]
        rows.append(Result(f"scaling of the {work}", "none: shows the curve", notes=notes))
    return rows


def _same(block: Any) -> Any:
    return block


def _width(shape: tuple[int, ...]) -> int:
    return shape[1]


def _height(shape: tuple[int, ...]) -> int:
    return shape[0]


def _nothing() -> None:
    pass


def _heat(block: Any) -> Any:
    if "heat" not in _compiled:
        import numba

        @numba.njit(nogil=True, error_model="numpy", boundscheck=False)  # type: ignore[untyped-decorator]
        def heat(x: Any, y: Any) -> None:
            quarter = np.float32(0.25)
            for j in range(1, x.shape[0] - 1):
                for i in range(1, x.shape[1] - 1):
                    y[j, i] = quarter * (x[j, i - 1] + x[j, i + 1] + x[j - 1, i] + x[j + 1, i])

        _compiled["heat"] = heat
    made = np.empty_like(block)
    _compiled["heat"](block, made)
    return made


def _points(seeds: Any, count: int) -> Any:
    if "points" not in _compiled:
        import numba

        @numba.njit(nogil=True, error_model="numpy")  # type: ignore[untyped-decorator]
        def points(seed: Any, count: int) -> int:
            found = 0
            for i in range(ITEMS):
                s = np.uint32((seed * 1024 + i) * 2654435761 + 1)
                for _ in range(count):
                    s = np.uint32(s ^ np.uint32(s << np.uint32(13)))
                    s = np.uint32(s ^ (s >> np.uint32(17)))
                    s = np.uint32(s ^ np.uint32(s << np.uint32(5)))
                    x = np.uint32(s >> np.uint32(17))
                    s = np.uint32(s ^ np.uint32(s << np.uint32(13)))
                    s = np.uint32(s ^ (s >> np.uint32(17)))
                    s = np.uint32(s ^ np.uint32(s << np.uint32(5)))
                    y = np.uint32(s >> np.uint32(17))
                    if x * x + y * y < 1 << 30:
                        found += 1
            return found

        _compiled["points"] = points
    return np.array([_compiled["points"](np.int64(seeds[0]), count)])
