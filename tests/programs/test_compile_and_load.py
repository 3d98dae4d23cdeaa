# SPDX-License-Identifier: Apache-2.0
"""Compiling for a device, and what becomes of it."""

from __future__ import annotations

import os
import threading
import time
from typing import Any

import numpy as np
import pytest
from program_texts import GROUP_SUMS, SAXPY, TWO_KERNELS

import nexus
from nexus import Program, ProgramOptions


def run_saxpy(device: nexus.Device, library: nexus.Library) -> list[float]:
    y = device.create_buffer(np.ones(3, np.float32))
    x = device.create_buffer(np.arange(3, dtype=np.float32))
    schedule = device.create_schedule()
    schedule.create_command(library.get_kernel("saxpy"), [x, y, 2.0, 3], grid_size=3)
    schedule.run()
    found: list[float] = y.numpy().tolist()
    return found


@pytest.mark.parametrize("target", ["cpu", "cpu:0"])
def test_a_target_may_be_named(cpu: nexus.Device, target: str) -> None:
    code = Program(SAXPY).compile(target)
    assert run_saxpy(cpu, cpu.load_library(code)) == [1.0, 3.0, 5.0]


def test_options_may_be_given_as_fields(cpu: nexus.Device) -> None:
    library = cpu.compile(TWO_KERNELS, defines={"FACTOR": 3, "NUMBER": 7}, optimization=1)
    assert library.get_kernel("twice").name == "twice"


def test_a_program_has_its_own_language_and_options(cpu: nexus.Device) -> None:
    wrong: Any = {"language": "nexus"}
    assert cpu.compile(Program(SAXPY)).get_kernel("saxpy").name == "saxpy"
    with pytest.raises(TypeError, match=r"source is a nexus\.Program, which has its language"):
        cpu.compile(Program(SAXPY), **wrong)


def test_options_are_given_once(cpu: nexus.Device) -> None:
    with pytest.raises(TypeError, match=r"options and debug were given.*options\.replace"):
        cpu.compile(SAXPY, options=ProgramOptions(), debug=True)


def test_a_kernel_tells_its_attributes(cpu: nexus.Device) -> None:
    plain = cpu.compile(SAXPY).get_kernel("saxpy").attributes
    assert (plain.required_group_size, plain.local_memory_size) == (None, 0)
    phased = cpu.compile(GROUP_SUMS).get_kernel("group_sums").attributes
    assert (phased.required_group_size, phased.local_memory_size) == ((4, 1, 1), 16)


def test_other_threads_run_while_one_compiles(cpu: nexus.Device) -> None:
    steps: list[int] = []
    compiling = threading.Event()
    counting = threading.Event()

    def count() -> None:
        while compiling.is_set():
            steps.append(1)
            counting.set()

    compiling.set()
    counter = threading.Thread(target=count)
    counter.start()
    counting.wait()
    before = len(steps)
    try:
        fresh = Program(f"{SAXPY}/* {os.getpid()} {time.time_ns()} */\n")
        assert fresh.compile(cpu).origin == "compiled"
        during = len(steps) - before
    finally:
        compiling.clear()
        counter.join()
    assert during > 0
