// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "bindings.hpp"
#include "gil.hpp"
#include "host_array.hpp"

namespace nexus::python {

/// Submits a copy that does not block, and keeps the array's memory until the stream has passed
/// it. stream is the one that submit() uses. Called with the GIL held, which it lets go meanwhile.
template <class Submit>
void copyInFlight(const Stream &stream, std::unique_ptr<HostArray> array, Submit submit);

/// Lets go the memory of copies that are done. Called after waits, with the GIL held.
void releaseFinishedCopies();

/// Keeps the memory until the event is signalled.
void keepUntil(Event event, std::unique_ptr<HostArray> array);

template <class Submit>
void copyInFlight(const Stream &stream, std::unique_ptr<HostArray> array, Submit submit) {
  releaseFinishedCopies();
  const Event done = withoutGil([&] {
    Event event = stream.getDevice().createEvent();
    submit();
    try {
      stream.signal(event, 1);
    } catch (const Error &) {
      stream.synchronize();  // without a signal nobody could tell when the memory is free
      event.signal(1);
    }
    return event;
  });
  keepUntil(done, std::move(array));
}

}  // namespace nexus::python
