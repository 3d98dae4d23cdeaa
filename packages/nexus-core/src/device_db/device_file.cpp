// SPDX-License-Identifier: Apache-2.0
#include "device_db/device_file.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "device/device_merge.hpp"
#include "device_db/device_name.hpp"

namespace nexus::core {
namespace {

// Checks a device file before its values are used. A mistake is a json::ParseError at the top-level
// member with it.
class FormCheck {
 public:
  FormCheck(std::string_view text, const json::Value &tree) : text_(text), tree_(tree) {}

  void checkObject() const {
    if (!tree_.isObject())
      fail("", std::string("it holds ") + tree_.typeName() + ", not an object.");
  }

  void checkStem(const std::string &stem) const {
    const std::string &vendor = textOf("Vendor");
    const std::string &type = textOf("Type");
    const std::string wanted = stemOfParts(vendor, type, textOf("Architecture"));
    if (stem != wanted) {
      fail("Vendor", "its name is " + stem + ".json, but its Vendor, Type and Architecture make " +
                         wanted + ".json.");
    }
  }

  void checkVariants() const {
    std::set<std::string> names;
    for (const json::Value &variant : objectsOf("Variants")) {
      const std::string *name = variant.text("Name");
      if (name == nullptr || name->empty()) {
        fail("Variants", "it has a variant without a Name.");
      }
      if (!names.insert(*name).second) {
        fail("Variants", "it has two variants with the Name '" + *name + "'.");
      }
    }
  }

  void checkSources() const {
    for (const json::Value &source : objectsOf("Sources")) {
      const json::Value *values = source.find("Values");
      if (values != nullptr && !areTexts(values)) {
        fail("Sources", "it has a source whose Values are not a list of texts.");
      }
    }
  }

 private:
  [[noreturn]] void fail(const std::string &key, const std::string &reason) const {
    throw json::errorAtMember(text_, key, reason);
  }

  const std::string &textOf(const std::string &key) const {
    const std::string *text = tree_.text(key);
    if (text == nullptr || text->empty()) {
      fail(key, "it has no " + key + ", a text and a part of the file's name.");
    }
    return *text;
  }

  const json::Value::Array &objectsOf(const std::string &key) const {
    static const json::Value::Array kNone;
    const json::Value *list = tree_.find(key);
    if (list != nullptr &&
        (!list->isArray() ||
         !std::all_of(list->array()->begin(), list->array()->end(),
                      [](const json::Value &entry) { return entry.isObject(); }))) {
      fail(key, "its " + key + " are not a list of objects.");
    }
    return list == nullptr ? kNone : *list->array();
  }

  const std::string_view text_;
  const json::Value &tree_;
};

}  // namespace

std::string problemText(const DeviceFileProblem &problem) {
  const bool folder = std::filesystem::path(problem.file).extension() != ".json";
  std::string text =
      std::string(folder ? "The folder '" : "The device file '") + asUtf8(problem.file) + "'";
  if (problem.line != 0) {
    text += ", line " + std::to_string(problem.line) + ", column " +
            std::to_string(problem.column) + ",";
  }
  return text + " is ignored: " + problem.reason;
}

ReadDeviceFile parseDeviceFile(const std::string &path, std::string_view text) {
  ReadDeviceFile read;
  const auto leaveOut = [&](const json::ParseError &error, std::string reason) {
    read.problem = {path, error.line(), error.column(), std::move(reason)};
  };
  auto file = std::make_shared<DeviceFile>();
  file->path = path;
  file->stem = std::filesystem::path(path).stem().string();
  try {
    file->tree = json::parse(text);
  } catch (const json::ParseError &error) {
    leaveOut(error, "it is not JSON: " + error.reason() + ".");
    return read;
  }
  try {
    const FormCheck check(text, file->tree);
    check.checkObject();
    if (file->stem != kIndexStem) {
      check.checkStem(file->stem);
      check.checkVariants();
      check.checkSources();
    }
    read.file = std::move(file);
  } catch (const json::ParseError &error) {
    leaveOut(error, error.reason());
  }
  return read;
}

}  // namespace nexus::core
