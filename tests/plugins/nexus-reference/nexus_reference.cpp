// SPDX-License-Identifier: Apache-2.0
// The reference backend, complete in one file. It has one device, with host memory and with threads
// as streams. reference_device.hpp is a placeholder for the driver.
#include "reference_compiler.hpp"

using namespace nexus_plugin;
using namespace reference;

namespace {

// ---- Objects ----

constexpr uint64_t kCapabilities = NXS_Capability_HostVisibleMemory | NXS_Capability_Timing |
                                   NXS_Capability_ArgumentInfo | NXS_Capability_HostCallback |
                                   NXS_Capability_LibraryFromMemory | NXS_Capability_Compile |
                                   NXS_Capability_ManagedMemory |  // host memory, which never moves
                                   NXS_Capability_ForeignMemory | NXS_Capability_ShareableMemory |
                                   NXS_Capability_NestedSchedule | NXS_Capability_Branches;

struct Device {};
struct Library : LibraryFile {
  Library(const Device &, std::string_view bytes, const std::string &path)
      : LibraryFile(bytes, path), kernels(parse_library(bytes)) {}
  // Returns the names of the kernels in alphabetical order.
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const std::size_t place : kernels) all.emplace_back(built_ins[place].name);
    std::sort(all.begin(), all.end());
    return all;
  }
  const std::vector<std::size_t> kernels;  // indices of built_ins
};
struct Kernel {
  Kernel(Ref<Library> owner, std::string_view name)
      : library(std::move(owner)), code(find(*library, name)) {}
  static const BuiltIn &find(const Library &library, std::string_view name) {
    for (const std::size_t place : library.kernels) {
      if (built_ins[place].name == name) return built_ins[place];
    }
    library.throw_no_kernel(name, instead_of(name, library.names(), "no kernel at all"));
  }
  Ref<Library> library;  // kept alive: a driver's kernel needs its module
  const BuiltIn &code;
  bool described() const { return true; }
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

struct Recording : RecordingOf<devices, kernels, buffers, streams, KernelCommand,
                               HostCopy<HostBuffer>, Schedule> {};

struct KernelCommand : RecordedKernel<Recording> {
  explicit KernelCommand(Ref<Kernel> kernel) : RecordedKernel(std::move(kernel), true) {}
  Launch lower_launch(const nxs_launch &launch) const {
    const Launch checked = check_launch(&launch, Size3{64, 1, 1}, kMaxGroupItems);
    if (checked.local_memory <= kMaxLocalMemory) return checked;
    throw Error(NXS_OutOfResources, "local_memory is ", checked.local_memory,
                " bytes; a group has at most ", kMaxLocalMemory);
  }
};

// Converts an argument for a kernel. The const_cast is safe, since kernels only read numbers.
KernelArgument value_of(const Argument<HostBuffer> &given) {
  if (given.buffer) return {given.buffer->data() + given.offset, given.size};
  return {const_cast<std::byte *>(given.scalar.data()), given.size};
}

// A kernel launch in a run. Executes later, on a stream's thread, with a snapshot of the arguments.
struct KernelWork {
  explicit KernelWork(KernelCommand &command)
      : kernel(command.kernel_ref()), launch(command.launch()), arguments(command.snapshot()) {}
  void operator()() const {
    std::array<KernelArgument, kMaxArguments> values;
    std::transform(arguments->begin(), arguments->end(), values.begin(), value_of);
    kernel->code.run({values.data(), arguments->size()}, launch);
  }
  Ref<Kernel> kernel;
  Launch launch;
  Arguments<HostBuffer>::Snapshot arguments;
};
struct Run {
  // Waits for the earlier runs, even if they fail, and then runs the commands.
  void operator()() const {
    for (const Earlier &each : before) each.stream->completion().join(each.ticket);
    for (const std::size_t number : order) {
      std::visit([](const auto &each) { each(); }, works[number]);
    }
  }
  struct Earlier {
    Ref<WorkQueue> stream;
    nxs_ticket ticket;
  };
  std::vector<Earlier> before;
  std::vector<std::variant<KernelWork, Recording::Transfer>> works;
  std::vector<std::size_t> order;  // the numbers of the works
};

// Returns the valid order that differs most from the recorded one, so that tests detect a missing
// dependency. after: the steps that each step depends on.
std::vector<std::size_t> newest_first(const std::vector<StepNumbers> &after) {
  std::vector<std::size_t> order;
  std::vector<unsigned char> done(after.size());
  while (order.size() < after.size()) {
    for (std::size_t i = after.size(); i-- != 0;) {
      const auto is_done = [&](std::size_t each) { return done[each] != 0; };
      if (done[i] != 0 || !std::all_of(after[i].begin(), after[i].end(), is_done)) continue;
      done[i] = 1;
      order.push_back(i);
      break;
    }
  }
  return order;
}

class Schedule : public QueuedSchedule<Recording> {
 public:
  using QueuedSchedule::QueuedSchedule;

