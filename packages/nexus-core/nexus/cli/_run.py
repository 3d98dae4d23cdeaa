# SPDX-License-Identifier: Apache-2.0
"""`nexus run`: runs a kernel of a program with the values of the command line."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import nexus
from nexus._run import Parameters, choose_kernel
from nexus._units import time_text
from nexus.cli import _check, _isolate
from nexus.cli._misuse import Misuse
from nexus.cli._program import library_of
from nexus.cli._values import Local, Untyped, parse_size, parse_value


def run(options: argparse.Namespace) -> int:
    """Runs the kernel and writes the outputs; returns the exit status.

    Raises:
        Misuse: an option or a value is wrong.
        nexus.NexusError: the program can't be compiled, or the kernel fails.
    """
    if options.check:
        return _check.run(options.arguments, options.device)
    if options.isolate:
        return _isolate.run(options.arguments)
    grid = parse_size("--grid", options.grid, lowest=0)
    group = None if options.group is None else parse_size("--group", options.group)
    runs = _runs(options.runs)
    values = [parse_value(word) for word in options.values]
    outputs = [_output(word) for word in options.out]
    try:
        device = nexus.get_device(options.device)
        kernel = choose_kernel(library_of(options, device), options.kernel)
        parameters = Parameters(kernel)
        written = _written(parameters, outputs, values)
        bound = _bind(device, parameters, values)
        schedule = _schedule(device, kernel, bound, group, grid)
    except nexus.NexusError:
        raise
    except (TypeError, ValueError) as error:
        raise Misuse(str(error)) from error
    launch = _launch_text(device, schedule.get_commands()[0], parameters, values)
    if options.report_to is not None:
        _isolate.report(options.report_to, launch)
    schedule.run()
    for position, path in written.items():
        _write(path, bound[position][0].numpy())
    print(launch)
    for position, path in written.items():
        print(f"{parameters.label(position)} is in {path}")
    if options.time:
        print(_timed(schedule, runs))
    return 0


def _runs(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise Misuse(f"--runs is {text!r}: write a number of runs, at least 1.")
    return int(text)


def _output(word: str) -> tuple[str, Path]:
    key, equals, name = word.partition("=")
    if not equals or not key or not name:
        raise Misuse(f"--out is {word!r}: write an argument and a file, such as 1=y.npy.")
    path = Path(name)
    if path.is_dir() or not path.parent.is_dir():
        raise Misuse(f"--out is {word!r}: '{path}' can't be written.")
    return key, path


def _written(
    parameters: Parameters, outputs: Sequence[tuple[str, Path]], values: Sequence[Any]
) -> dict[int, Path]:
    """Returns the output file of each argument that has one."""
    written: dict[int, Path] = {}
    for key, path in outputs:
        position = _position(parameters, key, values)
        if position in written:
            raise Misuse(f"--out names {parameters.label(position)} twice.")
        if path in written.values():
            raise Misuse(f"--out names the file '{path}' twice.")
        written[position] = path
    return written


def _position(parameters: Parameters, key: str, values: Sequence[Any]) -> int:
    position = parameters.position(int(key) if key.isdecimal() else key, "--out")
    if position >= len(values):
        raise Misuse(f"--out names argument {position}, and {len(values)} were given.")
    if not isinstance(values[position], np.ndarray):
        raise Misuse(f"--out names {parameters.label(position)}, which is not an array.")
    return position


def _bind(
    device: nexus.Device, parameters: Parameters, values: Sequence[Any]
) -> dict[int, tuple[Any, bool]]:
    """Returns the value of each argument, checked against the kernel's description."""
    described = parameters.described
    if described is not None and len(values) != len(described):
        raise Misuse(
            f"{len(values)} value{' was' if len(values) == 1 else 's were'} given, and the kernel "
            f"'{parameters.kernel}' takes {len(described)}: {parameters.listing()}."
        )
    given: dict[int, Any] = {}
    for position, value in enumerate(values):
        known = parameters.at(position)
        if isinstance(value, Local) and known is not None and known.kind != "local_memory":
            raise Misuse(f"{parameters.label(position)} is not local memory.")
        if not isinstance(value, Local) and known is not None and known.kind == "local_memory":
            raise Misuse(f"{parameters.label(position)} is local memory: write local[BYTES].")
        given[position] = _plain(value, typed=known is None)
    bound = parameters.bind(device, given)
    local = {at: (each.size, True) for at, each in enumerate(values) if isinstance(each, Local)}
    return bound | local


def _plain(value: Any, *, typed: bool) -> Any:
    if isinstance(value, Untyped):
        return value.typed() if typed else value.value
    return value.size if isinstance(value, Local) else value


def _schedule(
    device: nexus.Device,
    kernel: nexus.Kernel,
    bound: Mapping[int, tuple[Any, bool]],
    group: tuple[int, ...] | None,
    grid: tuple[int, ...],
) -> nexus.Schedule:
    schedule = device.create_schedule()
    command = schedule.create_command(kernel)
    for position, (value, is_local) in bound.items():
        if is_local:
            command.set_local_memory(position, value)
        else:
            command.set_arg(position, value)
    command.finalize(group, grid)
    return schedule


def _launch_text(
    device: nexus.Device, command: nexus.Command, parameters: Parameters, values: Sequence[Any]
) -> str:
    """Returns 'saxpy(x=float32[4], a=2.0) on cpu:0: grid 4, group 4'."""
    shown = ", ".join(
        f"{_argument_name(parameters, position)}{_value_text(value)}"
        for position, value in enumerate(values)
    )
    return (
        f"{parameters.kernel}({shown}) on {device.selector}: grid {_lengths(command.grid_size)}, "
        f"group {_lengths(command.group_size)}"
    )


def _argument_name(parameters: Parameters, position: int) -> str:
    known = parameters.at(position)
    return f"{known.name}=" if known is not None and known.name else ""


def _value_text(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype}[{','.join(map(str, value.shape))}]"
    if isinstance(value, Local):
        return f"local[{value.size}]"
    return str(value.value if isinstance(value, Untyped) else value)


def _lengths(size: tuple[int, ...] | None) -> str:
    lengths = list(size or ())
    while len(lengths) > 1 and lengths[-1] == 1:
        lengths.pop()
    return ",".join(map(str, lengths)) or "of the backend"


def _write(path: Path, array: Any) -> None:
    with path.open("wb") as file:
        np.save(file, array, allow_pickle=False)


def _timed(schedule: nexus.Schedule, runs: int) -> str:
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        schedule.run()
        seconds.append(time.perf_counter() - start)
    return (
        f"a run takes {time_text(median(seconds))} (median of {runs}; the shortest "
        f"{time_text(min(seconds))})"
    )
