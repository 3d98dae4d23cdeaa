# SPDX-License-Identifier: Apache-2.0
"""The names of the original that differ from ours: the table behind nexus.compat, its tests,
<nexus/compat.hpp> and docs/coming-from-the-original.md.

Imports nothing of Nexus: tools/gen.py reads it without a build.
"""

from __future__ import annotations

from typing import NamedTuple


class Name(NamedTuple):
    """A public name of the original.

    Attributes:
        owner: the class, in the original's spelling; 'nexus' for the module or namespace, else the
            submodule.
        name: the name.
        call: the name as a program writes it.
        ours: the same in plain Nexus; empty if it has no counterpart.
        note: the difference in meaning; empty if only the spelling differs.
    """

    owner: str
    name: str
    call: str
    ours: str
    note: str = ""


_EMPTY = "an empty object if there is none"

PYTHON = (
    Name("nexus", "get_runtime", "nexus.get_runtime(name)", "nexus.get_runtime(name)", _EMPTY),
    Name(
        "nexus",
        "create_buffer",
        "nexus.create_buffer(data)",
        "nexus.create_buffer(data)",
        "a list is a shape, of bytes",
    ),
    Name(
        "nexus",
        "get_device_info",
        "nexus.get_device_info()",
        "nexus.get_device_info()",
        "maps each stem (a device file's name without `.json`) to an `info`",
    ),
    Name(
        "nexus",
        "lookup_device_info",
        "nexus.lookup_device_info(name)",
        "nexus.lookup_device_info(name)",
        "the name of an Apple chip, such as `m4`, means its GPU; " + _EMPTY,
    ),
    Name(
        "nexus",
        "version_info",
        "nexus.version_info()",
        "nexus.__version__",
        "a dict: version, python_version, platform",
    ),
    Name(
        "nexus",
        "format_device_info",
        "nexus.format_device_info(device)",
        "device.name, repr(device)",
    ),
    Name(
        "nexus",
        "get_data_type",
        "nexus.get_data_type(x)",
        "buffer.dtype, array.dtype",
        "a member of `data_type`",
    ),
    Name(
        "utils",
        "get_data_type_size",
        "nexus.utils.get_data_type_size(x)",
        "buffer.itemsize",
        "bytes; 1 for types of 4 bits",
    ),
    Name("nexus", "runtime", "nexus.runtime", "nexus.Runtime"),
    Name("nexus", "runtimes", "nexus.runtimes", "nexus.ObjectList", "a list"),
    Name("nexus", "device", "nexus.device", "nexus.Device"),
    Name("nexus", "devices", "nexus.devices", "nexus.ObjectList", "a list"),
    Name("nexus", "buffer", "nexus.buffer", "nexus.Buffer"),
    Name("nexus", "buffers", "nexus.buffers", "nexus.ObjectList", "a list"),
    Name("nexus", "library", "nexus.library", "nexus.Library"),
    Name("nexus", "librarys", "nexus.librarys", "nexus.ObjectList", "a list"),
    Name("nexus", "kernel", "nexus.kernel", "nexus.Kernel"),
    Name("nexus", "kernels", "nexus.kernels", "nexus.ObjectList", "a list"),
    Name("nexus", "stream", "nexus.stream", "nexus.Stream"),
    Name("nexus", "streams", "nexus.streams", "nexus.ObjectList", "a list"),
    Name("nexus", "event", "nexus.event", "nexus.Event"),
    Name("nexus", "events", "nexus.events", "nexus.ObjectList", "a list"),
    Name("nexus", "schedule", "nexus.schedule", "nexus.Schedule"),
    Name("nexus", "schedules", "nexus.schedules", "nexus.ObjectList", "a list"),
    Name("nexus", "command", "nexus.command", "nexus.Command"),
    Name("nexus", "commands", "nexus.commands", "nexus.ObjectList", "a list"),
    Name("nexus", "info", "nexus.info", "nexus.Properties"),
    Name("nexus", "infos", "nexus.infos", "nexus.ObjectList", "a list"),
    Name(
        "nexus", "layout", "nexus.layout", "buffer.dtype, shape, strides", "see `buffer.layout()`"
    ),
    Name(
        "runtime",
        "get_device",
        "runtime.get_device(id)",
        "runtime.get_device(id)",
        _EMPTY,
    ),
    Name(
        "device",
        "create_buffer",
        "device.create_buffer(shape, settings)",
        'device.create_buffer(shape, memory="host")',
        "a list is a shape, of bytes; the setting OnHost is `memory='host'`",
    ),
    Name(
        "device",
        "load_library",
        "device.load_library(data, size)",
        "device.load_library(data[:size])",
    ),
    Name(
        "buffer",
        "layout",
        "buffer.layout()",
        "buffer.dtype, shape, strides",
        "strides in elements",
    ),
    Name("buffer", "shape", "buffer.shape()", "buffer.shape", "the same as `buffer.layout()`"),
    Name("buffer", "numel", "buffer.numel()", "buffer.size"),
    Name("buffer", "element_size", "buffer.element_size()", "8 * buffer.itemsize", "bits"),
    Name("buffer", "data_type", "buffer.data_type()", "buffer.dtype", "a member of `data_type`"),
    Name("buffer", "dtype", "buffer.dtype", "buffer.dtype", "a member of `data_type`"),
    Name("buffer", "size_bytes", "buffer.size_bytes", "buffer.nbytes"),
    Name("buffer", "data_ptr", "buffer.data_ptr()", "buffer.native_handle"),
    Name("buffer", "copy", "buffer.copy(host)", "buffer.copy(host)", "returns a status"),
    Name("buffer", "__bool__", "bool(buffer)", "", "true for every buffer that exists"),
    Name("layout", "data_type", "layout.data_type()", "buffer.dtype"),
    Name("layout", "dtype", "layout.dtype", "buffer.dtype"),
    Name("layout", "rank", "layout.rank", "buffer.ndim"),
    Name("layout", "dim", "layout.dim(i)", "buffer.shape[i]"),
    Name(
        "layout",
        "stride",
        "layout.stride(i)",
        "buffer.strides[i] // buffer.itemsize",
        "in elements",
    ),
    Name("layout", "numel", "layout.numel", "buffer.size"),
    Name("library", "get_kernel", "library.get_kernel(name)", "library.get_kernel(name)", _EMPTY),
    Name(
        "event",
        "signal",
        "event.signal(signal_value=1)",
        "event.signal(value=1)",
    ),
    Name("event", "wait", "event.wait(wait_value=1)", "event.wait(value=1)"),
    Name(
        "command",
        "set_arg",
        'command.set_arg(index, value, name="", data_type=...)',
        "command.set_arg(index, value, dtype)",
        "if the kernel does not describe its arguments, an int is an int32 and a float a float32; "
        "returns a status",
    ),
    Name(
        "command",
        "set_const",
        'command.set_const(index, value, name="", data_type=...)',
        "command.set_arg(index, value, dtype)",
        "like `set_arg`: each run uses the value that the command has at that time",
    ),
    Name(
        "command",
        "finalize",
        "command.finalize(grid, block, shared_memory_size)",
        "command.finalize(block, group_count=grid, local_memory=...)",
        "`grid` counts groups and comes first; returns a status",
    ),
    Name(
        "schedule",
        "create_command",
        "schedule.create_command(kernel, buffers, dims)",
        "schedule.create_command(kernel, args, block, group_count=grid)",
        "`dims` is `[grid, block]`; `grid` counts groups",
    ),
    Name(
        "schedule",
        "create_signal",
        "schedule.create_signal(event=None, signal_value=1)",
        "schedule.create_signal_command(event, value)",
        "without an event, creates a Shared one, which `command.get_event()` returns",
    ),
    Name(
        "schedule",
        "create_wait",
        "schedule.create_wait(event, wait_value=1)",
        "schedule.create_wait_command(event, value)",
    ),
    Name(
        "schedule",
        "run",
        "schedule.run(stream, blocking)",
        "schedule.run(stream, blocking)",
        "returns a status",
    ),
    Name(
        "info",
        "get",
        "info.get(path)",
        "info[path]",
        "returns the whole tree without a path; raises if there is no such property",
    ),
    Name(
        "object",
        "get_property_keys",
        "x.get_property_keys()",
        "x.get_property_keys()",
        "returns members of `property`; omits keys that are not in the catalogue",
    ),
    Name("property", "nxs_property", "nexus.property.nxs_property", "nexus.property.Property"),
    Name("property", "get_count", "nexus.property.get_count()", "len(nexus.property.Property)"),
    Name(
        "property",
        "get_name",
        "nexus.property.get_name(number)",
        "nexus.property.Property(number).name",
    ),
    Name(
        "property",
        "get_enum",
        "nexus.property.get_enum(name)",
        "nexus.property.Property[name]",
    ),
    Name("property", "get", "nexus.property.get(number)", "nexus.property.Property(number)"),
    Name(
        "property",
        "get_type",
        "nexus.property.get_type(number)",
        "nexus.property.Property(number).value_type",
    ),
    Name("status", "nxs_status", "nexus.status.nxs_status", "nexus.status.Status"),
    Name(
        "status",
        "Success",
        "nexus.status.Success",
        "nexus.status.NXS_Success",
        "likewise every status",
    ),
    Name(
        "event_type",
        "nxs_event_type",
        "nexus.event_type.nxs_event_type",
        "nexus.event_type.EventType",
    ),
    Name(
        "data_type",
        "nxs_data_type",
        "nexus.data_type.nxs_data_type",
        "nexus.data_type.DataType",
    ),
    Name(
        "data_type",
        "float32",
        "nexus.data_type.float32",
        "nexus.data_type.F32",
        "likewise every type: `bfloat16`, `int4`, `uint8`, `bool`, `undefined`",
    ),
    # Names in earlier versions of the original, and in its tests.
    Name(
        "nexus",
        "lookup_chip_info",
        "nexus.lookup_chip_info(name)",
        "nexus.lookup_device_info(name)",
        "in earlier versions only",
    ),
    Name(
        "device",
        "load_library_file",
        "device.load_library_file(path)",
        "device.load_library(path)",
        "in earlier versions only",
    ),
    Name("buffer", "get_size", "buffer.get_size()", "buffer.nbytes", "in its tests only"),
    Name("buffer", "get_data", "buffer.get_data()", "buffer.numpy()", "in its tests only; bytes"),
    Name(
        "runtime",
        "create_buffer",
        "runtime.create_buffer(data)",
        "nexus.create_buffer(data)",
        "in its tests only",
    ),
    Name(
        "runtime",
        "copy_buffer",
        "runtime.copy_buffer(buffer, device)",
        "device.copy_buffer(buffer)",
        "in its tests only",
    ),
    Name(
        "object",
        "get_property",
        "x.get_property(key).get_value()",
        "x.get_property(key)",
        "in its tests only; None if absent",
    ),
    Name(
        "info",
        "get_property",
        "info.get_property(path).get_value()",
        "info[path]",
        "in its tests only; None if absent",
    ),
)

