// SPDX-License-Identifier: Apache-2.0
//
// Checks of foreign addresses and of a plug-in's table, and stubs for functions that it lacks.
#pragma once

#include <nexus-api/nxs_functions.h>

#include <cstdint>
#include <string>
#include <vector>

namespace nexus::core {

/// Returns whether the process may read size bytes, up to 4096, at address.
bool isReadable(const void *address, uint64_t size) noexcept;

/// Returns the names of the required functions that the table lacks.
std::vector<std::string> missingFunctions(const nxs_functions &table);

/// Returns the names of the functions in the table whose address is not in code.
std::vector<std::string> functionsWithoutCode(const nxs_functions &table);

/// Adds a stub for each optional function that the table lacks. It returns NXS_NotSupported and
/// makes an error record that names the function and the plug-in. Also resets struct_size, which a
/// newer plug-in may have changed.
void fillStubs(nxs_functions &table);

}  // namespace nexus::core
