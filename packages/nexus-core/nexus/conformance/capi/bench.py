# SPDX-License-Identifier: Apache-2.0
"""Creates objects of a plug-in in one line each, and releases them at the end of the test."""

from __future__ import annotations

import contextlib
import ctypes
import struct
import time
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from nexus.conformance import _c_types
from nexus.conformance._kernels import Kernels
from nexus.conformance._native import N, Native

Result = TypeVar("Result")

_STEP = 50_000_000  # nanoseconds of one wait; short waits are repeated, as the core does
_MOST_TURNS = 1 << 31
_NON_BLOCKING = N()["NXS_ExecutionSettings_NonBlocking"]

# The kinds of objects that calls return and the test has to release.
GIVES = {
    "CreateBuffer": "Buffer",
    "CreateBufferFromHandle": "Buffer",
    "ImportBuffer": "Buffer",
    "GetGlobal": "Buffer",
    "CreateLibrary": "Library",
    "CreateLibraryFromFile": "Library",
    "GetKernel": "Kernel",
    "CreateStream": "Stream",
    "CreateStreamFromHandle": "Stream",
    "CreateEvent": "Event",
    "ImportEvent": "Event",
    "CreateSchedule": "Schedule",
    "CreateCommand": "Command",
    "CreateCopyCommand": "Command",
    "CreateFillCommand": "Command",
    "CreateScheduleCommand": "Command",
    "CreateConditionCommand": "Command",
    "EndCapture": "Command",
}


class Work(NamedTuple):
    """A submitted run of a schedule with one long kernel command."""

    stream: int
    schedule: int
    command: int
    buffer: int
    ticket: int


