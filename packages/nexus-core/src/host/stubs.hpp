// SPDX-License-Identifier: Apache-2.0
//
// What stands in a plug-in's table where the plug-in lacks a function.
#pragma once

#include <nexus-api/nxs_functions.h>

#include <string>
#include <vector>

namespace nexus::core {

/// The names of the required functions that the table lacks.
std::vector<std::string> missingFunctions(const nxs_functions &table);

/// The names of the functions in the table whose address is not one of code.
std::vector<std::string> functionsWithoutCode(const nxs_functions &table);

/// Puts a stub in the place of each optional function that the table lacks. It
/// returns NXS_NotSupported and makes an error record that names the function and
/// the plug-in. Also undoes what a newer plug-in wrote into struct_size.
void fillStubs(nxs_functions &table);

}  // namespace nexus::core
