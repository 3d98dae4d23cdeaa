// SPDX-License-Identifier: Apache-2.0
// The reference backend for an asynchronous driver: its streams are the driver's queues, and its
// buffers are device memory, which the host does not access. All driver calls go through
// reference_driver.hpp.
#include <nexus-plugin/plugin.hpp>

#include "reference_compiler.hpp"
#include "reference_driver.hpp"

using namespace nexus_plugin;
using namespace reference;

namespace {

// ---- Statuses of the driver ----

nxs_status status_of(driver::Status status) {
  switch (status) {
    case driver::kOutOfMemory:
      return NXS_MemObjectAllocationFailure;
    case driver::kOutOfResources:
      return NXS_OutOfResources;
    case driver::kInvalidLibrary:
      return NXS_InvalidBinary;
    case driver::kNoSuchKernel:
      return NXS_InvalidKernelName;
    default:
      return NXS_InternalError;
  }
}

Error error_of(driver::Status status, std::string_view what) {
  return Error::with_native_code(status, status_of(status), what, ": ", driver::words_of(status));
}

void check(driver::Status status, std::string_view what) {
  if (status != driver::kDone) throw error_of(status, what);
}

// ---- Devices, libraries and kernels ----

constexpr uint64_t kCapabilities = NXS_Capability_Timing | NXS_Capability_ArgumentInfo |
                                   NXS_Capability_HostCallback | NXS_Capability_LibraryFromMemory |
                                   NXS_Capability_Compile | NXS_Capability_NestedSchedule;

class Device;
class Stream;

// The queue of one submission, and whether a part of it was enqueued.
struct Enqueuing {
  driver::Queue *queue;
  bool begun = false;

  // Checks the status of a driver call that enqueues work.
  void check(driver::Status status, std::string_view what) {
    ::check(status, what);
    begun = true;
  }
};

// Describes the driver's queues and events to the kit: see nexus-plugin/stream/tickets.hpp,
// event_pool.hpp, host_calls.hpp and queued_stream.hpp.
struct Queue {
  using Device = ::Device;
  using Stream = ::Stream;
  using NativeEvent = driver::Event *;
  using Event = Shared<PooledEvent<Queue>>;
  using Status = driver::Status;
  using Signal = StreamSignal<Queue>;
  static constexpr Status kDone = driver::kDone;
  static bool is_running(Status status) noexcept { return status == driver::kRunning; }
  static constexpr std::chrono::microseconds kSpin{20};

  // This driver does not report that a device is lost, and any thread may call it.
  static const Failure *lost() noexcept { return nullptr; }
  static FailurePtr lost_cause() noexcept { return {}; }
  struct Use {};
  static Use use() noexcept { return {}; }

  static NativeEvent make_event(const Device &device, bool timed);
  static void destroy_event(NativeEvent event) noexcept { driver::end_event(event); }

  Event record() const;
  static Status query(const Event &event) noexcept { return driver::query(event->get()); }
  Status query_all() const noexcept { return driver::query_queue(native); }
  static FailurePtr failure_of(Status status) noexcept {
    return make_failure(error_of(status, "work of the stream"));
  }
  static void waited() noexcept {}
  // Does nothing, since the driver keeps the objects of enqueued work alive.
  static void call_later(const Event &, const std::function<void()> &) noexcept {}
  static void enqueue_wait(Enqueuing &work, const Signal &signal) {
    work.check(driver::wait_for(work.queue, signal.event->get()), "waiting for an event");
  }
  static void enqueue_host_call(Enqueuing &work, void (*reached)(void *), void *call) {
    work.check(driver::call_host(work.queue, reached, call), "enqueuing a host callback");
  }
  static double elapsed(const Device &, const Signal &start, const Signal &end) {
    double nanoseconds = 0;
    ::check(driver::elapsed(start.event->get(), end.event->get(), &nanoseconds),
            "reading times of events");
    return nanoseconds;
  }

