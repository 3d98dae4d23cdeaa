// SPDX-License-Identifier: Apache-2.0
#include "transfer.hpp"

#include <nexus-plugin/functions.hpp>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::guarded;
using nexus_plugin::Ref;

namespace {

nexus_plugin::BufferRange<Buffer> range_of(const Device &device, const nxs_buffer_range *range,
                                           const char *parameter) {
  auto made = nexus_plugin::pin_range(buffers, range, parameter);
  check_same_device("buffer", made.buffer->device(), device);
  return made;
}

CUdeviceptr address_of(const nexus_plugin::BufferRange<Buffer> &range) {
  return range.buffer->address() + range.offset;
}

}  // namespace

Transfer Transfer::copy(Device &device, const nxs_buffer_range *destination,
                        const nxs_buffer_range *source) {
  const auto to = range_of(device, destination, "destination");
  const auto from = range_of(device, source, "source");
  nexus_plugin::check_copy(to, from);
  // Two buffers may be of one memory.
  nexus_plugin::check_copy(true, address_of(to), to.size, address_of(from), from.size);
  Transfer made;
  made.is_copy_ = true;
  if (from.size != 0) made.steps_ = {CopyStep{address_of(to), address_of(from), from.size}};
  made.used_ = {to.buffer, from.buffer};
  return made;
}

Transfer Transfer::fill(Device &device, const nxs_buffer_range *range, const void *pattern,
                        uint64_t pattern_size) {
  const auto to = range_of(device, range, "range");
  const nexus_plugin::FillPattern checked(pattern, pattern_size, to);
  Transfer made;
  if (to.size != 0)
    made.steps_ = fill_steps(address_of(to), to.size, checked.data(), checked.size());
  made.used_ = {to.buffer};
  return made;
}

void Transfer::used_in(const Lane &lane) const noexcept {
  for (const Ref<Buffer> &buffer : used_) buffer->used_in(lane);
}

void Transfer::enqueue(Enqueuing &work, const Lane &lane) const {
  used_in(lane);
  for (const DeviceStep &step : steps_) {
    work.check(enqueue_step(step, work.stream),
               is_copy_ ? "copying a buffer to a buffer" : "filling a buffer");
  }
}

namespace {

nxs_ticket submit_transfer(Stream &stream, const Transfer &transfer) {
  return stream.submit([&](Enqueuing &work) { transfer.enqueue(work, stream.lane()); });
}

}  // namespace
}  // namespace nexus_cuda

using namespace nexus_cuda;

extern "C" {

nxs_status nxsTransferBuffer(nxs_id stream, const nxs_buffer_range *destination,
                             const nxs_buffer_range *source, nxs_ticket *out_ticket) {
  return guarded(out_ticket, [&] {
    const Ref<Stream> queue = streams.pin(stream);
    return submit_transfer(*queue, Transfer::copy(queue->device(), destination, source));
  });
}

nxs_status nxsFillBuffer(nxs_id stream, const nxs_buffer_range *range, const void *pattern,
                         uint64_t pattern_size, nxs_ticket *out_ticket) {
  return guarded(out_ticket, [&] {
    const Ref<Stream> queue = streams.pin(stream);
    return submit_transfer(*queue, Transfer::fill(queue->device(), range, pattern, pattern_size));
  });
}

}  // extern "C"
