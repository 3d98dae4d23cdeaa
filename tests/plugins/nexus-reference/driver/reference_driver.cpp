// SPDX-License-Identifier: Apache-2.0
// A sample driver: each queue is a thread of the host, and kernels are built in
// (reference_kernels.hpp). Replace the whole file.
#include "reference_driver.hpp"

#include <map>
#include <mutex>
#include <optional>

#include "reference_device.hpp"

namespace reference NXS_HIDDEN {
namespace driver {

struct Memory {
  explicit Memory(uint64_t bytes)
      : size(bytes), data(::operator new(bytes, kAlignment, std::nothrow)) {}
  ~Memory() { ::operator delete(data, kAlignment); }
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  static constexpr std::align_val_t kAlignment{64};
  const uint64_t size;
  void *const data;
};
using MemoryPtr = Shared<Memory>;

// The bytes at an address. Enqueued work keeps their memory alive.
struct Bytes {
  MemoryPtr memory;
  std::byte *data;
};

struct Device {
  // Addresses are not host pointers, so code that uses one as a pointer crashes.
  static constexpr Address kFirst = Address{1} << 60;

  Bytes at(Address address) {
    const std::lock_guard lock(mutex);
    const auto &[begin, found] = *std::prev(memory.upper_bound(address));
    return {found, static_cast<std::byte *>(found->data) + (address - begin)};
  }

  std::mutex mutex;
  std::map<Address, MemoryPtr> memory;
};

// Set when a queue's work failed. The queue's thread writes it.
struct Outcome {
  std::atomic<bool> failed{false};
  FailurePtr cause = {};  // only for that thread
};

struct Queue {
  Device *device;
  WorkQueue work = {};
  const Shared<Outcome> outcome = Shared<Outcome>::make();
};

struct Event {
  BinaryEvent newest{true};
};

struct Kernel {
  const BuiltIn *code;
};
struct Library {
  std::vector<Kernel> kernels;
};

namespace {

// Calls body, and turns what it throws into a status.
template <class Body>
Status caught(Body &&body) noexcept {
  try {
    std::forward<Body>(body)();
    return kDone;
  } catch (const std::bad_alloc &) {
    return kOutOfMemory;
  } catch (const Error &error) {
    return error.status() == NXS_InvalidBinary ? kInvalidLibrary : kKernelFailed;
  } catch (const std::exception &) {
    return kOutOfResources;
  }
}

// Enqueues work, which runs only if no earlier work failed.
template <class Work>
Status enqueue(Queue *queue, Work &&work) noexcept {
  return caught([&] {
    queue->work.submit([outcome = queue->outcome, work = std::forward<Work>(work)]() mutable {
      if (outcome->failed) return;
      try {
        work();
      } catch (const std::exception &) {
        outcome->cause = current_failure();
        outcome->failed = true;
      }
    });
  });
}

Status status_of(const nxs_completion &completion) {
  if (completion.state == NXS_CompletionState_Running) return kRunning;
  return completion.state == NXS_CompletionState_Completed ? kDone : kKernelFailed;
}

// An enqueued launch.
class Launched {
 public:
  Launched(Device &device, const BuiltIn &code, const Launch &launch,
           std::span<const Argument> arguments)
      : code_(&code), launch_(launch) {
    for (const Argument &each : arguments) take(device, each);
  }
  void operator()() {
    std::vector<KernelArgument> values;
    for (Value &each : values_) {
      values.push_back({each.memory ? each.data : each.bytes.data(), each.size});
    }
    code_->run(values, launch_);
  }

 private:
  struct Value {
    uint64_t size;
    MemoryPtr memory = {};
    std::byte *data = nullptr;
    std::vector<std::byte> bytes = {};  // of a number
  };

  void take(Device &device, const Argument &given) {
    Value &value = values_.emplace_back(Value{given.size});
    if (given.kind == NXS_ArgumentKind_Buffer) {
      const Bytes found = device.at(given.address);
      value.memory = found.memory;
      value.data = found.data;
    } else if (given.kind == NXS_ArgumentKind_Scalar) {
      const auto *bytes = static_cast<const std::byte *>(given.bytes);
      value.bytes.assign(bytes, bytes + given.size);
    }
  }

