# SPDX-License-Identifier: Apache-2.0
"""Programs compiled for a simulated HIP by a simulated hipRTC, each in a process of its own."""

from __future__ import annotations

import pytest
import simulated
from hip_machine import HipMachine

SAXPY = '''
import json, nexus
SOURCE = """
NEXUS_KERNEL_BOUNDED(saxpy, (n), (NEXUS_GLOBAL const float *, x), (NEXUS_GLOBAL float *, y),
                     (float, a), (int, n)) {
  int i = nexus_global_id(0);
  y[i] = a * x[i] + nexus_erf(y[i]);
}
NEXUS_KERNEL(turn, (NEXUS_GLOBAL int *, data), (NEXUS_LOCAL int *, room)) {
  int i = nexus_local_id(0);
  room[i] = nexus_atomic_add(&data[i], 1);
  nexus_barrier();
  data[i] = room[nexus_group_size(0) - 1 - i];
}
"""
'''


DESCRIBE = """
code = nexus.Program(SOURCE, name="saxpy.c").compile("hip:0")
library = nexus.get_device("hip:0").load_library(code)
kernels = {kernel.name: kernel for kernel in library.get_kernels()}
saxpy, turn = kernels["saxpy"], kernels["turn"]
print(json.dumps({
    "code": [code.format, code.target, code.code[:4].hex()],
    "names": saxpy.get_property("ArgumentNames"),
    "types": saxpy.get_property("ArgumentTypes"),
    "kinds": turn.get_property("ArgumentKinds"),
    "group": saxpy.get_property("MaxThreadsPerBlock"),
    "convention": saxpy.get_property("Convention"),
}))
"""


@pytest.fixture
def machine(rocm: HipMachine) -> HipMachine:
    """A machine with two GPUs, HIP and hipRTC."""
    hiprtc = simulated.folder() / "libhiprtc.so.6"
    if not hiprtc.exists():
        pytest.skip("needs the simulated drivers: ninja -C build simulated_drivers")
    return rocm.having(NEXUS_HIP_HIPRTC=str(hiprtc), NEXUS_DISK_CACHE="0")


def test_a_portable_program_becomes_a_library_that_describes_its_kernels(
    machine: HipMachine,
) -> None:
    told, _ = machine.run(SAXPY + DESCRIBE)
    assert told == {
        "code": ["hsaco", "gfx942:sramecc+:xnack-", "7f454c46"],
        "names": ["x", "y", "a", "n"],
        "types": ["float32", "float32", "float32", "int32"],
        "kinds": ["buffer", "local"],
        "group": 1024,
        "convention": "nexus",
    }


def test_kernels_of_templates_are_found_by_their_expressions(machine: HipMachine) -> None:
    told, _ = machine.run(
        "import json, nexus\n"
        "text = 'template <class T> __global__ void scale(T *x, T by) { x[0] *= by; }'\n"
        "options = nexus.ProgramOptions(name_expressions=['scale<float>', 'scale<double>'])\n"
        "code = nexus.Program(text, 'hip', 'scale.hip', options).compile('hip:0')\n"
        "library = nexus.get_device('hip:0').load_library(code)\n"
        "kernel = library.get_kernel('scale<double>')\n"
        "print(json.dumps([library.get_property('KernelNames'), kernel.get_property('Count'),"
        " kernel.get_property('Convention')]))\n"
    )
    assert told == [["scale<double>", "scale<float>"], 2, "hip"]


def test_code_for_another_architecture_is_refused(machine: HipMachine) -> None:
    said, _ = machine.run(
        SAXPY + "code = nexus.Program(SOURCE, name='saxpy.c').compile('hip:gfx1100')\n"
        "try:\n"
        "    nexus.get_device('hip:0').load_library(code)\n"
        "except nexus.NexusError as error:\n"
        "    print(json.dumps(str(error)))\n"
    )
    assert "is a code object for gfx1100, and the device is gfx" in said


def test_devices_say_what_they_compile_and_by_what(machine: HipMachine) -> None:
    told, _ = machine.run(
        "import json, nexus\n"
        "info = nexus.get_device('hip:0').get_info()\n"
        "print(json.dumps([list(info['Languages']), info['Compiler']]))"
    )
    assert told == [["nexus", "hip"], "hipRTC (libhiprtc.so.6)"]


def test_a_mistake_has_the_programs_own_line(machine: HipMachine) -> None:
    said, _ = machine.run(
        "import json, nexus\n"
        "try:\n"
        "    nexus.Program('// one\\nNEXUS_KERNEL(k, (int, n)) { missing(n); }', name='mine.c')"
        ".compile('hip:gfx90a')\n"
        "except nexus.CompileError as error:\n"
        "    print(json.dumps(str(error)))\n"
    )
    assert "mine.c:2:" in said
    assert "missing" in said


def test_an_architecture_that_ends_hiprtc_is_an_error(machine: HipMachine) -> None:
    said, _ = machine.run(
        SAXPY + "try:\n"
        "    nexus.Program(SOURCE, name='saxpy.c').compile('hip:gfx9999')\n"
        "except nexus.NexusError as error:\n"
        "    print(json.dumps(str(error)))\n"
    )
    assert "died of signal 6 (Aborted) when it compiled 'saxpy.c' for gfx9999" in said


def test_without_hiprtc_the_error_says_how_to_get_it(machine: HipMachine) -> None:
    said, _ = machine.having(NEXUS_HIP_HIPRTC="/nowhere/libhiprtc.so").run(
        SAXPY + "try:\n"
        "    nexus.Program(SOURCE, name='saxpy.c').compile('hip:gfx90a')\n"
        "except nexus.NexusError as error:\n"
        "    print(json.dumps(str(error)))\n"
    )
    assert "there is no hipRTC here: /nowhere/libhiprtc.so" in said
    assert "NEXUS_HIP_HIPRTC" in said
