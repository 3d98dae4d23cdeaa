# SPDX-License-Identifier: Apache-2.0
"""Kernels and reductions over the blocks of dask arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import dask
import dask.array as da
import numpy as np
import pytest
from python_process import run_python

import nexus
from nexus.distributed import map_blocks, map_overlap, reduce

if TYPE_CHECKING:
    from distributed import Client

SQUARE = """
NEXUS_KERNEL_BOUNDED(square, (n), (NEXUS_GLOBAL const float *, x), (NEXUS_GLOBAL float *, y),
                     (int, n)) {
  y[nexus_global_id(0)] = x[nexus_global_id(0)] * x[nexus_global_id(0)];
}
"""
ADD = """
NEXUS_KERNEL_BOUNDED(add, (n), (NEXUS_GLOBAL const float *, x), (NEXUS_GLOBAL const float *, z),
                     (NEXUS_GLOBAL double *, y), (int, n)) {
  y[nexus_global_id(0)] = x[nexus_global_id(0)] + z[nexus_global_id(0)];
}
"""
NEIGHBOURS = """
NEXUS_KERNEL(neighbours, (NEXUS_GLOBAL const float *, x), (NEXUS_GLOBAL float *, y), (int, w),
             (int, h)) {
  int i = nexus_global_id(0), j = nexus_global_id(1), p = w + 2;
  if (i >= w || j >= h) return;
  y[j * w + i] = x[(j + 1) * p + i] + x[(j + 1) * p + i + 2] + x[j * p + i + 1]
               + x[(j + 2) * p + i + 1];
}
"""
BOX = """
NEXUS_KERNEL_BOUNDED(box, (w, h), (NEXUS_GLOBAL const float *, x), (NEXUS_GLOBAL float *, y),
                     (int, w), (int, h)) {
  int i = nexus_global_id(0), j = nexus_global_id(1);
  float sum = 0;
  for (int k = 0; k < 15; k++) sum += (k + 1) * x[(j + k / 3) * (w + 2) + i + k % 3];
  y[j * w + i] = sum;
}
"""


def length(shape: tuple[int, ...]) -> int:
    return int(np.prod(shape))


def width(shape: tuple[int, ...]) -> int:
    return shape[1]


def height(shape: tuple[int, ...]) -> int:
    return shape[0]


def neighbours(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    found: np.ndarray[Any, Any] = sum(  # type: ignore[assignment]
        np.roll(array, step, axis) for step in (1, -1) for axis in (0, 1)
    )
    return found


@pytest.fixture
def plane() -> np.ndarray[Any, Any]:
    """Whole numbers, whose sums are exact."""
    return np.random.default_rng(1).integers(0, 100, (24, 20)).astype(np.float32)


def test_a_kernel_is_applied_to_each_block(client: Client, plane: Any) -> None:
    made = map_blocks(SQUARE, da.from_array(plane, chunks=(7, 20)), n=length)
    assert made.dtype == np.float32
    assert np.array_equal(made.compute(), plane**2)


def test_the_tasks_have_the_name_of_the_kernel_or_program() -> None:
    array = da.zeros(4, dtype=np.float32)
    assert map_blocks(SQUARE, array, name="square", n=length).name.startswith("square-")
    program = nexus.Program(SQUARE, name="squares")
    assert map_blocks(program, array, n=length).name.startswith("squares-")


def test_a_kernel_takes_the_blocks_of_several_arrays(client: Client, plane: Any) -> None:
    one = da.from_array(plane, chunks=(7, 5))
    made = map_blocks(ADD, one, one + 1, n=length)
    assert made.dtype == np.float64
    assert np.array_equal(made.compute(), plane.astype(float) * 2 + 1)


def test_a_kernel_of_this_process_is_applied(
    client: Client, device: nexus.Device, plane: Any
) -> None:
    kernel = device.compile(SQUARE).get_kernel("square")
    made = map_blocks(kernel, da.from_array(plane, chunks=12), n=length)
    assert np.array_equal(made.compute(), plane**2)


def test_blocks_stay_on_the_devices(client: Client, plane: Any) -> None:
    first = map_blocks(SQUARE, da.from_array(plane, chunks=(7, 5)), n=length, on_device=True)
    kinds = first.map_blocks(lambda block: np.array([[isinstance(block, nexus.Buffer)]]),
                             chunks=(1, 1), dtype=bool)  # fmt: skip
    assert kinds.compute().all()
    assert np.array_equal(map_blocks(SQUARE, first, n=length).compute(), (plane**2) ** 2)


def test_the_tasks_of_an_array_can_ask_for_a_resource(plane: Any) -> None:
    with dask.annotate(resources={"nexus-cuda": 1}):
        made = map_blocks(SQUARE, da.from_array(plane, chunks=(7, 5)), n=length)
    assert made.dask.layers[made.name].annotations == {"resources": {"nexus-cuda": 1}}


def test_blocks_of_another_shape_are_made(client: Client) -> None:
    array = da.arange(8, chunks=4, dtype="float32")
    made = map_blocks(SQUARE, array, n=2, grid=2, options={"chunks": ((2, 2),)})
    assert made.compute().tolist() == [0.0, 1.0, 16.0, 25.0]


@pytest.mark.parametrize("on_device", [False, True])
def test_a_stencil_reads_the_edges_of_the_neighbours(
    client: Client, plane: Any, on_device: bool
) -> None:
    array = da.from_array(plane, chunks=(8, 5))
    for _ in range(2):
        array = map_overlap(NEIGHBOURS, array, depth=1, w=width, h=height, on_device=on_device)
    made = array.compute()
    made = made.numpy() if on_device else made
    assert np.array_equal(made, neighbours(neighbours(plane)))


@pytest.mark.parametrize("chunks", [(8, 5), (24, 5), (8, 20), (24, 20)])
@pytest.mark.parametrize("on_device", [False, True])
@pytest.mark.parametrize(
    ("boundary", "mode"),
    [("periodic", "wrap"), ("reflect", "symmetric"), ("nearest", "edge"), (7, "constant")],
)
def test_a_stencil_reads_the_boundary_beyond_the_array(
    client: Client, plane: Any, boundary: Any, mode: Any, chunks: Any, on_device: bool
) -> None:
    array = map_blocks(SQUARE, da.from_array(plane, chunks=chunks), n=length, on_device=on_device)
    made = map_overlap(BOX, array, depth=(2, 1), boundary=boundary, w=width, h=height).compute()
    values = {"constant_values": 7} if mode == "constant" else {}
    windows = np.lib.stride_tricks.sliding_window_view(
        np.pad(plane**2, ((2, 2), (1, 1)), mode, **values), (5, 3)
    )
    weights = np.arange(1, 16, dtype=np.float32).reshape(5, 3)
    assert np.array_equal(made, (windows * weights).sum((2, 3)))


def test_a_stencil_reads_system_buffers(client: Client, plane: Any) -> None:
    array = da.from_array(plane, chunks=(8, 20)).map_blocks(
        nexus.create_buffer, meta=np.empty((0, 0), np.float32)
    )
    made = map_overlap(NEIGHBOURS, array, depth=1, w=width, h=height)
    assert np.array_equal(made.compute(), neighbours(plane))


def test_a_stencil_is_applied_to_an_array_of_expressions() -> None:
    code = f"""