class Bench:
    """Makes objects of the plug-in and releases them at the end of the test."""

    def __init__(
        self, native: Native, kernels: Kernels, shared_handle: Callable[[], bytes] = bytes
    ) -> None:
        self.native = native
        self.kernels = kernels
        self.shared_handle = shared_handle  # of a 64-byte buffer of another process
        self.device = native.device
        self._made: list[tuple[str, int]] = []
        self._libraries: dict[str, int] = {}
        self._processes = contextlib.ExitStack()

    # ---- Objects ----

    def stream(self, priority: int = 0, device: int | None = None) -> int:
        return self.create("CreateStream", device or self.device, priority)

    def buffer(self, content: int | bytes, settings: int = 0, device: int | None = None) -> int:
        """Makes a buffer of that many bytes, or with that content."""
        size, memory = (content, None) if isinstance(content, int) else sized(content)
        return self.create("CreateBuffer", device or self.device, size, settings, memory)

    def event(self, timing: bool = False, device: int | None = None) -> int:
        settings = N()["NXS_ExecutionSettings_Timing"] if timing else 0
        return self.create("CreateEvent", device or self.device, settings)

    def schedule(self, device: int | None = None) -> int:
        return self.create("CreateSchedule", device or self.device)

    def library(self, stem: str = "elements") -> int:
        """Returns the test's library of kernels/<stem>.c."""
        if stem not in self._libraries:
            self._libraries[stem] = self.new_library(stem)
        return self._libraries[stem]

    def new_library(self, stem: str = "elements", device: int | None = None) -> int:
        """Loads kernels/<stem>.c once more."""
        size, memory = sized(self.kernels.code(stem))
        return self.create("CreateLibrary", device or self.device, memory, size)

    def kernel(self, name: str = "fill_i32") -> int:
        """Returns a kernel of the suite."""
        return self.create("GetKernel", self.library(self.kernels.stem(name)), name)

    def raw_command(self, schedule: int, *arguments: Any, kernel: str | int = "fill_i32") -> int:
        """Makes a kernel command with these arguments, not finalized."""
        made = self.kernel(kernel) if isinstance(kernel, str) else kernel
        command = self.create("CreateCommand", schedule, made)
        for index, argument in enumerate(arguments):
            self.native.get("SetCommandArgument", command, index, argument)
        return command

    def command(self, schedule: int, kernel: str | int, arguments: list[Any], items: int) -> int:
        """Makes a finalized kernel command."""
        command = self.raw_command(schedule, *arguments, kernel=kernel)
        self.native.get("FinalizeCommand", command, launch(items))
        return command

    def fill_command(self, schedule: int, buffer: int, value: int, count: int) -> int:
        """Makes a command that stores a value in the first 32-bit elements of a buffer."""
        return self.command(schedule, "fill_i32", fill_arguments(buffer, value, count), count)

    def create(self, name: str, *arguments: Any) -> int:
        """Makes an object by a function of GIVES; it is released at the end of the test."""
        return self.adopt(GIVES[name], self.native.get(name, *arguments))

    def release(self, kind: str, made: int) -> None:
        """Releases an object now."""
        self._made.remove((kind, made))
        self.native.get(f"Release{kind}", made)

    def adopt(self, kind: str, made: int) -> int:
        """Releases an object at the test's end."""
        self._made.append((kind, made))
        return made

    def forget(self, kind: str, made: int) -> None:
        """Does not release an object, since something else has."""
        self._made.remove((kind, made))

    def made(self) -> list[tuple[str, int]]:
        """Returns the objects that are not released yet."""
        return list(self._made)

    def close(self) -> None:
        """Releases all remaining objects."""
        left, self._made = self._made, []
        self._libraries.clear()
        with self._processes:
            self._release(left)

    def keep(self, process: contextlib.AbstractContextManager[Result]) -> Result:
        """Enters a context that ends after all objects are released."""
        return self._processes.enter_context(process)

    def _release(self, left: list[tuple[str, int]]) -> None:
        for kind, made in reversed(left):
            status = self.native.try_(f"Release{kind}", made)
            gone = kind == "Command" and status == "NXS_InvalidCommand"  # with its schedule
            assert status == "NXS_Success" or gone, f"nxsRelease{kind} returned {status}"

    def claims(self, bit: str) -> bool:
        """Returns whether the backend claims the capability bit."""
        return bool(self.native.capabilities & N()[f"NXS_Capability_{bit}"])

    # ---- Work, waiting and memory ----

    def submit(self, schedule: int, stream: int, settings: int = _NON_BLOCKING) -> int:
        """Submits a run; returns its ticket."""
        return int(self.native.get("RunSchedule", schedule, stream, settings))

    def run(self, schedule: int, stream: int | None = None) -> None:
        """Runs a schedule and waits."""
        stream = self.stream() if stream is None else stream
        self.finish(stream, self.submit(schedule, stream, 0))

    def fill(self, stream: int, buffer: int, size: int, value: bytes, offset: int = 0) -> int:
        """Submits a fill of a part of a buffer; returns its ticket."""
        where = part(buffer, offset, size)
        return int(self.native.get("FillBuffer", stream, where, pattern(value), len(value)))

    def wait(self, stream: int, ticket: int = 0) -> Any:
        """Waits until a ticket is done; returns its completion. Fails if that takes too long."""
        return self._until_done("WaitStream", stream, ticket)

    def wait_event(self, event: int) -> Any:
        """Waits for an event's newest signal; returns its completion."""
        return self._until_done("SynchronizeEvent", event)

    def finish(self, stream: int, ticket: int = 0) -> None:
        """Waits for work that must succeed."""
        done = self.wait(stream, ticket)
        assert done.state == N()["NXS_CompletionState_Completed"], self.native.error(done.error)

    def state(self, stream: int, ticket: int = 0) -> int:
        """Returns a ticket's state now."""
        return int(self.native.get("QueryStream", stream, ticket).state)

    def running(self, stream: int, ticket: int = 0) -> bool:
        """Returns whether a ticket is not done."""
        return self.state(stream, ticket) == N()["NXS_CompletionState_Running"]

    def read(self, buffer: int, size: int, offset: int = 0, stream: int | None = None) -> bytes:
        """Returns bytes of a buffer, after the stream's earlier work."""
        memory = ctypes.create_string_buffer(size)
        stream = self.stream() if stream is None else stream
        ticket = self.native.get("CopyBuffer", buffer, offset, memory, size, stream)
        self.finish(stream, ticket)
        return memory.raw

    def integers(self, buffer: int, count: int, stream: int | None = None) -> list[int]:
        """Returns the first 32-bit integers of a buffer."""
        return list(struct.unpack(f"<{count}i", self.read(buffer, 4 * count, 0, stream)))

    def property(self, kind: str, made: int, key: str | int) -> Any:
        """Returns a property's value as a Python value; None if there is none."""
        number = N()[f"NP_{key}"] if isinstance(key, str) else key
        return read_property(self.native, kind, made, number)

    def _until_done(self, name: str, *arguments: Any) -> Any:
        end = time.monotonic() + self.native.wait_seconds
        while True:
            done = self.native.get(name, *arguments, _STEP)
            if done.state != N()["NXS_CompletionState_Running"]:
                return done
            assert time.monotonic() < end, (
                f"it was not done after {self.native.wait_seconds:g} s (nxs{name})"
            )

    # ---- Long work ----

    def long_work(self, turns: int, stream: int | None = None) -> Work:
        """Submits a kernel that takes longer the more iterations it runs."""
        stream = self.stream() if stream is None else stream
        buffer = self.buffer(struct.pack("<I", 7))
        schedule = self.schedule()
        arguments = [buffer_argument(buffer, 4), scalar_argument("q", turns)]
        command = self.command(schedule, "spin", arguments, 1)
        return Work(stream, schedule, command, buffer, self.submit(schedule, stream))

    def while_running(self, act: Callable[[Work], Result]) -> Result:
        """Calls act with longer and longer work until the work is still running when act returns.

        Returns act's result. Makes no assumptions about times; fails if act waits for the work.
        """
        turns = 1 << 22
        while turns <= _MOST_TURNS:
            work = self.long_work(turns)
            result = act(work)
            if self.running(work.stream, work.ticket):
                self.finish(work.stream)
                return result
            self.wait(work.stream)
            turns *= 8
        raise AssertionError("the call returned only after work that it must not wait for")


