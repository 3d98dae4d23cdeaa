// SPDX-License-Identifier: Apache-2.0
// The reference backend, complete in one file: one device, whose memory is the
// host's and whose streams are threads. reference_device.hpp stands for its driver.
#include "reference_compiler.hpp"

using namespace nexus_plugin;
using namespace reference;

namespace {

// ---- Objects ----

constexpr uint64_t kCapabilities = NXS_Capability_HostVisibleMemory | NXS_Capability_Timing |
                                   NXS_Capability_ArgumentInfo | NXS_Capability_HostCallback |
                                   NXS_Capability_LibraryFromMemory | NXS_Capability_Compile |
                                   NXS_Capability_ManagedMemory |  // the host's, which never moves
                                   NXS_Capability_ForeignMemory | NXS_Capability_ShareableMemory;

struct Runtime {
  nxs_id device;
};
struct Device {};
struct Kernel {
  Ref<Library> library;  // kept, as a driver's kernel needs its module
  const BuiltIn &code;
};

struct KernelWork {
  Ref<Kernel> kernel;
  Launch launch{};
  Arguments<HostBuffer>::Snapshot arguments{};
  void operator()() const {
    if (!launch.empty()) kernel->code.run(*arguments, launch);
  }
};
using Transfer = HostTransfer<HostBuffer>;
using Copy = HostCopy<HostBuffer>;
using Fill = HostFill<HostBuffer>;
using Work = std::variant<KernelWork, Copy, Fill>;
using RecordedCommand = Command<Work, HostBuffer>;
using RecordedSchedule = Schedule<Work, HostBuffer>;

constinit HandleTable<Runtime, NXS_ObjectType_Runtime> runtimes;
constinit HandleTable<Device, NXS_ObjectType_Device> devices;
constinit HandleTable<HostBuffer, NXS_ObjectType_Buffer> buffers;
constinit HandleTable<Library, NXS_ObjectType_Library> libraries;
constinit HandleTable<Kernel, NXS_ObjectType_Kernel> kernels;
constinit HandleTable<WorkQueue, NXS_ObjectType_Stream> streams;
constinit HandleTable<BinaryEvent, NXS_ObjectType_Event> events;
constinit HandleTable<RecordedSchedule, NXS_ObjectType_Schedule> schedules;
constinit HandleTable<RecordedCommand, NXS_ObjectType_Command> commands;

// ---- Properties ----

constexpr auto runtime_properties = property_table<Runtime>({
    {NP_Name, [](const Runtime &) -> Value { return "reference"; }},
    {NP_Size, [](const Runtime &) -> Value { return 1; }},
});
constexpr auto device_properties = property_table<Device>({
    {NP_Name, [](const Device &) -> Value { return "Nexus reference device"; }},
    {NP_Vendor, [](const Device &) -> Value { return "Nexus"; }},
    {NP_Type, [](const Device &) -> Value { return "cpu"; }},
    {NP_Architecture, [](const Device &) -> Value { return "reference"; }},
    {NP_MaxThreadsPerBlock, [](const Device &) -> Value { return kMaxGroupItems; }},
    {NP_Languages, [](const Device &) -> Value { return std::vector<std::string>{"reference"}; }},
});
constexpr auto buffer_properties = property_table<HostBuffer>({
    {NP_Size, [](const HostBuffer &buffer) -> Value { return buffer.size(); }},
    {NP_NativeHandle, [](const HostBuffer &buffer) -> Value { return buffer.address(); }},
});
constexpr auto library_properties = property_table<Library>({
    {NP_KernelNames, [](const Library &library) -> Value { return library.names(); }},
});
constexpr auto kernel_properties = property_table<Kernel>({
    {NP_Name, [](const Kernel &kernel) -> Value { return kernel.code.name; }},
    {NP_Count, [](const Kernel &kernel) -> Value { return kernel.code.argument_count; }},
});
constexpr auto stream_properties = property_table<WorkQueue>({
    {NP_LastTicket, [](const WorkQueue &queue) -> Value { return queue.completion().last(); }},
});
constexpr PropertyTable<BinaryEvent, 0> event_properties{};
constexpr auto schedule_properties = property_table<RecordedSchedule>({
    {NP_Size, [](const RecordedSchedule &schedule) -> Value { return schedule.size(); }},
});
constexpr auto command_properties = property_table<RecordedCommand>({
    {NP_GroupSize, [](const RecordedCommand &c) { return value_of(c.launch().group_size); }},
    {NP_GridSize, [](const RecordedCommand &c) { return value_of(c.launch().grid_size); }},
    {NP_GroupCount, [](const RecordedCommand &c) { return value_of(c.launch().group_count); }},
});

}  // namespace

