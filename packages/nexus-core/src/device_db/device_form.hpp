// SPDX-License-Identifier: Apache-2.0
//
// What a device file has to be before anything is read from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "json/json.hpp"

namespace nexus::core {

/// What is wrong with a file.
struct FormMistake {
  std::string key;     // the top member that it is about; empty: the whole
  std::string reason;  // a sentence that begins with "it"
};

/// The first mistake of a device file of that stem.
std::optional<FormMistake> mistakeOfDeviceFile(const json::Value &tree, std::string_view stem);

/// The first mistake of an index: {"<stem>": {"Names": [...], "Variants": {"<Name>": [...]}}}.
std::optional<FormMistake> mistakeOfIndex(const json::Value &tree);

/// A place in a text, both from 1; the column in bytes.
struct TextPlace {
  uint64_t line = 1;
  uint64_t column = 1;
};

/// Where the name of that member of the top object stands in a JSON text; where the text's value
/// begins if it has none.
TextPlace placeOfMember(std::string_view text, std::string_view key);

}  // namespace nexus::core
