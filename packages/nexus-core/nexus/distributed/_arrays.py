# SPDX-License-Identifier: Apache-2.0
"""Kernels and reductions over the blocks of dask arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import dask.array as da
import numpy as np
from dask.array.core import concatenate_lookup

import nexus
from nexus import _checks, _core
from nexus._arrays._values import named_dtype
from nexus.distributed import _edges, _worker
from nexus.distributed._edges import Shape

if TYPE_CHECKING:
    from nexus import Buffer, DType, Kernel, Program
    from nexus._types import DTypeLike, Number, Size

ByShape = Callable[[Shape], Any]


def map_blocks(
    kernel: str | Program | Kernel,
    *arrays: Any,
    name: str | None = None,
    dtype: DTypeLike | None = None,
    grid: Size | ByShape | None = None,
    group: Size | None = None,
    on_device: bool = False,
    options: Mapping[str, Any] | None = None,
    **values: Number | ByShape,
) -> Any:
    """Applies a kernel to the blocks of dask arrays. Returns a dask array of the new blocks.

    The kernel runs once for each block, on the device of the worker that has the block. Its
    pointers to const are the blocks of the arrays, in order. Its one other pointer is the new
    block, which is filled with zeros and has the shape of the first array's block.

    Args:
        kernel: a program or its text in the portable language, which each worker compiles once;
            or a Kernel, whose code fits workers with the same backend and architecture.
        arrays: dask arrays with the same chunks, or with chunks that broadcast.
        name: the kernel's name; None if the program has one kernel.
        dtype: the dtype of the result; None takes the dtype of the kernel's output argument; to
            read it, this process compiles the program.
        grid: the number of work items, as in `Kernel.__call__`, or a function that returns it for
            the shape of the new block. None means one for each element, in one dimension.
        group: the number of work items in a group; None leaves it to the backend.
        on_device: whether the new blocks are Buffers, which stay on the worker's device for the
            next call; else they are numpy arrays. Blocks of arrays may be either.
        options: other arguments of dask.array.map_blocks, such as chunks, drop_axis and new_axis.
        values: the kernel's numbers by their names; a function returns the number for the shape
            of the new block: `n=lambda shape: shape[0]`.

    Raises:
        TypeError, ValueError: an argument is wrong, or the kernel does not have such arguments.
        CompileError: the program can't be compiled.

    Example:
        >>> import dask.array
        >>> square = '''
        ... NEXUS_KERNEL_BOUNDED(square, (n), (NEXUS_GLOBAL const float *, x),
        ...                      (NEXUS_GLOBAL float *, y), (int, n)) {
        ...   y[nexus_global_id(0)] = x[nexus_global_id(0)] * x[nexus_global_id(0)];
        ... }
        ... '''
        >>> x = dask.array.arange(6, chunks=2, dtype="float32")
        >>> y = nexus.distributed.map_blocks(square, x, n=lambda shape: shape[0])
        >>> y.compute(scheduler="synchronous").tolist()
        [0.0, 1.0, 4.0, 9.0, 16.0, 25.0]
    """
    call = _Call(kernel, name, grid, group, on_device, values, ())
    return _mapped(call, arrays, dtype, dict(options or {}))


def map_overlap(
    kernel: str | Program | Kernel,
    array: Any,
    *,
    depth: int | Sequence[int],
    boundary: str | Number = "periodic",
    name: str | None = None,
    dtype: DTypeLike | None = None,
    grid: Size | ByShape | None = None,
    group: Size | None = None,
    on_device: bool = False,
    **values: Number | ByShape,
) -> Any:
    """Applies a stencil kernel to the blocks of a dask array, with their neighbours' edges.

    The kernel reads a block with `depth` more elements on each side, and writes the block without
    them: element (i, j) of the result is at (i + depth, j + depth) of what it reads. Dask moves
    the edges between the workers.

    Args:
        kernel, name, dtype, group, on_device, values: as for `map_blocks()`. The kernel must have
            one pointer to const.
        grid: as for `map_blocks()`, but None means one work item for each element, in up to three
            dimensions: x is the block's last dimension, y the one before, z all others multiplied.
        array: the dask array; each of its chunks is at least depth long.
        depth: the number of elements on each side: an int for all dimensions, or one int for each.
        boundary: the values beyond the array's edges, as in dask.array.overlap: 'periodic',
            'reflect' (which repeats the edge), 'nearest', or a number.

    Raises:
        TypeError, ValueError: an argument is wrong, or the kernel does not have such arguments.
        CompileError: the program can't be compiled.

    Example:
        >>> import dask.array
        >>> mean = '''
        ... NEXUS_KERNEL_BOUNDED(mean, (n), (NEXUS_GLOBAL const float *, x),
        ...                      (NEXUS_GLOBAL float *, y), (int, n)) {
        ...   int i = nexus_global_id(0);
        ...   y[i] = (x[i] + x[i + 1] + x[i + 2]) / 3;
        ... }
        ... '''
        >>> x = dask.array.arange(6, chunks=3, dtype="float32")
        >>> y = nexus.distributed.map_overlap(mean, x, depth=1, n=lambda shape: shape[0])
        >>> y.compute(scheduler="synchronous").tolist()
        [2.0, 1.0, 2.0, 3.0, 4.0, 3.0]
    """
    _check_array("array", array)
    depths = _depths(depth, array.ndim)
    if np.isnan(array.shape).any():
        raise ValueError("array has chunks of unknown size: call its compute_chunk_sizes().")
    for axis, (size, chunks) in enumerate(zip(depths, array.chunks, strict=True)):
        if size > min(chunks):
            has = f"array has a chunk of {min(chunks)} elements in dimension {axis}"
            raise _checks.wrong_value("depth", depth, f"{has}: give at most that, or rechunk array")
    wanted = "'periodic', 'reflect', 'nearest' or a number"
    if not isinstance(boundary, str):
        dtype_name = _core.dtype_name(array.dtype, "array")
        boundary = _checks.number("boundary", boundary, dtype_name, wanted)
    elif boundary not in _edges.REPEATED:
        raise _checks.wrong_value("boundary", boundary, f"give {wanted}")
    call = _Call(kernel, name, grid, group, on_device, values, depths)
    return _mapped(call, (_edges.padded(array, depths, boundary),), dtype, {"chunks": array.chunks})


def reduce(
    expression: str,
    array: Any,
    *,
    map: str | None = None,
    initial: Number | None = None,
    dtype: DTypeLike | None = None,
    split_every: int | None = None,
) -> Any:
    """Combines all elements of a dask array into one value, in a tree over the workers.

    Each worker combines a block on its device by `nexus.algorithms.reduce`. Dask combines the
    results of up to split_every blocks at a time. The order of the combinations is fixed, so the
    same array gives the same bits, also if tasks are repeated.

    Args:
        expression: combines two values, a and b, such as 'a + b' or 'max(a, b)'.
        array: the dask array, of numpy arrays or of Buffers.
        map: an expression of x whose values are combined, such as 'x * x'.
        initial: one more value to combine.
        dtype: the dtype of the values; None takes the array's.
        split_every: how many results are combined at a time; None takes Dask's default.

    Returns:
        A dask array of shape ().

    Raises:
        TypeError, ValueError: an argument is wrong, or the array has no elements.

    Example:
        >>> import dask.array
        >>> x = dask.array.arange(10, chunks=3, dtype="float32")
        >>> total = nexus.distributed.reduce("a + b", x, map="x * x")
        >>> float(total.compute(scheduler="synchronous"))
        285.0
    """
    _check_array("array", array)
    text = _checks.text("expression", expression, empty="give one, such as 'a + b'")
    if not array.size and initial is None:
        raise ValueError("array has no elements: give initial.")
    if split_every is not None and _checks.integer("split_every", split_every) < 2:
        raise _checks.wrong_value("split_every", split_every, "it has to be at least 2")
    kind = named_dtype(_core.dtype_name(array.dtype if dtype is None else dtype, "dtype"))
    return da.reduction(
        array,
        chunk=_Reduction(text, map, None, kind.name),
        combine=_Reduction(text, None, None, kind.name),
        aggregate=_Reduction(text, None, initial, kind.name),
        dtype=kind,
        split_every=split_every,
        meta=np.empty((), kind),
    )


class _Call:
    """A kernel as a function of blocks. It is pickled to the workers."""

    def __init__(
        self,
        kernel: object,
        name: object,
        grid: Any,
        group: Any,
        on_device: object,
        values: Mapping[str, Any],
        depths: Shape,
    ) -> None:
        self.target: tuple[str, str | None] | None = None
        self.source: Program | bytes
        self.name: str | None
        if isinstance(kernel, nexus.Kernel):
            if name is not None:
                raise TypeError(
                    f"name is {name!r}, and kernel is a nexus.Kernel, which has a name: leave name "
                    "out."
                )
            self.source = _core.kernel_code(kernel)
            self.name = kernel.name
            self.target = _target(kernel.device)
        elif isinstance(kernel, (str, nexus.Program)):
            self.source = kernel if isinstance(kernel, nexus.Program) else nexus.Program(kernel)
            self.name = None if name is None else _checks.text("name", name, empty="name a kernel")
        else:
            raise _checks.wrong_type("kernel", "a program, its text or a nexus.Kernel", kernel)
        self.grid, self.group = grid, group
        self.on_device = _checks.boolean("on_device", on_device)
        self.values = dict(values)
        self.depths = depths

    @property
    def __name__(self) -> str:
        """What Dask names the tasks after."""
        return self.name or (
            self.source.name if isinstance(self.source, nexus.Program) else "kernel"
        )

    def __call__(self, *blocks: Any, block_info: Any = None) -> Any:
        """Runs the kernel on a block of each array. Returns the new block."""
        shape = tuple(blocks[0].shape)
        if self.depths:
            shape = tuple(size - 2 * depth for size, depth in zip(shape, self.depths, strict=True))
        elif block_info is not None:
            shape = tuple(block_info[None]["chunk-shape"])
        return _worker.guarded(self._run, blocks, shape)

    def _run(self, blocks: Sequence[Any], shape: Shape) -> Any:
        device = _worker.get_device()
        if self.target not in (None, _target(device)):
            raise ValueError(
                f"kernel has code for {self.target}, and the worker's device '{device.selector}' "
                f"is {_target(device)}: give a nexus.Program, which each worker compiles."
            )
        kernel = _worker.kernel(device, self.source, self.name)
        inputs, output, dtype = _pointers(kernel, len(blocks))
        if 0 in shape:
            return np.zeros(shape, named_dtype(dtype))
        arguments: dict[str, Any] = {
            key: value(shape) if callable(value) else value for key, value in self.values.items()
        }
        for key, block in zip(inputs, blocks, strict=True):
            on_device = isinstance(block, nexus.Buffer)
            arguments[key] = block.ascontiguous() if on_device else nexus.In(_contiguous(block))
        made: Any
        if self.on_device or device.backend != "cpu":
            made = arguments[output] = nexus.zeros(shape, dtype, device=device)
        else:  # the CPU uses the array in place
            made = np.zeros(shape, named_dtype(dtype))
            arguments[output] = nexus.InOut(made)
        grid = self.grid(shape) if callable(self.grid) else self.grid
        if grid is None:
            grid = _grid(shape) if self.depths else math.prod(shape)
        kernel(grid=grid, group=self.group, **arguments)
        if isinstance(made, nexus.Buffer) and not self.on_device:
            return made.numpy()
        return made

    def result_dtype(self) -> Any:
        """Returns the dtype of the kernel's output. Compiles the kernel in this process."""
        device = _worker.get_device()
        kernel = _worker.kernel(device, self.source, self.name)
        return _pointers(kernel, None)[2]


