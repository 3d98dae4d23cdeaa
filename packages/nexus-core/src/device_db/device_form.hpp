// SPDX-License-Identifier: Apache-2.0
//
// Checks of a device file before its values are used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "json/json.hpp"

namespace nexus::core {

struct FormMistake {
  std::string key;     // the top-level member; empty: the whole file
  std::string reason;  // a sentence that begins with "it"
};

/// Returns the first mistake of a device file of that stem.
std::optional<FormMistake> mistakeOfDeviceFile(const json::Value &tree, std::string_view stem);

/// Returns the first mistake of an index: {"<stem>": {"Names": [...], "Variants": {"<Name>":
/// [...]}}}.
std::optional<FormMistake> mistakeOfIndex(const json::Value &tree);

/// A place in a text, both from 1; the column in bytes.
struct TextPlace {
  uint64_t line = 1;
  uint64_t column = 1;
};

/// Returns the place of a top-level member's name in a JSON text; without such a member, the place
/// of the text's value.
TextPlace placeOfMember(std::string_view text, std::string_view key);

}  // namespace nexus::core
