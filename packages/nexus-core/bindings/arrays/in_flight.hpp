// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <memory>

#include "arrays/host_array.hpp"
#include "python/bindings.hpp"
#include "python/gil.hpp"

namespace nexus::python {

/// Submits a copy that does not block, and keeps the array's memory until the copy in the stream is
/// done. submit() uses the stream and the buffer. Call it with the GIL held, which it releases
/// meanwhile.
template <class Submit>
void copyInFlight(const Stream &stream, const Buffer &buffer, std::unique_ptr<HostArray> array,
                  Submit submit);

/// Releases the memory of copies that are done. Called after waits, with the GIL held.
void releaseFinishedCopies();
/// The same, after a wait for all of the device's work that began when countCopies() was count.
/// Includes copies whose event was closed, or could not be signalled.
void releaseFinishedCopies(const Device &device, std::uint64_t count);
std::uint64_t countCopies() noexcept;

/// Keeps the memory of a copy in a stream of the device until the event is signalled.
void keepUntil(Event event, Device device, std::unique_ptr<HostArray> array);

/// Signals the event when the copy in the stream, of the same device, is done. If the stream takes
/// no signal, waits for the stream or, if another thread has closed it, for all work that uses the
/// buffer. Throws if the copy may still run.
void signalWhenDone(const Event &event, const Stream &stream, const Device &device,
                    const Buffer &buffer);

template <class Submit>
void copyInFlight(const Stream &stream, const Buffer &buffer, std::unique_ptr<HostArray> array,
                  Submit submit) {
  releaseFinishedCopies();
  Device device = stream.getDevice();
  std::exception_ptr refused;
  Event done = withoutGil([&] {
    Event event = device.createEvent();
    submit();
    try {
      signalWhenDone(event, stream, device, buffer);
    } catch (const Error &) {
      refused = std::current_exception();  // the copy may run, so its memory is kept
    }
    return event;
  });
  keepUntil(std::move(done), std::move(device), std::move(array));
  if (refused) std::rethrow_exception(refused);
}

}  // namespace nexus::python
