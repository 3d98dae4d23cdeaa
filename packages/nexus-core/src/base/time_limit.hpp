// SPDX-License-Identifier: Apache-2.0
//
// A call of code that may never return: on a thread of its own, which is left behind where it
// takes too long.
#pragma once

#include <nexus-api/nxs.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "base/error_record.hpp"

namespace nexus::core {

/// What came of a call with a time limit.
struct TimedCall {
  bool returned = false;  // within the limit
  nxs_status status = NXS_Success;
  bool threw = false;                 // an exception, against the rules
  std::optional<ErrorRecord> record;  // what the thread made last, where the call failed
};

/// How long a plug-in or a hook may take to start: NEXUS_PLUGIN_TIMEOUT in seconds, which is read
/// once; 5 where it is not set, or is no number above 0.
std::chrono::nanoseconds startLimit();

/// startLimit() for people: "5 s".
std::string startLimitText();

/// Calls body on a new thread and waits until it has returned or the limit has passed. Log lines
/// that body wrote are written by the caller's thread, which may hold them back. A body that is
/// late goes on and is waited for by nobody: what it uses must live as long as the process. In the
/// child of a fork() body is called as it is, without a limit.
TimedCall callWithin(std::chrono::nanoseconds limit, std::function<nxs_status()> body);

/// Whether this thread loads a plug-in, or is one on which a plug-in is being started. Such a
/// thread must not ask for the list of backends, whose lock is held for it.
bool &loadsPlugin() noexcept;

}  // namespace nexus::core
