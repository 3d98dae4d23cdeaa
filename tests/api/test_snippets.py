# SPDX-License-Identifier: Apache-2.0
"""The snippets of the API's documents run unchanged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nexus

pytestmark = pytest.mark.smoke

EXAMPLE = """
import nexus
import numpy as np

# Get available runtimes and devices
runtimes = nexus.get_runtimes()
runtime = runtimes[0]
devices = runtime.get_devices()
device = devices[0]

# Create a buffer from numpy array
data = np.ones(1024, dtype=np.float32)
buf = device.create_buffer(data)

# Load a kernel library and get a kernel
lib = device.load_library("kernel.so")
kernel = lib.get_kernel("add_vectors")

# Create a schedule and command
schedule = device.create_schedule()
command = schedule.create_command(kernel)
command.set_buffer(0, buf)
command.finalize({sizes})

# Run the schedule
schedule.run()
"""

README = """
import nexus

runtimes = nexus.get_runtimes()
rt0 = runtimes.get(0)
rt0_name = rt0.get_property_str('Name')

dev0 = rt0.get_device(0)
dev0_arch = dev0.get_property_str('Architecture')

buf0 = dev0.create_buffer(tensor0)
buf1 = dev0.create_buffer((1024,1024), dtype='fp16')

sched0 = dev0.create_schedule()

cmd0 = sched0.create_command(kernel)
...

sched0.run()
"""

PROPERTIES = """
info = device.get_info()
# By string name
name = info.get_str("Name")
vendor = info.get_str("Vendor")
# By enum (from nexus.property)
arch = info.get_str(nexus.property.Architecture)
# By hierarchical path
l2_size = info.get_int(["MemorySubsystem", "MemoryTypes", 1, "Size"])
mem_types = info.get_str_vec(["MemorySubsystem", "SupportedMemoryTypes"])

size = buffer.get_property_int("Size")
dtype = buffer.get_property_str("DataType")
lib_type = library.get_property_str("Type")
kernel_name = kernel.get_property_str("Name")
sched_status = schedule.get_property_str("Status")
cmd_args = command.get_property_int_vec("Arguments")
"""

EVENT = """
import nexus

# Create an event
event = device.create_event(nexus.event_type.Shared)

# Signal the event
event.signal(1)

# Wait for the event
event.wait(1)
"""

EVENT_IN_A_SCHEDULE = """
# Create event and schedule
event = device.create_event()
schedule = device.create_schedule()

# Add kernel command
cmd = schedule.create_command(kernel)
cmd.set_buffer(0, input_buffer)
cmd.finalize({sizes})

# Add signal command
signal_cmd = schedule.create_signal_command(event, 1)

# Run schedule non-blocking
schedule.run(blocking=False)

# Wait for completion
event.wait(1)
"""


@pytest.fixture(autouse=True)
def kernel_beside(
    build_library: Callable[[Path], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Puts kernel.so into the folder in which the snippets run."""
    built = build_library(Path(__file__).with_name("snippets.c"))
    (tmp_path / "kernel.so").symlink_to(built)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def kernel(device: nexus.Device) -> nexus.Kernel:
    return device.load_library("kernel.so").get_kernel("add_vectors")


def run(snippet: str, **names: Any) -> dict[str, Any]:
    """Runs a snippet and returns the names that it leaves."""
    exec(compile(snippet, "snippet", "exec"), names)
    return names


@pytest.mark.parametrize("sizes", ["32, 1024", "[32,1,1], [1024,1,1]"])
def test_example_usage(sizes: str) -> None:
    names = run(EXAMPLE.format(sizes=sizes))
    assert (names["buf"].numpy() == 2.0).all()


def test_the_readme(kernel: nexus.Kernel) -> None:
    snippet = README.replace(
        "...", "cmd0.set_buffer(0, buf0)\ncmd0.finalize([32, 1, 1], [1024, 1, 1])"
    )
    names = run(snippet, tensor0=np.ones(1024, np.float32), kernel=kernel)
    assert (names["buf0"].numpy() == 2.0).all()
    assert (names["buf1"].shape, names["buf1"].dtype) == ((1024, 1024), "float16")
    assert names["rt0_name"] == names["rt0"].name


def test_querying_properties(device: nexus.Device, kernel: nexus.Kernel) -> None:
    schedule = device.create_schedule()
    buffer = device.create_buffer(np.ones(1024, np.float32))
    command = schedule.create_command(kernel, (buffer,), 32, 1024)
    library = device.load_library("kernel.so")
    names = run(
        PROPERTIES,
        nexus=nexus,
        device=device,
        schedule=schedule,
        buffer=buffer,
        command=command,
        library=library,
        kernel=kernel,
    )
    assert (names["size"], names["dtype"], names["kernel_name"]) == (4096, "float32", "add_vectors")
    assert names["cmd_args"] == [buffer.get_property_int("ID")]
    assert names["l2_size"] > 0


def test_basic_event_usage(device: nexus.Device) -> None:
    assert run(EVENT, device=device)["event"].value == 1


@pytest.mark.parametrize("sizes", ["256, 1024", "[256,1,1], [1024,1,1]"])
def test_an_event_in_a_schedule(device: nexus.Device, kernel: nexus.Kernel, sizes: str) -> None:
    buffer = device.create_buffer(np.ones(1024, np.float32))
    run(EVENT_IN_A_SCHEDULE.format(sizes=sizes), device=device, kernel=kernel, input_buffer=buffer)
    assert (buffer.numpy() == 2.0).all()
