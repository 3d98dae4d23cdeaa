// SPDX-License-Identifier: Apache-2.0
//
// The system's numbers and names of this process and its threads.
#pragma once

#include <cstdint>
#include <string>

namespace nexus::core::trace {

int64_t processNumber() noexcept;
/// Returns the command line, cut if it is long.
std::string processName();
int64_t threadNumber() noexcept;
/// Returns "main", the system's name of the thread, or "thread".
std::string threadName();

}  // namespace nexus::core::trace
