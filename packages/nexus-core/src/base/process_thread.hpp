// SPDX-License-Identifier: Apache-2.0
//
// The threads of libnexus.
#pragma once

#include <nexus-plugin/base/thread.hpp>

#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.hpp"

namespace nexus::core {

/// Starts a thread that calls the user's functions: it takes the signals that its starter takes.
/// what: such as "The thread for callbacks". Throws NXS_OutOfResources if it can't be started.
template <typename Run>
std::thread startThreadForUser(const char *what, Run &&run) {
  try {
    return std::thread(std::forward<Run>(run));
  } catch (const std::system_error &error) {
    failWith(NXS_OutOfResources, what, " could not be started: ", error.what());
  }
}

/// A thread that is started at first use and runs until the process ends, so its owner is never
/// freed. The child of a fork() has no such thread: its owner is one of ofProcess().
class ProcessThread {
 public:
  /// Starts the thread, which calls run(), unless it was started. what: such as "The thread for
  /// callbacks". Throws NXS_OutOfResources if it can't be started. The owner serializes the calls.
  template <typename Run>
  void start(const char *what, Run run) {
    if (id_ != std::thread::id()) return;
    try {
      keep(nexus_plugin::start_thread(std::move(run)));
    } catch (const std::system_error &error) {
      failWith(NXS_OutOfResources, what, " could not be started: ", error.what());
    }
  }
  /// Does as start(), by startThreadForUser().
  template <typename Run>
  void startForUser(const char *what, Run run) {
    if (id_ == std::thread::id()) keep(startThreadForUser(what, std::move(run)));
  }
  /// Returns the thread's id; that of no thread before start().
  std::thread::id id() const noexcept { return id_; }

 private:
  void keep(std::thread thread) {
    id_ = thread.get_id();
    thread.detach();
  }

  std::thread::id id_;
};

}  // namespace nexus::core
