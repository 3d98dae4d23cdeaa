// SPDX-License-Identifier: Apache-2.0
//
// Checks of foreign addresses.
#pragma once

#include <cstdint>

namespace nexus::core {

/// Returns whether the process may read size bytes, up to 4096, at address.
bool isReadable(const void *address, uint64_t size) noexcept;

/// Returns whether the address lies in the code of the program or of a loaded library.
bool isCode(const void *address) noexcept;

}  // namespace nexus::core
