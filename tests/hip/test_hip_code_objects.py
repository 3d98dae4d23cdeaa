# SPDX-License-Identifier: Apache-2.0
"""Code objects of real compilers, read by the backend's reader. No GPU and no ROCm is needed.

clang's are compared with what clang writes of them in its assembly, and with the descriptions of
the portable kernels. Those of a hipRTC are read if NEXUS_HIP_HIPRTC names one.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from math import prod
from pathlib import Path
from typing import Any

import pytest
from built_plugin import cpp_command
from corpus import GALLERY, HERE, ROOT, Program, program
from description import BUFFER, LOCAL_MEMORY, Argument, Description, read_description
from elf import symbols
from hip_compiler import ARCHITECTURES, HOW_TO_GET, clang, compile_hip, device_library
from hip_machine import HipMachine

pytestmark = pytest.mark.long

RunReader = Callable[[bytes, str], "subprocess.CompletedProcess[str]"]
Read = Callable[[bytes, str], dict[str, Any]]
COMPILING = Path(__file__).parent / "compiling"
RECORDED = COMPILING / "recorded" / "recorded.hip"
PACKAGE = ROOT / "packages/nexus-hip"
PORTABLE = [
    program("dialects", *sorted((HERE / "kernels").glob("*.c"))),
    *(program(file.stem, file) for file in GALLERY),
    *(program(file.stem, file) for file in sorted((ROOT / "tests/kernel_language").glob("*.c"))),
]
EVERY_KERNEL = r"^NEXUS_(?:PHASED_)?KERNEL(?:_BOUNDED)?\((\w+)"


@pytest.fixture(scope="session")
def describe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that prints what the reader finds in a file."""
    tool = tmp_path_factory.mktemp("describe") / "describe_code"
    sources = [COMPILING / "describe_code.cpp"]
    sources += [PACKAGE / f"src/compile/{name}.cpp" for name in ("code_object", "target_id")]
    subprocess.run([*cpp_command(), f"-I{PACKAGE / 'src'}", *sources, "-o", tool], check=True)
    return tool


@pytest.fixture
def run_reader(describe: Path, tmp_path: Path) -> RunReader:
    """Runs it on a code object for a device."""
    if clang() is None:
        pytest.skip(HOW_TO_GET)

    def run(code: bytes, device: str) -> subprocess.CompletedProcess[str]:
        file = tmp_path / "code"
        file.write_bytes(code)
        return subprocess.run([describe, file, device], capture_output=True, text=True)

    return run


@pytest.fixture
def read(run_reader: RunReader) -> Read:
    """Returns what the reader finds in a code object for a device."""

    def read_code(code: bytes, device: str) -> dict[str, Any]:
        done = run_reader(code, device)
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    return read_code


# ---- What clang says of its code ------------------------------------------------


def metadata_of(assembly: str) -> Iterator[dict[str, Any]]:
    """The kernels in the metadata of clang's assembly, which is YAML, in clang's own layout."""
    text = assembly.split("amdhsa.kernels:\n", 1)[1].split("\namdhsa.", 1)[0]
    kernels: list[dict[str, Any]] = []
    for line in text.splitlines():
        found = re.fullmatch(r"( *)(- )?(?:(\.\w+): *)?(.*)", line)
        assert found is not None
        depth, key, value = len(found[1] + (found[2] or "")), found[3], found[4]
        if depth < 4:
            continue
        if depth == 4 and found[2]:
            kernels.append({".args": []})
        told: Any = int(value) if value.isdecimal() else value
        if depth == 4 and key != ".args":
            kernels[-1][key] = told if value else []  # a list follows
            last = kernels[-1][key]
        elif depth == 8 and key is None:
            last.append(told)
        elif depth == 8:
            if found[2]:
                kernels[-1][".args"].append({})
            kernels[-1][".args"][-1][key] = told
    yield from kernels


