// SPDX-License-Identifier: Apache-2.0
#include "registry/manifest.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#if !defined(_WIN32)
#include <dlfcn.h>
#endif

#include "base/error.hpp"
#include "base/file_state.hpp"
#include "base/text.hpp"
#include "json/json.hpp"

namespace nexus::core {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kManifestVersion = 1;
constexpr std::size_t kMaxBytes = 1 << 20;

// Reads the fields of one manifest; every failure names the file.
class Reader {
 public:
  explicit Reader(fs::path path) : path_(std::move(path)) {}

  Manifest read() {
    const json::Value document = parseFile();
    if (!document.isObject()) {
      fail("holds ", document.typeName(), ", not an object");
    }
    checkVersion(document);
    Manifest manifest;
    manifest.path = path_;
    manifest.name = requiredText(document, "name");
    if (!isBackendName(manifest.name)) {
      fail("has \"name\": \"", manifest.name,
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
  template <typename... Parts>
  [[noreturn]] void fail(const Parts &...why) const {
    failWith(NXS_InvalidValue, "The manifest '", path_.string(), "' ", why..., ".");
  }

  json::Value parseFile() const {
    std::error_code error;
    if (fs::is_directory(path_, error)) {
      fail("is a folder; give the path of the file");
    }
    const std::optional<std::string> text = readText(stateOf(path_.string()), kMaxBytes);
    if (!text) {
      fail("can't be read: no such file, or no permission");
    }
    if (text->size() > kMaxBytes) {
      fail("is larger than 1 MiB, which no manifest is");
    }
    try {
      return json::parse(*text);
    } catch (const json::ParseError &parse_error) {
      fail("is not JSON: ", parse_error.what());
    }
  }

  void checkVersion(const json::Value &document) const {
    const json::Value *version = document.find("manifest_version");
    if (version == nullptr) {
      fail("lacks the field \"manifest_version\"; write \"manifest_version\": 1");
    }
    if (version->integer() == nullptr) {
      fail("has ", version->typeName(), " as \"manifest_version\", which must be an integer");
    }
    if (*version->integer() != kManifestVersion) {
      fail("has \"manifest_version\": ", *version->integer(),
           ", and this nexus-core reads 1; update nexus-core or the plug-in");
    }
  }

  // Returns the text of a field; empty if there is none.
  std::string optionalText(const json::Value &object, const char *field) const {
    const json::Value *value = object.find(field);
    if (value == nullptr) return {};
    if (value->string() == nullptr) {
      fail("has ", value->typeName(), " as \"", field, "\", which must be a string");
    }
    return *value->string();
  }

  std::string requiredText(const json::Value &object, const char *field) const {
    if (object.find(field) == nullptr) {
      fail("lacks the field \"", field, "\"");
    }
    std::string text = optionalText(object, field);
    if (text.empty()) {
      fail("has an empty \"", field, "\"");
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
      fail("has an \"abi\" whose \"max\" ", apiText(manifest.built_with), " is below its \"min\" ",
           apiText(manifest.oldest_host));
    }
  }

  ApiVersion apiVersion(const json::Value &range, const char *field) const {
    const std::string text = requiredText(range, field);
    ApiVersion version;
    const char *end = text.data() + text.size();
    const auto major = std::from_chars(text.data(), end, version.major);
    if (major.ec == std::errc() && major.ptr != end && *major.ptr == '.') {
      const auto minor = std::from_chars(major.ptr + 1, end, version.minor);
      if (minor.ec == std::errc() && minor.ptr == end) return version;
    }
    fail("has \"", field, "\": \"", text,
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

namespace {

namespace fs = std::filesystem;

// Treats a folder that can't be read as empty, since the user may not have named it.
std::vector<fs::path> sortedFolders(const fs::path &parent) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_directory(ignored)) {
      folders.push_back(entry->path());
    }
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

bool isFile(const fs::path &path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

std::vector<Found> findInPlace(const fs::path &place) {
  std::error_code error;
  if (isFile(place)) return {{place, {}, {}, {}}};
  if (isFile(place / kManifestName)) return {{place / kManifestName, {}, {}, {}}};
  std::vector<Found> found;
  for (const fs::path &folder : sortedFolders(place)) {
    if (isFile(folder / kManifestName)) {
      found.push_back({folder / kManifestName, {}, {}, {}});
    }
  }
  if (found.empty()) {
    const bool is_folder = fs::is_directory(place, error);
    found.push_back(
        {{},
         {},
         place.filename().empty() ? place.parent_path().filename().string()
                                  : place.filename().string(),
         "NEXUS_PLUGIN_PATH names '" + place.string() + "', " +
             (is_folder ? std::string("which holds no ") + kManifestName + ", nor do its folders."
                        : "which does not exist or can't be read.")});
  }
  return found;
}

// Returns the path of the library with this code; empty if the system does not report.
fs::path ownPath() {
#if defined(_WIN32)
  return {};
#else
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void *>(&ownPath), &info) == 0 || info.dli_fname == nullptr) {
    return {};
  }
  std::error_code error;
  const fs::path path = fs::canonical(info.dli_fname, error);
  return error ? fs::path() : path;
#endif
}

// Returns <site>/nexus if libnexus is in <site>/nexus/lib, else empty.
fs::path ownPackage() {
  const fs::path folder = ownPath().parent_path();
  const fs::path package = folder.parent_path();
  return folder.filename() == "lib" && package.filename() == "nexus" ? package : fs::path();
}

}  // namespace

std::vector<Found> findInPluginPath(std::string_view plugin_path) {
  std::vector<Found> all;
  for (const std::string &place : splitWords(plugin_path, ':')) {
    for (Found &found : findInPlace(place)) {
      all.push_back(std::move(found));
    }
  }
  return all;
}

fs::path ownDeviceFolder() {
  const fs::path package = ownPackage();
  return package.empty() ? package : package / "devices";
}

std::vector<Found> findBesideLibrary() {
  const fs::path package = ownPackage();
  if (package.empty()) return {};
  std::vector<Found> all;
  for (const fs::path &neighbour : sortedFolders(package.parent_path())) {
    const std::string name = neighbour.filename().string();
    if (name.rfind("nexus_", 0) == 0 && isFile(neighbour / kManifestName)) {
      all.push_back({neighbour / kManifestName, normalizedDistribution(name), {}, {}});
    }
  }
  return all;
}

std::string normalizedDistribution(std::string_view name) {
  std::string normal;
  for (const char letter : lowered(name)) {
    if (letter != '-' && letter != '_' && letter != '.') {
      normal += letter;
    } else if (normal.empty() || normal.back() != '-') {
      normal += '-';
    }
  }
  return normal;
}

}  // namespace nexus::core
