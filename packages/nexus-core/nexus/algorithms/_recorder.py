# SPDX-License-Identifier: Apache-2.0
"""Records algorithms as commands, in the caller's schedule or in one that later calls reuse."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nexus import _checks, _core
from nexus._compile._options import ProgramOptions

if TYPE_CHECKING:
    from nexus import Buffer, Command, Device, Kernel, Library, Schedule, Stream

_FOLDER = Path(__file__).parent / "kernels"
_MOST_CHUNKS = 1024  # enough for every device; few enough for one group to combine the results
_MOST = 64  # recordings kept for later calls
_LARGEST = 1 << 24  # bytes of scratch memory of a recording that is kept

# Flags of the CPU's compiler for kernels that memory bandwidth limits. By default the backend
# chooses 512-bit vectors. They suit arithmetic, but read memory slower by a tenth on Cascade Lake.
NARROW = "-mprefer-vector-width=256"
# clang's unrolled loop reads four vectors of one array, then four of the next: slower by a fifth on
# Zen 3.
ROLLED = "-fno-unroll-loops"


class Operand:
    """An argument of the caller, which a later call replaces."""

    __slots__ = ("index", "value")

    def __init__(self, index: int, value: Any) -> None:
        self.index = index
        self.value = value


class Recorder:
    """Appends the commands of an algorithm to a schedule.

    Attributes:
        device: the schedule's device.
        on_cpu: whether kernels are compiled in their CPU form.
        bindings: for each use of an operand, the command, the argument and the operand's index.
    """

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule
        self.device = schedule.device
        self.on_cpu = self.device.get_property_str("Type") == "cpu"
        self.bindings: list[tuple[Command, int, int]] = []

    def scratch(self, size: int, dtype: str) -> Buffer:
        """Returns memory for data that one command passes to others."""
        return self._schedule.create_buffer((max(size, 1),), dtype)

    def kernel(
        self, file: str, name: str, defines: Mapping[str, str | int], flags: Sequence[str] = ()
    ) -> Kernel:
        """Returns a kernel from a file in the folder kernels, compiled with these macros."""
        lines = [f"#define NXA_{key} {value}\n" for key, value in defines.items()]
        lines.append(f"#define NXA_ON_CPU {int(self.on_cpu)}\n")
        return self.program("".join(lines) + _text(file), name, flags)

    def program(self, text: str, name: str, flags: Sequence[str] = ()) -> Kernel:
        """Returns a kernel from a text, preceded by the operations on numbers.

        Args:
            flags: NARROW or ROLLED, for the CPU's compiler. Omitted if the compiler does not know
                them.
        """
        known = _known_flags(self.device) if flags and self.on_cpu else ()
        chosen = tuple(flag for flag in flags if flag in known)
        return _library(self.device, _text("expressions.h") + text, chosen).get_kernel(name)

    def fill(self, target: Buffer, value: int) -> None:
        """Appends a fill of scratch memory with a number."""
        self._schedule.create_fill_command(target, value)

    def launch(
        self,
        kernel: Kernel,
        arguments: Sequence[Any],
        *,
        items: int | None = None,
        groups: int | tuple[int, ...] | None = None,
    ) -> None:
        """Appends a launch of a number of work items, or of groups of the kernel's own size."""
        values = [each.value if isinstance(each, Operand) else each for each in arguments]
        size = kernel.attributes.required_group_size if items is None else None
        if groups is not None and size is not None:
            counts = (groups,) if isinstance(groups, int) else groups
            grid: Any = tuple(count * length for count, length in zip(counts, size, strict=False))
        else:
            grid = items
        command = self._schedule.create_command(kernel, values, size, grid)
        for position, each in enumerate(arguments):
            if isinstance(each, Operand):
                self.bindings.append((command, position, each.index))