  const BuiltIn *code_;
  Launch launch_;
  std::vector<Value> values_;
};

}  // namespace

const char *words_of(Status status) noexcept {
  switch (status) {
    case kOutOfMemory:
      return "the device has no memory left; release buffers or make smaller ones";
    case kInvalidLibrary:
      return "the library is not for this device, or is truncated";
    case kNoSuchKernel:
      return "the library has no such kernel";
    case kKernelFailed:
      return "a kernel failed";
    default:
      return "the system has no thread left; release streams";
  }
}

// ---- Devices ----

Status count_devices(uint32_t *out_count) noexcept {
  *out_count = 1;
  return kDone;
}
Status open_device(uint32_t, Device **out_device) noexcept {
  static Device *const device = new (std::nothrow) Device;  // never deleted, since threads use it
  *out_device = device;
  return device == nullptr ? kOutOfMemory : kDone;
}
DeviceFacts facts_of(const Device *) noexcept {
  return {"Nexus reference device", "Nexus",        "cpu", "reference", 0,
          kMaxGroupItems,           kMaxLocalMemory};
}

// ---- Memory ----

Status allocate(Device *device, uint64_t size, Address *out_address) noexcept {
  return caught([&] {
    const MemoryPtr made = size > PTRDIFF_MAX ? MemoryPtr() : MemoryPtr::make(size);
    if (!made || made->data == nullptr) throw std::bad_alloc();
    const Address address = Device::kFirst + reinterpret_cast<uintptr_t>(made->data);
    const std::lock_guard lock(device->mutex);
    device->memory[address] = made;
    *out_address = address;
  });
}
void free_memory(Device *device, Address address) noexcept {
  const std::lock_guard lock(device->mutex);
  device->memory.erase(address);
}
Status write_memory(Device *device, Address to, const void *from, uint64_t size) noexcept {
  std::memcpy(device->at(to).data, from, size);
  return kDone;
}

// ---- Queues ----

Status make_queue(Device *device, Queue **out_queue) noexcept {
  return caught([&] { *out_queue = new Queue{device}; });
}
void end_queue(Queue *queue) noexcept {
  delete queue;  // its thread ends after its work
}
Status query_queue(Queue *queue) noexcept {
  if (!queue->work.completion().idle()) return kRunning;
  return queue->outcome->failed ? kKernelFailed : kDone;
}

Status copy_to_host(Queue *queue, void *to, Address from, uint64_t size) noexcept {
  return enqueue(
      queue, [bytes = queue->device->at(from), to, size] { std::memcpy(to, bytes.data, size); });
}
Status copy_to_device(Queue *queue, Address to, const void *from, uint64_t size) noexcept {
  return enqueue(
      queue, [bytes = queue->device->at(to), from, size] { std::memcpy(bytes.data, from, size); });
}
Status copy(Queue *queue, Address to, Address from, uint64_t size) noexcept {
  return enqueue(queue, [target = queue->device->at(to), source = queue->device->at(from), size] {
    std::memcpy(target.data, source.data, size);
  });
}
Status fill(Queue *queue, Address to, const void *pattern, uint64_t pattern_size,
            uint64_t size) noexcept {
  std::array<std::byte, 16> kept{};
  std::memcpy(kept.data(), pattern, pattern_size);
  return enqueue(queue, [bytes = queue->device->at(to), kept, pattern_size, size] {
    for (uint64_t done = 0; done < size; done += pattern_size) {
      std::memcpy(bytes.data + done, kept.data(), pattern_size);
    }
  });
}
Status call_host(Queue *queue, void (*call)(void *context), void *context) noexcept {
  return enqueue(queue, [call, context] { call(context); });
}

// ---- Events ----

Status make_event(Device *, bool, Event **out_event) noexcept {
  return caught([&] { *out_event = new Event; });
}
void end_event(Event *event) noexcept {
  delete event;
}
Status record(Queue *queue, Event *event) noexcept {
  return caught([&] {
    const SignalPtr signal = SignalPtr::make();
    queue->work.submit([outcome = queue->outcome, signal] { signal->set(outcome->cause); });
    event->newest.submitted(signal);
  });
}
Status wait_for(Queue *queue, Event *event) noexcept {
  return enqueue(queue, [signal = event->newest.newest()] { signal->join(); });
}
Status query(Event *event) noexcept {
  nxs_completion completion{};
  completion.struct_size = sizeof(completion);
  event->newest.wait(0, &completion);
  return status_of(completion);
}
Status elapsed(Event *start, Event *end, double *out_nanoseconds) noexcept {
  *out_nanoseconds = elapsed_nanoseconds(start->newest, end->newest);
  return kDone;
}

// ---- Code ----

Status load_library(Device *, const void *data, uint64_t size, Library **out_library) noexcept {
  return caught([&] {
    auto library = std::make_unique<Library>();
    const std::string_view text(static_cast<const char *>(data), static_cast<std::size_t>(size));
    for (const std::size_t place : parse_library(text)) {
      library->kernels.push_back({&built_ins[place]});
    }
    *out_library = library.release();
  });
}
void unload_library(Library *library) noexcept {
  delete library;
}
uint32_t count_kernels(const Library *library) noexcept {
  return static_cast<uint32_t>(library->kernels.size());
}
Status kernel_at(Library *library, uint32_t index, Kernel **out_kernel) noexcept {
  if (index >= library->kernels.size()) return kNoSuchKernel;
  *out_kernel = &library->kernels[index];
  return kDone;
}

const char *name_of(const Kernel *kernel) noexcept {
  return kernel->code->name.data();  // a literal, so it ends with a zero
}
std::span<const ArgumentSpec> arguments_of(const Kernel *kernel) noexcept {
  return kernel->code->arguments();
}

Status launch(Queue *queue, Kernel *kernel, const Launch &launch,
              std::span<const Argument> arguments) noexcept {
  std::optional<Launched> launched;
  const Status status =
      caught([&] { launched.emplace(*queue->device, *kernel->code, launch, arguments); });
  return status == kDone ? enqueue(queue, std::move(*launched)) : status;
}

}  // namespace driver
}  // namespace reference
