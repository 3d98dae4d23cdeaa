// SPDX-License-Identifier: Apache-2.0
#include "device_db/device_name.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace nexus::core {
namespace {

constexpr std::array<std::string_view, 6> kDeviceTypes = {"-cpu-",  "-gpu-", "-npu-",
                                                          "-fpga-", "-dsp-", "-accelerator-"};
// Marks, also as characters in UTF-8.
constexpr std::array<std::string_view, 6> kMarks = {"(r)",    "(tm)",   "(c)",
                                                    "\u00ae", "\u2122", "\u00a9"};

char lowerLetter(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool isSeparator(char letter) {
  return letter == ' ' || letter == '_' || letter == '-' || (letter >= '\t' && letter <= '\r');
}

// Returns the length of the mark at the start of rest, in lower case, or 0.
std::size_t markLength(std::string_view rest) {
  const auto mark = std::find_if(kMarks.begin(), kMarks.end(),
                                 [&](std::string_view one) { return rest.starts_with(one); });
  return mark == kMarks.end() ? 0 : mark->size();
}

}  // namespace

std::string fileWord(std::string_view word) {
  std::string made;
  for (const char any : word) {
    const char letter = lowerLetter(any);
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
  std::string small(name);
  std::transform(small.begin(), small.end(), small.begin(), lowerLetter);
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
  if (words.empty()) {
    return std::string_view::npos;
  }
  for (std::size_t at = text.find(words); at != std::string_view::npos;
       at = text.find(words, at + 1)) {
    const std::size_t end = at + words.size();
    if ((at == 0 || text[at - 1] == '-') && (end == text.size() || text[end] == '-')) {
      return at;
    }
  }
  return std::string_view::npos;
}

}  // namespace nexus::core
