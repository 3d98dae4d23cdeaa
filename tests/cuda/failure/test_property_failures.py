# SPDX-License-Identifier: Apache-2.0
"""Errors while reading properties: an unknown attribute is missing, others raise."""

from __future__ import annotations

import pytest
from cuda_bench import UNKNOWN, Bench, unused_device
from failure_programs import Program, outcome

from nexus.status import Status

INVALID_VALUE, NOT_SUPPORTED = 1, 801
ILLEGAL_ADDRESS, CONTEXT_IS_DESTROYED = 700, 709
ASK = "cuDeviceGetAttribute"
NAME = "MaxThreadsPerCore"
PROPERTIES = (NAME, "PCIAddress", "Limits", "Extensions", "Keys")  # one attribute, or many


def asking(key: str) -> Program:
    """Reads a property of the device."""
    return lambda bench: bench.device.get_property(key)


@pytest.mark.parametrize("answer", [INVALID_VALUE, NOT_SUPPORTED])
def test_an_attribute_that_the_driver_does_not_know_is_not_there(bench: Bench, answer: int) -> None:
    bench.driver.fail(ASK, 1, answer)
    error = outcome(bench, asking(NAME))
    assert bench.driver.clear_failures() == 0
    assert error is not None
    assert error.status == Status.NXS_InvalidProperty
    assert bench.device.get_property_int(NAME) > 0


@pytest.mark.parametrize("key", PROPERTIES)
def test_an_error_of_the_driver_is_told(bench: Bench, key: str) -> None:
    bench.driver.fail(ASK, 1, UNKNOWN)
    error = outcome(bench, asking(key))
    assert bench.driver.clear_failures() == 0
    assert error is not None
    assert f"{ASK} returned CUDA_ERROR_UNKNOWN (999)" in str(error)
    assert (error.status, error.native_code) == (Status.NXS_InternalError, UNKNOWN)
    asking(key)(bench)
    bench.check_works()


@pytest.mark.parametrize("answer", [ILLEGAL_ADDRESS, CONTEXT_IS_DESTROYED])
def test_a_device_that_is_lost_says_so_from_then_on(bench: Bench, answer: int) -> None:
    victim = bench.on(unused_device())
    bench.driver.fail(ASK, 1, answer)
    errors = [outcome(victim, asking(NAME)), outcome(victim, lambda each: each.floats())]
    for error in errors:
        assert error is not None
        assert (error.status, error.native_code) == (Status.NXS_DeviceLost, answer)
        assert f"{ASK} returned " in str(error)
    assert victim.device.get_property_int(NAME) > 0  # what the device is it still tells
    bench.check_works()