def launch(items: int, group: int = 0) -> Any:
    """Returns a launch in one dimension; group 0 lets the backend choose."""
    count = -(-items // group) if group else 0
    return launch_3((items, 1, 1), (group, 1, 1) if group else (0, 0, 0),
                    (count, 1, 1) if group else (0, 0, 0))  # fmt: skip


def launch_3(
    grid: tuple[int, ...], group: tuple[int, ...], count: tuple[int, ...], local: int = 0
) -> Any:
    """Returns a launch of the given sizes."""
    return _c_types.make(
        "nxs_launch", grid_size=grid, group_size=group, group_count=count, local_memory=local
    )


def launch_with(made: Any, **options: Any) -> Any:
    """Sets further fields of a launch, such as flags or cluster_size."""
    for field, value in options.items():
        setattr(made, field, (ctypes.c_uint64 * 3)(*value) if isinstance(value, tuple) else value)
    return made


def group_of(items: int, local: int = 0) -> Any:
    """Returns a launch without a grid, as for the occupancy; 0 items: the best size."""
    return launch_3((0, 0, 0), (items, 1, 1) if items else (0, 0, 0), (0, 0, 0), local)


def buffer_argument(buffer: int, size: int, offset: int = 0) -> Any:
    """Returns a range of a buffer as an argument."""
    kind = N()["NXS_ArgumentKind_Buffer"]
    return _c_types.make("nxs_argument", kind=kind, buffer=buffer, offset=offset, size=size)


def scalar_argument(form: str, value: float) -> Any:
    """Returns a number as an argument; form is struct's: 'i', 'q', 'f'."""
    memory = ctypes.create_string_buffer(struct.pack(f"<{form}", value), struct.calcsize(form))
    made = _c_types.make(
        "nxs_argument",
        kind=N()["NXS_ArgumentKind_Scalar"],
        data=ctypes.addressof(memory),
        size=struct.calcsize(form),
    )
    made.memory = memory
    return made


def fill_arguments(buffer: int, value: int, count: int = 16) -> list[Any]:
    """Returns the arguments of the kernel fill_i32."""
    return [buffer_argument(buffer, 4 * count), scalar_argument("i", value)]


def local_argument(size: int) -> Any:
    """Returns local memory as an argument."""
    return _c_types.make("nxs_argument", kind=N()["NXS_ArgumentKind_LocalMemory"], size=size)


def part(buffer: int, offset: int, size: int) -> Any:
    """Returns a range of a buffer."""
    return _c_types.make("nxs_buffer_range", buffer=buffer, offset=offset, size=size)


def pattern(content: bytes) -> Any:
    """Returns host memory with that content."""
    return ctypes.create_string_buffer(content, len(content))


def sized(content: bytes) -> tuple[int, Any]:
    """Returns the size of the content, and host memory with it."""
    return len(content), pattern(content)


_NUMBERS = {"Int": "<q", "Flt": "<d"}


def read_property(native: Native, kind: str, made: int, number: int) -> Any:
    """Reads a property, again if the first buffer is too small; None if it is unknown."""
    name = f"Get{kind}Property"
    capacity = 256
    while True:
        memory = ctypes.create_string_buffer(capacity)
        value = _c_types.make("nxs_value", data=ctypes.addressof(memory), capacity=capacity)
        status = native.call(name, made, number, ctypes.byref(value))
        if status == N()["NXS_InvalidProperty"]:
            return None
        assert status == 0, f"nxs{name} returned {status} for the property {number}"
        if value.size <= capacity:
            return _decoded(value.type, memory.raw[: value.size])
        capacity = value.size


def _decoded(kind: int, data: bytes) -> Any:
    names = {N()[f"NXS_ValueType_{each}"]: each for each in
             ("Int", "Flt", "Str", "IntVec", "FltVec", "StrVec", "Json")}  # fmt: skip
    name = names[kind]
    if name in ("Str", "Json"):
        return data.decode()
    if name == "StrVec":
        assert not data or data.endswith(b"\0"), "a list of texts has a zero byte after each"
        return [each.decode() for each in data.split(b"\0")[:-1]]
    form = "q" if name.startswith("Int") else "d"
    values = list(struct.unpack(f"<{len(data) // 8}{form}", data))
    return values if name.endswith("Vec") else values[0]
