// SPDX-License-Identifier: Apache-2.0
#include "properties.hpp"

#include <filesystem>
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

// The device file of a device, as an object; empty where there is none.
json::Value deviceFile(Device &device) {
  const json::Value nothing{json::Value::Object{}};
  const std::string vendor = textOf(device, NP_Vendor);
  const std::string type = textOf(device, NP_Type);
  const std::string architecture = textOf(device, NP_Architecture);
  if (device.plugin().devices.empty() || vendor.empty() || type.empty() || architecture.empty()) {
    return nothing;
  }
  const std::filesystem::path path =
      std::filesystem::path(device.plugin().devices) /
      (fileWord(vendor) + "-" + fileWord(type) + "-" + fileWord(architecture) + ".json");
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) {
    return nothing;
  }
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto warn = [&](const std::string &why) {
    logLine(NXS_LogLevel_Warning, device.plugin().name,
            "The device file " + path.string() + " is left out: " + why);
    return nothing;
  };
  if (file.bad() || !file.is_open()) {
    return warn("it can't be read.");
  }
  try {
    json::Value tree = json::parse(text);
    return tree.isObject() ? tree : warn("it holds no JSON object.");
  } catch (const json::ParseError &error) {
    return warn(std::string("it is not JSON: ") + error.what());
  }
}

// Lays over's members over those of base; objects in both are merged, all else replaced.
void layOver(json::Value &base, const json::Value &over) {
  for (const json::Member &member : *over.object()) {
    json::Value *below = base.find(member.name);
    if (below != nullptr && below->isObject() && member.value.isObject()) {
      layOver(*below, member.value);
    } else if (!member.value.isNull()) {
      base.set(member.name, member.value);
    }
  }
}

}  // namespace

std::optional<json::Value> Properties::property(std::string_view name, nxs_property) {
  const json::Value *value = tree_.find(name);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::vector<std::string> Properties::propertyKeys() {
  std::vector<std::string> names;
  for (const json::Member &member : *tree_.object()) {
    names.push_back(member.name);
  }
  return names;
}

json::Value deviceInfo(Device &device) {
  json::Value own{json::Value::Object{}};
  for (const std::string &name : device.propertyKeys()) {
    const auto number = propertyNumber(name);
    if (!number || *number == NP_Keys) {
      continue;
    }
    if (auto value = device.property(name, *number)) {
      own.set(name, *std::move(value));
    }
  }
  json::Value info = deviceFile(device);
  layOver(info, own);
  return info;
}

}  // namespace nexus::core
