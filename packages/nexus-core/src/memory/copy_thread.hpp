// SPDX-License-Identifier: Apache-2.0
//
// The one thread that submits the steps of copies between devices.
#pragma once

#include <nexus-api/nxs.h>

#include <condition_variable>
#include <cstddef>
#include <mutex>

#include "base/process_thread.hpp"
#include "base/ref.hpp"
#include "base/wait.hpp"

namespace nexus::core {

class CrossDeviceCopy;

/// Calls CrossDeviceCopy::submitSteps() for each enqueued copy, on a thread of its own: plug-ins
/// call back when a step is done, on threads that must not call them. It waits for no work.
/// Enqueuing links the copies, since it may not allocate.
class CopyThread {
 public:
  /// Throws NXS_OutOfResources if the thread can't be started.
  void start();
  /// Enqueues a copy that can submit steps. Takes over the caller's reference. Any thread may call
  /// it, also one of a plug-in that must not call the plug-in.
  void enqueue(Ref<CrossDeviceCopy> copy) noexcept;
  /// Frees unused staging memory when nothing was copied for a while.
  void freeLater() noexcept;

  /// Count the copies that go on without the program's help, for finish().
  void addRunning() noexcept;
  void removeRunning() noexcept;
  /// For the end of the process: waits for the copies counted above. Throws NXS_Cancelled if the
  /// interrupt check ends it.
  void finish(const Deadline &deadline);

 private:
  void run();
  Ref<CrossDeviceCopy> takeFirst() noexcept;

  std::mutex mutex_;
  std::condition_variable work_added_;
  std::condition_variable idle_;      // running_ became 0
  CrossDeviceCopy *first_ = nullptr;  // under mutex_, as all below; each with a reference
  CrossDeviceCopy *last_ = nullptr;
  std::size_t running_ = 0;
  bool free_later_ = false;
  ProcessThread thread_;
};

/// Callback for plug-ins: context is a CrossDeviceCopy with a reference.
void wakeCopyThread(void *context, nxs_status status) noexcept;

}  // namespace nexus::core
