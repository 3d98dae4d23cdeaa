// SPDX-License-Identifier: Apache-2.0
#include "arrays/in_flight.hpp"

#include <nexus/buffer.hpp>
#include <nexus/device.hpp>
#include <nexus/stream.hpp>

#include <utility>
#include <vector>

#include "python/shared_state.hpp"

namespace nexus::python {
namespace {

struct Copy {
  Event done;
  Device device;
  std::uint64_t number;
  std::unique_ptr<HostArray> array;
};

StateMutex copiesMutex;

// Never destroyed: copies may still run when the interpreter ends.
std::vector<Copy> &copies() {
  static auto *const list = new std::vector<Copy>;
  return *list;
}

std::uint64_t keptCount = 0;

// Returns whether nothing uses the memory any more: the copy is done or has failed, or this is a
// child process, where the event is refused. If the program closed the event, or the stream before
// the signal was submitted, this can't tell; waiting for the device then does.
bool isOver(const Event &done) {
  try {
    return done.isDone();
  } catch (const Error &error) {
    return error.status() != NXS_InvalidEvent && error.status() != NXS_Cancelled;
  }
}

// Waits for the stream or, if that is not possible, for all work that uses the buffer.
void waitForAll(const Stream &stream, const Device &device, const Buffer &buffer) {
  try {
    stream.synchronize();
  } catch (const Error &) {
    const Stream other = device.createStream();
    other.wait(buffer);
    other.synchronize();
  }
}

template <class IsOver>
void releaseCopies(IsOver isOver) {
  std::vector<Copy> over;  // destroyed unlocked, since that may run Python code
  const StateLock lock(copiesMutex);
  std::vector<Copy> running;
  for (Copy &copy : copies()) {
    (isOver(copy) ? over : running).push_back(std::move(copy));
  }
  copies() = std::move(running);
}

}  // namespace

void releaseFinishedCopies() {
  releaseCopies([](const Copy &copy) { return isOver(copy.done); });
}

void releaseFinishedCopies(const Device &device, std::uint64_t count) {
  releaseCopies([&](const Copy &copy) {
    return (copy.number <= count && copy.device == device) || isOver(copy.done);
  });
}

std::uint64_t countCopies() noexcept {
  const StateLock lock(copiesMutex);
  return keptCount;
}

void keepUntil(Event event, Device device, std::unique_ptr<HostArray> array) {
  const StateLock lock(copiesMutex);
  copies().push_back({std::move(event), std::move(device), ++keptCount, std::move(array)});
}

void signalWhenDone(const Event &event, const Stream &stream, const Device &device,
                    const Buffer &buffer) {
  try {
    stream.signal(event, 1);
  } catch (const Error &) {
    waitForAll(stream, device, buffer);
    event.signal(1);
  }
}

}  // namespace nexus::python