  Device *device;
  driver::Queue *native;
};

class Device {
 public:
  explicit Device(driver::Device *native) : native_(native), facts_(driver::facts_of(native)) {}

  driver::Device *native() const noexcept { return native_; }
  const driver::DeviceFacts &facts() const noexcept { return facts_; }
  std::string_view name() const noexcept { return facts_.name; }
  EventPool<Queue> &events() noexcept { return events_; }

 private:
  driver::Device *native_;
  const driver::DeviceFacts facts_;
  EventPool<Queue> events_{*this};
};

class Library : public LibraryFile {
 public:
  Library(Device &device, std::string_view bytes, const std::string &path)
      : LibraryFile(bytes, path), device_(&device) {
    check(driver::load_library(device.native(), bytes.data(), bytes.size(), &native_),
          "loading a library");
  }
  ~Library() { driver::unload_library(native_); }
  Library(const Library &) = delete;
  Library &operator=(const Library &) = delete;

  Device &device() const noexcept { return *device_; }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (uint32_t i = 0; i < driver::count_kernels(native_); ++i) {
      all.emplace_back(driver::name_of(kernel_at(i)));
    }
    std::sort(all.begin(), all.end());
    return all;
  }
  driver::Kernel *find(std::string_view name) const {
    for (uint32_t i = 0; i < driver::count_kernels(native_); ++i) {
      if (driver::name_of(kernel_at(i)) == name) return kernel_at(i);
    }
    throw_no_kernel(name, instead_of(name, names(), "no kernel at all"));
  }

 private:
  driver::Kernel *kernel_at(uint32_t index) const {
    driver::Kernel *kernel = nullptr;
    check(driver::kernel_at(native_, index, &kernel), "reading the kernels of a library");
    return kernel;
  }

  Device *device_;
  driver::Library *native_ = nullptr;
};

class Kernel {
 public:
  Kernel(Ref<Library> library, std::string_view name)
      : library_(std::move(library)), native_(library_->find(name)) {}

  Device &device() const noexcept { return library_->device(); }
  driver::Kernel *native() const noexcept { return native_; }
  std::string_view name() const { return driver::name_of(native_); }
  bool described() const noexcept { return true; }
  std::span<const ArgumentSpec> specs() const { return driver::arguments_of(native_); }

 private:
  Ref<Library> library_;
  driver::Kernel *native_;
};

class Buffer {
 public:
  Buffer(Device &device, uint64_t size, nxs_buffer_settings settings, const void *host_ptr)
      : device_(&device), size_(size) {
    if ((settings & ~NXS_BufferSettings_OnDevice) != 0) {
      throw Error(NXS_NotSupported, "settings are ", settings, "; the device '", device.name(),
                  "' works in memory of its own: make a buffer with OnDevice "
                  "and copy to it");
    }
    check_new_buffer(size, settings, host_ptr, NXS_BufferSettings_OnDevice, UINT64_MAX);
    const std::string what = join("making a buffer of ", size, " bytes");
    check(driver::allocate(device.native(), size, &address_), what);
    if (host_ptr == nullptr) return;
    const driver::Status status = driver::write_memory(device.native(), address_, host_ptr, size);
    if (status == driver::kDone) return;
    driver::free_memory(device.native(), address_);
    throw error_of(status, what);
  }
  ~Buffer() { driver::free_memory(device_->native(), address_); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  Device &device() const noexcept { return *device_; }
  uint64_t size() const noexcept { return size_; }
  driver::Address address() const noexcept { return address_; }

 private:
  Device *device_;
  uint64_t size_;
  driver::Address address_ = 0;
};

// ---- Streams and events ----

driver::Queue *make_queue(const Device &device, int32_t priority) {
  check_no_priority(priority);
  driver::Queue *queue = nullptr;
  check(driver::make_queue(device.native(), &queue), "making a stream");
  return queue;
}

class Stream : public QueuedStream<Queue> {
 public:
  Stream(Device &device, int32_t priority)
      : QueuedStream(device, priority, {&device, make_queue(device, priority)}) {}
  ~Stream() { driver::end_queue(native()); }
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  // Described in nexus-plugin/stream/queued_stream.hpp. Records an event after each submission. If
  // that is slow, see tickets.hpp: most tickets need no event.
  template <class Enqueue>
  nxs_ticket submit_locked(Enqueue &&enqueue, const Shared<Condition<Stream>> &condition,
                           bool timed) {
    tickets().prepare();
    Enqueuing work{native()};
    try {
      enqueue(work);
      auto event = Queue::Event::make(device().events(), timed);
      work.check(driver::record(work.queue, event->get()), "recording an event");
      return tickets().add(std::move(event), condition);
    } catch (...) {
      if (work.begun) tickets().fail(current_failure());
      throw;
    }
  }

