# SPDX-License-Identifier: Apache-2.0
"""The dtype of a buffer."""

from __future__ import annotations

from nexus import _core


class DType(str):
    """The name of a type of elements, such as 'float32'.

    It is a str, and also equals the type's other forms: numpy.float32, numpy.dtype('f4'),
    torch.float32, nexus.data_type.F32.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return str.__eq__(self, other)
        try:
            return str.__eq__(self, _core.dtype_name(other, "dtype"))
        except (TypeError, ValueError):
            return NotImplemented

    def __ne__(self, other: object) -> bool:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    __hash__ = str.__hash__
