// SPDX-License-Identifier: Apache-2.0
//
// Commands that run the captured work of other libraries.
#include <utility>

#include "execution/schedule.hpp"
#include "stream/stream.hpp"

namespace nexus::core {

void Schedule::beginCapture(Stream &stream) {
  requireSameDevice(stream.device(), "stream", device_, "schedule");
  if (!device_.plugin().has(NXS_Capability_Capture)) {
    failWith(NXS_NotSupported, "The backend ", device_.plugin().name,
             " can't capture the work of other libraries; call them from a host command.");
  }
  {
    const Lock lock(mutex_);
    requireIdle("adding a command");
  }
  stream.queue().beginCapture();
}

Command &Schedule::addCaptured(Device &device, Ref<Native> work) {
  requireSameDevice(device, "stream", device_, "schedule");
  Released released;  // destroyed after the lock
  auto command = std::make_unique<Command>(*this, NXS_CommandType_Captured);
  command->captured_ = std::move(work);
  const Lock lock(mutex_);
  requireIdle("adding a command");
  return append(std::move(command), released);
}

}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_schedule_begin_capture(nexus_schedule *schedule, nexus_stream *stream) {
  return guarded([&] {
    Schedule &to = given<Schedule>(schedule, "schedule");
    to.beginCapture(given<Stream>(stream, "stream"));
  });
}

// Ends the capture first, so that it ends in any case.
nxs_status nexus_schedule_end_capture(nexus_schedule *schedule, nexus_stream *stream,
                                      nexus_command **out_command) {
  if (out_command == nullptr) {
    return guarded([&] { (void)given<Stream>(stream, "stream").queue().endCapture(); });
  }
  return giveResult(out_command, "out_command", [&] {
    Queue &queue = given<Stream>(stream, "stream").queue();
    Ref<Native> work = queue.endCapture();
    Schedule &to = given<Schedule>(schedule, "schedule");
    return Ref(to.addCaptured(queue.device(), std::move(work)));
  });
}
