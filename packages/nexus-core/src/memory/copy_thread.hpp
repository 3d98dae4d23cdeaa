// SPDX-License-Identifier: Apache-2.0
//
// The one thread that moves copies between devices on.
#pragma once

#include <nexus-api/nxs.h>

#include <condition_variable>
#include <cstddef>
#include <mutex>

#include "base/ref.hpp"
#include "base/wait.hpp"

namespace nexus::core {

class CrossDeviceCopy;

/// Calls CrossDeviceCopy::moveOn where a copy asked for it: a thread of the process, started at
/// first use, never ended. It waits for no work: plug-ins tell when something is done.
class CopyThread {
 public:
  /// Throws NXS_OutOfResources where the thread can't be started.
  void start();
  /// The copy has something to do. Takes over the caller's reference. For any thread, also
  /// one of a plug-in on which nothing may be called.
  void call(Ref<CrossDeviceCopy> copy) noexcept;
  /// What nobody uses is to be freed when nothing was copied for a while.
  void freeLater() noexcept;

  /// A copy goes on by itself from now on, until its end.
  void began() noexcept;
  void ended() noexcept;
  /// For the end of the process: waits for those that go on by themselves. Throws NXS_Cancelled
  /// where the interrupt check ends it.
  void finish(const Deadline &deadline);

 private:
  void run();
  Ref<CrossDeviceCopy> takeFirst() noexcept;

  std::mutex mutex_;
  std::condition_variable wanted_;
  std::condition_variable idle_;      // nothing goes on by itself
  CrossDeviceCopy *first_ = nullptr;  // under mutex_, as all below; each with a reference
  CrossDeviceCopy *last_ = nullptr;
  std::size_t going_ = 0;
  bool free_later_ = false;
  bool started_ = false;
};

/// For plug-ins: context is a CrossDeviceCopy with a reference, which is to move on.
void wakeCopyThread(void *context, nxs_status status) noexcept;

}  // namespace nexus::core
