// SPDX-License-Identifier: Apache-2.0
#include "device_file.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>

#include "device.hpp"
#include "log.hpp"
#include "property_name.hpp"

namespace nexus::core {
namespace {

// Lower case, with '_' for all that is not a letter, a digit, '.', '-' or '+'.
std::string fileWord(const std::string &word) {
  std::string made;
  for (const char letter : word) {
    const bool upper = letter >= 'A' && letter <= 'Z';
    const bool kept = (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') ||
                      letter == '.' || letter == '-' || letter == '+';
    made += upper ? static_cast<char>(letter - 'A' + 'a') : kept ? letter : '_';
  }
  return made;
}

std::string textOf(Device &device, nxs_property number) {
  const std::optional<json::Value> value = device.property(propertyName(number), number);
  return value && value->isString() ? *value->string() : std::string();
}

std::optional<DeviceFile> readFile(const std::filesystem::path &path, const std::string &backend) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto leaveOut = [&](const std::string &why) -> std::optional<DeviceFile> {
    logLine(NXS_LogLevel_Warning, backend,
            "The device file " + path.string() + " is left out: " + why);
    return std::nullopt;
  };
  if (file.bad() || !file.is_open()) {
    return leaveOut("it can't be read.");
  }
  try {
    json::Value tree = json::parse(text);
    if (!tree.isObject()) {
      return leaveOut("it holds no JSON object.");
    }
    return DeviceFile{path.stem().string(), std::move(tree)};
  } catch (const json::ParseError &error) {
    return leaveOut(std::string("it is not JSON: ") + error.what());
  }
}

bool isPlainFile(const std::filesystem::path &path) {
  std::error_code none;
  return std::filesystem::is_regular_file(path, none);
}

}  // namespace

std::string stemOf(Device &device) {
  std::string stem;
  for (const nxs_property part : {NP_Vendor, NP_Type, NP_Architecture}) {
    const std::string word = textOf(device, part);
    if (word.empty()) {
      return {};
    }
    stem += (stem.empty() ? "" : "-") + fileWord(word);
  }
  return stem;
}

std::vector<DeviceFile> readDeviceFiles(const std::filesystem::path &folder,
                                        const std::string &backend) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".json" && isPlainFile(entry->path())) {
      paths.push_back(entry->path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<DeviceFile> files;
  for (const std::filesystem::path &path : paths) {
    if (std::optional<DeviceFile> file = readFile(path, backend)) {
      files.push_back(*std::move(file));
    }
  }
  return files;
}

std::optional<DeviceFile> readDeviceFile(const std::filesystem::path &folder,
                                         const std::string &stem, const std::string &backend) {
  if (folder.empty() || stem.empty()) {
    return std::nullopt;
  }
  const std::filesystem::path path = folder / (stem + ".json");
  return isPlainFile(path) ? readFile(path, backend) : std::nullopt;
}

}  // namespace nexus::core
