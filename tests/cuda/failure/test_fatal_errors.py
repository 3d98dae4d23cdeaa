# SPDX-License-Identifier: Apache-2.0
"""After a fatal error of a context all its objects report it, and other devices go on."""

from __future__ import annotations

import time

import numpy as np
import pytest
from cuda_bench import COUNT, LONG, Bench, unused_device
from driver_functions import DRIVER, ILLEGAL_ADDRESS_NAME
from failure_programs import PROGRAMS, Program, outcome
from failure_rules import NO_ERROR, SAVING, STARTING, UNREACHED

from nexus.status import Status

ILLEGAL_ADDRESS = 700
GRAPH_MAKING = (
    "cuGraphAdd", "cuGraphInst", "cuGraphKernelNode", "hipGraphAdd", "hipGraphInst",
)  # fmt: skip
# Those whose other failures mean that commands are run one by one.
GRAPHS = {each for each in DRIVER if each.startswith(GRAPH_MAKING)}
SILENT = {*UNREACHED, *STARTING, *SAVING, *NO_ERROR}


class Victim:
    """A device that is lost, and an object of each kind on it."""

    def __init__(self, bench: Bench) -> None:
        self.device = unused_device()
        self.bench = bench.on(self.device)
        self.buffer = self.bench.floats(1)
        self.stream = self.device.create_stream()
        self.library = self.device.load_library(bench.cubin)
        self.schedule = self.bench.scaling(self.buffer, 2, self.bench.floats())
        self.event = self.device.create_event()

    def uses(self) -> list[Program]:
        """Calls the objects' functions that still work. Complete work stays complete."""
        return [
            lambda _: self.buffer.numpy(),
            lambda _: self.buffer.fill(1),
            lambda _: self.buffer.copy_from(np.ones(COUNT, np.float32)),
            lambda _: self.schedule.run(self.stream, timeout=LONG),
            lambda _: self.stream.signal(self.event),
            lambda _: self.device.create_buffer(64),
            lambda _: self.device.create_buffer(64, memory="host"),
            lambda _: self.device.create_stream(),
            lambda _: self.device.load_library(self.bench.cubin),
            lambda _: self.library.get_kernel("scale"),
        ]

    def close(self) -> None:
        """Closes all objects."""
        for each in (self.event, self.schedule, self.library, self.stream, self.buffer):
            each.close()


@pytest.mark.parametrize(
    "function", [each for each in DRIVER if each in GRAPHS or each not in SILENT]
)
def test_a_lost_device_says_so_wherever_it_is_used_and_others_go_on(
    bench: Bench, reached: dict[str, dict[str, int]], function: str
) -> None:
    victim = Victim(bench)
    program = PROGRAMS[next(iter(reached[function]))]
    program(victim.bench)
    victim.device.trim_memory()  # a kept block would spare the driver a call
    bench.driver.fail(function, 1, ILLEGAL_ADDRESS)
    errors = [outcome(victim.bench, program)]
    assert bench.driver.clear_failures() == 0
    errors += [outcome(victim.bench, use) for use in victim.uses()]
    for error in errors:
        assert error is not None
        assert (error.status, error.native_code) == (Status.NXS_DeviceLost, ILLEGAL_ADDRESS)
        assert f"{function} returned {ILLEGAL_ADDRESS_NAME} (700)" in str(error)
        assert "start the process again" in str(error)
    victim.close()
    bench.check_works()


def test_an_endless_kernel_holds_up_no_free_on_another_device(bench: Bench) -> None:
    stuck, driver = bench.on(unused_device()), bench.driver
    idle, busy, other = stuck.floats(1, "host"), stuck.floats(1), bench.floats(1, "host")
    schedule = stuck.device.create_schedule()
    kernel = stuck.device.load_library(stuck.cubin).get_kernel("endless")
    schedule.create_command(kernel, (busy,), 1, 1)
    driver.hold("endless")
    schedule.run(blocking=False)
    idle.close()  # by a call in which the driver waits for the whole device
    before = driver.live("host memory")
    other.close()
    end = time.monotonic() + LONG
    while driver.live("host memory") >= before:
        assert time.monotonic() < end, "the other device's memory is still there"
        time.sleep(0.003)
    driver.release()
    stuck.device.synchronize()
