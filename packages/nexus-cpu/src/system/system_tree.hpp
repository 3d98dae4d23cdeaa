// SPDX-License-Identifier: Apache-2.0 Reads the files of Linux below /proc and /sys, below a folder
// that replaces the root. Nothing here throws because of a file's contents: missing, truncated or
// malformed data counts as absent.
#ifndef NEXUS_CPU_SYSTEM_TREE_HPP_
#define NEXUS_CPU_SYSTEM_TREE_HPP_

#include <nexus-api/nxs.h>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

// Parses the whole text as a number below 2^63, with blanks around it; base 16 may begin with "0x".
std::optional<uint64_t> parse_number(std::string_view text, int base = 10);
// "0-3,8" is 0, 1, 2, 3, 8: ascending, each once. Empty if the text is not such a list.
std::vector<unsigned> parse_list(std::string_view text);

// Removes the blanks at both ends.
std::string_view trimmed(std::string_view text);

// Returns the value of a line "key : value", as in /proc/cpuinfo and /proc/meminfo.
std::optional<std::string_view> value_of(std::string_view line, std::string_view key);

// Calls function(line) for each line.
template <class Function>
void for_each_line(std::string_view text, Function &&function) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    function(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

class SystemTree {
 public:
  // root: without a slash at the end, so "" is the machine's own.
  explicit SystemTree(std::string root = {}) : root_(std::move(root)) {}

  // Paths begin with a slash. Returns the text of a file, up to 8 MiB of it; empty if it can't
  // be read.
  std::string text(const std::string &path) const;
  // These read the first line, without blanks at both ends. A size such as "1024K" is in bytes.
  std::string line(const std::string &path) const;
  std::optional<uint64_t> number(const std::string &path) const;
  std::optional<uint64_t> size(const std::string &path) const;
  std::vector<unsigned> list(const std::string &path) const;
  // Returns the sorted names in a folder that begin with the prefix.
  std::vector<std::string> names(const std::string &folder, std::string_view prefix) const;

 private:
  std::string root_;
};

// Returns "/sys/devices/system/cpu/cpu3/topology/core_id"; file begins with a slash.
std::string processor_file(unsigned processor, std::string_view file);

#if defined(__APPLE__)
// Read sysctl; 0 and empty if it does not have the name.
uint64_t system_number(const std::string &name);
std::string system_text(const std::string &name);
#endif

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_SYSTEM_TREE_HPP_
