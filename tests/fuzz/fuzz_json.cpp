// SPDX-License-Identifier: Apache-2.0
//
// The readers of JSON, of device files and of paths, given any bytes: the first tells how many keys
// there are, a byte each follows for them, and the rest is the text.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "device/device_merge.hpp"
#include "device_db/device_name.hpp"
#include "device_db/device_properties.hpp"
#include "json/json.hpp"
#include "object/property.hpp"

namespace {

using namespace nexus::core;

constexpr std::array<std::string_view, 10> kNames = {
    "Name",  "CoreSubsystem", "MemorySubsystem", "MemoryTypes",
    "Units", "Variants",      "Sources",         "Count",
    "",      "no such key"};

// Ends the process where something does not hold.
void require(bool holds, const char *what) {
  if (!holds) {
    std::fprintf(stderr, "fuzz_json: it does not hold that %s\n", what);
    std::abort();
  }
}

bool isSame(const json::Value &left, const json::Value &right);

bool isSame(const json::Value::Array &left, const json::Value::Array &right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const auto &one, const auto &other) { return isSame(one, other); });
}

bool isSame(const json::Value::Object &left, const json::Value::Object &right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const json::Member &one, const json::Member &other) {
                      return one.name == other.name && isSame(one.value, other.value);
                    });
}

bool isSame(const json::Value &left, const json::Value &right) {
  if (left.isArray() || left.isObject()) {
    return left.isArray() ? right.isArray() && isSame(*left.array(), *right.array())
                          : right.isObject() && isSame(*left.object(), *right.object());
  }
  return std::string_view(left.typeName()) == right.typeName() &&
         json::write(left) == json::write(right);
}

void requirePlace(std::string_view text, uint64_t line, uint64_t column) {
  const auto lines = static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  require(line >= 1 && line <= lines, "an error's line is one of the text");
  std::size_t begin = 0;
  for (uint64_t i = 1; i < line; ++i) begin = text.find('\n', begin) + 1;
  const std::size_t end = std::min(text.find('\n', begin), text.size());
  require(column >= 1 && column <= end - begin + 1, "an error's column is one of its line");
}

// The tree of a text; null where it is not JSON.
json::Value parsed(std::string_view text) {
  try {
    json::Value tree = json::parse(text);
    require(isSame(tree, json::parse(json::write(tree))), "what was written is read as it was");
    return tree;
  } catch (const json::ParseError &error) {
    require(error.offset() <= text.size(), "an error's offset is within the text");
    requirePlace(text, error.line(), error.column());
    return {};
  }
}

std::vector<nexus_key> keysOf(const uint8_t *data, std::size_t count) {
  std::vector<nexus_key> keys;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view name = kNames[data[i] % kNames.size()];
    if (data[i] < 0x80) {
      keys.push_back({{name.data(), name.size()}, 0});
    } else {
      keys.push_back({{nullptr, 0}, int64_t{data[i]} - 0x84});  // from -4 on
    }
  }
  return keys;
}

// Reads a path, and where what it leads to comes from.
void readPath(DeviceProperties &info, const std::vector<nexus_key> &keys) {
  try {
    const PropertyPath path(keys.data(), keys.size());
    std::optional<json::Value> made;
    require(!readProperty(info, path, made).isNull(), "a value that was read is there");
    const json::Value source = info.source(path);
    require(source.find("Kind") != nullptr && source.find("Citations") != nullptr,
            "a value has a source");
  } catch (const Failure &failure) {
    require(failure.status() == NXS_InvalidProperty || failure.status() == NXS_InvalidValue,
            "a path that leads nowhere is an invalid property");
    require(!failure.text().empty(), "a failure says why");
  }
}

std::string stemOfTree(const json::Value &tree) {
  std::string words[3];
  const char *keys[] = {"Vendor", "Type", "Architecture"};
  for (int i = 0; i < 3; ++i) {
    const json::Value *word = tree.find(keys[i]);
    words[i] = word != nullptr && word->isString() ? *word->string() : "x";
  }
  return stemOfParts(words[0], words[1], words[2]);
}

void readDeviceFile(std::string_view text, const json::Value &tree,
                    const std::vector<nexus_key> &keys) {
  const ReadDeviceFile read = parseDeviceFile("/" + stemOfTree(tree) + ".json", text);
  if (read.file == nullptr) {
    require(!read.problem.reason.empty(), "a problem says why");
    requirePlace(text, read.problem.line, read.problem.column);
    return;
  }
  readPath(*make<DeviceProperties>(read.file), keys);
  const json::Value *variants = read.file->tree.find("Variants");
  for (std::size_t i = 0; variants != nullptr && i < variants->array()->size(); ++i) {
    const std::string &name = nameOfEntry((*variants->array())[i]);
    const auto info = make<DeviceProperties>(read.file, name);
    require(*info->tree().find("Name")->string() == name, "a variant's file has its Name");
    require(info->tree().find("Variants") == nullptr, "a variant's file has no variants");
    readPath(*info, keys);
  }
}

}  // namespace

extern "C" NXS_EXPORT int LLVMFuzzerTestOneInput(const uint8_t *data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::size_t count = std::min<std::size_t>(data[0] % 8, size - 1);
  const std::vector<nexus_key> keys = keysOf(data + 1, count);
  const std::string_view text(reinterpret_cast<const char *>(data) + 1 + count, size - 1 - count);
  const json::Value tree = parsed(text);
  readDeviceFile(text, tree, keys);
  if (tree.isObject()) {
    readPath(*make<DeviceProperties>(nullptr, "", tree), keys);
  }
  return 0;
}
