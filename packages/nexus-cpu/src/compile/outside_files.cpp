// SPDX-License-Identifier: Apache-2.0
#include "compile/outside_files.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace nexus_cpu NXS_HIDDEN {
namespace {

// Returns the folder of a flag such as "-I/folder"; nothing for other flags.
std::optional<std::string_view> include_folder(std::string_view flag) {
  for (const std::string_view begin : {"-I", "-isystem", "-iquote", "-idirafter"}) {
    if (flag.starts_with(begin)) return flag.substr(begin.size());
  }
  return std::nullopt;
}

// Guesses whether a flag names a file: one with a slash does.
bool names_file(std::string_view flag) {
  constexpr std::array<std::string_view, 7> kBeginnings = {"-L",
                                                           "-F",
                                                           "-i",
                                                           "-fprofile-use",
                                                           "-fprofile-instr-use",
                                                           "-fbranch-probabilities",
                                                           "-fauto-profile"};
  return flag.find('/') != std::string_view::npos ||
         std::any_of(kBeginnings.begin(), kBeginnings.end(),
                     [&](std::string_view begin) { return flag.starts_with(begin); });
}

// Appends the folders of a list as in PATH: an empty part is the current folder.
void append_folders(std::vector<std::string> &out, const char *variable) {
  const char *value = std::getenv(variable);
  if (value == nullptr || *value == '\0') return;
  std::string_view left = value;
  while (true) {
    const std::size_t end = left.find(':');
    const std::string_view folder = left.substr(0, end);
    out.emplace_back(folder.empty() ? "." : folder);
    if (end == std::string_view::npos) return;
    left.remove_prefix(end + 1);
  }
}

}  // namespace

OutsideFiles outside_files(const std::vector<std::string> &flags, bool cxx) {
  OutsideFiles found;
  for (const std::string &flag : flags) {
    if (const auto folder = include_folder(flag); folder && !folder->starts_with('=')) {
      found.include_folders.emplace_back(*folder);
    } else {
      found.others = found.others || names_file(flag);
    }
  }
  append_folders(found.include_folders, "CPATH");
  append_folders(found.include_folders, cxx ? "CPLUS_INCLUDE_PATH" : "C_INCLUDE_PATH");
  return found;
}

}  // namespace nexus_cpu
