# SPDX-License-Identifier: Apache-2.0
"""Properties of kernels: arguments of every kind and type, limits, names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nexus
from nexus.status import Status

TYPES = {
    "char": "int8", "uchar": "uint8", "short": "int16", "ushort": "uint16", "int": "int32",
    "uint": "uint32", "long": "int64", "ulong": "uint64", "float": "float32",
}  # fmt: skip

SOURCE = """
typedef struct { int a; float b[4]; char c; } settings;
typedef float number;
kernel void many(global const float4 *vectors, constant int *table, local ushort *scratch,
                 float4 vector, settings given, number one, global number *out, uint3 three) {
  int i = (int)get_global_id(0);
  out[i] = vectors[i].x + table[0] + vector.w + given.a + given.b[3] + given.c + one + three.z;
  scratch[get_local_id(0)] = 1;
}
kernel __attribute__((reqd_work_group_size(8, 2, 1))) void fixed(global int *x) {
  local int mine[64];
  mine[get_local_id(0)] = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  x[get_global_id(0)] = mine[0];
}
"""


@pytest.fixture
def library(device: nexus.Device) -> nexus.Library:
    return device.compile(SOURCE, language="opencl")


@pytest.mark.parametrize("word", TYPES)
def test_numbers_have_their_types(device: nexus.Device, word: str) -> None:
    source = f"kernel void f(global {word} *x, {word} a) {{ x[0] = a; }}"
    arguments = device.compile(source, language="opencl").get_kernel("f").arguments
    assert arguments is not None
    assert [each.dtype for each in arguments] == [TYPES[word]] * 2
    assert [each.size for each in arguments] == [0, np.dtype(TYPES[word]).itemsize]
    assert [each.type for each in arguments] == [f"{word} *", word]


def test_other_arguments_have_their_kinds(library: nexus.Library) -> None:
    arguments = library.get_kernel("many").arguments
    assert arguments is not None
    assert [(each.name, each.kind, each.dtype) for each in arguments] == [
        ("vectors", "buffer", "float32"),
        ("table", "buffer", "int32"),
        ("scratch", "local_memory", "uint16"),
        ("vector", "scalar", None),
        ("given", "scalar", None),
        ("one", "scalar", None),
        ("out", "buffer", None),
        ("three", "scalar", None),
    ]
    assert arguments[0].type == "const float4 *"
    sizes = {each.name: each.size for each in arguments}
    assert (sizes["vector"], sizes["three"]) == (16, 16)
    assert sizes["given"] in (24, 0)  # PoCL takes a struct of any size
    assert sizes["one"] in (4, 0)


def test_a_kernel_takes_arguments_of_every_kind(
    device: nexus.Device, library: nexus.Library
) -> None:
    layout = np.dtype([("a", "i4"), ("b", "f4", 4), ("c", "i1")], align=True)
    given = np.zeros((), layout)
    given["a"], given["b"][3], given["c"] = 100, 1000, 7
    values: dict[int, Any] = {
        0: device.create_buffer(np.ones((8, 4), np.float32)),
        1: device.create_buffer(np.full(1, 10, np.int32)),
        3: (0, 0, 0, 5),
        4: given,
        5: np.float32(2),
        6: device.create_buffer(np.zeros(8, np.float32)),
        7: (0, 0, 3),
    }
    schedule = device.create_schedule()
    command = schedule.create_command(library.get_kernel("many"))
    for index, value in values.items():
        command.set_arg(index, value)
    command.set_local_memory(2, 16)
    command.finalize(8, 8)
    schedule.run()
    np.testing.assert_array_equal(values[6].numpy(), np.full(8, 1128, np.float32))


def test_a_required_group_size_is_told_and_required(
    device: nexus.Device, library: nexus.Library
) -> None:
    kernel = library.get_kernel("fixed")
    assert kernel.attributes.required_group_size == (8, 2, 1)
    schedule = device.create_schedule()
    with pytest.raises(nexus.NexusError) as raised:
        schedule.create_command(kernel, [device.create_buffer(64)], (4, 1, 1), (8, 2, 1))
    assert raised.value.status == Status.NXS_InvalidWorkGroupSize


def test_its_limits_are_the_drivers(library: nexus.Library) -> None:
    kernel = library.get_kernel("fixed")
    assert kernel.get_property_int("MaxThreadsPerBlock") >= 16
    assert kernel.get_property_int("PreferredGroupMultiple") >= 1
    assert kernel.get_property_int("PrivateMemorySize") >= 0
