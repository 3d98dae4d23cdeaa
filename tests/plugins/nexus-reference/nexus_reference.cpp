// SPDX-License-Identifier: Apache-2.0
// The reference backend, complete in one file: one device, whose memory is the
// host's and whose streams are threads. reference_device.hpp stands for its driver.
#include "reference_compiler.hpp"

using namespace nexus_plugin;
using namespace reference;

namespace {

// ---- Objects ----

constexpr uint64_t kCapabilities =
    NXS_Capability_HostVisibleMemory | NXS_Capability_Timing | NXS_Capability_ArgumentInfo |
    NXS_Capability_HostCallback | NXS_Capability_LibraryFromMemory | NXS_Capability_Compile |
    NXS_Capability_ManagedMemory |  // the host's, which never moves
    NXS_Capability_ForeignMemory | NXS_Capability_ShareableMemory | NXS_Capability_NestedSchedule;

struct Runtime {
  nxs_id device;
};
struct Device {};
struct Kernel {
  Ref<Library> library;  // kept, as a driver's kernel needs its module
  const BuiltIn &code;
  std::string_view name() const { return code.name; }
  std::span<const ArgumentSpec> specs() const { return code.arguments(); }
};

constinit HandleTable<Runtime, NXS_ObjectType_Runtime> runtimes;
constinit HandleTable<Device, NXS_ObjectType_Device> devices;
constinit HandleTable<HostBuffer, NXS_ObjectType_Buffer> buffers;
constinit HandleTable<Library, NXS_ObjectType_Library> libraries;
constinit HandleTable<Kernel, NXS_ObjectType_Kernel> kernels;
constinit HandleTable<WorkQueue, NXS_ObjectType_Stream> streams;
constinit HandleTable<BinaryEvent, NXS_ObjectType_Event> events;

// ---- Schedules ----

struct KernelCommand;
class Schedule;

struct Recording {
  using Device = ::Device;
  using Kernel = ::Kernel;
  using Buffer = HostBuffer;
  using Stream = WorkQueue;
  using KernelCommand = ::KernelCommand;
  using Transfer = HostCopy<HostBuffer>;
  using Schedule = ::Schedule;
  static constexpr auto &kernels = ::kernels;
  static constexpr auto &buffers = ::buffers;
  static constexpr auto &streams = ::streams;

  static Device &device_of(nxs_id device) { return *devices.pin(device); }
  static nxs_ticket submit(WorkQueue &queue, Transfer transfer) {
    return queue.submit(std::move(transfer));
  }
  static nxs_ticket run(Ref<Schedule> schedule, nxs_id stream, nxs_execution_settings settings);
  static void prepare(Schedule &schedule, nxs_id stream);
};

struct KernelCommand : RecordedKernel<Recording> {
  explicit KernelCommand(Ref<Kernel> kernel) : RecordedKernel(std::move(kernel), true) {}
  Launch lower_launch(const nxs_launch &launch) const {
    const Launch checked = check_launch(&launch, Size3{64, 1, 1}, kMaxGroupItems);
    if (checked.local_memory <= kMaxLocalMemory) return checked;
    throw Error(NXS_OutOfResources, "local_memory is ", checked.local_memory,
                " bytes; a group has at most ", kMaxLocalMemory);
  }
};

// What a run does later, on a stream's thread, with the arguments of now.
struct KernelWork {
  explicit KernelWork(KernelCommand &command)
      : kernel(command.kernel_ref()), launch(command.launch()), arguments(command.snapshot()) {}
  void operator()() const { kernel->code.run(*arguments, launch); }
  Ref<Kernel> kernel;
  Launch launch;
  Arguments<HostBuffer>::Snapshot arguments;
};
struct EarlierRun {
  Ref<WorkQueue> stream;
  nxs_ticket ticket;
};
struct Run {
  // Waits for the runs before it, whatever becomes of them.
  void operator()() const {
    for (const EarlierRun &each : before) each.stream->completion().join(each.ticket);
    for (const auto &work : works) std::visit([](const auto &each) { each(); }, work);
  }
  std::vector<EarlierRun> before;
  std::vector<std::variant<KernelWork, Recording::Transfer>> works;
};

class Schedule : public QueuedSchedule<Recording> {
 public:
  using QueuedSchedule::QueuedSchedule;

  nxs_ticket run(nxs_id stream_id) {
    const RunLock<Recording> lock(*this);
    const StreamOf stream(*this, stream_id);
    Run run;
    for_each_run_elsewhere(lock, **stream, [&](const Ref<WorkQueue> &other, nxs_ticket ticket) {
      run.before.push_back({other, ticket});
    });
    lock.for_each_step([&](Command<Recording> &step) {
      if (KernelCommand *kernel = step.kernel()) {
        run.works.emplace_back(std::in_place_type<KernelWork>, *kernel);
      } else {
        run.works.emplace_back(*step.transfer());
      }
    });
    return submit_run(lock, *stream, [&] { return stream->submit(std::move(run)); });
  }
};

nxs_ticket Recording::run(Ref<Schedule> schedule, nxs_id stream, nxs_execution_settings settings) {
  check_settings(settings, NXS_ExecutionSettings_NonBlocking);
  return schedule->run(stream);
}
void Recording::prepare(Schedule &schedule, nxs_id stream) {
  streams.pin(stream);
  RunLock<Recording>(schedule).for_each_step([](const Command<Recording> &) {});  // all finalized
}

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
constexpr PropertyTable<Schedule, 0> schedule_properties{};

}  // namespace

// ---- The C-API ----

NEXUS_PLUGIN_GET_PROPERTY(Runtime, runtimes, runtime_properties)
NEXUS_PLUGIN_GET_PROPERTY(Device, devices, device_properties)
NEXUS_PLUGIN_OBJECT(Buffer, buffers, buffer_properties)
NEXUS_PLUGIN_OBJECT(Library, libraries, library_properties)
NEXUS_PLUGIN_OBJECT(Kernel, kernels, kernel_properties)
NEXUS_PLUGIN_OBJECT(Stream, streams, stream_properties)
NEXUS_PLUGIN_OBJECT(Event, events, event_properties)
NEXUS_PLUGIN_RECORDING(Recording, schedule_properties)
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
    return streams.pin(stream)->submit(
        HostTransfer<HostBuffer>::read(buffers.pin(buffer), offset, host_ptr, size));
  });
}

nxs_status nxsWriteBuffer(nxs_id buffer, uint64_t offset, const void *host_ptr, uint64_t size,
                          nxs_id stream, nxs_ticket *out_ticket) {
  return guarded(out_ticket, [&] {
    return streams.pin(stream)->submit(
        HostTransfer<HostBuffer>::write(buffers.pin(buffer), offset, host_ptr, size));
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
  functions.PrepareSchedule = nxsPrepareSchedule;
  functions.CreateScheduleCommand = nxsCreateScheduleCommand;
  functions.EnqueueHostCallback = nxsEnqueueHostCallback;
  functions.GetElapsedTime = nxsGetElapsedTime;
  constexpr Identity self{.name = "reference", .version = "0.1.0", .capabilities = kCapabilities};
  return query(host, plugin, self, functions, [] { return runtimes.create(devices.create()); });
}

}  // extern "C"
