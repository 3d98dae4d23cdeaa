// SPDX-License-Identifier: Apache-2.0
//
// The end of the process: cancels held work that nobody will signal, and waits for running work.
// Frees nothing, since other threads may still use it.
#include <nexus/nexus_c.h>

#include <algorithm>
#include <vector>

#include "base/log.hpp"
#include "base/process.hpp"
#include "base/wait.hpp"
#include "device/device.hpp"
#include "stream/own_work.hpp"
#include "stream/queue.hpp"
#include "stream/running_call.hpp"
#include "stream/stream.hpp"
#include "trace/session.hpp"

namespace nexus::core {
namespace {

std::vector<Ref<Queue>> allQueues() {
  std::vector<Ref<Queue>> queues;
  for (Runtime *runtime : madeRuntimes()) {
    for (Ref<Queue> &queue : queuesOf(*runtime)) queues.push_back(std::move(queue));
  }
  return queues;
}

// Returns whether the work up to position is done. Failed work counts as done: its error goes to
// the callers that wait for it.
bool isOver(Queue &queue, QueuePosition position, uint64_t nanoseconds) {
  try {
    return queue.waitPart(position, nanoseconds);
  } catch (const Failure &failure) {
    logLine(NXS_LogLevel_Debug, queue.device().plugin().name,
            "At the end of the process: " + failure.text());
    return true;
  }
}

// Waits for submitted work, when no work is held any more or only briefly. Throws NXS_Cancelled if
// the interrupt check ends it.
void waitBriefly(Queue &queue, const Deadline &deadline) {
  const nxs_ticket newest = queue.newestTicket();
  try {
    waitInParts("The stream", deadline, Interrupt::Allowed,
                [&](uint64_t nanoseconds) { return isOver(queue, newest, nanoseconds); });
  } catch (const Failure &failure) {
    if (failure.status() != NXS_Timeout) {
      throw;
    }
  }
}

void finishTrace() {
  if (trace::Session *made = trace::madeSession()) made->finish();
}

// Ends loops of work in flight. Streams without such work may still run loops.
void stopLoops(const std::vector<Ref<Queue>> &queues) {
  for (const Ref<Queue> &queue : queues) {
    if (!isOver(*queue, queue->newestTicket(), 0)) queue->stopLoops();
  }
}

// Waits for host functions and copies between devices. They may follow loops, and these may follow
// others.
void finishOwnWork(const Deadline &deadline) {
  const std::size_t except = RunningCall::present() != nullptr ? 1 : 0;
  do {
    stopLoops(allQueues());
  } while (!ofProcess<OwnWork>().finish(Deadline(std::min(deadline.left(), kWaitSlice)), except) &&
           deadline.left() != 0);
}

void shutdown(uint64_t timeout) {
  const Deadline deadline(timeout);
  finishOwnWork(deadline);
  const std::vector<Ref<Queue>> queues = allQueues();
  const Failure cause(NXS_Cancelled,
                      "The process ends while this work waits for an unsignalled event; signal the "
                      "event, or wait for the stream, before the end.");
  for (const Ref<Queue> &queue : queues) queue->cancelHeld(cause);
  stopLoops(queues);
  try {
    for (const Ref<Queue> &queue : queues) waitBriefly(*queue, deadline);
  } catch (const Failure &) {
    finishCallbacks(0);  // interrupted: drops callbacks that were not called by now
    finishTrace();
    throw;
  }
  finishCallbacks(deadline.left());
  finishTrace();
}

}  // namespace
}  // namespace nexus::core

nxs_status nexus_shutdown(uint64_t timeout) {
  return nexus::core::guarded([&] { nexus::core::shutdown(timeout); });
}
