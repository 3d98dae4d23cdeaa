// SPDX-License-Identifier: Apache-2.0
//
// Names of devices: in file names, and as people and drivers write them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/json.hpp"

namespace nexus::core {

/// Returns word as a part of a stem: in lower case, with '_' for all but letters, digits, '.', '-'
/// and '+'.
std::string fileWord(std::string_view word);

/// Returns the stem of a vendor, type and architecture: "amd-cpu-znver4".
std::string stemOfParts(std::string_view vendor, std::string_view type,
                        std::string_view architecture);

/// The parts of a stem; empty if it has fewer than two '-'.
struct StemParts {
  std::string_view vendor;
  std::string_view type;
  std::string_view architecture;
};
StemParts partsOfStem(std::string_view stem);

/// Returns a name in the form for comparisons: in lower case, its words joined by '-'. Blanks, '_'
/// and '-' separate words; the marks (R), (TM) and (C) are left out.
std::string foldedName(std::string_view name);

/// Returns the name without the vendor's name before it; both are folded.
std::string_view withoutVendor(std::string_view name, std::string_view vendor);

/// Returns whether two folded names are the same, with or without the folded vendor before them.
bool isSameName(std::string_view left, std::string_view right, std::string_view vendor);

/// Returns the offset of the words of a folded name, in sequence, within text's; npos: not found.
std::size_t findWords(std::string_view text, std::string_view words);

/// Returns the Name and the Aliases of a device file or of a variant.
std::vector<std::string> namesAndAliases(const json::Value &entry);

/// Returns the Name of the variant in a device file's tree that matches a device's Name; empty:
/// none, or several match equally.
///
/// A variant matches by its Name, an alias or one of its DeviceNames, in the form for comparisons
/// and without the vendor's name: if that is the device's name, or occurs in it as whole words
/// without a word after it that names another product ("Ti" does, "96-Core Processor" does not).
/// The longest match counts.
std::string variantOf(const json::Value &tree, std::string_view device_name);

}  // namespace nexus::core
