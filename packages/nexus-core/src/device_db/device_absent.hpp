// SPDX-License-Identifier: Apache-2.0
//
// What a device file says of all devices of a kind and one device does not have.
#pragma once

#include "json/json.hpp"

namespace nexus::core {

/// Takes out of a device file's tree what the device by its own words lacks: the matrix units and
/// their rates where it tells its instruction sets and no matrix extension, as in a virtual machine
/// that hides them; and rates of the whole device where it has another number of cores.
void leaveOutAbsent(json::Value &tree, const json::Value &driver);

}  // namespace nexus::core
