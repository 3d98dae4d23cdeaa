# SPDX-License-Identifier: Apache-2.0
"""Scaling of nexus.distributed over the GPUs of this machine: python benchmarks/gpu/clusters.py.

Runs the stencil and the Monte-Carlo sum of the row `clusters` with 1, 2, 4 ... GPUs, after it
compared their results with numpy's. It needs nexus-core[dask,cuda]. `--small` only shows that it
runs.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
from distributed import Client, wait

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import nexus.distributed
from harness import Mismatch
from rows.clusters import HEAT, ITEMS, POINTS, _height, _width

BACKEND = "cuda"


def main() -> None:
    """Prints a line for each work and number of GPUs."""
    parser = argparse.ArgumentParser(description="Measure clusters of GPUs.")
    parser.add_argument("--small", action="store_true", help="small sizes: only shows that it runs")
    small = parser.parse_args().small
    size, steps, points, repeats = (64, 2, 10, 2) if small else (32768, 10, 200_000, 5)
    gpus = len(nexus.get_runtime(BACKEND).get_devices())
    first: dict[str, float] = {}
    for count in (each for each in (1, 2, 4, 8) if each <= gpus):
        with (
            nexus.distributed.LocalCluster(BACKEND, count, dashboard_address=":0") as cluster,
            Client(cluster) as client,
        ):
            plate = da.random.default_rng(1).random(
                (size, size), np.float32, chunks=(size // 8, size)
            )
            plate = client.persist(plate)
            seeds = da.arange(64, chunks=1, dtype=np.uint32)

            def stencil(plate: Any = plate) -> Any:
                for _ in range(steps):
                    plate = nexus.distributed.map_overlap(
                        HEAT, plate, depth=1, on_device=True, w=_width, h=_height
                    )
                return plate

            def hits(seeds: Any = seeds) -> Any:
                chunks = {"chunks": ((ITEMS,) * 64,)}
                made = nexus.distributed.map_blocks(
                    POINTS, seeds, on_device=True, options=chunks, count=points, n=ITEMS
                )
                return nexus.distributed.reduce("a + b", made, dtype="int64")

            if small:
                _check(stencil().compute().numpy(), plate.compute(), steps)
            pi = 4 * int(hits().compute()) / (64 * ITEMS * points)
            if abs(pi - np.pi) > (0.1 if small else 1e-3):
                raise Mismatch(f"the Monte-Carlo sum gives {pi}")

            def timed(make: Callable[[], Any], client: Any = client) -> float:
                seconds = []
                for _ in range(repeats + 1):
                    begin = time.perf_counter()
                    wait(client.persist(make()))
                    seconds.append(time.perf_counter() - begin)
                return statistics.median(seconds[1:])

            for name, make in (("stencil", stencil), ("Monte-Carlo sum", hits)):
                took = timed(make)
                speed = first.setdefault(name, took) / took
                print(
                    f"{name}, {count} GPUs: {took * 1e3:.1f} ms, {speed:.2f} times one", flush=True
                )


def _check(made: Any, plate: Any, steps: int) -> None:
    for _ in range(steps):
        sides = [np.roll(plate, step, axis) for axis in (0, 1) for step in (1, -1)]
        plate = np.float32(0.25) * sum(sides)
    if not np.allclose(made, plate, rtol=1e-5):
        raise Mismatch("the stencil differs from numpy's")


if __name__ == "__main__":
    main()
