// SPDX-License-Identifier: Apache-2.0
#include "execution/transfer.hpp"

#include <utility>

namespace nexus_cuda NXS_HIDDEN {
namespace {

CUdeviceptr address_of(const nexus_plugin::BufferRange<Buffer> &range) {
  return range.buffer->address() + range.offset;
}

}  // namespace

Transfer::Transfer(nexus_plugin::BufferTransfer<Buffer> checked)
    : BufferTransfer(std::move(checked)) {
  if (empty()) return;
  if (is_copy()) {
    steps_ = {CopyStep{address_of(to()), address_of(from()), from().size}};
  } else {
    steps_ = fill_steps(address_of(to()), to().size, pattern().data(), pattern().size());
  }
}

void Transfer::used_in(const PooledStream &pooled) const noexcept {
  to().buffer->used_in(pooled);
  if (is_copy()) from().buffer->used_in(pooled);
}

void Transfer::enqueue(Enqueuing &work) const {
  for (const DeviceStep &step : steps_) {
    work.check(enqueue_step(step, work.stream),
               is_copy() ? "copying a buffer to a buffer" : "filling a buffer");
  }
}

nxs_ticket Transfer::submit_to(Stream &stream) const {
  return stream.submit([&](Enqueuing &work) {
    used_in(stream.pooled());
    enqueue(work);
  });
}

}  // namespace nexus_cuda
