// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <memory>

#include "bindings.hpp"
#include "gil.hpp"
#include "host_array.hpp"

namespace nexus::python {

/// Submits a copy that does not block, and keeps the array's memory until the stream has passed
/// it. submit() uses the stream and the buffer. Called with the GIL held, which it lets go
/// meanwhile.
template <class Submit>
void copyInFlight(const Stream &stream, const Buffer &buffer, std::unique_ptr<HostArray> array,
                  Submit submit);

/// Lets go the memory of copies that are done. Called after waits, with the GIL held.
void releaseFinishedCopies();
/// The same after a wait for all of the device's work that began when countCopies() was count. It
/// also tells of copies whose event was closed, or could not be signalled.
void releaseFinishedCopies(const Device &device, std::uint64_t count);
/// How many copies were kept so far.
std::uint64_t countCopies() noexcept;

/// Keeps the memory of a copy in a stream of the device until the event is signalled.
void keepUntil(Event event, Device device, std::unique_ptr<HostArray> array);

/// Signals the event when the stream, which is of the device, has passed the copy. Where it takes
/// no signal it is waited for or, where another thread has closed it, all that uses the buffer.
/// Throws where the copy may still run.
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
      refused = std::current_exception();  // the copy may run, so its memory stays
    }
    return event;
  });
  keepUntil(std::move(done), std::move(device), std::move(array));
  if (refused) std::rethrow_exception(refused);
}

}  // namespace nexus::python
