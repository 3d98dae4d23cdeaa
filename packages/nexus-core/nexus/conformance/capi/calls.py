# SPDX-License-Identifier: Apache-2.0
"""A call that succeeds, for each function; tests change one of its arguments.

The arguments are the ones before the out_ parameters. Each entry creates new objects, since a
call may release them.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nexus
from nexus.conformance import _c_types, _headers
from nexus.conformance._applies import not_applicable
from nexus.conformance._native import N
from nexus.conformance.capi.bench import (
    GIVES,
    Bench,
    buffer_argument,
    fill_arguments,
    group_of,
    launch,
    part,
    pattern,
)

Arguments = tuple[Any, ...]
OUT = ctypes.c_int64()  # receives the id of a call that may fail
SINK = _c_types.struct("nxs_sink")

# The capability bit of each optional function. Without it the function is missing or refuses.
BIT_OF = {
    "EnqueueHostCallback": "HostCallback",
    "CreateScheduleCommand": "NestedSchedule",
    "SetCommandPredecessors": "Branches",
    "CreateConditionCommand": "Conditions",
    "StopLoops": "Conditions",
    "BeginCapture": "Capture",
    "EndCapture": "Capture",
    "CopyRows": "RowCopies",
    "CompileProgram": "Compile",
    "DescribeCompile": "Compile",
    "LinkProgram": "Compile",
    "GetKernelArgument": "ArgumentInfo",
    "GetKernelOccupancy": "Occupancy",
    "GetElapsedTime": "Timing",
    "MapBuffer": "HostVisibleMemory",
    "UnmapBuffer": "HostVisibleMemory",
    "CreateLibrary": "LibraryFromMemory",
    "CreateBufferFromHandle": "ForeignMemory",
    "CreateStreamFromHandle": "ForeignStream",
    "ExportBuffer": "ShareableMemory",
    "ImportBuffer": "ShareableMemory",
    "GetGlobal": "Globals",
    "ExportEvent": "ShareableEvents",
    "ImportEvent": "ShareableEvents",
}
# A backend may lack these although it claims their bit.
BESIDE_ITS_BIT = {"LinkProgram"}


def need(bench: Bench, name: str) -> None:
    """Ends the test if the backend has no such function."""
    bit = BIT_OF.get(name)
    if bit is not None and not bench.claims(bit):
        not_applicable(f"the backend does not claim {bit}")
    if bench.native.lacks(name):
        not_applicable(f"the backend has no nxs{name}, which is optional")


def arguments(bench: Bench, name: str) -> Arguments:
    """Returns arguments with which the function succeeds."""
    return CALLS[name](bench)


class Sink:
    """Keeps what a plug-in writes to an nxs_sink."""

    def __init__(self) -> None:
        self.data = b""
        kind = dict(SINK._fields_)["write"]
        self.write = kind(self._take)
        self.struct = _c_types.make("nxs_sink", write=self.write)

    def _take(self, _: object, data: int | None, size: int) -> None:
        self.data += ctypes.string_at(data, size) if data else b""


def languages(bench: Bench) -> list[str]:
    """Returns the languages in which the device's programs can be written."""
    return list(bench.property("Device", bench.device, "Languages") or [])