  static nxs_ticket run(Ref<Schedule> schedule, nxs_id stream_id, nxs_execution_settings settings) {
    check_settings(settings, NXS_ExecutionSettings_NonBlocking);
    const RunLock<Recording> lock(*schedule);
    const StreamOf stream(*schedule, stream_id);
    Run run;
    for_each_run_elsewhere(lock, **stream, [&](const Ref<WorkQueue> &other, nxs_ticket ticket) {
      run.before.push_back({other, ticket});
    });
    std::vector<StepNumbers> after;
    lock.for_each_step_after([&](Command<Recording> &step, StepNumbers follows) {
      if (KernelCommand *kernel = step.kernel()) {
        run.works.emplace_back(std::in_place_type<KernelWork>, *kernel);
      } else {
        run.works.emplace_back(*step.transfer());
      }
      after.push_back(std::move(follows));
    });
    run.order = newest_first(after);
    return submit_run(lock, *stream, [&] { return stream->submit(std::move(run)); });
  }
  void prepare(nxs_id stream) {
    streams.pin(stream);
    // Throws unless all commands are finalized.
    RunLock<Recording>(*this).for_each_step([](const Command<Recording> &) {});
  }
};

// ---- Properties ----

constexpr auto device_properties = property_table<Device>({
    {NP_Name, [](const Device &) -> Value { return "Nexus reference device"; }},
    {NP_Vendor, [](const Device &) -> Value { return "Nexus"; }},
    {NP_Type, [](const Device &) -> Value { return "cpu"; }},
    {NP_Architecture, [](const Device &) -> Value { return "reference"; }},
    {NP_MaxThreadsPerBlock, [](const Device &) -> Value { return kMaxGroupItems; }},
    {NP_Languages, [](const Device &) -> Value { return std::vector<std::string>{"reference"}; }},
});
constexpr auto buffer_properties = property_table<HostBuffer>({
    {NP_Size, member<&HostBuffer::size>},
    {NP_NativeHandle, member<&HostBuffer::address>},
});
constexpr auto library_properties =
    joined(library_file_properties<Library>, property_table<Library>({
                                                 {NP_KernelNames, member<&Library::names>},
                                             }));
constexpr auto kernel_properties = property_table<Kernel>({
    {NP_Name, member<&Kernel::name>},
    {NP_Count, [](const Kernel &kernel) -> Value { return kernel.code.argument_count; }},
});
constexpr PropertyTable<BinaryEvent, 0> event_properties{};
constexpr PropertyTable<Schedule, 0> schedule_properties{};

nxs_id create_buffer(const Device &, uint64_t size, nxs_buffer_settings settings, void *host_ptr) {
  return buffers.create(size, settings, host_ptr);
}

}  // namespace

// ---- The C-API ----

NEXUS_PLUGIN_RUNTIME(runtimes, "reference", "0.1.0", "A backend to start from.")
NEXUS_PLUGIN_GET_PROPERTY(Device, devices, device_properties)
NEXUS_PLUGIN_OBJECT(Buffer, buffers, buffer_properties)
NEXUS_PLUGIN_OBJECT(Library, libraries, library_properties)
NEXUS_PLUGIN_OBJECT(Kernel, kernels, kernel_properties)
NEXUS_PLUGIN_OBJECT(Stream, streams, common_stream_properties<WorkQueue>)
NEXUS_PLUGIN_OBJECT(Event, events, event_properties)
NEXUS_PLUGIN_RECORDING(Recording, schedule_properties)
NEXUS_PLUGIN_STREAM(streams, completion())
NEXUS_PLUGIN_HOST_STREAM(devices, streams, events)
NEXUS_PLUGIN_EVENT(events)
NEXUS_PLUGIN_LIBRARIES(devices, libraries, kernels, read_library_file)
NEXUS_PLUGIN_KERNEL_ARGUMENTS(kernels, described, "")
NEXUS_PLUGIN_CREATE_BUFFER(devices, create_buffer)
NEXUS_PLUGIN_HOST_MEMORY(devices, buffers)
NEXUS_PLUGIN_HOST_COPIES(
    buffers, streams,
    queue->submit(HostTransfer<HostBuffer>::read(std::move(buffer), offset, host_ptr, size)),
    queue->submit(HostTransfer<HostBuffer>::write(std::move(buffer), offset, host_ptr, size)))
NEXUS_PLUGIN_COUNTED_MAPPINGS(buffers, streams, queue->submit([] {}))
NEXUS_PLUGIN_COMPILE(devices, describe(settings), compile(settings, code, log))

extern "C" NXS_EXPORT nxs_status nxsQueryPlugin(const nxs_host *host, nxs_plugin *plugin) {
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
  functions.SetCommandPredecessors = nxsSetCommandPredecessors;
  functions.EnqueueHostCallback = nxsEnqueueHostCallback;
  functions.GetElapsedTime = nxsGetElapsedTime;
  constexpr Identity self{.name = "reference", .version = "0.1.0"};
  return query(host, plugin, self, functions, [] {
    const std::vector<nxs_id> all = {devices.create()};
    return start(runtimes, {all, kCapabilities});
  });
}
