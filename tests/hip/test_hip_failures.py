# SPDX-License-Identifier: Apache-2.0
"""Each function of HIP that a start and properties need can fail, or be missing."""

from __future__ import annotations

from pathlib import Path

import hip_machine
import pytest
from hip_machine import HipMachine

UNKNOWN, INVALID_VALUE, NOT_SUPPORTED, ECC = 999, 1, 801, 214

# The calls of a start, and what is said where one fails.
START = {
    ("hipRuntimeGetVersion", 1): "asking the HIP runtime for its version failed",
    ("hipGetDeviceCount", 2): "counting the GPUs failed",
    ("hipDeviceGetName", 1): "asking a GPU for its name failed",
    ("hipGetDevicePropertiesR0600", 2): "asking a GPU for its architecture failed",
    ("hipDeviceTotalMem", 2): "asking a GPU for its memory failed",
    ("hipDeviceGetAttribute", 3): "asking a GPU for an attribute failed",
}
ASK = """
import json, nexus
from nexus import NexusError
device = nexus.get_device("hip:0")
def ask(key):
    try:
        return device.get_property(key)
    except NexusError as error:
        return [error.status.name, error.native_code, str(error)]
import ctypes, os
hip = ctypes.CDLL(os.environ["NEXUS_HIP_DRIVER"])
def fail(function, result):
    hip.simulated_fail(function.encode(), ctypes.c_uint64(1), result)
"""


def state(function: str) -> str:
    """A GPU that is there and does not answer is a fault; a runtime without a version is none."""
    return "ABSENT" if function == "hipRuntimeGetVersion" else "FAIL"


@pytest.mark.parametrize(("function", "nth"), START)
def test_a_call_of_the_start_that_fails_is_told(rocm: HipMachine, function: str, nth: int) -> None:
    why = rocm.failing(function, nth, UNKNOWN).why_absent(state(function))
    assert START[function, nth] in why
    assert f"{function} returned hipErrorUnknown (999); this should not happen" in why


@pytest.mark.parametrize("function", ["hipDeviceGetUuid", "hipDeviceGetPCIBusId"])
def test_what_a_device_is_called_is_not_needed(rocm: HipMachine, function: str) -> None:
    told = rocm.run(ASK + f"fail('{function}', 999); print(json.dumps(ask('Name')))")[0]
    assert told == "Simulated GPU"
    keys = rocm.run(ASK + f"fail('{function}', 999); print(json.dumps(ask('UUID')))")[0]
    assert (keys == "00000000d0c5a000") == (function != "hipDeviceGetUuid")


@pytest.mark.parametrize("answer", [INVALID_VALUE, NOT_SUPPORTED])
def test_an_attribute_that_hip_does_not_know_is_not_there(rocm: HipMachine, answer: int) -> None:
    ask = f"fail('hipDeviceGetAttribute', {answer})\n"
    told = rocm.run(ASK + ask + "print(json.dumps([ask('ECC'), ask('ECC')]))")[0]
    assert told[0][0] == "NXS_InvalidProperty"
    assert told[1] == 1


def test_an_error_of_hip_is_told_and_the_next_call_works(rocm: HipMachine) -> None:
    ask = f"fail('hipDeviceGetAttribute', {UNKNOWN})\n"
    error, value = rocm.run(ASK + ask + "print(json.dumps([ask('ECC'), ask('ECC')]))")[0]
    assert error[:2] == ["NXS_InternalError", UNKNOWN]
    assert "hipDeviceGetAttribute returned hipErrorUnknown (999); this should not" in error[2]
    assert value == 1


def test_a_device_that_is_lost_says_so(rocm: HipMachine) -> None:
    ask = f"fail('hipDeviceGetAttribute', {ECC})\n"
    error, value = rocm.run(ASK + ask + "print(json.dumps([ask('ECC'), ask('ECC')]))")[0]
    assert error[:2] == ["NXS_DeviceLost", ECC]
    assert "hipErrorECCNotCorrectable (214); the device can't be used by this process" in error[2]
    assert value == 1  # what the device is it still tells


def test_a_runtime_that_lacks_a_function_is_refused(rocm: HipMachine, tmp_path: Path) -> None:
    library = Path(rocm.environment["NEXUS_HIP_DRIVER"]).read_bytes()
    other = tmp_path / "other.so"
    other.write_bytes(library.replace(b"\0hipStreamQuery\0", b"\0hipStreamQuerz\0"))
    why = rocm.having(NEXUS_HIP_DRIVER=str(other)).why_absent()
    assert f"'{other}' has no hipStreamQuery" in why
    assert "ROCm 5.2.3 is the oldest that works; install a newer one" in why


CALLS = """
print(json.dumps([hip.simulated_calls(name.encode()) for name in (
    "hipGetDevicePropertiesR0600", "hipGetDevicePropertiesR0000", "hipGetDeviceProperties")]))
"""


@pytest.mark.parametrize(("version", "calls"), [(7, [2, 0, 0]), (6, [2, 0, 0]), (5, [0, 0, 2])])
def test_each_version_is_asked_for_the_struct_that_it_fills(
    rocm: HipMachine, version: int, calls: list[int]
) -> None:
    machine = hip_machine.of_rocm(version)
    assert machine.run(ASK + CALLS)[0] == calls
    told = machine.device()
    assert told["Architecture"] == "gfx942"
    assert told["Extensions"]["HIP"]["TargetID"] == "gfx942:sramecc+:xnack-"
    assert told["CooperativeLaunch"] == (1 if version > 5 else 0)
