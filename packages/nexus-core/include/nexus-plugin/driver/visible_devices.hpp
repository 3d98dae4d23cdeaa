// SPDX-License-Identifier: Apache-2.0
// Variables of the environment by which a driver hides devices: lists of numbers or names.
#ifndef NEXUS_PLUGIN_VISIBLE_DEVICES_HPP_
#define NEXUS_PLUGIN_VISIBLE_DEVICES_HPP_

#include <nexus-plugin/base/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {

// One variable, such as CUDA_VISIBLE_DEVICES.
class VisibleDevices {
 public:
  explicit VisibleDevices(const char *variable) : variable_(variable) {
    const char *value = std::getenv(variable);
    is_set_ = value != nullptr;
    if (!is_set_) return;
    value_ = value;
    for (std::string_view rest = value_; !rest.empty();) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      entries_.push_back(trimmed(rest.substr(0, comma)));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }

  bool is_set() const noexcept { return is_set_; }
  std::string_view variable() const noexcept { return variable_; }
  std::string_view value() const noexcept { return value_; }
  const std::vector<std::string_view> &entries() const noexcept { return entries_; }

  // Returns whether an entry stands for "no more", as -1.
  static bool ends_list(std::string_view entry) noexcept {
    return entry.empty() || entry.front() == '-';
  }
  bool hides_all() const noexcept {
    return is_set_ && (entries_.empty() || ends_list(entries_.front()));
  }

  // "CUDA_VISIBLE_DEVICES is '7', and there is no '7'": what is wrong, where the driver shows
  // nothing.
  std::string why_none() const {
    const std::string is = join(variable_, " is '", value_, "'");
    if (hides_all()) return join(is, ", which hides all");
    if (const std::string_view twice = repeated(); !twice.empty()) {
      return join(is, ", which names '", twice, "' twice");
    }
    return join(is, ", and there is no '", entries_.front(), "'");
  }

 private:
  static std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
  }

  // An entry that stands there twice; empty where there is none.
  std::string_view repeated() const {
    std::vector<std::string_view> sorted = entries_;
    std::sort(sorted.begin(), sorted.end());
    const auto found = std::adjacent_find(sorted.begin(), sorted.end());
    return found == sorted.end() ? std::string_view() : *found;
  }

  std::string_view variable_, value_;
  bool is_set_ = false;
  std::vector<std::string_view> entries_;
};

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_VISIBLE_DEVICES_HPP_
