// SPDX-License-Identifier: Apache-2.0
#include "device_db/device_variant.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.hpp"
#include "device/device_merge.hpp"
#include "device_db/device_name.hpp"

namespace nexus::core {
namespace {

// Words after a product's name that do not make it another product.
constexpr std::array<std::string_view, 15> kPlainWords = {
    "processor", "cpu",  "gpu", "apu",   "core",   "cores",   "@",          "graphics",
    "dual",      "quad", "six", "eight", "twelve", "sixteen", "accelerator"};

bool isDigits(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(),
                                      [](char letter) { return letter >= '0' && letter <= '9'; });
}

bool isPlain(std::string_view word) {
  return isDigits(word) || word.ends_with("ghz") ||
         std::find(kPlainWords.begin(), kPlainWords.end(), word) != kPlainWords.end();
}

// Returns whether the words after a product's name still mean that product.
bool isPlainRest(std::string_view rest) {
  bool number = false;  // valid only with the word after it: "96-core"
  for (const std::string &word : splitWords(rest, '-')) {
    if (word == "with" || word == "w/") {
      return !number;  // the processor's integrated graphics
    }
    if (!isPlain(word) || (number && word != "core" && word != "cores")) {
      return false;
    }
    number = isDigits(word);
  }
  return !number;
}

bool nameMatches(std::string_view device, std::string_view name) {
  const std::size_t at = findWords(device, name);
  return at != std::string_view::npos && isPlainRest(device.substr(at + name.size()));
}

std::vector<std::string> namesOf(const json::Value &variant) {
  std::vector<std::string> names{nameOfEntry(variant)};
  for (const char *key : {"DeviceNames", "Aliases"}) {
    const json::Value *value = variant.find(key);
    const json::Value::Array *list = value == nullptr ? nullptr : value->array();
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      if ((*list)[i].isString()) names.push_back(*(*list)[i].string());
    }
  }
  return names;
}

// Returns the length of the longest matching name of a variant; 0: none.
std::size_t longestMatch(const json::Value &variant, std::string_view device,
                         std::string_view vendor) {
  std::size_t longest = 0;
  for (const std::string &name : namesOf(variant)) {
    const std::string folded = foldedName(name);
    const std::string_view plain = withoutVendor(folded, vendor);
    if (plain.size() > longest && nameMatches(device, plain)) {
      longest = plain.size();
    }
  }
  return longest;
}

}  // namespace

std::string variantOf(const json::Value &tree, std::string_view device_name) {
  const json::Value *variants = tree.find("Variants");
  if (variants == nullptr || !isNamedList(*variants)) {
    return {};
  }
  const json::Value *maker = tree.find("Vendor");
  const std::string vendor =
      maker != nullptr && maker->isString() ? foldedName(*maker->string()) : std::string();
  const std::string folded = foldedName(device_name);
  const std::string_view device = withoutVendor(folded, vendor);
  std::string found;
  std::size_t longest = 0;
  for (const json::Value &variant : *variants->array()) {
    const std::size_t length = longestMatch(variant, device, vendor);
    if (length > longest) {
      longest = length;
      found = nameOfEntry(variant);
    } else if (length == longest) {
      found.clear();
    }
  }
  return found;
}

}  // namespace nexus::core
