// SPDX-License-Identifier: Apache-2.0
#include "registry/manifest.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "json/json.hpp"

namespace nexus::core {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kManifestVersion = 1;
constexpr std::streamsize kMaxBytes = 1 << 20;

// Reads the fields of one manifest; every failure names the file.
class Reader {
 public:
  explicit Reader(fs::path path) : path_(std::move(path)) {}

  Manifest read() {
    const json::Value document = parseFile();
    if (!document.isObject()) {
      fail(std::string("holds ") + document.typeName() + ", not an object");
    }
    checkVersion(document);
    Manifest manifest;
    manifest.path = path_;
    manifest.name = requiredText(document, "name");
    if (!isBackendName(manifest.name)) {
      fail("has \"name\": \"" + manifest.name +
           "\"; a name is a lower-case letter and then lower-case letters, digits, '_' or '-'");
    }
    manifest.version = optionalText(document, "version");
    manifest.library = path_.parent_path() / requiredText(document, "library");
    if (const std::string devices = optionalText(document, "devices"); !devices.empty()) {
      manifest.devices = path_.parent_path() / devices;
    }
    readApiRange(document, manifest);
    return manifest;
  }

 private:
  [[noreturn]] void fail(const std::string &why) const {
    throw Failure(NXS_InvalidValue, "The manifest '" + path_.string() + "' " + why + ".");
  }

  json::Value parseFile() const {
    std::error_code error;
    if (fs::is_directory(path_, error)) {
      fail("is a folder; give the path of the file");
    }
    std::ifstream file(path_, std::ios::binary);
    if (!file) {
      fail("can't be read: no such file, or no permission");
    }
    std::string text(static_cast<std::size_t>(kMaxBytes) + 1, '\0');
    file.read(text.data(), kMaxBytes + 1);
    if (file.bad()) {
      fail("can't be read to its end");
    }
    if (file.gcount() > kMaxBytes) {
      fail("is larger than 1 MiB, which no manifest is");
    }
    text.resize(static_cast<std::size_t>(file.gcount()));
    try {
      return json::parse(text);
    } catch (const json::ParseError &parse_error) {
      fail(std::string("is not JSON: ") + parse_error.what());
    }
  }

  void checkVersion(const json::Value &document) const {
    const json::Value *version = document.find("manifest_version");
    if (version == nullptr) {
      fail("lacks the field \"manifest_version\"; write \"manifest_version\": 1");
    }
    if (version->integer() == nullptr) {
      fail(std::string("has ") + version->typeName() +
           " as \"manifest_version\", which must be an integer");
    }
    if (*version->integer() != kManifestVersion) {
      fail("has \"manifest_version\": " + std::to_string(*version->integer()) +
           ", and this nexus-core reads 1; update nexus-core or the plug-in");
    }
  }

  // Returns the text of a field; empty if there is none.
  std::string optionalText(const json::Value &object, const char *field) const {
    const json::Value *value = object.find(field);
    if (value == nullptr) {
      return {};
    }
    if (value->string() == nullptr) {
      fail(std::string("has ") + value->typeName() + " as \"" + field +
           "\", which must be a string");
    }
    return *value->string();
  }

  std::string requiredText(const json::Value &object, const char *field) const {
    if (object.find(field) == nullptr) {
      fail(std::string("lacks the field \"") + field + "\"");
    }
    std::string text = optionalText(object, field);
    if (text.empty()) {
      fail(std::string("has an empty \"") + field + "\"");
    }
    return text;
  }

  void readApiRange(const json::Value &document, Manifest &manifest) const {
    const json::Value *range = document.find("abi");
    if (range == nullptr || !range->isObject()) {
      fail("lacks the object \"abi\"; write \"abi\": {\"min\": \"1.0\", \"max\": \"1.0\"}");
    }
    manifest.oldest_host = apiVersion(*range, "min");
    manifest.built_with = apiVersion(*range, "max");
    if (manifest.built_with < manifest.oldest_host) {
      fail("has an \"abi\" whose \"max\" " + apiText(manifest.built_with) +
           " is below its \"min\" " + apiText(manifest.oldest_host));
    }
  }

  ApiVersion apiVersion(const json::Value &range, const char *field) const {
    const std::string text = requiredText(range, field);
    ApiVersion version;
    const char *end = text.data() + text.size();
    const auto major = std::from_chars(text.data(), end, version.major);
    if (major.ec == std::errc() && major.ptr != end && *major.ptr == '.') {
      const auto minor = std::from_chars(major.ptr + 1, end, version.minor);
      if (minor.ec == std::errc() && minor.ptr == end) {
        return version;
      }
    }
    fail(std::string("has \"") + field + "\": \"" + text +
         "\" in \"abi\"; a version is two numbers and a point, such as \"1.0\"");
  }

  fs::path path_;
};

}  // namespace

std::string apiText(ApiVersion version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor);
}

bool isBackendName(std::string_view name) noexcept {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return !name.empty() && name.size() <= 64 && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) {
           return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-';
         });
}

Manifest readManifest(const std::filesystem::path &path) {
  return Reader(std::filesystem::absolute(path)).read();
}

}  // namespace nexus::core
