# SPDX-License-Identifier: Apache-2.0
"""The blocks of dask arrays with the edges of their neighbours."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import dask.array as da
import numpy as np
from dask.array.core import Array
from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph

import nexus
from nexus.distributed import _worker

Shape = tuple[int, ...]

# A padded axis has depth + size + depth elements. For each boundary: which of them are copied to
# its beginning, and which to its end.
REPEATED: dict[str, Callable[[int, int], tuple[slice, slice]]] = {
    "periodic": lambda depth, size: (slice(size, size + depth), slice(depth, 2 * depth)),
    "reflect": lambda depth, size: (
        slice(2 * depth - 1, depth - 1, -1),
        slice(size + depth - 1, size - 1, -1),
    ),
    "nearest": lambda depth, size: (
        slice(depth, depth + 1),
        slice(size + depth - 1, size + depth),
    ),
}


def padded(array: Any, depths: Shape, boundary: Any) -> Any:
    """Returns a dask array of the blocks with `depths` more elements on each side.

    Of its neighbours a block reads only the edges. da.overlap makes blocks of the boundary too,
    and three to five times as many tasks; it serves only Dask's arrays of expressions, an option
    whose graphs can't be given.
    """
    if not isinstance(array, Array):
        return da.overlap.overlap(
            array,
            depth=dict(enumerate(depths)),
            boundary=dict.fromkeys(range(array.ndim), boundary),
            allow_rechunk=False,
        )
    token = tokenize(array.name, depths, boundary)
    name, edge = f"padded-{token}", f"edge-{token}"
    counts = array.numblocks
    periodic = isinstance(boundary, str) and boundary == "periodic"
    steps = (
        (-1, 0, 1) if depth and count > 1 else (0,)
        for depth, count in zip(depths, counts, strict=True)
    )
    sides = [side for side in itertools.product(*steps) if any(side)]
    graph: dict[Any, Any] = {}
    for at in np.ndindex(counts):
        edges = {}
        for side in sides:
            beside = tuple(here + step for here, step in zip(at, side, strict=True))
            inside = tuple(here % count for here, count in zip(beside, counts, strict=True))
            if periodic or beside == inside:
                edges[side] = (edge, *at, *side)
                cut = functools.partial(_worker.guarded, _edge, side, depths)
                graph[edges[side]] = cut, (array.name, *inside)
        pad = functools.partial(_worker.guarded, _pad, depths, boundary, tuple(edges))
        key = (name, *at)
        graph[key] = pad, (array.name, *at), list(edges.values())
    chunks = tuple(
        tuple(size + 2 * depth for size in sizes)
        for sizes, depth in zip(array.chunks, depths, strict=True)
    )
    layers = HighLevelGraph.from_collections(name, graph, dependencies=[array])
    return Array(layers, name, chunks, meta=array)


def _edge(side: Shape, depths: Shape, block: Any) -> Any:
    """Returns a copy of what a block reads of its neighbour on a side: -1 before it, 1 after."""
    parts = tuple(
        slice(None) if not step else slice(depth) if step > 0 else slice(-depth, None)
        for step, depth in zip(side, depths, strict=True)
    )
    part = block[parts]
    return _worker.get_device().copy_buffer(part) if isinstance(part, nexus.Buffer) else part.copy()


def _pad(depths: Shape, boundary: Any, sides: Sequence[Shape], block: Any, edges: Any) -> Any:
    """Returns a block between the edges of its neighbours and the boundary."""
    shape = tuple(size + 2 * depth for size, depth in zip(block.shape, depths, strict=True))
    made: Any
    if isinstance(block, nexus.Buffer):
        made = nexus.empty(shape, block.dtype, device=_worker.get_device())
    else:
        made = np.empty(shape, block.dtype)
    places = [_places(depth, size) for depth, size in zip(depths, block.shape, strict=True)]
    middle = (0,) * len(shape)
    for side, part in zip((middle, *sides), (block, *edges), strict=True):
        made[tuple(place[at] for place, at in zip(places, side, strict=True))] = part
    for axis, (depth, size) in enumerate(zip(depths, block.shape, strict=True)):
        before = (slice(None),) * axis
        for at, end in enumerate((-1, 1)):
            if not depth or (*middle[:axis], end, *middle[axis + 1 :]) in sides:
                continue  # a neighbour's edge is there
            beyond = boundary
            if isinstance(boundary, str):
                inside = (*before, REPEATED[boundary](depth, size)[at])
                beyond = made[inside]
            outside = (*before, places[axis][end])
            made[outside] = beyond
    return made


def _places(depth: int, size: int) -> dict[int, slice]:
    """Returns where a padded axis has the edge before the block, the block, and that after it."""
    return {
        -1: slice(depth),
        0: slice(depth, depth + size),
        1: slice(depth + size, 2 * depth + size),
    }
