// SPDX-License-Identifier: Apache-2.0
//
// Trees of properties laid over each other, and the paths of their values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/json.hpp"

namespace nexus::core {

/// Whether value is a list of objects that all have a text as Name, and has at least one.
bool isNamedList(const json::Value &value);

/// The Name of an entry of a named list.
const std::string &nameOfEntry(const json::Value &entry);

/// Lays over, an object, over base: objects are merged, entries of named lists are merged by their
/// Name and the new ones appended, all else is replaced; null replaces nothing.
void layOver(json::Value &base, const json::Value &over);

/// Puts the MemoryTypes and SupportedMemoryTypes of a MemorySubsystem in their order: Global, L2,
/// L1, Local, L3, L4, Registers, then the others by name. Of MemoryTypes, Global and L2 are always
/// there, with nothing but a Name where nothing is known of them, so that index 1 is never another
/// memory.
void orderMemories(json::Value &subsystem);

/// The keys from the top of a tree to a value; an entry of a named list goes by its Name.
using TreePath = std::vector<std::string>;

/// "MemorySubsystem/MemoryTypes/L2/Size"
std::string joinedPath(const TreePath &path);
TreePath splitPath(std::string_view joined);

/// The value at a path; NULL where there is none or it is null.
const json::Value *valueAt(const json::Value &tree, const TreePath &path);

/// The device file's tree with its variant of that Name laid over it: no Variants, and the
/// variant's own Aliases, DeviceNames and ReleaseYear only.
json::Value withVariant(const json::Value &tree, std::string_view variant);

/// The variant of that Name; NULL: none.
const json::Value *findVariant(const json::Value &tree, std::string_view variant);

}  // namespace nexus::core
