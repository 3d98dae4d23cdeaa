# SPDX-License-Identifier: Apache-2.0
"""Type checkers' view of the Python API. `nox -s typing` checks it; nothing runs it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import nexus

if TYPE_CHECKING:
    from typing_extensions import assert_type


def discovery() -> None:
    runtimes = nexus.get_runtimes()
    assert_type(runtimes, nexus.ObjectList[nexus.Runtime])
    assert_type(runtimes[0], nexus.Runtime)
    assert_type(runtimes.get(0), nexus.Runtime)
    assert_type(runtimes.size(), int)
    assert_type([device.selector for device in nexus.get_devices()], list[str])
    assert_type(nexus.get_device("cpu").runtime, nexus.Runtime)
    assert_type(nexus.get_backends()[0].reason, str)
    nexus.get_device(1)  # type: ignore[arg-type]


def properties(device: nexus.Device) -> None:
    assert_type(device.get_property_str("Name"), str)
    assert_type(device.get_property_int(nexus.property.Count), int)
    assert_type(device.get_info().get_int_vec(["MemorySubsystem", 0, "Size"]), list[int])
    assert_type(device.get_info().get_keys(), list[str])
    device.get_property_str(1.5)  # type: ignore[arg-type]


def buffers(device: nexus.Device, stream: nexus.Stream) -> None:
    buffer = device.create_buffer((1024, 1024), dtype="fp16", memory="device")
    assert_type(buffer, nexus.Buffer)
    assert_type(device.create_buffer(np.ones(4, np.float32)).shape, tuple[int, ...])
    assert_type(buffer.dtype, nexus.DType | Any | None)
    assert_type(buffer["x"], nexus.Buffer)
    assert_type(buffer.dtype == np.float32, bool | Any)
    assert_type(buffer[1, ::2, None, ...], nexus.Buffer)
    assert_type(buffer.T.reshape(2, -1).reshape((4, 4)).ascontiguous(), nexus.Buffer)
    assert_type((len(buffer), buffer.size, buffer.ndim, buffer.itemsize), tuple[int, int, int, int])
    assert_type(nexus.zeros((2, 3), device=device), nexus.Buffer)
    assert_type(nexus.arange(4, dtype=np.int8, device="cpu"), nexus.Buffer)
    assert_type([float(row) for row in nexus.ones_like(buffer)], list[float])
    buffer[0] = 1
    buffer[1:, ...] = np.zeros(3)
    buffer[1.5]  # type: ignore[index]
    nexus.zeros(1.5)  # type: ignore[arg-type]
    assert_type(buffer.nbytes, int)
    buffer.fill(1.0, stream, blocking=False)
    with buffer as opened:
        assert_type(opened, nexus.Buffer)
    device.create_buffer(16, memory="disk")  # type: ignore[arg-type]


class Allocator(nexus.MemoryResource):
    def allocate(self, size: int, /) -> int:
        return size

    def deallocate(self, address: int, size: int, /) -> None:
        pass


def memory(device: nexus.Device) -> None:
    device.memory_resource = Allocator()
    device.memory_resource = None
    device.memory_resource = pool = device.create_memory_pool(Allocator(), max_size=1 << 30)
    assert_type(pool, nexus.MemoryPool)
    assert_type((pool.used, pool.allocations), tuple[int, int])
    resource: nexus.MemoryResource = device.memory_resource
    assert_type(resource.allocate(64), int)
    device.memory_resource = 1  # type: ignore[assignment]


def launching(device: nexus.Device, buffer: nexus.Buffer) -> None:
    library = device.load_library(Path("kernel.so"))
    kernel = library.get_kernel("add")
    assert_type(library.get_global("table", np.float32), nexus.Buffer)
    library.get_global(0)  # type: ignore[arg-type]
    schedule = device.create_schedule()
    command = schedule.create_command(kernel)
    command.set_arg(0, buffer)
    command.set_arg(1, 2.0, dtype=np.float32)
    command.set_arg("factor", 2.0)
    schedule.create_command(kernel, {"x": buffer, "factor": 2.0}, grid_size=4)
    kernel(buffer, 2.0, n=4, grid=4, group=(2, 1), stream=device.create_stream(), blocking=False)
    kernel(nexus.In(np.ones(4)), nexus.InOut(np.ones(4)), nexus.Out(np.ones(4)), grid=(4, 4))
    kernel[4](buffer)
    kernel[(4, 4), None](buffer, blocking=False)
    kernel(buffer)  # type: ignore[call-arg]
    assert_type(kernel.device, nexus.Device)
    assert_type((device.name, device.compute_units, device.backend), tuple[str, int, str])
    command.finalize(32, [1024, 1])
    command.finalize(grid_size=np.int64(1024))
    command.finalize(group_count=(4, 4), local_memory=64)
    assert_type(schedule.create_signal_command(device.create_event()), nexus.Command)
    nested = schedule.create_schedule_command(device.create_schedule())
    assert_type(nested.get_schedule(), nexus.Schedule)
    condition = schedule.create_if_command(buffer, schedule, None, after=[])
    assert_type(condition.get_bodies(), nexus.ObjectList[nexus.Schedule])
    schedule.create_while_command(buffer, schedule, max_count=None)
    schedule.create_switch_command(buffer, [schedule, schedule])
    schedule.create_if_command(schedule, schedule)  # type: ignore[arg-type]
    assert_type(schedule.create_host_command(print, "done", buffer), nexus.Command)
    schedule.create_host_command("print")  # type: ignore[arg-type]
    assert_type(schedule.create_buffer((4, np.int64(4)), np.float32), nexus.Buffer)
    schedule.create_buffer([4])  # type: ignore[arg-type]
    copy = schedule.create_copy_command(np.zeros(4), buffer)
    copy.set_buffer(0, np.zeros(4))
    copy.enabled = False
    assert_type(copy.enabled, bool)
    assert_type(command.get_buffer(0), nexus.Buffer)
    assert_type(schedule.to_dot(), str)
    description = schedule.describe()
    assert_type(nexus.Schedule.from_description(device, description), nexus.Schedule)
    with schedule.parallel():
        assert_type(schedule.create_fill_command(buffer, 1, after=[nested]), nexus.Command)
    with schedule.capture(device.create_stream(), after=[nested]) as stream:
        assert_type(stream, nexus.Stream)
    schedule.capture(1)  # type: ignore[arg-type]
    schedule.create_copy_command(buffer, buffer, after=nested)  # type: ignore[arg-type]
    schedule.create_copy_command(buffer, buffer, [nested])  # type: ignore[call-arg]
    assert_type(schedule.get_commands(), nexus.ObjectList[nexus.Command])
    copy.remove()
    schedule.clear()
    schedule.run(device.create_stream(), blocking=True, timeout=1.0)
    schedule.run(stream=1)  # type: ignore[arg-type]
    command.finalize("32")  # type: ignore[arg-type]


def order(device: nexus.Device, schedule: nexus.Schedule) -> None:
    event = device.create_event(nexus.event_type.Signal, timing=True)
    stream = device.create_stream(priority=-1)
    stream.wait(event, 2)
    stream.wait(device.default_stream)
    assert_type(stream.record(), nexus.Event)
    assert_type(event.elapsed_ms(stream.record()), float)
    assert_type(event.is_done, bool)
    assert_type(device.get_events(), nexus.ObjectList[nexus.Event])
    assert_type(device.get_libraries()[0].get_kernels(), nexus.ObjectList[nexus.Kernel])
    schedule.prepare(stream)
    schedule.run(timing=True)
    assert_type(schedule.elapsed_ms, float)
    command = schedule.create_wait_command(event, 1, step=2)
    command.set_value(5, step=1)
    assert_type(command.group_size, tuple[int, int, int] | None)
    stream.add_callback(print)
    stream.add_callback(lambda error: error and error.status)
    stream.add_callback(1)  # type: ignore[arg-type]
    stream.wait(1)  # type: ignore[arg-type]


def programs(device: nexus.Device, path: Path) -> None:
    options = nexus.ProgramOptions(defines={"N": 3, "M": None}, include_paths=[path, "folder"])
    assert_type(options.flags(device), tuple[str, ...])
    assert_type(options.replace(debug=True), nexus.ProgramOptions)
    program = nexus.Program(path, language="c", options=options)
    code = program.compile("cpu:znver4")
    assert_type(code, nexus.ObjectCode)
    assert_type(code.kernels[0].attributes.required_group_size, tuple[int, int, int] | None)
    assert_type(nexus.ObjectCode.load(path), nexus.ObjectCode)
    assert_type(device.load_library(code), nexus.Library)
    assert_type(device.compile("text", fast_math=True, defines={"N": 2.5}), nexus.Library)
    nexus.run(path, {"x": np.ones(4), "n": 4}, {"y": (4,)}, (4, 1), "cpu", group_size=2)
    nexus.run(program, [np.ones(4), 4], ["y", 0], grid_size=4, device=device)
    nexus.ProgramOptions(fastmath=True)  # type: ignore[call-arg]
    nexus.ProgramOptions(debug="yes")  # type: ignore[arg-type]
    program.compile(3)  # type: ignore[arg-type]


def catalogs(device: nexus.Device) -> None:
    catalog = nexus.load_catalog(Path("kernels/kernel_catalog.json"))
    assert_type(catalog, nexus.Catalog)
    assert_type(nexus.get_catalogs(), nexus.ObjectList[nexus.Catalog])
    assert_type(catalog.libraries, nexus.ObjectList[nexus.CatalogLibrary])
    assert_type(device.load_library(catalog, "vector", "1.0.0"), nexus.Library)
    assert_type(device.load_library(catalog, "vector").get_info(), nexus.Properties)
    assert_type(catalog.verify(), list[str])
    device.load_library(catalog, 3)  # type: ignore[arg-type]
    nexus.load_catalog(3)  # type: ignore[arg-type]


def database() -> None:
    assert_type(nexus.get_device_info(), nexus.Properties)
    assert_type(nexus.lookup_device_info("znver4").get_keys(), list[str])
    assert_type(nexus.get_devices()[:1], nexus.ObjectList[nexus.Device])


def errors(error: nexus.NexusError) -> tuple[Any, ...]:
    assert_type(error.status, nexus.status.Status)
    assert_type(error.native_code, int)
    return error.args


def algorithms(device: nexus.Device, stream: nexus.Stream, schedule: nexus.Schedule) -> None:
    x = nexus.algorithms.random(device, (1024,), "float32", seed=1)
    assert_type(x, nexus.Buffer)
    saxpy = nexus.algorithms.elementwise("z = a * x + y")
    assert_type(saxpy, nexus.algorithms.Elementwise)
    assert_type(saxpy.inputs, tuple[str, ...])
    saxpy(2.0, x, y=x, out=x, stream=stream, blocking=False)
    assert_type(nexus.algorithms.sum(x, schedule=schedule), nexus.Buffer)
    assert_type(nexus.algorithms.reduce("a + b", x, x, map="x * y", initial=0), nexus.Buffer)
    assert_type(nexus.algorithms.sort_by_key(x, x), tuple[nexus.Buffer, nexus.Buffer])
    assert_type(nexus.algorithms.compact(x, x)[1], nexus.Buffer)
    assert_type(nexus.algorithms.matmul(x, x, blas=True, tf32=True), nexus.Buffer)
    nexus.algorithms.matmul(x, x, blas="yes")  # type: ignore[arg-type]
    nexus.algorithms.scan(x, exclusive="no")  # type: ignore[arg-type]
    nexus.algorithms.histogram(x, 10)  # type: ignore[call-arg]
