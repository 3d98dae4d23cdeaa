// SPDX-License-Identifier: Apache-2.0
//
// The system's numbers and names of this process and its threads.
#pragma once

#include <cstdint>
#include <string>

namespace nexus::core::trace {

int64_t processNumber() noexcept;
/// Its command line, not too long.
std::string processName();
int64_t threadNumber() noexcept;
/// "main", or the name that the system knows, and else "thread".
std::string threadName();

}  // namespace nexus::core::trace
