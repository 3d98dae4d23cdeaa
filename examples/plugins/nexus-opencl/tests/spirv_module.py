# SPDX-License-Identifier: Apache-2.0
"""Makes a SPIR-V module for tests, word by word from the specification."""

from __future__ import annotations

import struct

MAGIC = 0x07230203
VERSION = 0x00010000

# opcodes
NAME, MEMORY_MODEL, ENTRY_POINT, CAPABILITY = 5, 14, 15, 17
TYPE_VOID, TYPE_INT, TYPE_FLOAT, TYPE_VECTOR, TYPE_POINTER, TYPE_FUNCTION = 19, 21, 22, 23, 32, 33
FUNCTION, FUNCTION_PARAMETER, FUNCTION_END, VARIABLE = 54, 55, 56, 59
LOAD, STORE, IN_BOUNDS_PTR_ACCESS_CHAIN, DECORATE = 61, 62, 70, 71
COMPOSITE_EXTRACT, FMUL, LABEL, RETURN = 81, 133, 248, 253

# numbers of capabilities, storage classes, decorations and built-ins
ADDRESSES, LINKAGE, KERNEL, INT64 = 4, 5, 6, 11
INPUT, WORKGROUP, CROSS_WORKGROUP = 1, 4, 5
BUILT_IN, GLOBAL_INVOCATION_ID = 11, 28
PHYSICAL64, OPENCL = 2, 2


def instruction(opcode: int, *operands: int) -> list[int]:
    return [(len(operands) + 1) << 16 | opcode, *operands]


def text(words: str) -> list[int]:
    """Returns a literal string: zero-terminated, padded to whole words."""
    data = words.encode() + b"\0"
    data += bytes(-len(data) % 4)
    return list(struct.unpack(f"<{len(data) // 4}I", data))


def scale() -> bytes:
    """Returns `kernel void scale(global float *x, float a, local int *l) { x[id] *= a; }`."""
    void, long, float_, vector, input_pointer, buffer, function_type = 1, 2, 3, 4, 5, 6, 7
    built_in, function, x, a, label, ids, index, place, old, new = range(8, 18)
    int_, local, unused = 18, 19, 20
    words = [MAGIC, VERSION, 0, 21, 0]
    for capability in (ADDRESSES, KERNEL, INT64):
        words += instruction(CAPABILITY, capability)
    words += instruction(MEMORY_MODEL, PHYSICAL64, OPENCL)
    words += instruction(ENTRY_POINT, KERNEL, function, *text("scale"), built_in)
    words += instruction(NAME, x, *text("x"))
    words += instruction(NAME, a, *text("a"))
    words += instruction(DECORATE, built_in, BUILT_IN, GLOBAL_INVOCATION_ID)
    words += instruction(TYPE_VOID, void)
    words += instruction(TYPE_INT, long, 64, 0)
    words += instruction(TYPE_INT, int_, 32, 0)
    words += instruction(TYPE_FLOAT, float_, 32)
    words += instruction(TYPE_VECTOR, vector, long, 3)
    words += instruction(TYPE_POINTER, input_pointer, INPUT, vector)
    words += instruction(TYPE_POINTER, buffer, CROSS_WORKGROUP, float_)
    words += instruction(TYPE_POINTER, local, WORKGROUP, int_)
    words += instruction(TYPE_FUNCTION, function_type, void, buffer, float_, local)
    words += instruction(VARIABLE, input_pointer, built_in, INPUT)
    words += instruction(FUNCTION, void, function, 0, function_type)
    words += instruction(FUNCTION_PARAMETER, buffer, x)
    words += instruction(FUNCTION_PARAMETER, float_, a)
    words += instruction(FUNCTION_PARAMETER, local, unused)
    words += instruction(LABEL, label)
    words += instruction(LOAD, vector, ids, built_in)
    words += instruction(COMPOSITE_EXTRACT, long, index, ids, 0)
    words += instruction(IN_BOUNDS_PTR_ACCESS_CHAIN, buffer, place, x, index)
    words += instruction(LOAD, float_, old, place, 2, 4)
    words += instruction(FMUL, float_, new, old, a)
    words += instruction(STORE, place, new, 2, 4)
    words += instruction(RETURN)
    words += instruction(FUNCTION_END)
    return struct.pack(f"<{len(words)}I", *words)
