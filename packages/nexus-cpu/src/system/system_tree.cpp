// SPDX-License-Identifier: Apache-2.0
#include "system/system_tree.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>

namespace nexus_cpu NXS_HIDDEN {
namespace {

constexpr std::size_t kMostText = std::size_t{8} << 20;
constexpr std::size_t kMostNames = 65536;
// Properties are signed.
constexpr uint64_t kLargestNumber = INT64_MAX;
// A list that names more processors than any system runs is no list.
constexpr uint64_t kMostListed = 65536;
constexpr std::string_view kTreeBlanks = " \t\r\n\v\f";

struct OpenFile {
  int number;
  // Not blocking: what stands in the place of a file may be a pipe.
  explicit OpenFile(const std::string &path)
      : number(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~OpenFile() {
    if (number >= 0) ::close(number);
  }
  OpenFile(const OpenFile &) = delete;
  OpenFile &operator=(const OpenFile &) = delete;
};

// "7" is 7 to 7, "0-3" is 0 to 3.
bool parse_range(std::string_view text, uint64_t &first, uint64_t &last) {
  const std::size_t dash = text.find('-');
  const auto from = parse_number(text.substr(0, dash));
  const auto to = dash == std::string_view::npos ? from : parse_number(text.substr(dash + 1));
  if (!from || !to || *to < *from || *to >= kMostListed) return false;
  first = *from;
  last = *to;
  return true;
}

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

std::optional<uint64_t> parse_size(std::string_view text) {
  text = trimmed(text);
  if (text.empty()) return std::nullopt;
  const std::size_t unit = std::string_view("KMG").find(text.back());
  if (unit == std::string_view::npos) return parse_number(text);
  const auto number = parse_number(text.substr(0, text.size() - 1));
  const auto shift = static_cast<unsigned>(10 * (unit + 1));
  if (!number || *number > (kLargestNumber >> shift)) return std::nullopt;
  return *number << shift;
}

std::vector<unsigned> parse_list(std::string_view text) {
  text = trimmed(text);
  std::vector<unsigned> all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    uint64_t first = 0, last = 0;
    if (!parse_range(text.substr(0, end), first, last)) return {};
    if (all.size() + (last - first) >= kMostListed) return {};
    for (uint64_t i = first; i <= last; ++i) all.push_back(static_cast<unsigned>(i));
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
  const OpenFile file(root_ + path);
  std::string all;
  char block[16384];
  while (file.number >= 0 && all.size() < kMostText) {
    const ssize_t count = ::read(file.number, block, sizeof(block));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    all.append(block, static_cast<std::size_t>(count));
  }
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
  return parse_size(line(path));
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

}  // namespace nexus_cpu
