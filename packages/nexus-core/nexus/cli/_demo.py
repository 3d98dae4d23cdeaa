# SPDX-License-Identifier: Apache-2.0
"""`nexus demo`: compiles a kernel for every device, runs it, checks against numpy."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

import nexus
from nexus.cli._console import heading, section, show, table
from nexus.cli._demo_library import DemoLibrary, NoLibrary, find_demo_library
from nexus.cli._units import time_text

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vector = npt.NDArray[np.float32]

ITEMS = 1_000_000
FACTOR = 2.5
REPEATS = 9


@dataclass(frozen=True)
class Outcome:
    """The result of the demonstration on one device.

    Attributes:
        seconds, numpy_seconds: the median times of Nexus and numpy; None if nothing ran.
        problem: why it failed or did not run; empty if the result was right.
    """

    selector: str
    seconds: float | None = None
    numpy_seconds: float | None = None
    problem: str = ""


def run(_: argparse.Namespace) -> int:
    """Runs the demonstration; returns 0 if every device gave the right result, else 1."""
    show(f"Nexus {nexus.__version__}")
    devices = [device for runtime in nexus.get_runtimes() for device in runtime.get_devices()]
    if not devices:
        print("There is no device. `nexus info` says why; `pip install nexus-cpu` adds the CPU.")
        return 1
    names = [(device.selector, device.get_property_str("Name")) for device in devices]
    show(*section("Devices", table(names)), "", heading("Kernel library"))
    outcomes = [_try_device(device, library) for device, library in _find_libraries(devices)]
    times = table(map(_row, outcomes), ("device", "nexus", "numpy", "result"))
    show(*section(f"saxpy (y = a x + y) of {ITEMS} float32 numbers", times))
    return _conclude(outcomes)


def _find_libraries(
    devices: Sequence[nexus.Device],
) -> list[tuple[nexus.Device, DemoLibrary | NoLibrary]]:
    """Returns each device with its library, or the reason why it has none; prints progress."""
    found: list[tuple[nexus.Device, DemoLibrary | NoLibrary]] = []
    for device in devices:
        print(f"  {device.selector}: ", end="", flush=True)  # the compiler may take some seconds
        try:
            library = find_demo_library(device)
        except NoLibrary as reason:
            print(f"none, {reason}")
            found.append((device, reason))
        else:
            print(library.origin)
            found.append((device, library))
    return found


def _try_device(device: nexus.Device, library: DemoLibrary | NoLibrary) -> Outcome:
    if isinstance(library, NoLibrary):
        return Outcome(device.selector, problem="did not run: there is no kernel library for it")
    try:
        return measure(device, device.load_library(library.source))
    except nexus.NexusError as error:
        return Outcome(device.selector, problem=str(error))


def _conclude(outcomes: Sequence[Outcome]) -> int:
    """Prints the last line and returns the exit status."""
    failed = [outcome for outcome in outcomes if outcome.problem]
    for outcome in failed:
        print(f"{outcome.selector}: {outcome.problem}", file=sys.stderr)
    if failed:
        return 1
    print("\nAll results match numpy.")
    return 0


def measure(device: nexus.Device, library: nexus.Library) -> Outcome:
    """Runs saxpy on the device and with numpy, compares, and times both."""
    import numpy as np

    x = np.linspace(0.0, 1.0, ITEMS, dtype=np.float32)
    y = np.linspace(1.0, 2.0, ITEMS, dtype=np.float32)
    x_buffer, y_buffer = device.create_buffer(x), device.create_buffer(y)
    schedule = device.create_schedule()
    command = schedule.create_command(library.get_kernel("saxpy"))
    command.set_buffer(0, x_buffer)
    command.set_buffer(1, y_buffer)
    command.set_arg(2, np.float32(FACTOR))
    command.set_arg(3, np.int32(ITEMS))
    command.finalize(None, ITEMS)

    schedule.run()
    actual = np.empty_like(y)
    y_buffer.copy(actual)
    problem = compare(np.float32(FACTOR) * x + y, actual)
    seconds = _median_seconds(schedule.run)
    numpy_seconds = _median_seconds(lambda: np.float32(FACTOR) * x + y)
    return Outcome(device.selector, seconds, numpy_seconds, problem)


def compare(expected: Vector, actual: Vector) -> str:
    """Returns where the vectors differ by more than rounding; empty if they agree."""
    import numpy as np

    wrong = np.flatnonzero(~np.isclose(actual, expected, rtol=1e-6, atol=0.0))
    if wrong.size == 0:
        return ""
    first = int(wrong[0])
    return (
        f"{wrong.size} of {expected.size} numbers differ from numpy's; the first is number "
        f"{first}: {actual[first]} instead of {expected[first]}"
    )


def _median_seconds(call: Callable[[], object]) -> float:
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return median(seconds)


def _row(outcome: Outcome) -> tuple[str, str, str, str]:
    if outcome.seconds is None or outcome.numpy_seconds is None:
        return (outcome.selector, "-", "-", "failed")
    return (
        outcome.selector,
        time_text(outcome.seconds),
        time_text(outcome.numpy_seconds),
        "WRONG" if outcome.problem else "right",
    )
