// SPDX-License-Identifier: Apache-2.0
// Copies between buffers and memory of the host's.
//
// The driver copies with page-locked memory by itself. With other memory it would wait for the
// stream's earlier work within the call, so such copies go through page-locked memory of ours:
// small ones through a slot, large ones in parts by threads. None waits for work of the device's.
#include "memory/buffer.hpp"
#include "memory/page_locked.hpp"
#include "stream/stream.hpp"

#include <cstring>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::Staging;

namespace {

constexpr const char *kReading = "copying a buffer to the host";
constexpr const char *kWriting = "copying from the host to a buffer";
constexpr uint64_t kLookForEnd = 1'000'000;  // nanoseconds

CUdeviceptr as_address(const void *memory) noexcept {
  return reinterpret_cast<CUdeviceptr>(memory);
}

// A slot for a copy; empty where none is free, or it is too large for one.
StagingSlotPtr take_slot(Device &device, uint64_t size) {
  if (size > Staging::kLargest) return {};
  Staging &staging = device.state().staging;
  std::byte *memory = staging.take(size);
  return memory == nullptr ? StagingSlotPtr() : StagingSlotPtr::make(staging, memory, size);
}

// Memory in between for a large copy; 0 where the device has none left.
CUdeviceptr try_keep(DeviceMemory &memory, uint64_t size) {
  try {
    return memory.allocate(size);
  } catch (const Error &error) {
    if (error.status() != NXS_MemObjectAllocationFailure) throw;
    return 0;
  }
}

// The driver copies with pageable memory by itself, and then waits for the stream's earlier work.
nxs_ticket copy_by_driver(Stream &stream, CUdeviceptr to, CUdeviceptr from, uint64_t size) {
  return stream.submit([&](Enqueuing &work) {
    work.check(cu.MemcpyAsync(to, from, size, work.stream), "copying with the host");
  });
}

// ---- To the host ------------------------------------------------------

// The stream goes on with a copy of the bytes in device memory, from which threads copy to the host
// meanwhile, behind what the stream has copied there before.
nxs_ticket read_in_parts(Stream &stream, CUdeviceptr from, void *to, uint64_t size) {
  DeviceMemory &memory = stream.state().memory;
  const CUdeviceptr kept = try_keep(memory, size);
  if (kept == 0) return copy_by_driver(stream, as_address(to), from, size);
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
          stream.state().workers.begin(job);  // the last that may fail, as it writes to the host
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
    return stream.submit([&](Enqueuing &work) {
      work.check(cu.MemcpyAsync(as_address(to), from, size, work.stream), kReading);
    });
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
    wait_for_copies(all);
    throw;
  }
}

// Into device memory that no work uses, and from there in the stream's order.
nxs_ticket write_behind_work(Stream &stream, CUdeviceptr to, const void *from, uint64_t size) {
  DeviceState &state = stream.state();
  const CUdeviceptr kept = try_keep(state.memory, size);
  if (kept == 0) return copy_by_driver(stream, to, as_address(from), size);
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
    wait_for_copies(copied);
    state.memory.free({kept, size}, user);
    throw;
  }
}

nxs_ticket write_in_parts(Stream &stream, CUdeviceptr to, const void *from, uint64_t size) {
  bool idle = false;
  const auto straight = [&](Enqueuing &work) {
    idle = !stream.is_foreign() && stream.tickets().idle() &&
           cu.StreamQuery(work.stream) == CUDA_SUCCESS;  // others' work has no ticket
    if (idle) wait_for_all(work, stream.state().workers.upload(to, from, size));
  };
  const nxs_ticket ticket = stream.submit(straight);
  return idle ? ticket : write_behind_work(stream, to, from, size);
}

nxs_ticket write(Stream &stream, const Buffer &buffer, uint64_t offset, const void *from,
                 uint64_t size) {
  if (size == 0) return stream.mark();
  const CurrentContext current(stream.device());
  const CUdeviceptr to = buffer.address() + offset;
  buffer.used_in(stream.pooled());
  if (is_page_locked(from, size)) {
    return stream.submit([&](Enqueuing &work) {
      work.check(cu.MemcpyAsync(to, as_address(from), size, work.stream), kWriting);
    });
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

std::byte *allocate_staging(void *device, uint64_t size) {
  void *memory = nullptr;
  static_cast<Device *>(device)->check(cu.MemHostAlloc(&memory, size, CU_MEMHOSTALLOC_PORTABLE),
                                       "making page-locked memory for copies");
  return static_cast<std::byte *>(memory);
}

void copy_into_new(const Buffer &buffer, const void *from) {
  Device &device = buffer.device();
  DeviceState &state = device.state();
  if (buffer.size() > Staging::kLargest && !is_page_locked(from, buffer.size())) {
    const auto copied = state.workers.upload(buffer.address(), from, buffer.size());
    wait_for_copies(copied);
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
