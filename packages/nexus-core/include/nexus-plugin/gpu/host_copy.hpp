// SPDX-License-Identifier: Apache-2.0
// Copies between device and host memory.
//
// The driver copies page-locked memory in the background. For pageable memory its call would wait
// for the stream's earlier work, so such copies go through page-locked memory of the backend: small
// ones through a staging slot, large ones in parts by threads. So no call waits for the stream's
// work, unless device memory is exhausted.
//
// For all functions here the device must be current. G has the members in copy_workers.hpp,
// device_memory.hpp and page_locks.hpp.
#ifndef NEXUS_PLUGIN_GPU_HOST_COPY_HPP_
#define NEXUS_PLUGIN_GPU_HOST_COPY_HPP_

#include <nexus-plugin/gpu/page_locks.hpp>
#include <nexus-plugin/gpu/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {
namespace gpu {

template <class G>
class HostCopy {
 public:
  using Address = typename G::Address;

  // Copies to the host.
  static nxs_ticket read(Stream<G> &stream, Address from, void *to, uint64_t size) {
    if (PageLocks<G>::hold(to, size)) {
      return copy_by_driver(stream, address_of(to), from, size, kReading);
    }
    if (const StagingSlotPtr slot = take_slot(stream.device(), size)) {
      return stream.submit_marked(
          [&](Enqueuing<G> &work) {
            work.check(G::copy(address_of(slot->memory()), from, size, work.stream), kReading);
          },
          Shared<ConditionOf<G>>::make(slot, to, size));
    }
    return read_in_parts(stream, from, to, size);
  }

  // Copies from the host.
  static nxs_ticket write(Stream<G> &stream, Address to, const void *from, uint64_t size) {
    if (PageLocks<G>::hold(from, size)) {
      return copy_by_driver(stream, to, address_of(from), size, kWriting);
    }
    if (const StagingSlotPtr slot = take_slot(stream.device(), size)) {
      std::memcpy(slot->memory(), from, size);
      return stream.submit_marked(
          [&](Enqueuing<G> &work) {
            work.check(G::copy(to, address_of(slot->memory()), size, work.stream), kWriting);
          },
          Shared<ConditionOf<G>>::make(slot, nullptr, uint64_t{0}));
    }
    return write_in_parts(stream, to, from, size);
  }

  // Copies to device memory that no work uses yet, and waits for the copy.
  static void write_new(typename G::Device &device, Address to, const void *from, uint64_t size) {
    DeviceState<G> &state = device.state();
    if (size > Staging::kLargest && !PageLocks<G>::hold(from, size)) {
      const auto copied = state.workers.upload(to, from, size);
      wait_for_copies<G>(copied);
      for (const EventPtr<G> &event : copied) device.check(G::query(event->get()), kWriting);
      return;
    }
    const StagingSlotPtr slot = take_slot(device, size);
    if (slot) std::memcpy(slot->memory(), from, size);
    const Address source = address_of(slot ? slot->memory() : from);
    const auto stream = state.memory.stream();
    device.check(G::copy(to, source, size, stream), kWriting);
    wait_for_copy(device, stream, kWriting);
  }

  // Reads memory that no work writes, and waits. task: for errors.
  static std::vector<std::byte> read_constant(typename G::Device &device, Address from,
                                              uint64_t size, const char *task) {
    std::vector<std::byte> bytes(size);
    // The driver refuses pageable memory that ends in pages of the program's that are locked.
    const StagingSlotPtr slot = take_slot(device, size);
    std::byte *to = slot ? slot->memory() : bytes.data();
    const auto stream = device.state().memory.stream();
    device.check(G::copy(address_of(to), from, size, stream), task);
    wait_for_copy(device, stream, task);
    if (slot) std::memcpy(bytes.data(), to, size);
    return bytes;
  }

 private:
  static constexpr const char *kReading = "copying a buffer to the host";
  static constexpr const char *kWriting = "copying from the host to a buffer";
  static constexpr uint64_t kLookForEnd = 1'000'000;  // nanoseconds

  // If the driver's call fails, waits once more before it throws: the caller then frees the memory.
  static void wait_for_copy(typename G::Device &device, typename G::NativeStream stream,
                            const char *task) {
    const Result ended = G::synchronize(stream);
    if (ended != kSuccess) (void)G::synchronize(stream);
    device.check(ended, task);
  }

  static Address address_of(const void *memory) noexcept {
    return reinterpret_cast<Address>(memory);
  }

  // Returns a staging slot; empty if none is free or the size is too large.
  static StagingSlotPtr take_slot(typename G::Device &device, uint64_t size) {
    if (size > Staging::kLargest) return {};
    Staging &staging = device.state().staging;
    std::byte *memory = staging.take(size);
    return memory == nullptr ? StagingSlotPtr() : StagingSlotPtr::make(staging, memory, size);
  }

