// SPDX-License-Identifier: Apache-2.0
//
// Values computed from others: the flat keys of the catalogue from a device's tree.
#pragma once

#include <string>
#include <vector>

#include "json/json.hpp"

namespace nexus::core {

struct ComputedValue {
  std::string path;  // "CoreCount"
  // the paths of the values that it was computed from: "CoreSubsystem/Count"
  std::vector<std::string> from;
};

/// Adds to a device's tree, an object, all values that can be computed and are missing; returns
/// them. A value whose type differs from the catalogue's is not added.
std::vector<ComputedValue> addComputed(json::Value &tree);

/// Adds to the L2 of an architecture's file the size of its products' L2, and to computed, if all
/// products with one agree. Adds nothing if there is a size already, or no products.
void addSizeOfL2(json::Value &tree, std::vector<ComputedValue> &computed);

}  // namespace nexus::core
