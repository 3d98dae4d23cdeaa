// SPDX-License-Identifier: Apache-2.0
#include "device_db/device_name.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/text.hpp"
#include "device/device_merge.hpp"

namespace nexus::core {
namespace {

constexpr std::array<std::string_view, 6> kDeviceTypes = {"-cpu-",  "-gpu-", "-npu-",
                                                          "-fpga-", "-dsp-", "-accelerator-"};
// Marks, also as characters in UTF-8.
constexpr std::array<std::string_view, 6> kMarks = {"(r)",    "(tm)",   "(c)",
                                                    "\u00ae", "\u2122", "\u00a9"};

bool isSeparator(char letter) {
  return letter == ' ' || letter == '_' || letter == '-' || (letter >= '\t' && letter <= '\r');
}

// Returns the length of the mark at the start of rest, in lower case, or 0.
std::size_t markLength(std::string_view rest) {
  const auto mark = std::find_if(kMarks.begin(), kMarks.end(),
                                 [&](std::string_view one) { return rest.starts_with(one); });
  return mark == kMarks.end() ? 0 : mark->size();
}

// Words after a product's name that do not make it another product.
constexpr std::array<std::string_view, 15> kPlainWords = {
    "processor", "cpu",  "gpu", "apu",   "core",   "cores",   "@",          "graphics",
    "dual",      "quad", "six", "eight", "twelve", "sixteen", "accelerator"};

bool isDigits(std::string_view word) {
  return word.find_first_not_of("0123456789") == std::string_view::npos;
}

// Returns whether the words after a product's name still mean that product.
bool isPlainRest(std::string_view rest) {
  bool number = false;  // valid only with the word after it: "96-core"
  for (const std::string &word : splitWords(rest, '-')) {
    if (word == "with" || word == "w/") {
      return !number;  // the processor's integrated graphics
    }
    const bool plain = isDigits(word) || word.ends_with("ghz") || contains(kPlainWords, word);
    if (!plain || (number && word != "core" && word != "cores")) {
      return false;
    }
    number = isDigits(word);
  }
  return !number;
}

// Adds the texts of value: a text, or a list of which some are.
void addTexts(std::vector<std::string> &texts, const json::Value *value) {
  if (value != nullptr && value->isString()) texts.push_back(*value->string());
  if (value != nullptr && value->isArray()) {
    for (const json::Value &one : *value->array()) {
      if (one.isString()) texts.push_back(*one.string());
    }
  }
}

// Returns the length of the longest matching name of a variant; 0: none.
std::size_t longestMatch(const json::Value &variant, std::string_view device,
                         std::string_view vendor) {
  std::vector<std::string> names = namesAndAliases(variant);
  addTexts(names, variant.find("DeviceNames"));
  std::size_t longest = 0;
  for (const std::string &name : names) {
    const std::string folded = foldedName(name);
    const std::string_view plain = withoutVendor(folded, vendor);
    const std::size_t at = findWords(device, plain);
    if (plain.size() > longest && at != std::string_view::npos &&
        isPlainRest(device.substr(at + plain.size()))) {
      longest = plain.size();
    }
  }
  return longest;
}

}  // namespace

std::string fileWord(std::string_view word) {
  std::string made;
  for (const char letter : lowered(word)) {
    const bool kept = (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') ||
                      letter == '.' || letter == '-' || letter == '+';
    made += kept ? letter : '_';
  }
  return made;
}

std::string stemOfParts(std::string_view vendor, std::string_view type,
                        std::string_view architecture) {
  return fileWord(vendor) + '-' + fileWord(type) + '-' + fileWord(architecture);
}

StemParts partsOfStem(std::string_view stem) {
  std::size_t begin = std::string_view::npos;
  std::size_t length = 0;
  for (const std::string_view type : kDeviceTypes) {
    if (const std::size_t at = stem.find(type); at < begin) {
      begin = at;
      length = type.size() - 2;
    }
  }
  if (begin == std::string_view::npos) {  // a type defined by a plug-in
    begin = stem.find('-');
    const std::size_t end = begin == std::string_view::npos ? begin : stem.find('-', begin + 1);
    if (end == std::string_view::npos) {
      return {};
    }
    length = end - begin - 1;
  }
  return {stem.substr(0, begin), stem.substr(begin + 1, length), stem.substr(begin + length + 2)};
}

std::string foldedName(std::string_view name) {
  const std::string small = lowered(name);
  std::string folded;
  for (std::size_t at = 0; at < small.size();) {
    const std::size_t mark = markLength(std::string_view(small).substr(at));
    const char letter = small[at];
    if (mark == 0 && !isSeparator(letter)) {
      folded += letter;
    } else if (!folded.empty() && folded.back() != '-') {
      folded += '-';
    }
    at += mark == 0 ? 1 : mark;
  }
  if (!folded.empty() && folded.back() == '-') {
    folded.pop_back();
  }
  return folded;
}

std::string_view withoutVendor(std::string_view name, std::string_view vendor) {
  const bool before = !vendor.empty() && name.size() > vendor.size() + 1 &&
                      name.starts_with(vendor) && name[vendor.size()] == '-';
  return before ? name.substr(vendor.size() + 1) : name;
}

bool isSameName(std::string_view left, std::string_view right, std::string_view vendor) {
  return !left.empty() && withoutVendor(left, vendor) == withoutVendor(right, vendor);
}

std::size_t findWords(std::string_view text, std::string_view words) {
  const auto inDashes = [](std::string_view name) { return "-" + std::string(name) + "-"; };
  return words.empty() ? std::string_view::npos : inDashes(text).find(inDashes(words));
}

std::vector<std::string> namesAndAliases(const json::Value &entry) {
  std::vector<std::string> names;
  addTexts(names, entry.find("Name"));
  addTexts(names, entry.find("Aliases"));
  return names;
}

std::string variantOf(const json::Value &tree, std::string_view device_name) {
  const std::string *maker = tree.text("Vendor");
  const std::string vendor = maker == nullptr ? std::string() : foldedName(*maker);
  const std::string folded = foldedName(device_name);
  std::string found;
  std::size_t longest = 0;
  for (const json::Value &variant : variantsOf(tree)) {
    const std::size_t length = longestMatch(variant, withoutVendor(folded, vendor), vendor);
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
