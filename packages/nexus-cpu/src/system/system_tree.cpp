// SPDX-License-Identifier: Apache-2.0
#include "system/system_tree.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#if defined(__APPLE__)
#include <sys/sysctl.h>
#endif

namespace nexus_cpu NXS_HIDDEN {
namespace {

constexpr std::size_t kMostText = std::size_t{8} << 20;
constexpr std::size_t kMostNames = 65536;
// Properties are signed.
constexpr uint64_t kLargestNumber = INT64_MAX;
// A list that names more processors than any system has is invalid.
constexpr uint64_t kMostListed = 65536;
constexpr std::string_view kTreeBlanks = " \t\r\n\v\f";

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kTreeBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kTreeBlanks) - first + 1);
}

std::optional<uint64_t> parse_number(std::string_view text, int base) {
  text = trimmed(text);
  if (base == 16 && (text.starts_with("0x") || text.starts_with("0X"))) text.remove_prefix(2);
  uint64_t value = 0;
  const char *end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value, base);
  if (problem != std::errc() || stop != end || value > kLargestNumber) return std::nullopt;
  return value;
}

std::vector<unsigned> parse_list(std::string_view text) {
  text = trimmed(text);
  std::vector<unsigned> all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::string_view range = text.substr(0, end);  // "7" or "0-3"
    const std::size_t dash = range.find('-');
    const auto first = parse_number(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_number(range.substr(dash + 1));
    if (!first || !last || *last < *first || *last >= kMostListed) return {};
    if (all.size() + (*last - *first) >= kMostListed) return {};
    for (uint64_t i = *first; i <= *last; ++i) all.push_back(static_cast<unsigned>(i));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::optional<std::string_view> value_of(std::string_view line, std::string_view key) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || trimmed(line.substr(0, colon)) != key) return std::nullopt;
  return trimmed(line.substr(colon + 1));
}

std::string SystemTree::text(const std::string &path) const {
  std::string all;
  // Not blocking: there may be a pipe in the place of a file.
  const int file = ::open((root_ + path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return all;
  while (all.size() < kMostText) {
    char block[16384];
    const ssize_t count = ::read(file, block, sizeof(block));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    all.append(block, static_cast<std::size_t>(count));
  }
  ::close(file);
  return all;
}

std::string SystemTree::line(const std::string &path) const {
  const std::string all = text(path);
  return std::string(trimmed(std::string_view(all).substr(0, all.find('\n'))));
}

std::optional<uint64_t> SystemTree::number(const std::string &path) const {
  return parse_number(line(path));
}

std::optional<uint64_t> SystemTree::size(const std::string &path) const {
  std::string digits = line(path);
  const std::size_t unit =
      digits.empty() ? std::string::npos : std::string("KMG").find(digits.back());
  if (unit == std::string::npos) return parse_number(digits);
  digits.pop_back();
  const auto number = parse_number(digits);
  const auto shift = static_cast<unsigned>(10 * (unit + 1));
  if (!number || *number > (kLargestNumber >> shift)) return std::nullopt;
  return *number << shift;
}

std::vector<unsigned> SystemTree::list(const std::string &path) const {
  return parse_list(line(path));
}

std::vector<std::string> SystemTree::names(const std::string &folder,
                                           std::string_view prefix) const {
  std::vector<std::string> found;
  std::error_code problem;
  std::filesystem::directory_iterator entry(root_ + folder, problem);
  for (; !problem && entry != std::filesystem::directory_iterator(); entry.increment(problem)) {
    std::string name = entry->path().filename().string();
    if (name.starts_with(prefix)) found.push_back(std::move(name));
    if (found.size() == kMostNames) break;
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string processor_file(unsigned processor, std::string_view file) {
  return "/sys/devices/system/cpu/cpu" + std::to_string(processor) + std::string(file);
}

#if defined(__APPLE__)

// Values of 32 bits are read too: the machine is little-endian.
uint64_t system_number(const std::string &name) {
  uint64_t value = 0;
  std::size_t size = sizeof(value);
  return sysctlbyname(name.c_str(), &value, &size, nullptr, 0) == 0 ? value : 0;
}

std::string system_text(const std::string &name) {
  char text[256] = {};
  std::size_t size = sizeof(text) - 1;
  const bool known = sysctlbyname(name.c_str(), text, &size, nullptr, 0) == 0;
  return known ? std::string(text) : std::string();
}

#endif

}  // namespace nexus_cpu