def _whole(text: str, folder: Path) -> str:
    """Returns a source with the headers of Nexus inserted, as the core passes it to a plug-in."""

    def header(match: re.Match[str]) -> str:
        for base in (folder, Path(nexus.get_include())):
            path = base / match.group(1)
            if path.is_file():
                return _whole(path.read_text("utf-8"), path.parent)
        return match.group()

    return re.sub(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', header, text, flags=re.MULTILINE)


def program(body: str) -> str:
    """Returns a program in the portable language."""
    return _whole(f"#include <nexus_kernel.h>\n#line 1\n{body}", Path())


def compile_info(bench: Bench, **values: Any) -> Any:
    """Returns a program that compiles; values are fields that differ."""
    fields: dict[str, Any] = {
        "source": program("NEXUS_KERNEL(empty) {}\n"),
        "language": "nexus",
        "name": "empty.c",
        "optimization": 2,
    }
    if "nexus" not in languages(bench):
        fields.update(source="", language=(languages(bench) or ["none"])[0], name="empty")
    return _c_types.make("nxs_compile_info", **{**fields, **values})


def piece(bench: Bench, **values: Any) -> bytes:
    """Returns code to link: a program compiled as a piece; values as of compile_info."""
    code, log = Sink(), Sink()
    info = compile_info(bench, flags=N()["NXS_CompileFlags_Relocatable"], **values)
    bench.native.get("CompileProgram", bench.device, info, code.struct, log.struct)
    return code.data


def link_info(*codes: bytes) -> Any:
    """Returns the pieces to link, named part0, part1, ..."""
    fields: dict[str, Any] = {"code_count": len(codes), "optimization": 2}
    named = [f"part{index}".encode() for index in range(len(codes))]
    for field, texts in (("codes", codes), ("names", named)):
        made = [_c_types.text(each) for each in texts]
        array = (_c_types.struct("nxs_string") * len(made))(*made)
        kind = dict(_c_types.struct("nxs_link_info")._fields_)[field]
        fields[field] = ctypes.cast(array, kind)
        fields[field].kept = (made, array)
    return _c_types.make("nxs_link_info", **fields)


def _linked(bench: Bench) -> Arguments:
    need(bench, "LinkProgram")
    sinks = [Sink().struct for _ in range(3)]
    return (bench.device, link_info(piece(bench)), *sinks)


def _finalized(bench: Bench) -> int:
    return bench.fill_command(bench.schedule(), bench.buffer(64), 1, 4)


def _ready(bench: Bench) -> int:
    """Makes a kernel command whose arguments are set."""
    return bench.raw_command(bench.schedule(), *fill_arguments(bench.buffer(64), 1))


def _runnable(bench: Bench) -> int:
    schedule = bench.schedule()
    bench.fill_command(schedule, bench.buffer(64), 1, 4)
    return schedule


def ids(*given: int) -> Any:
    """Returns an array of ids, which has an address even if it is empty."""
    kind = _c_types.of(_headers.functions()["SetCommandPredecessors"].parameters[1])
    return ctypes.cast((kind._type_ * max(1, len(given)))(*given), kind)


def _following(bench: Bench) -> Arguments:
    schedule = bench.schedule()
    first, second = (bench.fill_command(schedule, bench.buffer(64), 1, 4) for _ in range(2))
    return second, ids(first), 1


def _capturing(bench: Bench) -> Arguments:
    stream = bench.stream()
    if bench.claims("Capture"):
        bench.native.get("BeginCapture", stream)
    return stream, bench.schedule()


def _signalled(bench: Bench, timing: bool = False) -> int:
    event = bench.event(timing)
    bench.native.get("SignalEvent", event, bench.stream())
    bench.wait_event(event)
    return event


def _mapped(bench: Bench) -> Arguments:
    stream, buffer = bench.stream(), bench.buffer(64)
    pointer, ticket = bench.native.get(
        "MapBuffer", stream, part(buffer, 0, 64), N()["NXS_MapAccess_Read"]
    )
    bench.finish(stream, ticket)
    return stream, buffer, pointer


def _code(bench: Bench) -> Arguments:
    code = bench.kernels.code("elements")
    return bench.device, pattern(code), len(code)


def _file(bench: Bench) -> Arguments:
    return bench.device, str(bench.kernels.file("elements"))


def _two_parts(bench: Bench) -> Arguments:
    return part(bench.buffer(64), 0, 32), part(bench.buffer(64), 32, 32)


def rows_of(
    size: int, counts: tuple[int, int], to: tuple[int, int], source: tuple[int, int]
) -> Any:
    """Returns rows of that many bytes, with the pitches of both sides."""
    return _c_types.make("nxs_rows", bytes=size, counts=counts, to_pitches=to, from_pitches=source)


def native_handle(bench: Bench, kind: str, made: int) -> int:
    """Returns the driver's handle of an object; 1 if the backend does not report it."""
    handle = bench.property(kind, made, "NativeHandle")
    return 1 if handle is None else int(handle)


def _shareable(bench: Bench) -> int:
    if not bench.claims("ShareableMemory"):
        return bench.buffer(64)
    return bench.buffer(64, N()["NXS_BufferSettings_Shareable"])


def _imported(bench: Bench) -> Arguments:
    if not bench.claims("ShareableMemory"):
        return bench.device, pattern(b"none"), 4
    handle = bench.shared_handle()
    return bench.device, pattern(handle), len(handle)


def shareable_event(bench: Bench) -> int:
    """Creates an event that processes can share; a plain event if the backend has none."""
    if not bench.claims("ShareableEvents"):
        return bench.event()
    return bench.create("CreateEvent", bench.device, N()["NXS_ExecutionSettings_Shareable"])


def exported_event(bench: Bench, event: int | None = None) -> bytes:
    """Returns the handle of such an event, by default of a new one."""
    sink = Sink()
    event = shareable_event(bench) if event is None else event
    bench.native.get("ExportEvent", event, sink.struct)
    return sink.data


def _imported_event(bench: Bench) -> Arguments:
    if not bench.claims("ShareableEvents"):
        return bench.device, pattern(b"none"), 4
    handle = exported_event(bench)
    return bench.device, pattern(handle), len(handle)


def _callback() -> Any:
    kind = _c_types.of(_headers.functions()["EnqueueHostCallback"].parameters[1])
    return kind(lambda context, status: None)


_IGNORED = _callback()  # lives as long as the process: a backend may call it late

CALLS: dict[str, Callable[[Bench], Arguments]] = {
    "GetRuntimeProperty": lambda b: (b.native.runtime, N()["NP_Name"]),
    "GetDevice": lambda b: (b.native.runtime, 0),
    "GetDeviceProperty": lambda b: (b.device, N()["NP_Name"]),
    "TrimMemory": lambda b: (b.device, 0),
    "CreateBuffer": lambda b: (b.device, 64, 0, None),
    "CreateBufferFromHandle": lambda b: (
        b.device, native_handle(b, "Buffer", b.buffer(64)), 0, 64,
    ),
    "ExportBuffer": lambda b: (_shareable(b), Sink().struct),
    "ImportBuffer": _imported,
    "ReleaseBuffer": lambda b: (b.buffer(64),),
    "GetBufferProperty": lambda b: (b.buffer(64), N()["NP_Size"]),
    "CopyBuffer": lambda b: (b.buffer(64), 0, pattern(bytes(64)), 64, b.stream()),
    "WriteBuffer": lambda b: (b.buffer(64), 0, pattern(bytes(64)), 64, b.stream()),
    "TransferBuffer": lambda b: (b.stream(), *_two_parts(b)),
    "FillBuffer": lambda b: (b.stream(), part(b.buffer(64), 0, 64), pattern(b"1234"), 4),
    "MapBuffer": lambda b: (b.stream(), part(b.buffer(64), 0, 64), N()["NXS_MapAccess_Read"]),
    "UnmapBuffer": _mapped,
    "CreateLibrary": _code,
    "CreateLibraryFromFile": _file,
    "ReleaseLibrary": lambda b: (b.new_library(),),
    "GetLibraryProperty": lambda b: (b.library(), N()["NP_Keys"]),
    "GetKernel": lambda b: (b.library(), "fill_i32"),
    "ReleaseKernel": lambda b: (b.kernel(),),
    "GetKernelProperty": lambda b: (b.kernel(), N()["NP_Name"]),
    "GetKernelArgument": lambda b: (b.kernel(), 0),
    "DescribeCompile": lambda b: (b.device, compile_info(b)),
    "CompileProgram": lambda b: (b.device, compile_info(b), Sink().struct, Sink().struct),
    "CreateStream": lambda b: (b.device, 0),
    "CreateStreamFromHandle": lambda b: (b.device, native_handle(b, "Stream", b.stream())),
    "ReleaseStream": lambda b: (b.stream(),),
    "GetStreamProperty": lambda b: (b.stream(), N()["NP_LastTicket"]),
    "QueryStream": lambda b: (b.stream(), 0),
    "WaitStream": lambda b: (b.stream(), 0, 0),
    "EnqueueHostCallback": lambda b: (b.stream(), _IGNORED, None),
    "CreateEvent": lambda b: (b.device, 0),
    "ReleaseEvent": lambda b: (b.event(),),
    "GetEventProperty": lambda b: (b.event(), N()["NP_Keys"]),
    "SignalEvent": lambda b: (b.event(), b.stream()),
    "WaitEvent": lambda b: (_signalled(b), b.stream()),
    "QueryEvent": lambda b: (_signalled(b),),
    "SynchronizeEvent": lambda b: (_signalled(b), 0),
    "GetElapsedTime": lambda b: (_signalled(b, True), _signalled(b, True)),
    "CreateSchedule": lambda b: (b.device,),
    "ReleaseSchedule": lambda b: (b.schedule(),),
    "GetScheduleProperty": lambda b: (b.schedule(), N()["NP_Size"]),
    "PrepareSchedule": lambda b: (_runnable(b), b.stream()),
    "RunSchedule": lambda b: (_runnable(b), b.stream(), 0),
    "CreateCommand": lambda b: (b.schedule(), b.kernel()),
    "SetCommandArgument": lambda b: (
        b.raw_command(b.schedule()), 0, buffer_argument(b.buffer(64), 64),
    ),
    "FinalizeCommand": lambda b: (_ready(b), launch(4)),
    "CreateCopyCommand": lambda b: (b.schedule(), *_two_parts(b)),
    "CreateFillCommand": lambda b: (b.schedule(), part(b.buffer(64), 0, 64), pattern(b"1234"), 4),
    "CreateScheduleCommand": lambda b: (b.schedule(), _runnable(b)),
    "GetCommandProperty": lambda b: (_finalized(b), N()["NP_Keys"]),
    "ReleaseCommand": lambda b: (_finalized(b),),
    "LinkProgram": _linked,
    "GetKernelOccupancy": lambda b: (b.kernel(), group_of(0)),
    "SetReleaseThreshold": lambda b: (b.device, (1 << 64) - 1),
    "ExportEvent": lambda b: (shareable_event(b), Sink().struct),
    "ImportEvent": _imported_event,
    "SetCommandPredecessors": _following,
    "CreateConditionCommand": lambda b: (
        b.schedule(), N()["NXS_CommandType_If"], part(b.buffer(64), 0, 4), ids(_runnable(b)), 1, 0,
    ),
    "StopLoops": lambda b: (b.stream(),),
    "BeginCapture": lambda b: (b.stream(),),
    "EndCapture": _capturing,
    "GetGlobal": lambda b: (
        b.library("constants" if b.claims("Globals") else "elements"), "table"
    ),
    "CopyRows": lambda b: (
        b.stream(), *_two_parts(b), rows_of(8, (4, 1), (8, 32), (8, 32)),
    ),
}  # fmt: skip


def succeed(bench: Bench, name: str, given: Arguments) -> None:
    """Makes a call that must succeed; keeps or forgets its object, and waits for its work."""
    result = bench.native.get(name, *given)
    if name in GIVES:
        bench.adopt(GIVES[name], result)
    elif name.startswith("Release"):
        bench.forget(name.removeprefix("Release"), given[0])
    elif name == "MapBuffer":
        bench.native.get("UnmapBuffer", given[0], given[1].buffer, result[0])
    for parameter, value in zip(_headers.functions()[name].parameters, given, strict=False):
        if parameter.name == "stream" and not name.startswith("Release"):
            bench.wait(value)  # then the test's memory may be freed
