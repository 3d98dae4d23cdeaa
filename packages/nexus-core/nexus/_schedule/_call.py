# SPDX-License-Identifier: Apache-2.0
"""Calls of kernels with arrays in host memory, which some devices have to copy."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from nexus import _checks, _core
from nexus._errors import NexusError, NexusValueError
from nexus._run import Parameters

if TYPE_CHECKING:
    from nexus import Argument, Buffer, Device, Kernel, Stream
    from nexus._types import Array, Size

# Complex numbers have the layout of vectors of two floats.
_AS_VECTORS = {"float32": "complex64", "float64": "complex128"}


class _Transfer:
    __slots__ = ("array",)
    _writes: bool  # the extension recognizes a transfer by this

    def __init__(self, array: Array) -> None:
        if isinstance(array, (_core.Buffer, _Transfer)):
            raise _checks.wrong_type("array", "an array in host memory", array)
        self.array = array

    def __repr__(self) -> str:
        return f"nexus.{type(self).__name__}({_checks.shown(self.array)})"


class In(_Transfer):
    """An array that a kernel only reads: copied to the device before the kernel runs.

    Example:
        >>> import numpy
        >>> nexus.In(numpy.arange(3))
        nexus.In(array([0, 1, 2]))
    """

    __slots__ = ()
    _writes = False


class Out(_Transfer):
    """An array that a kernel only writes: copied back after the kernel. The kernel must write all
    of it, since the device's copy is undefined at first.

    Example:
        >>> import numpy
        >>> nexus.Out(numpy.zeros(3))
        nexus.Out(array([0., 0., 0.]))
    """

    __slots__ = ()
    _writes = True


class InOut(_Transfer):
    """An array that a kernel reads and writes: copied to the device before, and back after.

    Example:
        >>> import numpy
        >>> nexus.InOut(numpy.ones(2))
        nexus.InOut(array([1., 1.]))
    """

    __slots__ = ()
    _writes = True


def run(
    kernel: Kernel,
    values: list[Any],
    arrays: Collection[int],
    grid: Size,
    group: Size | None,
    stream: Stream | None,
    blocking: bool,
    local_memory: int,
) -> None:
    """Runs the kernel once, with a schedule that also copies the arrays.

    Args:
        values: the arguments in order; those at the positions in arrays are in host memory.
    """
    parameters = Parameters(kernel)
    schedule = kernel.device.create_schedule()
    # On the CPU buffers can have guard pages; scratch memory has none.
    create = (kernel.device if kernel.device.backend == "cpu" else schedule).create_buffer
    back: list[tuple[str, Array, Buffer]] = []
    strided: list[tuple[Array, Array]] = []  # arrays, each with its copy in C order
    for at in arrays:
        label, known = parameters.label(at), parameters.at(at)
        constant = known is not None and "const" in known.type.rpartition("*")[0]
        array = values[at]
        reads, writes = (True, not constant)
        if isinstance(array, _Transfer):
            reads, writes = not isinstance(array, Out), not isinstance(array, In)
            array = array.array
        if isinstance(array, np.generic) or not _is_array(array):
            dtype = (known and known.dtype) or "any dtype"
            raise _checks.wrong_type(label, f"a nexus.Buffer or an array of {dtype}", array)
        _check_dtype(label, known, array)
        shared = _in_place(kernel.device, array, writes) if writes or constant else None
        if shared is not None:
            values[at] = shared
            continue
        packed = array
        if isinstance(array, np.ndarray) and (blocking or not writes):
            packed = np.asanyarray(array, order="C")
        if packed is not array and writes and not array.flags.writeable:
            raise ValueError(f"{label} is read-only: pass an array that can be written.")
        with _naming(label):
            values[at] = create(tuple(array.shape), array.dtype)
            if reads:
                schedule.create_copy_command(values[at], packed)
        if writes:
            back.append((label, packed, values[at]))
        if writes and packed is not array:
            strided.append((array, packed))
    command = schedule.create_command(kernel)
    for at, value in enumerate(values):
        known = parameters.at(at)
        if known is not None and known.kind == "local_memory":
            command.set_local_memory(at, value)
        else:
            command.set_arg(at, value)
    command.finalize(group, grid, local_memory)
    for label, array, buffer in back:
        with _naming(label):
            schedule.create_copy_command(array, buffer)
    schedule.run(stream, blocking)
    for array, packed in strided:
        np.copyto(array, packed)


def _check_dtype(label: str, known: Argument | None, array: Array) -> None:
    """Raises NexusValueError if the elements have another type than the kernel's parameter."""
    if known is None or known.dtype is None:
        return
    given = _core.dtype_name(array.dtype, f"{label}: the dtype")
    if given not in (known.dtype, _AS_VECTORS.get(known.dtype)):
        raise NexusValueError(
            f"{label} points to {known.dtype}, and the array has elements of {given}; convert it "
            f"with astype('{known.dtype}')."
        )


@contextmanager
def _naming(label: str) -> Iterator[None]:
    """Names the argument in errors of the body."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise type(error)(f"{label}: {error}") from None


def _is_array(value: object) -> bool:
    return hasattr(value, "shape") and hasattr(value, "dtype")


def _in_place(device: Device, array: Array, writes: bool) -> Buffer | None:
    """Returns a buffer over the array's memory, which it keeps, if the device uses that."""
    if not isinstance(array, np.ndarray) or not _core.uses_host_memory(device):
        return None
    if not array.flags.c_contiguous or (writes and not array.flags.writeable):
        return None
    try:
        return _core.from_dlpack(array, device, None, True)
    except (TypeError, ValueError, BufferError, NexusError):
        return None