  // Allocates temporary device memory for a large copy. Returns 0 if there is none left.
  static Address try_allocate(DeviceMemory<G> &memory, uint64_t size) {
    try {
      return memory.allocate(size);
    } catch (const Error &error) {
      if (error.status() != NXS_MemObjectAllocationFailure) throw;
      return 0;
    }
  }

  // Lets the driver copy, which for pageable memory waits for the stream's earlier work.
  static nxs_ticket copy_by_driver(Stream<G> &stream, Address to, Address from, uint64_t size,
                                   const char *what) {
    return stream.submit(
        [&](Enqueuing<G> &work) { work.check(G::copy(to, from, size, work.stream), what); });
  }

  // ---- To the host ------------------------------------------------------

  // Copies to temporary device memory in the stream, and from there to the host by threads, after
  // the stream's earlier copies to the host. Later work of the stream does not wait for the
  // threads.
  static nxs_ticket read_in_parts(Stream<G> &stream, Address from, void *to, uint64_t size) {
    DeviceMemory<G> &memory = stream.state().memory;
    const Address kept = try_allocate(memory, size);
    if (kept == 0) return copy_by_driver(stream, address_of(to), from, size, kReading);
    const auto condition = Shared<ConditionOf<G>>::make(ConditionOf<G>::By::kCopies);
    const WakePtr wake = stream.tickets().wake();
    const auto job = CopyJobPtr<G>::make();
    job->host = static_cast<std::byte *>(to);
    job->device = kept;
    job->size = size;
    job->finished = [&memory, condition, wake, &device = stream.device()](CopyJob<G> &done) {
      const MemoryBlock<Address> block{done.device, done.size};
      try {
        const typename G::Use current(device);
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
          [&](Enqueuing<G> &work) {
            work.check(G::copy(kept, from, size, work.stream), kReading);
            job->after = stream.record(work, false);
            job->host_is_done = [self = Ref<Stream<G>>::to(stream),
                                 behind = stream.tickets().completion().last()] {
              return self->tickets().settled(behind);
            };
            EventPtr<G> mark = job->after;
            stream.state().workers.begin(job);  // nothing after it may fail, as it writes to the
            begun = true;                       // host
            return mark;
          },
          condition);
    } catch (...) {
      if (!begun) memory.free({kept, size}, stream_bit(stream.pooled().index));
      while (begun && condition->copies()) wake->sleep(wake->count(), kLookForEnd);
      throw;
    }
  }

  // ---- From the host ----------------------------------------------------

  static void wait_for_all(Enqueuing<G> &work, const std::vector<EventPtr<G>> &all) {
    try {
      for (const EventPtr<G> &event : all) {
        work.check(G::wait(work.stream, event->get()), kWriting);
      }
    } catch (...) {
      wait_for_copies<G>(all);
      throw;
    }
  }

  // Copies directly to the device's memory if the stream is idle.
  static nxs_ticket write_in_parts(Stream<G> &stream, Address to, const void *from, uint64_t size) {
    bool idle = false;
    const auto directly = [&](Enqueuing<G> &work) {
      idle = !stream.is_foreign() && stream.tickets().idle() &&
             G::query(work.stream) == kSuccess;  // other libraries' work has no ticket
      if (idle) wait_for_all(work, stream.state().workers.upload(to, from, size));
    };
    const nxs_ticket ticket = stream.submit(directly);
    return idle ? ticket : write_after_work(stream, to, from, size);
  }

  // Copies to temporary device memory by threads, and from there in the stream, after its work.
  static nxs_ticket write_after_work(Stream<G> &stream, Address to, const void *from,
                                     uint64_t size) {
    DeviceState<G> &state = stream.state();
    const Address kept = try_allocate(state.memory, size);
    if (kept == 0) return copy_by_driver(stream, to, address_of(from), size, kWriting);
    const StreamSet user = stream_bit(stream.pooled().index);
    std::vector<EventPtr<G>> copied;
    try {
      copied = state.workers.upload(kept, from, size);
      const nxs_ticket ticket = stream.submit([&](Enqueuing<G> &work) {
        wait_for_all(work, copied);
        work.check(G::copy(to, kept, size, work.stream), kWriting);
      });
      state.memory.free({kept, size}, user);
      return ticket;
    } catch (...) {
      wait_for_copies<G>(copied);
      state.memory.free({kept, size}, user);
      throw;
    }
  }
};

}  // namespace gpu
}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_GPU_HOST_COPY_HPP_