 private:
  driver::Queue *native() const noexcept { return tickets().queue().native; }
};

Queue::NativeEvent Queue::make_event(const Device &device, bool timed) {
  NativeEvent event = nullptr;
  ::check(driver::make_event(device.native(), timed, &event), "making an event");
  return event;
}

Queue::Event Queue::record() const {
  Event event = Event::make(device->events(), false);
  ::check(driver::record(native, event->get()), "recording an event");
  return event;
}

using BackendEvent = QueuedEvent<Queue>;

constinit HandleTable<Runtime, NXS_ObjectType_Runtime> runtimes;
constinit HandleTable<Device, NXS_ObjectType_Device> devices;
constinit HandleTable<Buffer, NXS_ObjectType_Buffer> buffers;
constinit HandleTable<Library, NXS_ObjectType_Library> libraries;
constinit HandleTable<Kernel, NXS_ObjectType_Kernel> kernels;
constinit HandleTable<Stream, NXS_ObjectType_Stream> streams;
constinit HandleTable<BackendEvent, NXS_ObjectType_Event> events;

// ---- Schedules ----

class KernelCommand;
class Transfer;
class Schedule;

struct Recording
    : RecordingOf<devices, kernels, buffers, streams, KernelCommand, Transfer, Schedule> {};

class KernelCommand : public RecordedKernel<Recording> {
 public:
  explicit KernelCommand(Ref<Kernel> kernel) : RecordedKernel(std::move(kernel), true) {}

  Launch lower_launch(const nxs_launch &launch) const {
    const driver::DeviceFacts &facts = kernel().device().facts();
    const Launch checked = check_launch(&launch, Size3{64, 1, 1}, facts.max_group_items);
    if (checked.local_memory <= facts.max_local_memory) return checked;
    throw Error(NXS_OutOfResources, "local_memory is ", checked.local_memory,
                " bytes; a group has at most ", facts.max_local_memory);
  }

  void enqueue(Enqueuing &work) const {
    std::array<driver::Argument, kMaxArguments> values;
    std::transform(arguments().begin(), arguments().end(), values.begin(), value_of);
    naming_kernel(kernel(), [&] {
      work.check(driver::launch(work.queue, kernel().native(), launch(),
                                {values.data(), arguments().size()}),
                 "launching it");
    });
  }

 private:
  static driver::Argument value_of(const Argument<Buffer> &given) {
    const driver::Address address = given.buffer ? given.buffer->address() + given.offset : 0;
    return {given.kind, address, given.scalar.data(), given.size};
  }
};

class Transfer : public BufferTransfer<Buffer> {
 public:
  explicit Transfer(BufferTransfer<Buffer> checked) : BufferTransfer(std::move(checked)) {}

  nxs_ticket submit_to(Stream &stream) const {
    return stream.submit([this](Enqueuing &work) { enqueue(work); });
  }

