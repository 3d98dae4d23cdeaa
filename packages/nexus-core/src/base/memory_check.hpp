// SPDX-License-Identifier: Apache-2.0
//
// Whether an address that somebody else gave can be used at all.
#pragma once

#include <cstdint>

namespace nexus::core {

/// Whether the process may read size bytes, up to 4096, from there.
bool isReadable(const void *address, uint64_t size) noexcept;

/// Whether the address lies in the code of the program or of a library that is loaded.
bool isCode(const void *address) noexcept;

}  // namespace nexus::core