// ---- The C-API ----

NEXUS_PLUGIN_GET_PROPERTY(Runtime, runtimes, runtime_properties)
NEXUS_PLUGIN_GET_PROPERTY(Device, devices, device_properties)
NEXUS_PLUGIN_GET_PROPERTY(Schedule, schedules, schedule_properties)
NEXUS_PLUGIN_OBJECT(Buffer, buffers, buffer_properties)
NEXUS_PLUGIN_OBJECT(Library, libraries, library_properties)
NEXUS_PLUGIN_OBJECT(Kernel, kernels, kernel_properties)
NEXUS_PLUGIN_OBJECT(Stream, streams, stream_properties)
NEXUS_PLUGIN_OBJECT(Event, events, event_properties)
NEXUS_PLUGIN_COMMAND(commands, command_properties)
NEXUS_PLUGIN_STREAM(streams, completion())
NEXUS_PLUGIN_EVENT(events)
NEXUS_PLUGIN_HOST_MEMORY(devices, buffers, streams)
NEXUS_PLUGIN_COMPILE(devices, describe(settings), compile(settings, code, log))

extern "C" {

nxs_status nxsGetDevice(nxs_id runtime, uint32_t index, nxs_id *out_device) {
  return guarded(out_device, [&] {
    if (index != 0) throw Error(NXS_InvalidDevice, "index is ", index, "; there is one device");
    return runtimes.pin(runtime)->device;
  });
}

nxs_status nxsCreateBuffer(nxs_id device, uint64_t size, nxs_buffer_settings settings,
                           void *host_ptr, nxs_id *out_buffer) {
  return guarded(out_buffer, [&] {
    devices.pin(device);
    return buffers.create(size, settings, host_ptr);
  });
}

nxs_status nxsCopyBuffer(nxs_id buffer, uint64_t offset, void *host_ptr, uint64_t size,
                         nxs_id stream, nxs_ticket *out_ticket) {
  return guarded(out_ticket, [&] {
    return streams.pin(stream)->submit(Transfer::read(buffers.pin(buffer), offset, host_ptr, size));
  });
}

nxs_status nxsWriteBuffer(nxs_id buffer, uint64_t offset, const void *host_ptr, uint64_t size,
                          nxs_id stream, nxs_ticket *out_ticket) {
  return guarded(out_ticket, [&] {
    return streams.pin(stream)->submit(
        Transfer::write(buffers.pin(buffer), offset, host_ptr, size));
  });
}

nxs_status nxsTransferBuffer(nxs_id stream, const nxs_buffer_range *to,
                             const nxs_buffer_range *from, nxs_ticket *out_ticket) {
  return guarded(out_ticket, [&] { return streams.pin(stream)->submit(Copy(buffers, to, from)); });
}

nxs_status nxsFillBuffer(nxs_id stream, const nxs_buffer_range *range, const void *pattern,
                         uint64_t pattern_size, nxs_ticket *out_ticket) {
  return guarded(out_ticket, [&] {
    return streams.pin(stream)->submit(Fill(buffers, range, pattern, pattern_size));
  });
}

nxs_status nxsCreateLibrary(nxs_id device, const void *data, uint64_t size, nxs_id *out_library) {
  return guarded(out_library, [&] {
    devices.pin(device);
    const auto *text = static_cast<const char *>(check_pointer(data, "data"));
    return libraries.create(parse_library({text, size}));
  });
}

nxs_status nxsCreateLibraryFromFile(nxs_id device, const nxs_string *path, nxs_id *out_library) {
  return guarded(out_library, [&] {
    devices.pin(device);
    return libraries.create(parse_library(read_file(check_path(path, "path"))));
  });
}

nxs_status nxsGetKernel(nxs_id library, const nxs_string *name, nxs_id *out_kernel) {
  return guarded(out_kernel, [&] {
    Ref<Library> owner = libraries.pin(library);
    const BuiltIn &code = owner->find(check_text(name, "name"));
    return kernels.create(std::move(owner), code);
  });
}

nxs_status nxsGetKernelArgument(nxs_id kernel, uint32_t index, nxs_argument_info *out_info) {
  return guarded(
      [&] { write_argument_info(kernels.pin(kernel)->code.arguments(), index, out_info); });
}

nxs_status nxsCreateStream(nxs_id device, int32_t priority, nxs_id *out_stream) {
  return guarded(out_stream, [&] {
    devices.pin(device);
    if (priority != 0) throw Error(NXS_InvalidValue, "priority is ", priority, "; only 0 is known");
    return streams.create();
  });
}

nxs_status nxsEnqueueHostCallback(nxs_id stream, void (*callback)(void *context, nxs_status status),
                                  void *context, nxs_ticket *out_ticket) {
  return guarded(out_ticket, [&] {
    check_pointer(callback, "callback");
    return streams.pin(stream)->submit(
        [=](const FailurePtr &failure) { callback(context, status_of(failure)); });
  });
}

nxs_status nxsCreateEvent(nxs_id device, nxs_execution_settings settings, nxs_id *out_event) {
  return guarded(out_event, [&] {
    devices.pin(device);
    check_settings(settings, NXS_ExecutionSettings_Timing);
    return events.create((settings & NXS_ExecutionSettings_Timing) != 0);
  });
}

nxs_status nxsSignalEvent(nxs_id event, nxs_id stream, nxs_ticket *out_ticket) {
  return guarded(out_ticket, [&] { return streams.pin(stream)->signal(*events.pin(event)); });
}

nxs_status nxsWaitEvent(nxs_id event, nxs_id stream, nxs_ticket *out_ticket) {
  return guarded(out_ticket, [&] { return streams.pin(stream)->wait_for(*events.pin(event)); });
}

nxs_status nxsCreateSchedule(nxs_id device, nxs_id *out_schedule) {
  return guarded(out_schedule, [&] {
    devices.pin(device);
    return schedules.create();
  });
}

nxs_status nxsReleaseSchedule(nxs_id schedule) {
  return guarded([&] { schedules.release(schedule)->release_commands(commands); });
}

nxs_status nxsRunSchedule(nxs_id schedule, nxs_id stream, nxs_execution_settings settings,
                          nxs_ticket *out_ticket) {
  return guarded(out_ticket, [&] {
    check_settings(settings, NXS_ExecutionSettings_NonBlocking);
    const Ref<WorkQueue> queue = streams.pin(stream);
    return schedules.pin(schedule)->run([&](auto run) { return queue->submit(std::move(run)); });
  });
}

nxs_status nxsCreateCommand(nxs_id schedule, nxs_id kernel, nxs_id *out_command) {
  return guarded(out_command, [&] {
    KernelWork work{kernels.pin(kernel)};
    Arguments<HostBuffer> arguments(work.kernel->code.arguments());
    return schedules.pin(schedule)->append(commands, std::move(work), std::move(arguments));
  });
}

nxs_status nxsSetCommandArgument(nxs_id command, uint32_t index, const nxs_argument *argument) {
  return guarded([&] { commands.pin(command)->set_argument(index, argument, buffers); });
}

nxs_status nxsFinalizeCommand(nxs_id command, const nxs_launch *launch) {
  return guarded([&] {
    const Launch checked = check_launch(launch, Size3{64, 1, 1}, kMaxGroupItems);
    if (checked.local_memory > kMaxLocalMemory) {
      throw Error(NXS_OutOfResources, "local_memory is ", checked.local_memory,
                  " bytes; a group has at most ", kMaxLocalMemory);
    }
    commands.pin(command)->finalize(checked);
  });
}

nxs_status nxsCreateCopyCommand(nxs_id schedule, const nxs_buffer_range *to,
                                const nxs_buffer_range *from, nxs_id *out_command) {
  return guarded(out_command, [&] {
    return schedules.pin(schedule)->append(commands, Copy(buffers, to, from));
  });
}

nxs_status nxsCreateFillCommand(nxs_id schedule, const nxs_buffer_range *range, const void *pattern,
                                uint64_t pattern_size, nxs_id *out_command) {
  return guarded(out_command, [&] {
    return schedules.pin(schedule)->append(commands, Fill(buffers, range, pattern, pattern_size));
  });
}

NXS_EXPORT nxs_status nxsQueryPlugin(const nxs_host *host, nxs_plugin *plugin) {
  nxs_functions functions = required_functions();
  functions.MapBuffer = nxsMapBuffer;
  functions.UnmapBuffer = nxsUnmapBuffer;
  functions.CreateBufferFromHandle = nxsCreateBufferFromHandle;
  functions.ExportBuffer = nxsExportBuffer;
  functions.ImportBuffer = nxsImportBuffer;
  functions.GetKernelArgument = nxsGetKernelArgument;
  functions.DescribeCompile = nxsDescribeCompile;
  functions.CompileProgram = nxsCompileProgram;
  functions.EnqueueHostCallback = nxsEnqueueHostCallback;
  functions.GetElapsedTime = nxsGetElapsedTime;
  constexpr Identity self{.name = "reference", .version = "0.1.0", .capabilities = kCapabilities};
  return query(host, plugin, self, functions, [] { return runtimes.create(devices.create()); });
}

}  // extern "C"