  void enqueue(Enqueuing &work) const {
    if (empty()) return;
    const driver::Address target = to().buffer->address() + to().offset;
    if (is_copy()) {
      const driver::Address source = from().buffer->address() + from().offset;
      work.check(driver::copy(work.queue, target, source, to().size), "copying a buffer");
    } else {
      work.check(driver::fill(work.queue, target, pattern().data(), pattern().size(), to().size),
                 "filling a buffer");
    }
  }
};

class Schedule : public QueuedSchedule<Recording> {
 public:
  using QueuedSchedule::QueuedSchedule;

  static nxs_ticket run(const Ref<Schedule> &schedule, nxs_id stream,
                        nxs_execution_settings settings) {
    check_settings(settings, NXS_ExecutionSettings_NonBlocking);
    return schedule->run(stream);
  }
  void prepare(nxs_id stream_id) {
    const RunLock<Recording> lock(*this);
    const StreamOf stream(*this, stream_id);
    check_finalized(lock);
  }

 private:
  static void check_finalized(const RunLock<Recording> &lock) {
    lock.for_each_step([](const Command<Recording> &) {});
  }

  nxs_ticket run(nxs_id stream_id) {
    const RunLock<Recording> lock(*this);
    const StreamOf stream(*this, stream_id);
    check_finalized(lock);
    std::vector<Queue::Event> before;  // of runs in other streams; NULL: done
    for_each_run_elsewhere(lock, **stream, [&](const Ref<Stream> &other, nxs_ticket ticket) {
      before.push_back(other->tickets().event_of(ticket));
    });
    const auto enqueue = [&](Enqueuing &work) {
      for (const Queue::Event &each : before) {
        if (!each) continue;
        work.check(driver::wait_for(work.queue, each->get()), "waiting for the run before");
      }
      lock.for_each_step([&](const Command<Recording> &step) {
        if (const KernelCommand *kernel = step.kernel()) {
          kernel->enqueue(work);
        } else {
          step.transfer()->enqueue(work);
        }
      });
    };
    return submit_run(lock, *stream, [&] { return stream->submit(enqueue); });
  }
};

// ---- Copies to and from the host ----

nxs_ticket read(Stream &stream, const Buffer &from, uint64_t offset, void *host_ptr,
                uint64_t size) {
  return stream.submit([&](Enqueuing &work) {
    if (size == 0) return;
    work.check(driver::copy_to_host(work.queue, host_ptr, from.address() + offset, size),
               "copying from a buffer");
  });
}

nxs_ticket write(Stream &stream, const Buffer &to, uint64_t offset, const void *host_ptr,
                 uint64_t size) {
  return stream.submit([&](Enqueuing &work) {
    if (size == 0) return;
    work.check(driver::copy_to_device(work.queue, to.address() + offset, host_ptr, size),
               "copying to a buffer");
  });
}

// ---- Properties ----

constexpr auto device_properties = property_table<Device>({
    {NP_Name, member<&Device::name>},
    {NP_Vendor, [](const Device &device) -> Value { return device.facts().vendor; }},
    {NP_Type, [](const Device &device) -> Value { return device.facts().type; }},
    {NP_Architecture, [](const Device &device) -> Value { return device.facts().architecture; }},
    {NP_GlobalMemorySize,
     [](const Device &device) -> Value { return known(device.facts().memory_size); }},
    {NP_MaxThreadsPerBlock,
     [](const Device &device) -> Value { return device.facts().max_group_items; }},
    {NP_Languages, [](const Device &) -> Value { return std::vector<std::string>{"reference"}; }},
});
constexpr auto buffer_properties = property_table<Buffer>({{NP_Size, member<&Buffer::size>}});
constexpr auto library_properties =
    joined(library_file_properties<Library>, property_table<Library>({
                                                 {NP_KernelNames, member<&Library::names>},
                                             }));
constexpr auto kernel_properties = property_table<Kernel>({
    {NP_Name, member<&Kernel::name>},
    {NP_Count, [](const Kernel &kernel) -> Value { return kernel.specs().size(); }},
});
constexpr PropertyTable<Stream, 0> stream_properties{};
constexpr PropertyTable<BackendEvent, 0> event_properties{};
constexpr PropertyTable<Schedule, 0> schedule_properties{};

nxs_id create_buffer(Device &device, uint64_t size, nxs_buffer_settings settings,
                     const void *host_ptr) {
  return buffers.create(device, size, settings, host_ptr);
}

nxs_id create_event(Device &device, nxs_execution_settings settings) {
  check_settings(settings, NXS_ExecutionSettings_Timing);
  return events.create(device, (settings & NXS_ExecutionSettings_Timing) != 0);
}

// Opens all devices of the driver. Throws NXS_DeviceNotAvailable if it has none.
std::vector<nxs_id> open_devices() {
  uint32_t count = 0;
  const driver::Status status = driver::count_devices(&count);
  if (status != driver::kDone) {
    throw Error::with_native_code(status, NXS_DeviceNotAvailable,
                                  "opening the driver: ", driver::words_of(status));
  }
  if (count == 0) throw Error(NXS_DeviceNotAvailable, "the driver has no device");
  std::vector<nxs_id> all;
  for (uint32_t index = 0; index < count; ++index) {
    driver::Device *device = nullptr;
    check(driver::open_device(index, &device), "opening a device");
    all.push_back(devices.create(device));
  }
  return all;
}

}  // namespace

