// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_PLUGIN_VISIBLE_DEVICES_HPP_
#define NEXUS_PLUGIN_VISIBLE_DEVICES_HPP_

#include <nexus-plugin/base/text.hpp>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {

// An environment variable that lists the devices which a driver shows, such as
// CUDA_VISIBLE_DEVICES.
class VisibleDevices {
 public:
  explicit VisibleDevices(const char *variable) : variable_(variable) {
    const char *const value = std::getenv(variable);
    is_set_ = value != nullptr;
    if (!is_set_) return;
    value_ = value;
    entries_ = split(value_, ',', true);
    for (std::string &entry : entries_) {
      entry.erase(entry.find_last_not_of(' ') + 1);
      entry.erase(0, entry.find_first_not_of(' '));
    }
  }

  bool is_set() const noexcept { return is_set_; }
  const std::string &value() const noexcept { return value_; }
  const std::vector<std::string> &entries() const noexcept { return entries_; }

  // Returns whether drivers ignore the entry, such as -1, and all that follow.
  static bool ends_list(std::string_view entry) noexcept {
    return entry.empty() || entry.front() == '-';
  }
  bool hides_all() const noexcept {
    return is_set_ && (entries_.empty() || ends_list(entries_.front()));
  }

  // Returns what is wrong with the variable if the driver shows no device.
  std::string why_none() const {
    const std::string is = join(variable_, " is '", value_, "'");
    if (hides_all()) return join(is, ", which hides all");
    std::vector<std::string> sorted = entries_;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    return twice != sorted.end() ? join(is, ", which names '", *twice, "' twice")
                                 : join(is, ", and there is no '", entries_.front(), "'");
  }

 private:
  std::string_view variable_;
  std::string value_;
  bool is_set_ = false;
  std::vector<std::string> entries_;
};

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_VISIBLE_DEVICES_HPP_
