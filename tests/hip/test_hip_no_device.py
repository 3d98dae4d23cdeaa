# SPDX-License-Identifier: Apache-2.0
"""Where there is no AMD GPU: a record with a sentence that says what to do, and Nexus works."""

from __future__ import annotations

from pathlib import Path

import pytest
import simulated
from hip_machine import HipMachine

pytestmark = pytest.mark.usefixtures("rocm")
NO_DEVICE, INVALID_DEVICE, UNKNOWN = 100, 101, 999
VARIABLES = ("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")


@pytest.fixture
def empty(rocm: HipMachine) -> HipMachine:
    """A machine without a GPU."""
    return rocm.having(NEXUS_SIMULATED_HIP="devices=0")


def test_no_runtime() -> None:
    why = HipMachine({"LD_LIBRARY_PATH": ""}).why_absent()
    assert "the HIP runtime was not found: libamdhip64.so: " in why
    assert "install ROCm's runtime (libamdhip64), or name the library with NEXUS_HIP_DRIVER" in why


def test_a_named_runtime_that_is_not_there() -> None:
    why = HipMachine({"NEXUS_HIP_DRIVER": "/nonexistent/lib.so"}).why_absent()
    assert "'/nonexistent/lib.so' can't be read" in why
    assert "NEXUS_HIP_DRIVER names that library" in why


def test_a_runtime_that_is_cut_short(rocm: HipMachine, tmp_path: Path) -> None:
    whole = Path(rocm.environment["NEXUS_HIP_DRIVER"]).read_bytes()
    short = tmp_path / "short.so"
    short.write_bytes(whole[:5000])
    assert (
        "NEXUS_HIP_DRIVER names that library"
        in rocm.having(NEXUS_HIP_DRIVER=str(short)).why_absent()
    )


def test_a_library_that_is_no_runtime(rocm: HipMachine) -> None:
    other = rocm.having(NEXUS_HIP_DRIVER=str(simulated.folder() / "libcuda.so.1"))
    assert "is not the HIP runtime: it has no hipInit" in other.why_absent()


@pytest.mark.parametrize("name", ["libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.5"])
def test_the_system_s_runtime_is_found_under_each_of_its_names(
    rocm: HipMachine, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).symlink_to(rocm.environment["NEXUS_HIP_DRIVER"])
    found = rocm.having(NEXUS_HIP_DRIVER="", LD_LIBRARY_PATH=str(tmp_path))
    assert found.device()["Architecture"] == "gfx942"


def test_the_runtime_is_opened_by_the_thread_that_loads_the_backend(rocm: HipMachine) -> None:
    code = """
import ctypes, pathlib, nexus_hip
ctypes.CDLL(str(nexus_hip.nexus_manifest().with_name("libnexus_hip.so")))
print(int("libamdhip64" in pathlib.Path("/proc/self/maps").read_text()))
"""
    assert rocm.run(code)[0] == 1


def test_a_runtime_that_does_not_load_is_named(rocm: HipMachine, tmp_path: Path) -> None:
    (tmp_path / "libamdhip64.so.6").write_text("no library")
    why = rocm.having(NEXUS_HIP_DRIVER="", LD_LIBRARY_PATH=str(tmp_path)).why_absent()
    assert f"was not found: {tmp_path}/libamdhip64.so.6: " in why


def test_no_gpu(empty: HipMachine) -> None:
    why = empty.why_absent()
    assert "the HIP runtime is installed and finds no GPU" in why
    assert "hipInit returned hipErrorNoDevice (100)" in why
    assert "check that rocminfo lists one" in why


@pytest.mark.parametrize("function", ["hipInit", "hipGetDeviceCount"])
@pytest.mark.parametrize("result", [NO_DEVICE, INVALID_DEVICE, UNKNOWN])
def test_any_answer_of_the_first_calls_but_success_is_no_gpu(
    rocm: HipMachine, function: str, result: int
) -> None:
    why = rocm.failing(function, 1, result).why_absent()
    assert f"finds no GPU ({function} returned hipError" in why
    assert f"({result}))" in why


def test_no_device_file_of_the_kernel_s_module(empty: HipMachine) -> None:
    why = empty.having(NEXUS_HIP_ROOT="/nonexistent").why_absent()
    assert "there is no '/nonexistent/dev/kfd'; load the kernel's module amdgpu" in why
    assert "docker run --device=/dev/kfd --device=/dev/dri" in why


def test_no_permission_to_open_it(empty: HipMachine, tmp_path: Path) -> None:
    (tmp_path / "dev/kfd").mkdir(parents=True)  # no user, not even root, may write to a folder
    why = empty.having(NEXUS_HIP_ROOT=str(tmp_path)).why_absent()
    assert f"this user can't open '{tmp_path}/dev/kfd' (Is a directory)" in why
    assert "usermod -a -G render,video" in why


