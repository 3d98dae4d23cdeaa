# SPDX-License-Identifier: Apache-2.0
"""The kernel language as OpenCL C 1.2.

Proves that each OpenCL runtime found here (PoCL's wheel at least) builds every construct. What it
computes is in test_dialect_results.py.
"""

from __future__ import annotations

import re
from typing import Any

import opencl_devices
import pytest
from corpus import CORPUS, PROGRAMS, REFUSED, Program, snippet, with_arguments

pytestmark = pytest.mark.skipif(not opencl_devices.devices(), reason=opencl_devices.HOW_TO_GET)
each_device = pytest.mark.parametrize("device", opencl_devices.devices(), ids=opencl_devices.name)


@each_device
def test_every_construct_is_built(device: Any) -> None:
    names = set(opencl_devices.corpus_on(device).kernel_names.split(";"))
    assert {"saxpy", "sum_groups", "atomics_of_float", "functions_of_two"} <= names
    assert len(names) == len(re.findall(r"^NEXUS_(?:PHASED_)?KERNEL", CORPUS.text, re.MULTILINE))


@each_device
@pytest.mark.parametrize("program", PROGRAMS[1:], ids=str)
def test_the_gallery_is_built(program: Program, device: Any) -> None:
    assert opencl_devices.build(device, program).kernel_names


@each_device
def test_a_kernel_has_up_to_64_arguments(device: Any) -> None:
    assert opencl_devices.build(device, with_arguments(64)).kernel_names == "add"


@each_device
@pytest.mark.parametrize(("what", "text", "says"), REFUSED, ids=lambda value: str(value)[:40])
def test_opencl_refuses(what: str, text: str, says: str, device: Any) -> None:
    with pytest.raises(Exception, match="BUILD_PROGRAM_FAILURE") as refused:
        opencl_devices.build(device, snippet(text))
    assert says in str(refused.value), what


@each_device
def test_the_runtime_describes_arguments(device: Any) -> None:
    import pyopencl as cl

    kernel = cl.Kernel(opencl_devices.corpus_on(device), "two_locals")
    info = cl.kernel_arg_info
    described = [
        (kernel.get_arg_info(i, info.NAME), kernel.get_arg_info(i, info.TYPE_NAME))
        for i in range(3)
    ]
    assert described == [("first", "float*"), ("out", "float*"), ("second", "int*")]
    spaces = [kernel.get_arg_info(i, info.ADDRESS_QUALIFIER) for i in range(3)]
    address = cl.kernel_arg_address_qualifier
    assert spaces == [address.LOCAL, address.GLOBAL, address.LOCAL]
    assert kernel.num_args == 6  # three are hidden
