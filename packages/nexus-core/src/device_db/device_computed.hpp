// SPDX-License-Identifier: Apache-2.0
//
// Values that follow from others: the flat keys of the catalogue out of a device's tree.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "json/json.hpp"

namespace nexus::core {

/// A value that was computed.
struct ComputedValue {
  std::string path;               // "CoreCount"
  std::vector<std::string> from;  // the paths of what it was computed from: "CoreSubsystem/Count"
};

/// Adds to a device's tree, an object, what follows from it and is not in it, and tells what that
/// was. A value of another type than the catalogue's gives none.
std::vector<ComputedValue> addComputed(json::Value &tree);

/// Adds to the L2 of an architecture's file the size that its products have, where all that tell
/// one agree. Nothing where it has a size already, or no products.
std::optional<ComputedValue> addSizeOfL2(json::Value &tree);

}  // namespace nexus::core
