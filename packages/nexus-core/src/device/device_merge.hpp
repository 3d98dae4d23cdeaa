// SPDX-License-Identifier: Apache-2.0
//
// Merging of property trees, and the paths of their values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/json.hpp"

namespace nexus::core {

/// Returns whether value is a list with at least one entry, whose entries are all objects with a
/// text as Name.
bool isNamedList(const json::Value &value);

/// Returns whether value is a list of texts. It may be NULL.
bool areTexts(const json::Value *value);

/// Returns the Name of an entry of a named list.
const std::string &nameOfEntry(const json::Value &entry);

/// Merges the object over into base: objects are merged recursively, entries of named lists are
/// merged by their Name, new entries are appended, all else is replaced. A null replaces nothing.
void layOver(json::Value &base, const json::Value &over);

/// Sorts the MemoryTypes and SupportedMemoryTypes of a MemorySubsystem: Global, L2, L1, Local, L3,
/// L4, Registers, then the others by name. MemoryTypes always has Global and L2, if necessary with
/// only a Name, so that index 1 is always L2.
void orderMemories(json::Value &subsystem);

/// The keys from the root of a tree to a value; an entry of a named list is given by its Name.
using TreePath = std::vector<std::string>;

/// "MemorySubsystem/MemoryTypes/L2/Size"
std::string joinedPath(const TreePath &path);
TreePath splitPath(std::string_view joined);

/// Returns the value at a path; NULL if it is missing or null.
const json::Value *valueAt(const json::Value &tree, const TreePath &path);

/// Returns the device file's tree with the variant of that Name merged into it: without Variants,
/// and with only the variant's own Aliases, DeviceNames and ReleaseYear.
json::Value withVariant(const json::Value &tree, std::string_view variant);

/// Returns the Variants of a device file's tree; none if they are not a list of named entries.
const json::Value::Array &variantsOf(const json::Value &tree);

/// Returns the variant of that Name, or NULL.
const json::Value *findVariant(const json::Value &tree, std::string_view variant);

}  // namespace nexus::core
