# SPDX-License-Identifier: Apache-2.0
# Generated from schema/enums.json by `nox -s gen`. Do not edit.
"""The type of an element."""

from enum import IntEnum as _IntEnum


class DataType(_IntEnum):
    """The type of an element."""

    Undefined = 0
    """Bytes without a type."""
    F32 = 1
    """32-bit float."""
    F16 = 2
    """16-bit float."""
    BF16 = 3
    """16-bit brain float."""
    F8 = 4
    """8-bit float, e4m3."""
    BF8 = 5
    """8-bit float, e5m2."""
    F4 = 6
    """4-bit float, e2m1."""
    BF4 = 7
    """4-bit brain float."""
    I32 = 8
    """32-bit signed integer."""
    U32 = 9
    """32-bit unsigned integer."""
    I16 = 10
    """16-bit signed integer."""
    U16 = 11
    """16-bit unsigned integer."""
    I8 = 12
    """8-bit signed integer."""
    U8 = 13
    """8-bit unsigned integer."""
    I4 = 14
    """4-bit signed integer."""
    U4 = 15
    """4-bit unsigned integer."""
    F64 = 16
    """64-bit float."""
    I64 = 17
    """64-bit signed integer."""
    U64 = 18
    """64-bit unsigned integer."""
    Bool = 19
    """One byte, 0 or 1."""
    C64 = 20
    """Complex number: two 32-bit floats."""
    C128 = 21
    """Complex number: two 64-bit floats."""


Undefined = DataType.Undefined
F32 = DataType.F32
F16 = DataType.F16
BF16 = DataType.BF16
F8 = DataType.F8
BF8 = DataType.BF8
F4 = DataType.F4
BF4 = DataType.BF4
I32 = DataType.I32
U32 = DataType.U32
I16 = DataType.I16
U16 = DataType.U16
I8 = DataType.I8
U8 = DataType.U8
I4 = DataType.I4
U4 = DataType.U4
F64 = DataType.F64
I64 = DataType.I64
U64 = DataType.U64
Bool = DataType.Bool
C64 = DataType.C64
C128 = DataType.C128
