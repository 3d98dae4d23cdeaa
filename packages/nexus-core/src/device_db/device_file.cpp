// SPDX-License-Identifier: Apache-2.0
#include "device_db/device_file.hpp"

#include <filesystem>
#include <optional>
#include <utility>

#include "device_db/device_form.hpp"

namespace nexus::core {
namespace {

// Returns a ParseError's text without its line and column, which the problem has as numbers.
std::string withoutPlace(const json::ParseError &error) {
  const std::string text = error.what();
  const std::string place =
      "line " + std::to_string(error.line()) + ", column " + std::to_string(error.column()) + ": ";
  return text.starts_with(place) ? text.substr(place.size()) : text;
}

}  // namespace

ReadDeviceFile parseDeviceFile(const std::string &path, std::string_view text) {
  ReadDeviceFile read;
  read.problem.file = path;
  try {
    auto file = std::make_shared<DeviceFile>();
    file->path = path;
    file->stem = std::filesystem::path(path).stem().string();
    file->tree = json::parse(text);
    const auto mistake = file->stem == kIndexStem ? mistakeOfIndex(file->tree)
                                                  : mistakeOfDeviceFile(file->tree, file->stem);
    if (!mistake) {
      read.file = std::move(file);
      return read;
    }
    const TextPlace place = placeOfMember(text, mistake->key);
    read.problem.line = place.line;
    read.problem.column = place.column;
    read.problem.reason = mistake->reason;
  } catch (const json::ParseError &error) {
    read.problem.line = error.line();
    read.problem.column = error.column();
    read.problem.reason = "it is not JSON: " + withoutPlace(error) + ".";
  }
  return read;
}

}  // namespace nexus::core
