// SPDX-License-Identifier: Apache-2.0
// The driver functions that the backend calls: devices, device memory, in-order queues and events.
// reference_driver.cpp is a sample that uses host threads. Rewrite that file with calls to your
// driver; nexus_reference.cpp stays the same.
//
// Any thread may call any function at any time; none throws. Functions that enqueue work return
// before the work is done. Results are written only if kDone is returned. After a kernel has
// failed, its queue runs no more work, and later events in the queue have the kernel's status.
#ifndef REFERENCE_DRIVER_HPP_
#define REFERENCE_DRIVER_HPP_

#include <nexus-plugin/kernel/arguments.hpp>
#include <nexus-plugin/kernel/launch.hpp>

namespace reference NXS_HIDDEN {
namespace driver {

// The result of a call. All but the first two are errors.
enum Status : int32_t {
  kDone,
  kRunning,  // only from query() and query_queue()
  kOutOfMemory,
  kOutOfResources,
  kInvalidLibrary,
  kNoSuchKernel,
  kKernelFailed,
};
const char *words_of(Status status) noexcept;

// ---- Devices, which live until the process ends ----

struct Device;

struct DeviceFacts {
  const char *name, *vendor, *type, *architecture;  // valid until the process ends
  uint64_t memory_size;                             // bytes; 0: not known
  uint64_t max_group_items, max_local_memory;       // of a group; the latter in bytes
};

// Starts the driver. Returns an error if it is missing or does not start.
Status count_devices(uint32_t *out_count) noexcept;
// Returns the same device for the same index.
Status open_device(uint32_t index, Device **out_device) noexcept;
DeviceFacts facts_of(const Device *device) noexcept;

// ---- Memory. Addresses are the device's; those of the bytes of an allocation are consecutive ----

using Address = uint64_t;

Status allocate(Device *device, uint64_t size, Address *out_address) noexcept;
// address: from allocate(). Frees the memory after the enqueued work that uses it.
void free_memory(Device *device, Address address) noexcept;
// Returns when the bytes are written.
Status write_memory(Device *device, Address to, const void *from, uint64_t size) noexcept;

// ---- Queues, whose work is done in order ----

struct Queue;

Status make_queue(Device *device, Queue **out_queue) noexcept;
// Enqueued work still runs.
void end_queue(Queue *queue) noexcept;
// Returns the state of all enqueued work: kDone, kRunning, or why it failed.
Status query_queue(Queue *queue) noexcept;

// size is at least 1. The caller keeps its memory until the copy is done.
Status copy_to_host(Queue *queue, void *to, Address from, uint64_t size) noexcept;
Status copy_to_device(Queue *queue, Address to, const void *from, uint64_t size) noexcept;
Status copy(Queue *queue, Address to, Address from, uint64_t size) noexcept;
// pattern is read during the call; its size is 1, 2, 4, 8 or 16. size is a multiple of that.
Status fill(Queue *queue, Address to, const void *pattern, uint64_t pattern_size,
            uint64_t size) noexcept;
// Calls call(context) on any thread when the earlier work is done. The callback returns quickly and
// calls no driver function. After a failure the driver may skip it.
Status call_host(Queue *queue, void (*call)(void *context), void *context) noexcept;

// ---- Events. Each marks a place in a queue and can be recorded repeatedly ----

struct Event;

Status make_event(Device *device, bool timed, Event **out_event) noexcept;
void end_event(Event *event) noexcept;
// Records the event after all enqueued work.
Status record(Queue *queue, Event *event) noexcept;
// Later work of the queue starts when the event's newest record, in any queue, is done. If the work
// before that record failed, this queue fails too.
Status wait_for(Queue *queue, Event *event) noexcept;
// Returns the state of the newest record: kDone, kRunning, or why the work before it failed.
Status query(Event *event) noexcept;
// Returns the nanoseconds between two timed events that are done.
Status elapsed(Event *start, Event *end, double *out_nanoseconds) noexcept;

// ---- Code ----

struct Library;
struct Kernel;

// data is read during the call.
Status load_library(Device *device, const void *data, uint64_t size,
                    Library **out_library) noexcept;
// Destroys its kernels too. Unloads the code after the enqueued work that uses it.
void unload_library(Library *library) noexcept;
uint32_t count_kernels(const Library *library) noexcept;
Status kernel_at(Library *library, uint32_t index, Kernel **out_kernel) noexcept;

// The results are valid as long as the library.
const char *name_of(const Kernel *kernel) noexcept;
std::span<const nexus_plugin::ArgumentSpec> arguments_of(const Kernel *kernel) noexcept;

// An argument of a launch.
struct Argument {
  nxs_argument_kind kind;  // a buffer, a number, or local memory
  Address address;         // of a buffer's range
  const void *bytes;       // of a number; read during the call
  uint64_t size;           // bytes
};

// launch is checked, and has at least one group.
Status launch(Queue *queue, Kernel *kernel, const nexus_plugin::Launch &launch,
              std::span<const Argument> arguments) noexcept;

}  // namespace driver
}  // namespace reference

#endif  // REFERENCE_DRIVER_HPP_
