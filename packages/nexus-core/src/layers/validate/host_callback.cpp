// SPDX-License-Identifier: Apache-2.0
#include "layers/validate/host_callback.hpp"

#include <exception>
#include <memory>
#include <new>

#include "layers/validate/objects.hpp"

namespace nexus::core::layers::validation {
namespace {

struct HostCallback {
  void (*callback)(void *, nxs_status);
  void *context;
  nxs_id stream;
  nxs_ticket before;
};

void callBack(void *context, nxs_status status) {
  const std::unique_ptr<HostCallback> given(static_cast<HostCallback *>(context));
  try {
    const Locked objects;
    objects->order.observe(given->stream, given->before);
  } catch (const std::exception &) {
    // The work counts as running a little longer.
  }
  given->callback(given->context, status);
}

}  // namespace

nxs_status enqueueHostCallback(const nxs_functions &next, nxs_id stream,
                               void (*callback)(void *, nxs_status), void *context,
                               nxs_ticket *out_ticket) noexcept {
  nxs_ticket before = 0;
  {
    const Locked objects;
    if (const auto facts = objects->streams.find(stream)) before = facts->newest;
  }
  auto *const given = new (std::nothrow) HostCallback{callback, context, stream, before};
  if (given == nullptr) {
    return next.EnqueueHostCallback(stream, callback, context, out_ticket);
  }
  const nxs_status status = next.EnqueueHostCallback(stream, &callBack, given, out_ticket);
  if (status != NXS_Success) delete given;
  return status;
}

}  // namespace nexus::core::layers::validation