class _Reduction:
    """A reduction of a block to one element, as Dask calls it."""

    def __init__(self, expression: str, mapping: str | None, initial: Any, dtype: str) -> None:
        self.arguments = expression, mapping, initial, dtype

    def __call__(self, block: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return _worker.guarded(self._reduced, block, keepdims)

    def _reduced(self, block: Any, keepdims: bool) -> Any:
        expression, mapping, initial, dtype = self.arguments
        device = _worker.get_device()
        if not isinstance(block, nexus.Buffer):
            block = _contiguous(block)
            can_share = device.backend == "cpu" and block.flags.writeable and block.size
            block = nexus.from_dlpack(block, device) if can_share else device.create_buffer(block)
        if not block.size and initial is None:
            raise ValueError("A block has no elements: give initial.")
        value = nexus.algorithms.reduce(
            expression, block.ascontiguous(), map=mapping, initial=initial, dtype=dtype
        ).numpy()
        return value.reshape((1,) * block.ndim if keepdims else ())


def concatenate(arrays: Sequence[Any], axis: int = 0) -> Buffer:
    """Joins buffers along a dimension, on the device. Dask calls this."""
    device = _worker.get_device()
    shape = list(arrays[0].shape)
    shape[axis] = sum(each.shape[axis] for each in arrays)
    made = nexus.empty(tuple(shape), arrays[0].dtype, device=device)
    begin = 0
    for each in arrays:
        end = begin + each.shape[axis]
        made[(slice(None),) * axis + (slice(begin, end),)] = each
        begin = end
    return made


def register() -> None:
    """Lets Dask join blocks that are buffers."""
    concatenate_lookup.register(nexus.Buffer, concatenate)


def _mapped(call: _Call, arrays: Sequence[Any], dtype: Any, options: dict[str, Any]) -> Any:
    if not arrays:
        raise TypeError("map_blocks() needs a dask array.")
    for at, array in enumerate(arrays):
        _check_array(f"arrays[{at}]", array)
    name: str | DType | Any
    name = call.result_dtype() if dtype is None else _core.dtype_name(dtype, "dtype")
    kind = named_dtype(name)
    options = {"dtype": kind, "meta": np.empty((0,) * arrays[0].ndim, kind), **options}
    return da.map_blocks(call, *arrays, **options)


def _pointers(kernel: Kernel, count: int | None) -> tuple[list[str], str, Any]:
    """Returns the names of a kernel's inputs and its output, and the output's dtype."""
    described = kernel.arguments
    if described is None:
        raise TypeError(
            f"kernel is '{kernel.name}', which does not describe its arguments: give a kernel in "
            "the portable language."
        )
    buffers = [each for each in described if each.kind == "buffer"]
    inputs = [each.name for each in buffers if "const" in each.type.partition("*")[0].split()]
    outputs = [each for each in buffers if each.name not in inputs]
    if len(outputs) != 1:
        raise TypeError(
            f"kernel is '{kernel.name}', which has {len(outputs)} pointers without const: it needs "
            "one, to which it writes the new block."
        )
    if count is not None and len(inputs) != count:
        raise TypeError(
            f"kernel is '{kernel.name}', which has {len(inputs)} pointers to const, and there are "
            f"{count} arrays: it needs one for each array."
        )
    return inputs, outputs[0].name, outputs[0].dtype


def _grid(shape: Shape) -> Shape:
    """Returns one work item for each element, x first."""
    if len(shape) <= 3:
        return shape[::-1] or (1,)
    return shape[-1], shape[-2], math.prod(shape[:-2])


def _contiguous(block: Any) -> np.ndarray[Any, Any]:
    array = np.asarray(block)
    if not array.flags.c_contiguous or not array.flags.aligned:
        array = np.array(array, order="C")
    return array


def _target(device: nexus.Device) -> tuple[str, str | None]:
    return device.backend, device.properties.get("Architecture")


def _check_array(parameter: str, array: object) -> None:
    if not isinstance(array, da.Array):
        raise _checks.wrong_type(parameter, "a dask.array.Array", array)


def _depths(depth: object, ndim: int) -> Shape:
    given = depth if isinstance(depth, Sequence) and not isinstance(depth, str) else [depth] * ndim
    depths = tuple(_checks.integer("depth", each) for each in given)
    if len(depths) != ndim or min(depths, default=0) < 0:
        remedy = f"give a number from 0 on, or one for each of the {ndim} dimensions"
        raise _checks.wrong_value("depth", depth, remedy)
    return depths
