# SPDX-License-Identifier: Apache-2.0
"""Types in the signatures of Nexus. Nothing here is needed at run time."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from types import EllipsisType
from typing import Any, Literal, SupportsIndex, TypeAlias

PropertyKey: TypeAlias = str | int | Sequence[str | int]
"""A name, a member of nexus.property, or a path of both and of indices."""

Size: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
"""One to three lengths."""

Memory: TypeAlias = Literal["device", "host", "managed"]
"""The kind of a buffer's memory."""

CudaStream: TypeAlias = Any
"""A stream of another library: an object with __cuda_stream__, such as CuPy's and torch's."""

DTypeLike: TypeAlias = Any
"""'float32', 'bf16', nexus.data_type.F32, numpy.float32, numpy.dtype('f4'), torch.float32, ..."""

Number: TypeAlias = Any
"""A Python number, or a numpy, ml_dtypes or ctypes scalar."""

Array: TypeAlias = Any
"""A numpy array, or anything with the buffer protocol, __array_interface__ or __array__."""

KernelArgument: TypeAlias = Any
"""A Buffer, a Number, an Array, or nexus.In, Out or InOut of one."""

WritableArray: TypeAlias = Any
"""An Array whose memory can be written."""

BufferSource: TypeAlias = SupportsIndex | tuple[SupportsIndex, ...] | Array
"""A number of bytes, a shape, or an array to copy."""

Path: TypeAlias = str | os.PathLike[str]
"""The path of a file or folder."""

Define: TypeAlias = str | SupportsIndex | float | bool | None
"""The value of a macro."""

ByArgument: TypeAlias = Mapping[str, Any] | Mapping[int, Any] | Mapping[str | int, Any]
"""Values for arguments of a kernel, by names or numbers."""

Inputs: TypeAlias = ByArgument | Sequence[Any]
"""Arrays and numbers for the arguments of a kernel."""

Outputs: TypeAlias = str | int | Sequence[str | int] | ByArgument
"""The arguments of a kernel to return, and how to make new ones."""

SliceKey: TypeAlias = (
    str
    | SupportsIndex
    | slice
    | EllipsisType
    | tuple[SupportsIndex | slice | EllipsisType | None, ...]
    | None
)
"""An index of a buffer: numpy's basic ones, or the name of a field of structured elements."""
