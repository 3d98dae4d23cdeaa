// SPDX-License-Identifier: Apache-2.0
// Copies between buffers and host memory.
//
// The driver copies page-locked memory in the background. For pageable memory its call would wait
// for the stream's earlier work, so such copies go through page-locked memory of the backend: small
// ones through a staging slot, large ones in parts by threads. So no call waits for the stream's
// work, unless device memory is exhausted.
#include "memory/buffer.hpp"
#include "stream/stream.hpp"

#include <cstring>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::Staging;

namespace {

constexpr const char *kReading = "copying a buffer to the host";
constexpr const char *kWriting = "copying from the host to a buffer";
constexpr uint64_t kLookForEnd = 1'000'000;  // nanoseconds

CUdeviceptr as_address(const void *memory) noexcept {
  return reinterpret_cast<CUdeviceptr>(memory);
}

// Returns a staging slot; empty if none is free or the size is too large.
StagingSlotPtr take_slot(Device &device, uint64_t size) {
  if (size > Staging::kLargest) return {};
  Staging &staging = device.state().staging;
  std::byte *memory = staging.take(size);
  return memory == nullptr ? StagingSlotPtr() : StagingSlotPtr::make(staging, memory, size);
}

// Allocates temporary device memory for a large copy. Returns 0 if there is none left.
CUdeviceptr try_allocate(DeviceMemory &memory, uint64_t size) {
  try {
    return memory.allocate(size);
  } catch (const Error &error) {
    if (error.status() != NXS_MemObjectAllocationFailure) throw;
    return 0;
  }
}

// Lets the driver copy, which for pageable memory waits for the stream's earlier work.
nxs_ticket copy_by_driver(Stream &stream, CUdeviceptr to, CUdeviceptr from, uint64_t size,
                          const char *what) {
  return stream.submit(
      [&](Enqueuing &work) { work.check(cu.MemcpyAsync(to, from, size, work.stream), what); });
}

// ---- To the host ------------------------------------------------------

// Copies to temporary device memory in the stream, and from there to the host by threads, after the
// stream's earlier copies to the host. Later work of the stream does not wait for the threads.
nxs_ticket read_in_parts(Stream &stream, CUdeviceptr from, void *to, uint64_t size) {
  DeviceMemory &memory = stream.state().memory;
  const CUdeviceptr kept = try_allocate(memory, size);
  if (kept == 0) return copy_by_driver(stream, as_address(to), from, size, kReading);
  const auto condition = ConditionPtr::make(Condition::By::kCopies);
  const WakePtr wake = stream.tickets().wake();
  const auto job = CopyJobPtr::make();
  job->host = static_cast<std::byte *>(to);
  job->device = kept;
  job->size = size;
  job->finished = [&memory, condition, wake, &device = stream.device()](CopyJob &done) {
    const MemoryBlock block{done.device, done.size};
    try {
      const CurrentContext current(device);
      memory.free(block, 0);
    } catch (const std::exception &) {
      device.state().frees.add_when_idle(0, [&memory, block] { memory.free(block, 0); });
    }
    condition->returned(done.failure);
    wake->wake();
  };
  bool begun = false;
  try {
    return stream.submit_recorded(
        [&](Enqueuing &work) {
          work.check(cu.MemcpyAsync(kept, from, size, work.stream), kReading);
          job->after = stream.record(work, false);
          job->host_is_done = [self = Ref<Stream>::to(stream),
                               behind = stream.tickets().completion().last()] {
            return self->tickets().settled(behind);
          };
          EventPtr mark = job->after;
          stream.state().workers.begin(job);  // nothing after it may fail, as it writes to the host
          begun = true;
          return mark;
        },
        condition);
  } catch (...) {
    if (!begun) memory.free({kept, size}, stream_bit(stream.pooled().index));
    while (begun && condition->copies()) wake->sleep(wake->count(), kLookForEnd);
    throw;
  }
}

nxs_ticket read(Stream &stream, const Buffer &buffer, uint64_t offset, void *to, uint64_t size) {
  if (size == 0) return stream.mark();
  const CurrentContext current(stream.device());
  const CUdeviceptr from = buffer.address() + offset;
  buffer.used_in(stream.pooled());
  if (is_page_locked(to, size)) {
    return copy_by_driver(stream, as_address(to), from, size, kReading);
  }
  if (const StagingSlotPtr slot = take_slot(stream.device(), size)) {
    return stream.submit_marked(
        [&](Enqueuing &work) {
          work.check(cu.MemcpyAsync(as_address(slot->memory()), from, size, work.stream), kReading);
        },
        ConditionPtr::make(slot, to, size));
  }
  return read_in_parts(stream, from, to, size);
}

// ---- From the host ----------------------------------------------------

void wait_for_all(Enqueuing &work, const std::vector<EventPtr> &all) {
  try {
    for (const EventPtr &event : all) {
      work.check(cu.StreamWaitEvent(work.stream, event->get(), 0), kWriting);
    }
  } catch (...) {
    wait_for_copies<Gpu>(all);
    throw;
  }
}

// Copies to temporary device memory by threads, and from there in the stream, after its work.
nxs_ticket write_after_work(Stream &stream, CUdeviceptr to, const void *from, uint64_t size) {
  DeviceState &state = stream.state();
  const CUdeviceptr kept = try_allocate(state.memory, size);
  if (kept == 0) return copy_by_driver(stream, to, as_address(from), size, kWriting);
  const StreamSet user = stream_bit(stream.pooled().index);
  std::vector<EventPtr> copied;
  try {
    copied = state.workers.upload(kept, from, size);
    const nxs_ticket ticket = stream.submit([&](Enqueuing &work) {
      wait_for_all(work, copied);
      work.check(cu.MemcpyAsync(to, kept, size, work.stream), kWriting);
    });
    state.memory.free({kept, size}, user);
    return ticket;
  } catch (...) {
    wait_for_copies<Gpu>(copied);
    state.memory.free({kept, size}, user);
    throw;
  }
}

// Copies directly to the buffer if the stream is idle.
nxs_ticket write_in_parts(Stream &stream, CUdeviceptr to, const void *from, uint64_t size) {
  bool idle = false;
  const auto directly = [&](Enqueuing &work) {
    idle = !stream.is_foreign() && stream.tickets().idle() &&
           cu.StreamQuery(work.stream) == CUDA_SUCCESS;  // other libraries' work has no ticket
    if (idle) wait_for_all(work, stream.state().workers.upload(to, from, size));
  };
  const nxs_ticket ticket = stream.submit(directly);
  return idle ? ticket : write_after_work(stream, to, from, size);
}

nxs_ticket write(Stream &stream, const Buffer &buffer, uint64_t offset, const void *from,
                 uint64_t size) {
  if (size == 0) return stream.mark();
  const CurrentContext current(stream.device());
  const CUdeviceptr to = buffer.address() + offset;
  buffer.used_in(stream.pooled());
  if (is_page_locked(from, size)) {
    return copy_by_driver(stream, to, as_address(from), size, kWriting);
  }
  if (const StagingSlotPtr slot = take_slot(stream.device(), size)) {
    std::memcpy(slot->memory(), from, size);
    return stream.submit_marked(
        [&](Enqueuing &work) {
          work.check(cu.MemcpyAsync(to, as_address(slot->memory()), size, work.stream), kWriting);
        },
        ConditionPtr::make(slot, nullptr, uint64_t{0}));
  }
  return write_in_parts(stream, to, from, size);
}

}  // namespace

void copy_into_new(const Buffer &buffer, const void *from) {
  Device &device = buffer.device();
  DeviceState &state = device.state();
  if (buffer.size() > Staging::kLargest && !is_page_locked(from, buffer.size())) {
    const auto copied = state.workers.upload(buffer.address(), from, buffer.size());
    wait_for_copies<Gpu>(copied);
    for (const EventPtr &event : copied) device.check(cu.EventQuery(event->get()), kWriting);
    return;
  }
  const StagingSlotPtr slot = take_slot(device, buffer.size());
  if (slot) std::memcpy(slot->memory(), from, buffer.size());
  const CUdeviceptr source = as_address(slot ? slot->memory() : from);
  const CUstream stream = state.memory.stream();
  device.check(cu.MemcpyAsync(buffer.address(), source, buffer.size(), stream), kWriting);
  device.check(cu.StreamSynchronize(stream), kWriting);
}

}  // namespace nexus_cuda

using namespace nexus_cuda;

NEXUS_PLUGIN_HOST_COPIES(buffers, streams, read(*queue, *buffer, offset, host_ptr, size),
                         write(*queue, *buffer, offset, host_ptr, size))
