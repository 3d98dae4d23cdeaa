// SPDX-License-Identifier: Apache-2.0
//
// Calls of code that may never return: on a thread of its own, which is abandoned after a time
// limit.
#pragma once

#include <nexus-api/nxs.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "base/error_record.hpp"

namespace nexus::core {

/// The result of a call with a time limit.
struct TimedCall {
  bool returned = false;  // within the limit
  nxs_status status = NXS_Success;
  bool threw = false;                 // an exception, against the rules
  std::optional<ErrorRecord> record;  // the thread's latest record, if the call failed
};

/// Returns the time in which a plug-in or a hook must start: NEXUS_PLUGIN_TIMEOUT in seconds, which
/// is read once; 5 by default and for anything but a number above 0.
std::chrono::nanoseconds startLimit();

/// Returns startLimit() as text: "5 s".
std::string startLimitText();

/// Calls body on a new thread and waits until it returns or the limit has passed. The caller's
/// thread writes body's log lines, and may defer them. A late body continues unattended, so all
/// that it uses must live as long as the process. In the child of a fork() body is called directly,
/// without a limit.
TimedCall callWithin(std::chrono::nanoseconds limit, std::function<nxs_status()> body);

/// Returns whether this thread loads a plug-in, or starts one. Such a thread must not ask for the
/// list of backends, whose lock is held meanwhile.
bool &loadsPlugin() noexcept;

}  // namespace nexus::core
