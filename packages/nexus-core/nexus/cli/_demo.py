# SPDX-License-Identifier: Apache-2.0
"""`nexus demo`: draws the Mandelbrot set on every device and checks it against numpy."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

import nexus
from nexus._units import time_text
from nexus.cli._console import heading, section, show, table
from nexus.cli._demo_library import DemoLibrary, NoLibrary, find_demo_library
from nexus.cli._demo_picture import Picture
from nexus.cli._misuse import Misuse

if TYPE_CHECKING:
    from nexus.cli._demo_picture import Counts

WIDTH, HEIGHT = 768, 512  # pixels
LIMIT = 256  # iterations
LEFT, TOP, ACROSS = -2.0, -1.0, 3.0  # the part of the complex plane: its corner and its width
REPEATS = 5
_MAY_DIFFER = 0.01  # fraction of the pixels: at the set's edge, rounding changes the count
_HEAD = ("device", "time", "beside numpy", "result")


@dataclass(frozen=True)
class Outcome:
    """The result of the demonstration on one device.

    Attributes:
        seconds: the median time of a run; None if nothing ran.
        picture: None if nothing ran.
        problem: why it failed or did not run; empty if the result was correct.
    """

    selector: str
    seconds: float | None = None
    picture: Picture | None = None
    problem: str = ""


def run(options: argparse.Namespace) -> int:
    """Runs the demonstration; returns 0 if every device gave the correct result, else 1.

    Raises:
        Misuse: the picture can't be written to the file of --save.
    """
    if options.save is not None and not options.save.lower().endswith(".png"):
        raise Misuse(f"--save is {options.save!r}: the name of the file has to end with .png.")
    show(f"Nexus {nexus.__version__}")
    devices = [device for runtime in nexus.get_runtimes() for device in runtime.get_devices()]
    if not devices:
        print("There is no device. `nexus doctor` says why; `pip install nexus-cpu` adds the CPU.")
        return 1
    names = [(device.selector, device.get_property_str("Name")) for device in devices]
    show(*section("Devices", table(names)), "", heading("Kernel library"))
    libraries = _find_libraries(devices)
    start = time.perf_counter()
    expected = by_numpy(WIDTH, HEIGHT)
    numpy_seconds = time.perf_counter() - start
    outcomes = [_try_device(device, library, expected) for device, library in libraries]
    _show_picture(outcomes, options.save)
    rows = [_row(outcome, numpy_seconds) for outcome in outcomes]
    times = table([*rows, ("numpy", time_text(numpy_seconds), "", "")], _HEAD)
    title = f"Mandelbrot set of {WIDTH} x {HEIGHT} pixels, up to {LIMIT} iterations each"
    show(*section(title, times))
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


def _try_device(
    device: nexus.Device, library: DemoLibrary | NoLibrary, expected: Counts
) -> Outcome:
    if isinstance(library, NoLibrary):
        return Outcome(device.selector, problem="did not run: there is no kernel library for it")
    try:
        return measure(device, device.load_library(library.source), expected)
    except nexus.NexusError as error:
        return Outcome(device.selector, problem=str(error))


def _show_picture(outcomes: Sequence[Outcome], path: str | None) -> None:
    """Shows the first correct picture, and writes it to the file if there is a path."""
    for outcome in outcomes:
        if outcome.picture and not outcome.problem:
            show("", heading(f"Drawn by {outcome.selector}"), outcome.picture)
            if path is not None:
                try:
                    outcome.picture.save(path)
                except OSError as error:
                    raise Misuse(f"--save is {path!r}: {error.strerror or error}.") from error
                show(f"Saved to {path}")
            return


def _conclude(outcomes: Sequence[Outcome]) -> int:
    """Prints the last line and returns the exit status."""
    failed = [outcome for outcome in outcomes if outcome.problem]
    for outcome in failed:
        print(f"{outcome.selector}: {outcome.problem}", file=sys.stderr)
    if failed:
        return 1
    print("\nAll results match numpy.")
    return 0


def measure(device: nexus.Device, library: nexus.Library, expected: Counts) -> Outcome:
    """Draws a picture on the device, compares it with the expected one, and times the runs."""
    import numpy as np

    height, width = expected.shape
    turns = device.create_buffer((height, width), dtype="int32")
    schedule = device.create_schedule()
    command = schedule.create_command(library.get_kernel("mandelbrot"))
    command.set_buffer(0, turns)
    numbers = (np.int32(width), np.int32(height), np.float32(LEFT), np.float32(TOP))
    for index, value in enumerate((*numbers, np.float32(ACROSS / width), np.int32(LIMIT)), 1):
        command.set_arg(index, value)
    command.finalize([64, 1, 1], [-(-width // 64) * 64, height, 1])

    schedule.run()
    actual = turns.numpy()
    seconds = _median_seconds(schedule.run)
    return Outcome(device.selector, seconds, Picture(actual, LIMIT), compare(expected, actual))


def by_numpy(width: int, height: int) -> Counts:
    """Returns the iterations of each pixel, an array of height x width, computed by numpy."""
    import numpy as np

    pixel = np.float32(ACROSS / width)
    c_re = np.float32(LEFT) + np.arange(width, dtype=np.float32) * pixel
    c_im = (np.float32(TOP) + np.arange(height, dtype=np.float32) * pixel)[:, None]
    re, im = np.zeros((2, height, width), np.float32)
    turns = np.zeros((height, width), np.int32)
    inside = np.ones((height, width), np.bool_)
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(LIMIT):
            inside &= re * re + im * im <= 4.0
            turns += inside
            re, im = re * re - im * im + c_re, np.float32(2.0) * re * im + c_im
    return turns


def compare(expected: Counts, actual: Counts) -> str:
    """Returns where the pictures differ by more than rounding; empty if they agree."""
    import numpy as np

    wrong = np.flatnonzero(actual != expected)
    if wrong.size <= _MAY_DIFFER * expected.size:
        return ""
    first = int(wrong[0])
    return (
        f"{wrong.size} of {expected.size} pixels differ from numpy's; the first is number "
        f"{first}: {actual.flat[first]} turns instead of {expected.flat[first]}"
    )


def _median_seconds(call: Callable[[], object]) -> float:
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return median(seconds)


def _row(outcome: Outcome, numpy_seconds: float) -> tuple[str, str, str, str]:
    if outcome.seconds is None:
        return (outcome.selector, "-", "-", "failed")
    return (
        outcome.selector,
        time_text(outcome.seconds),
        f"{numpy_seconds / outcome.seconds:.3g} times as fast",
        "WRONG" if outcome.problem else "right",
    )
