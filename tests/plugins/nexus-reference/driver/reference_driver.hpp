// SPDX-License-Identifier: Apache-2.0
// The driver, as the backend calls it: devices, memory that only their work reaches, in-order
// queues and events. reference_driver.cpp is a sample, with threads of the host. Write that file
// anew with calls of your driver; nexus_reference.cpp stays.
//
// Any thread may call each function, several at the same time, and none throws. What enqueues
// returns before the work is done. Results are written where kDone is returned. After a failed
// kernel a queue runs no more work, and the events behind it in the queue have its status.
#ifndef REFERENCE_DRIVER_HPP_
#define REFERENCE_DRIVER_HPP_

#include <nexus-plugin/arguments.hpp>
#include <nexus-plugin/launch.hpp>

namespace reference NXS_HIDDEN {
namespace driver {

// What a call returns. All but the first two are errors.
enum Status : int32_t {
  kDone,
  kRunning,  // of query() and query_queue() alone
  kOutOfMemory,
  kOutOfResources,
  kInvalidLibrary,
  kNoSuchKernel,
  kKernelFailed,
};
const char *words_of(Status status) noexcept;

// ---- Devices, which there are until the process ends ----

struct Device;

struct DeviceFacts {
  const char *name, *vendor, *type, *architecture;  // valid until the process ends
  uint64_t memory_size;                             // bytes; 0: not known
  uint64_t max_group_items, max_local_memory;       // of a group; the latter in bytes
};

// Opens the driver. An error: it is not there, or does not start.
Status count_devices(uint32_t *out_count) noexcept;
// The same one each time for an index.
Status open_device(uint32_t index, Device **out_device) noexcept;
DeviceFacts facts_of(const Device *device) noexcept;

// ---- Memory. Its addresses are the device's, and bytes of it are next to each other ----

using Address = uint64_t;

Status allocate(Device *device, uint64_t size, Address *out_address) noexcept;
// address: as allocate() gave it. Enqueued work may still use it: that comes first.
void free_memory(Device *device, Address address) noexcept;
// Returns when the bytes are there.
Status write_memory(Device *device, Address to, const void *from, uint64_t size) noexcept;

// ---- Queues, whose work is done in order ----

struct Queue;

Status make_queue(Device *device, Queue **out_queue) noexcept;
// What was enqueued is still done.
void end_queue(Queue *queue) noexcept;
// Whether all that was enqueued is done: kDone, kRunning, or why it failed.
Status query_queue(Queue *queue) noexcept;

// size is at least 1. The caller keeps its memory until the copy is done.
Status copy_to_host(Queue *queue, void *to, Address from, uint64_t size) noexcept;
Status copy_to_device(Queue *queue, Address to, const void *from, uint64_t size) noexcept;
Status copy(Queue *queue, Address to, Address from, uint64_t size) noexcept;
// pattern is read during the call; its size is 1, 2, 4, 8 or 16, of which size is a multiple.
Status fill(Queue *queue, Address to, const void *pattern, uint64_t pattern_size,
            uint64_t size) noexcept;
// Calls call(context) on any thread when the work before it is done. The call returns soon, and
// calls no function of the driver. After a failure it may be left out.
Status call_host(Queue *queue, void (*call)(void *context), void *context) noexcept;

// ---- Events, each a place in a queue that is recorded again and again ----

struct Event;

Status make_event(Device *device, bool timed, Event **out_event) noexcept;
void end_event(Event *event) noexcept;
// Behind all that was enqueued.
Status record(Queue *queue, Event *event) noexcept;
// Later work starts when the event's newest record, of any queue, is done. Where the work before
// that failed so does this queue.
Status wait_for(Queue *queue, Event *event) noexcept;
// Of the newest record: kDone, kRunning, or why the work before it failed.
Status query(Event *event) noexcept;
// Nanoseconds between timed events that are done.
Status elapsed(Event *start, Event *end, double *out_nanoseconds) noexcept;

// ---- Code ----

struct Library;
struct Kernel;

// data is read during the call.
Status load_library(Device *device, const void *data, uint64_t size,
                    Library **out_library) noexcept;
// Kernels of it are gone then. Enqueued work may still use it: that comes first.
void unload_library(Library *library) noexcept;
uint32_t count_kernels(const Library *library) noexcept;
Status kernel_at(Library *library, uint32_t index, Kernel **out_kernel) noexcept;

// Valid as long as the library.
const char *name_of(const Kernel *kernel) noexcept;
std::span<const nexus_plugin::ArgumentSpec> arguments_of(const Kernel *kernel) noexcept;

// An argument that a kernel is launched with.
struct Argument {
  nxs_argument_kind kind;  // a buffer's, a number, or local memory
  Address address;         // of a buffer's part
  const void *bytes;       // of a number; read during the call
  uint64_t size;           // bytes
};

// launch: checked, and of at least one group.
Status launch(Queue *queue, Kernel *kernel, const nexus_plugin::Launch &launch,
              std::span<const Argument> arguments) noexcept;

}  // namespace driver
}  // namespace reference

#endif  // REFERENCE_DRIVER_HPP_