def hidden(argument: dict[str, Any]) -> bool:
    return str(argument[".value_kind"]).startswith("hidden_")


def check_against_assembly(found: dict[str, Any], assembly: str) -> None:
    """What was read of each kernel is what clang says of it."""
    told = {kernel[".name"]: kernel for kernel in metadata_of(assembly)}
    assert [kernel[".name"] for kernel in found["kernels"]] == list(told)
    for kernel in found["kernels"]:
        expected = told[kernel[".name"]]
        of_driver = [each for each in expected[".args"] if hidden(each)]
        expected[".args"] = [each for each in expected[".args"] if not hidden(each)]
        assert kernel["hidden"] == of_driver
        read_keys = {key for key in kernel if key.startswith(".")}
        assert {key: kernel[key] for key in read_keys} == {key: expected[key] for key in read_keys}
        assert ".reqd_workgroup_size" in read_keys or ".reqd_workgroup_size" not in expected


# ---- What portable kernels say of themselves ---------------------------------------


def parameters_of(description: Description) -> list[dict[str, Any]]:
    """The parameters that a described kernel must have, at the places that C++ gives them."""

    def parameter(argument: Argument) -> tuple[str, int, int]:
        if argument.kind == LOCAL_MEMORY:
            return f"nxk_offset_{argument.name}", 4, 4
        size = 8 if argument.kind == BUFFER else argument.size
        return argument.name, size, size

    made: list[dict[str, Any]] = []
    end = 0
    each = [*map(parameter, description.arguments), ("nxk_asked", 12, 4)]
    kinds = [argument.kind for argument in description.arguments]
    for (name, size, alignment), kind in zip(each, [*kinds, None], strict=True):
        offset = -(-end // alignment) * alignment
        end = offset + size
        made.append({".name": name, ".offset": offset, ".size": size, ".value_kind": "by_value"})
        if kind == BUFFER:
            made[-1].update({".value_kind": "global_buffer", ".address_space": "global"})
    return made


def check_against_description(
    kernel: dict[str, Any], architecture: str, told: Description, *, named: bool = True
) -> None:
    """What was read of a kernel, description included, is what the description makes of it.

    named: whether the compiler was asked for the names of parameters.
    """
    assert kernel["description"]["arguments"] == [
        [each.name, each.type, each.kind, each.data_type, each.size] for each in told.arguments
    ]
    assert kernel["description"].get("group_size", [0, 0, 0]) == list(told.group_size)
    for argument in kernel[".args"]:
        argument.pop(".actual_access", None)  # what the compiler finds in the kernel's text
    expected = parameters_of(told)
    for parameter in expected if not named else ():
        del parameter[".name"]
    assert kernel[".args"] == expected
    assert kernel[".symbol"] == f"{kernel['.name']}.kd"
    assert kernel[".wavefront_size"] == (64 if architecture.startswith("gfx9") else 32)
    assert kernel[".max_flat_workgroup_size"] == (prod(told.group_size) or 1024)
    assert kernel["refused"] == ""
    used = kernel[".group_segment_fixed_size"]  # arrays are aligned; unused ones are left out
    assert used == 0 or told.local_memory <= used < told.local_memory + 32


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("each", PORTABLE, ids=str)
def test_a_portable_program_is_read(
    each: Program, architecture: str, read: Read, tmp_path: Path
) -> None:
    text = each.text + device_library()
    flags = "-O2", "-save-temps=obj", "-fhip-kernel-arg-name"
    made = compile_hip(architecture, text, tmp_path, *flags)
    found = read(made.code, architecture)
    assert found["target"] == architecture
    assert {kernel[".name"] for kernel in found["kernels"]} == set(
        re.findall(EVERY_KERNEL, each.text, re.MULTILINE)
    )
    check_against_assembly(found, made.assembly)
    described = symbols(made.code)
    for kernel in found["kernels"]:
        told = read_description(described[f"nexus_kernel_{kernel['.name']}"])
        check_against_description(kernel, architecture, told)


@pytest.mark.parametrize("version", [4, 5, 6])
@pytest.mark.parametrize("architecture", ["gfx906", "gfx942", "gfx1030", "gfx1100"])
def test_each_version_of_code_objects_is_read(
    architecture: str, version: int, read: Read, tmp_path: Path
) -> None:
    flags = "-O2", f"-mcode-object-version={version}", "-save-temps=obj"
    made = compile_hip(architecture, RECORDED.read_text("utf-8"), tmp_path, *flags)
    found = read(made.code, architecture)
    assert (found["version"], found["target"]) == (version, architecture)
    check_against_assembly(found, made.assembly)


# ---- HIP C++ -----------------------------------------------------------------------

HIP = """
#define __global__ extern "C" __attribute__((global))
#define __shared__ __attribute__((shared))
struct Pair { char a; double b; };
extern __shared__ __attribute__((aligned(16))) int dynamic[];
"""
# A kernel's parameters, and the place and size of each.
PLACES = {
    "": [],
    "float a, const float *x, float *y, int n": [(0, 4), (8, 8), (16, 8), (24, 4)],
    "char a, short b, bool c, long d, char e": [(0, 1), (2, 2), (4, 1), (8, 8), (16, 1)],
    "Pair p, char c, int &x": [(0, 16), (16, 1), (24, 8)],
}
# A target with a flag, a kernel, and what the reader says of it. Memory that a launch adds is
# behind the kernel's own, at a multiple of 16.
WAVE, ITEMS, GROUP = ".wavefront_size", ".max_flat_workgroup_size", ".group_segment_fixed_size"
OWN = "__shared__ int own[3]; int i = __builtin_amdgcn_workitem_id_x(); own[i % 3] = x[i]; "
BARRIER = "__builtin_amdgcn_s_barrier();"
FACTS: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    "defaults": ("gfx1100", "", "__global__ void k() {}", {WAVE: 32, ITEMS: 1024, GROUP: 0}),
    "large waves": ("gfx1100", "-mwavefrontsize64", "__global__ void k() {}", {WAVE: 64}),
    "launch bounds": (
        "gfx90a", "",
        "__global__ __attribute__((amdgpu_flat_work_group_size(1, 256))) void k() {}", {ITEMS: 256},
    ),
    "own memory": (
        "gfx90a", "", f"__global__ void k(int *x) {{ {OWN} {BARRIER} x[i] = own[x[i]]; }}",
        {GROUP: 12},
    ),
    "own and added memory": (
        "gfx90a", "", f"__global__ void k(int *x) {{ {OWN} dynamic[i] = i; {BARRIER}"
        " x[i] = own[x[i]] + dynamic[x[i]]; }", {GROUP: 16},
    ),
    "a template": (
        "gfx90a", "", "template <class T> __attribute__((global)) void k(T *x) { x[0] = 1; }\n"
        "template __attribute__((global)) void k<float>(float *);", {".name": "_Z1kIfEvPT_"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("parameters", PLACES)
def test_parameters_of_hip_kernels_have_their_places(
    parameters: str, read: Read, tmp_path: Path
) -> None:
    text = f"{HIP}__global__ void k({parameters}) {{}}"
    (kernel,) = read(compile_hip("gfx942", text, tmp_path, "-O2").code, "gfx942")["kernels"]
    assert [(each[".offset"], each[".size"]) for each in kernel[".args"]] == PLACES[parameters]


@pytest.mark.parametrize("fact", FACTS)
def test_facts_of_hip_kernels(fact: str, read: Read, tmp_path: Path) -> None:
    target, flag, text, expected = FACTS[fact]
    made = compile_hip(target, HIP + text, tmp_path, "-O2", *flag.split())
    (kernel,) = read(made.code, target)["kernels"]
    assert {key: kernel[key] for key in expected} == expected
    assert kernel["refused"] == ""


def test_without_optimization_a_kernel_calls_the_host(read: Read, tmp_path: Path) -> None:
    made = compile_hip("gfx942", f"{HIP}__global__ void k() {{}}", tmp_path, "-O0")
    (kernel,) = read(made.code, "gfx942")["kernels"]
    assert "'k' calls the host, as printf and assert do" in kernel["refused"]


# ---- Targets -----------------------------------------------------------------------

# What code is compiled for, and a device; with whether it runs there.
RUNS = {
    ("gfx90a", "gfx90a:sramecc+:xnack-"): True,
    ("gfx90a:xnack-", "gfx90a:sramecc+:xnack-"): True,
    ("gfx90a:xnack+", "gfx90a:sramecc+:xnack-"): False,
    ("gfx942:sramecc+:xnack-", "gfx942:sramecc+:xnack-"): True,
    ("gfx908:sramecc-", "gfx908:sramecc+:xnack-"): False,
    ("gfx90a", "gfx942"): False,
    ("gfx9-generic", "gfx906:sramecc+:xnack-"): True,
    ("gfx9-generic", "gfx90a"): False,
    ("gfx9-4-generic", "gfx950:sramecc+:xnack-"): True,
    ("gfx10-1-generic", "gfx1010:xnack-"): True,
    ("gfx10-3-generic", "gfx1036"): True,
    ("gfx11-generic", "gfx1151"): True,
    ("gfx12-generic", "gfx1201"): True,
}


@pytest.mark.parametrize(("target", "device"), RUNS)
def test_code_is_taken_by_the_devices_that_run_it(
    target: str, device: str, run_reader: RunReader, tmp_path: Path
) -> None:
    flags = "-O2", "-mcode-object-version=6"
    made = compile_hip(target, f"{HIP}__global__ void k() {{}}", tmp_path, *flags)
    done = run_reader(made.code, device)
    assert (done.returncode == 0) == RUNS[target, device]
    if RUNS[target, device]:
        assert json.loads(done.stdout)["target"] == target
    else:
        assert f"a code object for {target}, and the device is {device}" in done.stderr


# ---- hipRTC ------------------------------------------------------------------------

NEWER = ["gfx942", "gfx950", "gfx1100", "gfx1201"]  # that of ROCm 5.2.3 lacks

COMPILE = """
import json, nexus
text = open(%r).read().replace("#include <nexus_kernel.h>", "")
try:
    code = nexus.Program(text, name="recorded.hip").compile("hip:%s")
    open(%r, "wb").write(code.code)
    print(json.dumps(code.target))
except nexus.CompileError as error:
    print(json.dumps(str(error)))
"""


@pytest.mark.parametrize("architecture", ["gfx900", "gfx90a", "gfx1030", *NEWER])
@pytest.mark.parametrize("each", PORTABLE, ids=str)
def test_code_of_hiprtc_is_read(
    rocm: HipMachine, each: Program, architecture: str, read: Read, tmp_path: Path
) -> None:
    named = os.environ.get("NEXUS_HIP_HIPRTC")
    if not named:
        pytest.skip("needs ROCm's hipRTC, whose path NEXUS_HIP_HIPRTC names")
    source, output = tmp_path / "kernel.hip", tmp_path / "kernel.co"
    source.write_text(each.text, "utf-8")
    machine = rocm.having(NEXUS_HIP_HIPRTC=named, NEXUS_DISK_CACHE="0")
    told, _ = machine.run(COMPILE % (str(source), architecture, str(output)))
    if architecture in NEWER and told != architecture:
        pytest.skip(told)
    assert told == architecture
    code = output.read_bytes()
    described = symbols(code)
    for kernel in read(code, architecture)["kernels"]:
        description = read_description(described[f"nexus_kernel_{kernel['.name']}"])
        check_against_description(kernel, architecture, description, named=False)