import dask.array, nexus
array = dask.array.ones((4, 4), chunks=2, dtype="float32")
made = nexus.distributed.map_overlap({NEIGHBOURS!r}, array, depth=1, boundary=0,
                                     w=lambda shape: shape[1], h=lambda shape: shape[0])
assert made.compute(scheduler="synchronous").tolist()[0] == [2, 3, 3, 2]
"""
    run_python("-c", code, more={"DASK_ARRAY__QUERY_PLANNING": "True"}, check=True)


def test_the_result_of_one_block_can_be_a_buffer(client: Client, plane: Any) -> None:
    made = map_blocks(SQUARE, da.from_array(plane, chunks=-1), n=length, on_device=True).compute()
    assert isinstance(made, nexus.Buffer)
    assert np.array_equal(made.numpy(), plane**2)


@pytest.mark.parametrize("split_every", [None, 2])
def test_a_tree_reduces_all_blocks(client: Client, plane: Any, split_every: int | None) -> None:
    array = da.from_array(plane, chunks=(5, 7))
    made = reduce("a + b", array, map="x * x", initial=3, dtype="float64", split_every=split_every)
    assert made.compute() == (plane.astype(float) ** 2).sum() + 3


def test_blocks_on_devices_are_reduced(client: Client, plane: Any) -> None:
    made = map_blocks(SQUARE, da.from_array(plane, chunks=(5, 7)), n=length, on_device=True)
    assert reduce("max(a, b)", made).compute() == (plane**2).max()


def test_a_sum_has_the_same_bits_each_time(client: Client) -> None:
    array = da.from_array(np.random.default_rng(2).random(999, np.float32), chunks=100)
    sums = {reduce("a + b", array).compute().tobytes() for _ in range(3)}
    assert len(sums) == 1


NUMBER: Any = 5
FRACTION: Any = 1.5
NOTHING: Any = None
LINE = da.arange(6, chunks=3, dtype="float32")


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: map_blocks(NUMBER, LINE), TypeError, "kernel has to be a program, its text or"),
        (lambda: map_blocks(SQUARE), TypeError, "needs a dask array"),
        (lambda: map_blocks(SQUARE, [1]), TypeError, r"arrays\[0\] has to be a dask.array.Array"),
        (
            lambda: map_blocks(SQUARE, LINE, on_device=NUMBER),
            TypeError,
            "on_device has to be a bool",
        ),
        (lambda: map_blocks(SQUARE, LINE, dtype="f5"), ValueError, "dtype"),
        (lambda: map_blocks("NEXUS_KERNEL(k, (int, n)) {}", LINE), TypeError, "has 0 pointers"),
        (lambda: map_overlap(SQUARE, LINE, depth=-1), ValueError, "depth is -1"),
        (lambda: map_overlap(SQUARE, LINE, depth=(1, 1)), ValueError, r"depth is \(1, 1\)"),
        (lambda: map_overlap(SQUARE, LINE, depth=FRACTION), TypeError, "depth has to be an int"),
        (lambda: map_overlap(SQUARE, LINE, depth=4), ValueError, "a chunk of 3 elements in dim"),
        (lambda: map_overlap(SQUARE, LINE[LINE > 2], depth=1), ValueError, "unknown size"),
        (lambda: map_overlap(SQUARE, LINE, depth=1, boundary="none"), ValueError, "boundary is"),
        (
            lambda: map_overlap(SQUARE, LINE, depth=1, boundary=NOTHING),
            TypeError,
            "boundary has to be 'periodic', 'reflect', 'nearest' or a number",
        ),
        (lambda: map_overlap(SQUARE, LINE, depth=1, boundary=10**400), ValueError, "boundary is"),
        (
            lambda: map_overlap(SQUARE, LINE.astype("uint8"), depth=1, boundary=300),
            ValueError,
            "boundary is 300: it does not fit uint8",
        ),
        (lambda: reduce("a + b", [1]), TypeError, "array has to be a dask.array.Array"),
        (lambda: reduce("a + b", LINE, split_every=1), ValueError, "split_every is 1"),
        (lambda: reduce("a + b", da.zeros(0)), ValueError, "array has no elements"),
        (lambda: reduce(NUMBER, LINE), TypeError, "expression has to be a str"),
    ],
)
def test_a_wrong_argument_is_refused(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


def test_a_number_of_arrays_that_does_not_fit_is_refused(client: Client) -> None:
    with pytest.raises(TypeError, match="1 pointers to const, and there are 2 arrays"):
        map_blocks(SQUARE, LINE, LINE, n=length).compute()