def chunks_of(size: int, unit: int = 1, least: int = 4096) -> tuple[int, int]:
    """Returns the number of chunks for the elements, and a chunk's length in whole units."""
    count = min(-(-size // least), _MOST_CHUNKS)
    length = -(-size // (count or 1))
    length = -(-length // unit) * unit
    return -(-size // (length or 1)), length


def checked(stream: object, blocking: object) -> bool:
    """Returns blocking, after checking both parameters."""
    if stream is not None and not isinstance(stream, _core.Stream):
        raise _checks.wrong_type("stream", "a nexus.Stream", stream)
    return _checks.boolean("blocking", blocking)


Record = Callable[..., None]
"""Appends an algorithm's commands: record(recorder, *operands)."""


def perform(
    device: Device,
    key: Hashable,
    record: Record,
    operands: Sequence[Any],
    schedule: object,
    stream: Stream | None,
    blocking: bool,
) -> None:
    """Appends an algorithm to the schedule; without one, runs it.

    Args:
        key: everything that determines what is recorded, except the operands themselves.
        operands: the buffers and numbers that another call with the same key replaces.
    """
    blocking = checked(stream, blocking)
    if schedule is not None:
        if not isinstance(schedule, _core.Schedule):
            raise _checks.wrong_type("schedule", "a nexus.Schedule", schedule)
        if stream is not None:
            raise TypeError("stream is given with a schedule: schedule.run() takes the stream.")
        if schedule.device != device:
            raise ValueError(
                f"schedule is of '{schedule.device.selector}', and the buffers are on "
                f"'{device.selector}'."
            )
        record(Recorder(schedule), *map(Operand, range(len(operands)), operands))
        return
    ready = _take((device, key))
    if ready is None:
        ready = _Ready(device)
        recorder = Recorder(ready.schedule)
        record(recorder, *map(Operand, range(len(operands)), operands))
        ready.bindings = recorder.bindings
        ready.is_kept = ready.schedule.get_property_int("ScratchSize") <= _LARGEST
    else:
        for command, position, index in ready.bindings:
            command.set_arg(position, operands[index])
    ready.schedule.run(stream, blocking)
    for command, position, index in ready.bindings:
        if isinstance(operands[index], _core.Buffer):
            command.set_arg(position, ready.nothing)
    _put((device, key), ready)


class _Ready:
    """A recorded schedule. Between calls it keeps no buffers of the caller alive."""

    def __init__(self, device: Device) -> None:
        self.schedule = device.create_schedule()
        self.nothing = device.create_buffer(1)
        self.bindings: list[tuple[Command, int, int]] = []
        self.is_kept = False


_ready: list[tuple[Hashable, _Ready]] = []  # the newest last
_lock = threading.Lock()


# Never waits for the lock: after a fork, a thread that does not exist in the child may hold it.
def _take(key: Hashable) -> _Ready | None:
    """Returns a recording that no other call uses."""
    if _lock.acquire(blocking=False):
        try:
            for at in reversed(range(len(_ready))):
                if _ready[at][0] == key:
                    return _ready.pop(at)[1]
        finally:
            _lock.release()
    return None


def _put(key: Hashable, ready: _Ready) -> None:
    if not ready.is_kept:
        ready.schedule.close()
        return
    if _lock.acquire(blocking=False):
        try:
            _ready.append((key, ready))
            oldest = _ready.pop(0) if len(_ready) > _MOST else None
        finally:
            _lock.release()
        del oldest


@functools.cache
def _text(file: str) -> str:
    return (_FOLDER / file).read_text("utf-8")


def _known_flags(device: Device) -> tuple[str, ...]:
    keys = device.get_property_keys()
    if "Compiler" not in keys or "Features" not in keys:
        return ()
    compiler = device.get_property_str("Compiler").partition("(")[0]
    if not any(name in compiler for name in ("gcc", "clang", "zig")):
        return ()
    wide = "avx512f" in device.get_property_str("Features")
    return (NARROW, ROLLED) if wide else (ROLLED,)


@functools.lru_cache(maxsize=256)
def _library(device: Device, source: str, flags: tuple[str, ...]) -> Library:
    options = ProgramOptions(extra={"cpu": list(flags)} if flags else {})
    return device.compile(source, name="algorithm.c", options=options)