_STATUS = "returns a status"

CPP = (
    Name("", "nxs_int", "nxs_int, nxs_ulong, nxs_float, ...", "std::int32_t, std::uint64_t, float"),
    Name("", "nxs_dim3", "nxs_dim3{x, y, z}", "nexus::Extent(x, y, z)"),
    Name("", "nxs_success", "nxs_success(status)", "status == NXS_Success"),
    Name("", "nxs_failed", "nxs_failed(status)", "status != NXS_Success"),
    Name("", "nxs_valid_id", "nxs_valid_id(id)", ""),
    Name("", "nxsGetDataType", "nxsGetDataType(settings)", ""),
    Name(
        "",
        "nxsGetDataTypeSizeBits",
        "nxsGetDataTypeSizeBits(type)",
        "nexus::dataTypeBits(type)",
        "0 for an undefined type",
    ),
    Name("", "Layout", "Layout(dims, strides, type)", "nexus::BufferDesc", "strides in elements"),
    Name(
        "",
        "Objects",
        "Devices, Librarys, ...",
        "std::vector, nexus::Runtimes",
        "an index out of range gives an empty object",
    ),
    Name("", "Property", "property.getValue<T>()", "", "a variant"),
    Name(
        "",
        "getDeviceInfoDB",
        "getDeviceInfoDB()",
        "getSystem().getDeviceInfo()",
        "a map from stems to `Info`",
    ),
    Name(
        "",
        "lookupDeviceInfo",
        "lookupDeviceInfo(name)",
        "getSystem().lookupDeviceInfo(name)",
        _EMPTY,
    ),
    Name("", "Object::getProp", "x.getProp<T>(key)", "x.getProperty<T>(key)", "`T()` if absent"),
    Name(
        "",
        "Object::getProperty",
        "x.getProperty(key)",
        "x.getProperty<T>(key)",
        "a `Property`, or none",
    ),
    Name("", "Object::release", "x.release()", "x = {}"),
    Name(
        "",
        "System::getRuntime",
        "system.getRuntime(name)",
        "system.getRuntime(name)",
        _EMPTY,
    ),
    Name(
        "",
        "System::createBuffer",
        "system.createBuffer(layout, data, settings)",
        "system.createBuffer(desc)",
    ),
    Name(
        "",
        "System::copyBuffer",
        "system.copyBuffer(buffer, device)",
        "device.copyBuffer(buffer)",
    ),
    Name(
        "",
        "Runtime::getDevice",
        "runtime.getDevice(id)",
        "runtime.getDevice(id)",
        _EMPTY,
    ),
    Name("", "Runtime::getDevices", "runtime.getDevices()", "runtime.getDevices()", "`Devices`"),
    Name("", "Device::getInfo", "device.getInfo()", "device.getInfo()", "an `Info`"),
    Name(
        "",
        "Device::createLibrary",
        "device.createLibrary(path), (data, size)",
        "device.loadLibrary(path), (bytes)",
    ),
    Name(
        "",
        "Device::createBuffer",
        "device.createBuffer(layout, data, settings)",
        "device.createBuffer(desc)",
        "`settings` gives the data type if the layout has none",
    ),
    Name("", "Device::copyBuffer", "device.copyBuffer(buffer)", "device.copyBuffer(buffer)"),
    Name(
        "",
        "Device::fillBuffer",
        "device.fillBuffer(value, size)",
        "device.createBuffer(size, value)",
        "the original only declares it",
    ),
    Name("", "Device::getBuffers", "device.getBuffers()", "device.getBuffers()", "`Buffers`"),
    Name("", "Buffer::getSizeBytes", "buffer.getSizeBytes()", "buffer.getSize()"),
    Name(
        "",
        "Buffer::getLayout",
        "buffer.getLayout()",
        "buffer.getShape(), getStrides(), getDataType()",
    ),
    Name(
        "",
        "Buffer::getDataPtr",
        "buffer.getDataPtr()",
        "buffer.getProperty<std::int64_t>(NP_NativeHandle)",
    ),
    Name(
        "",
        "Buffer::copy",
        "buffer.copy(host, direction)",
        "buffer.copy(host), copyFrom(host)",
        _STATUS,
    ),
    Name("", "Buffer::fill", "buffer.fill(&value, size)", "buffer.fill(value)", _STATUS),
    Name(
        "",
        "Library::getKernel",
        "library.getKernel(name)",
        "library.getKernel(name)",
        _EMPTY,
    ),
    Name("", "Library::getKernels", "library.getKernels()", "library.getKernels()", "`Kernels`"),
    Name("", "Event::signal", "event.signal(value)", "event.signal(value)", _STATUS),
    Name("", "Event::wait", "event.wait(value)", "event.wait(value)", _STATUS),
    Name(
        "",
        "Schedule::createSignalCommand",
        "schedule.createSignalCommand(value)",
        "schedule.createSignalCommand(event, value)",
        "without an event, creates a Shared one, which `command.getEvent()` returns",
    ),
    Name(
        "",
        "Schedule::createWaitCommand",
        "schedule.createWaitCommand(event, value, settings)",
        "schedule.createWaitCommand(event, value)",
    ),
    Name(
        "",
        "Schedule::run",
        "schedule.run(stream, settings)",
        "schedule.run(stream, blocking, timeout, timing)",
        _STATUS,
    ),
    Name(
        "",
        "Schedule::getCommands",
        "schedule.getCommands()",
        "schedule.getCommands()",
        "`Commands`",
    ),
    Name(
        "",
        "Command::setArgument",
        "command.setArgument(index, value, name, settings)",
        "command.setArgument(index, value)",
        _STATUS,
    ),
    Name(
        "",
        "Command::finalize",
        "command.finalize(grid, group, shared)",
        "command.finalize({.groupSize = group, .groupCount = grid, .localMemory = shared})",
        "`grid` counts groups and comes first; " + _STATUS,
    ),
    Name("", "Command::getKernel", "command.getKernel()", "command.getKernel()"),
    Name("", "Command::getEvent", "command.getEvent()", "command.getEvent()"),
)
