// SPDX-License-Identifier: Apache-2.0
//
// Removes values of a device file that apply to most devices of a kind, but not to the one at hand.
#pragma once

#include "json/json.hpp"

namespace nexus::core {

/// Removes from a device file's tree what the device itself lacks: the matrix units and their
/// rates, if it reports its instruction sets and no matrix extension, as in a virtual machine that
/// hides them; and rates of the whole device, if it has another number of cores.
void removeAbsent(json::Value &tree, const json::Value &driver);

}  // namespace nexus::core