// ---- The C-API ----

NEXUS_PLUGIN_RUNTIME(runtimes, "reference", "0.1.0", "A backend to start from.")
NEXUS_PLUGIN_GET_PROPERTY(Device, devices, device_properties)
NEXUS_PLUGIN_OBJECT(Buffer, buffers, buffer_properties)
NEXUS_PLUGIN_OBJECT(Library, libraries, library_properties)
NEXUS_PLUGIN_OBJECT(Kernel, kernels, kernel_properties)
NEXUS_PLUGIN_OBJECT(Event, events, event_properties)
NEXUS_PLUGIN_RELEASE(Stream, streams)
NEXUS_PLUGIN_QUEUED_STREAM(Queue, streams, stream_properties)
NEXUS_PLUGIN_QUEUED_EVENT(events, streams)
NEXUS_PLUGIN_RECORDING(Recording, schedule_properties)
NEXUS_PLUGIN_LIBRARIES(devices, libraries, kernels, read_library_file)
NEXUS_PLUGIN_KERNEL_ARGUMENTS(kernels, described, "")
NEXUS_PLUGIN_CREATE_BUFFER(devices, create_buffer)
NEXUS_PLUGIN_HOST_COPIES(buffers, streams, read(*queue, *buffer, offset, host_ptr, size),
                         write(*queue, *buffer, offset, host_ptr, size))
NEXUS_PLUGIN_COMPILE(devices, describe(settings), compile(settings, code, log))
NEXUS_PLUGIN_RESULT(CreateStream, (nxs_id device, int32_t priority, nxs_id *out),
                    streams.create(*devices.pin(device), priority))
NEXUS_PLUGIN_RESULT(CreateEvent, (nxs_id device, nxs_execution_settings settings, nxs_id *out),
                    create_event(*devices.pin(device), settings))

extern "C" NXS_EXPORT nxs_status nxsQueryPlugin(const nxs_host *host, nxs_plugin *plugin) {
  nxs_functions functions = required_functions();
  functions.GetKernelArgument = nxsGetKernelArgument;
  functions.DescribeCompile = nxsDescribeCompile;
  functions.CompileProgram = nxsCompileProgram;
  functions.PrepareSchedule = nxsPrepareSchedule;
  functions.CreateScheduleCommand = nxsCreateScheduleCommand;
  functions.EnqueueHostCallback = nxsEnqueueHostCallback;
  functions.GetElapsedTime = nxsGetElapsedTime;
  constexpr Identity self{.name = "reference", .version = "0.1.0"};
  return query(host, plugin, self, functions,
               [] { return start(runtimes, {open_devices(), kCapabilities}); });
}
