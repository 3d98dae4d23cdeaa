# SPDX-License-Identifier: Apache-2.0
"""Programs in the portable language and in OpenCL C: options, messages, refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import devices, launch, platform_of

import nexus
from nexus.status import Status

PORTABLE = """
NEXUS_KERNEL_BOUNDED(scale, (n), (NEXUS_GLOBAL float *, x), (float, a), (int, n)) {
  int i = nexus_global_id(0);
  x[i] = a * x[i];
}
"""
OPENCL_C = """
kernel void scale(global float *x, float a, int n) {
  int i = (int)get_global_id(0);
  if (i < n) x[i] = a * x[i];
}
"""


@pytest.fixture(autouse=True)
def _compiled_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEXUS_CACHE", "0")


def scaled(device: nexus.Device, kernel: nexus.Kernel, size: int = 1000) -> np.ndarray:
    buffer = device.create_buffer(np.ones(size, np.float32))
    launch(device, kernel, [buffer, 2.5, size - 1], size)
    return buffer.numpy()


@pytest.mark.parametrize(("language", "source"), [("nexus", PORTABLE), ("opencl", OPENCL_C)])
def test_a_program_runs(device: nexus.Device, language: str, source: str) -> None:
    kernel = device.compile(source, language=language).get_kernel("scale")
    expected = np.full(1000, 2.5, np.float32)
    expected[-1] = 1
    np.testing.assert_array_equal(scaled(device, kernel), expected)


def test_the_hidden_arguments_are_not_shown(device: nexus.Device) -> None:
    kernel = device.compile(PORTABLE).get_kernel("scale")
    assert kernel.arguments is not None
    assert [argument.name for argument in kernel.arguments] == ["x", "a", "n"]
    assert kernel.get_property_int("Count") == 3


def test_one_program_on_every_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEXUS_CACHE", "1")
    for device in devices():
        kernel = device.compile(PORTABLE).get_kernel("scale")
        assert scaled(device, kernel)[0] == 2.5


def test_a_define_may_hold_spaces_and_quotes(device: nexus.Device) -> None:
    source = "kernel void f(global int *x) { x[0] = VALUE; x[1] = sizeof(TEXT); x[2] = ONE; }"
    defines = {"VALUE": "(3 + 4)", "TEXT": '"a b\\"c"', "ONE": None}
    library = device.compile(source, language="opencl", defines=defines)
    out = device.create_buffer(np.zeros(3, np.int32))
    launch(device, library.get_kernel("f"), [out], 1)
    assert out.numpy().tolist() == [7, 6, 1]


@pytest.mark.parametrize(("options", "flag"), [
    ({"fast_math": True}, "-cl-fast-relaxed-math"),
    ({"optimization": 0}, "-cl-opt-disable"),
    ({"standard": "cl1.2"}, "-cl-std=CL1.2"),
    ({"extra": {"opencl": ["-cl-mad-enable"]}}, "-cl-mad-enable"),
    ({"debug": True}, "-cl-kernel-arg-info"),
])  # fmt: skip
def test_an_option_becomes_a_flag_that_the_driver_takes(
    device: nexus.Device, options: dict[str, Any], flag: str
) -> None:
    code = nexus.Program(PORTABLE, options=nexus.ProgramOptions(**options)).compile(device)
    assert flag in code.flags
    assert scaled(device, device.load_library(code).get_kernel("scale"))[0] == 2.5


def test_a_standard_that_the_device_lacks_is_told_with_those_that_it_has(
    device: nexus.Device,
) -> None:
    with pytest.raises(nexus.NexusError, match=r"standard is 'c11'.* has CL1\.1, CL1\.2") as raised:
        device.compile(PORTABLE, standard="c11")
    assert raised.value.status == Status.NXS_InvalidCompilerOptions


@pytest.mark.parametrize(("flag", "why"), [
    ("-I/tmp", "include_paths"),
    ("-cl-std=CL2.0", "as the standard"),
    ("-D A", "white space"),
    ("plain", "begins with '-'"),
    ("-save-temps", "other files"),
])  # fmt: skip
def test_a_flag_that_is_not_the_callers_is_refused(
    device: nexus.Device, flag: str, why: str
) -> None:
    with pytest.raises(nexus.NexusError, match=why) as raised:
        device.compile(PORTABLE, extra={"opencl": [flag]})
    assert raised.value.status == Status.NXS_InvalidCompilerOptions


def test_another_target_is_refused(device: nexus.Device) -> None:
    with pytest.raises(nexus.NexusError, match="for that device alone") as raised:
        nexus.Program(PORTABLE).compile("opencl:gfx90a")
    assert raised.value.status == Status.NXS_InvalidValue


def test_a_warning_alone_is_in_the_log(device: nexus.Device) -> None:
    source = "#warning look here\nkernel void f(global float *x) { x[0] = 0; }\n"
    code = nexus.Program(source, language="opencl", name="mine.cl").compile(device)
    assert "mine.cl:1:2: warning: look here" in code.log
    assert nexus.Program(OPENCL_C, language="opencl").compile(device).log == ""


def test_a_program_without_kernels_is_refused(device: nexus.Device) -> None:
    with pytest.raises(nexus.NexusError, match="has no kernel"):
        device.compile("int f(int x) { return x; }", language="opencl")


def test_a_compiler_that_takes_too_long_is_left_alone(
    device: nexus.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEXUS_OPENCL_COMPILE_TIMEOUT", "1e-9")
    with pytest.raises(nexus.NexusError, match="did not end within") as raised:
        device.compile(PORTABLE + "/* another */")
    assert raised.value.status == Status.NXS_CompilerNotAvailable


def test_the_time_limit_must_be_a_number(
    device: nexus.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEXUS_OPENCL_COMPILE_TIMEOUT", "soon")
    with pytest.raises(nexus.NexusError, match="NEXUS_OPENCL_COMPILE_TIMEOUT is 'soon'"):
        device.compile(PORTABLE + "/* a third */")


def test_a_binary_is_what_the_driver_gives(device: nexus.Device) -> None:
    code = nexus.Program(OPENCL_C, language="opencl").compile(device)
    assert code.format == "opencl"
    assert code.code.startswith(b"NEXUSOCL")
    if platform_of(device) in ("pocl", "intel"):
        assert OPENCL_C.encode() not in code.code