@pytest.mark.parametrize("variable", VARIABLES)
@pytest.mark.parametrize("devices", ["", "-1", " "])
def test_a_variable_that_hides_all(rocm: HipMachine, variable: str, devices: str) -> None:
    why = rocm.having(**{variable: devices}).why_absent()
    assert f"{variable} is '{devices}', which hides all; unset it" in why
    assert "name devices of this machine (rocminfo lists them)" in why


@pytest.mark.parametrize("variable", VARIABLES)
@pytest.mark.parametrize("devices", ["7", "GPU-ffffffff", "gpu0, 1"])
def test_a_variable_that_names_none(rocm: HipMachine, variable: str, devices: str) -> None:
    why = rocm.having(**{variable: devices}).why_absent()
    assert f"{variable} is '{devices}', and there is no '{devices.split(',')[0]}'" in why


def test_of_two_variables_the_one_at_fault_is_named(rocm: HipMachine) -> None:
    hidden = rocm.having(ROCR_VISIBLE_DEVICES="-1", HIP_VISIBLE_DEVICES="0").why_absent()
    assert "ROCR_VISIBLE_DEVICES is '-1'" in hidden
    fewer = rocm.having(ROCR_VISIBLE_DEVICES="1", HIP_VISIBLE_DEVICES="1").why_absent()
    assert "HIP_VISIBLE_DEVICES is '1', and there is no '1'" in fewer


def test_visible_devices_are_counted_anew(rocm: HipMachine) -> None:
    second = rocm.having(ROCR_VISIBLE_DEVICES="1").device()
    assert second["UUID"] == "00000000d0c5a001"
    assert second["NativeHandle"] == 0


# ---- The command ---------------------------------------------------------------

INFO = """
import contextlib, io, json, nexus.cli
with contextlib.redirect_stdout(io.StringIO()) as shown:
    assert nexus.cli.main(["info"]) == 0
print(json.dumps(" ".join(shown.getvalue().split())))
"""
NO_GPU = {"NEXUS_SIMULATED_HIP": "devices=0"}
FINDS_NONE = (
    "the HIP runtime is installed and finds no GPU (hipInit returned hipErrorNoDevice (100)): "
)
# A machine's variables, and all that the command says of the backend there.
SENTENCES = {
    "no runtime": (
        {"NEXUS_HIP_DRIVER": "", "LD_LIBRARY_PATH": ""},
        "the HIP runtime was not found: libamdhip64.so: cannot open shared object file: No such "
        "file or directory; install ROCm's runtime (libamdhip64), or name the library with "
        "NEXUS_HIP_DRIVER.",
    ),
    "no GPU": (
        NO_GPU,
        FINDS_NONE + "check that rocminfo lists one, that this user may open /dev/dri/renderD128 "
        "and those after it, and that this ROCm supports the GPU.",
    ),
    "no device file": (
        {**NO_GPU, "NEXUS_HIP_ROOT": "/nonexistent"},
        FINDS_NONE + "there is no '/nonexistent/dev/kfd'; load the kernel's module amdgpu (in a "
        "container, run it with the GPU: docker run --device=/dev/kfd --device=/dev/dri).",
    ),
    "no permission": (
        {**NO_GPU, "NEXUS_HIP_ROOT": "FORBIDDEN"},
        FINDS_NONE + "this user can't open 'FORBIDDEN/dev/kfd' (Is a directory); add the user to "
        "the groups that own it and /dev/dri/renderD128, such as render and video (sudo usermod "
        "-a -G render,video USER), and log in again.",
    ),
    "hidden GPUs": (
        {"HIP_VISIBLE_DEVICES": "-1"},
        FINDS_NONE + "HIP_VISIBLE_DEVICES is '-1', which hides all; unset it, or name devices of "
        "this machine (rocminfo lists them).",
    ),
}


@pytest.mark.parametrize("case", SENTENCES)
def test_the_command_says_in_one_sentence_what_to_do(
    rocm: HipMachine, tmp_path: Path, case: str
) -> None:
    (tmp_path / "dev/kfd").mkdir(parents=True)  # no user, not even root, may write to a folder
    variables, sentence = SENTENCES[case]
    placed = {name: text.replace("FORBIDDEN", str(tmp_path)) for name, text in variables.items()}
    shown, _ = rocm.having(**placed, COLUMNS="400").run(INFO)
    expected = sentence.replace("FORBIDDEN", str(tmp_path))
    assert f"ABSENT hip nexus-hip It refused to start: {expected}" in shown
    assert ". " not in sentence
