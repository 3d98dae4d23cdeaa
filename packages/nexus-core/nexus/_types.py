# SPDX-License-Identifier: Apache-2.0
"""Names for the types that the signatures of Nexus speak of. Nothing here is needed at run time."""

from __future__ import annotations

from collections.abc import Sequence
from types import EllipsisType
from typing import Any, Literal, SupportsIndex, TypeAlias

PropertyKey: TypeAlias = str | int | Sequence[str | int]
"""A name, a member of nexus.property, or a path of both and of indices."""

Size: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
"""One to three lengths."""

Memory: TypeAlias = Literal["device", "host", "managed"]
"""Where a buffer lives."""

DTypeLike: TypeAlias = Any
"""'float32', 'bf16', nexus.data_type.F32, numpy.float32, numpy.dtype('f4'), torch.float32, ..."""

Number: TypeAlias = Any
"""A Python number, or a numpy, ml_dtypes or ctypes scalar."""

Array: TypeAlias = Any
"""A numpy array, or anything with the buffer protocol, __array_interface__ or __array__."""

WritableArray: TypeAlias = Any
"""An Array whose memory can be written."""

BufferSource: TypeAlias = SupportsIndex | tuple[SupportsIndex, ...] | Array
"""A number of bytes, a shape, or an array to copy."""

SliceKey: TypeAlias = slice | EllipsisType | tuple[slice | EllipsisType, ...]
"""What is taken of a buffer: slices with the step 1, one a dimension."""
