// SPDX-License-Identifier: Apache-2.0
#include "registry/backends.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <exception>
#include <iterator>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "registry/layers.hpp"
#include "registry/loader.hpp"
#include "registry/manifest.hpp"

namespace nexus::core {
namespace {

namespace fs = std::filesystem;

// All under tableMutex, so that it is consistent in the child of a fork().
struct Entries {
  std::vector<Found> list;  // in the order of addition
  bool discovery_enabled = true;
  bool discovered = false;  // at least once
};

Entries &entries() {
  static Entries &all = *new Entries;
  return all;
}

// Returns one name for a file, however the path was written.
fs::path canonicalPath(const fs::path &path) {
  std::error_code error;
  fs::path canonical = fs::canonical(path, error);
  if (error) {
    canonical = fs::absolute(path, error);
  }
  return error ? path : canonical;
}

// Adds a manifest, to be loaded later, or the record of a backend without one. Does not wait for
// loading. What is added again is ignored.
void add(Found found) {
  if (!found.manifest.empty()) found.manifest = canonicalPath(found.manifest);
  const std::lock_guard<std::mutex> lock(tableMutex());
  auto &list = entries().list;
  if (!contains(list, found)) list.push_back(std::move(found));
}

std::vector<std::string> namesOfEnvironment() {
  std::vector<std::string> names;
  for (std::string &name : splitWords(environmentValue("NEXUS_BACKENDS"), ',')) {
    if (!contains(names, name)) names.push_back(std::move(name));
  }
  return names;
}

// Returns a name for a backend whose manifest can't be read: cuda for nexus-cuda and nexus_cuda.
std::string guessName(const std::string &path, const std::string &distribution) {
  const std::string name = normalizedDistribution(
      distribution.empty() ? fs::path(path).parent_path().filename().string() : distribution);
  return name.rfind("nexus-", 0) == 0 ? name.substr(6) : name;
}

// "the distribution nexus-cpu ('/x/nxs_plugin.json')", with the path since two distributions may
// have one name.
std::string ownerText(const Backend &backend) {
  const std::string manifest = "'" + backend.manifest_path + "'";
  if (backend.distribution.empty()) return "the manifest " + manifest;
  return "the distribution " + backend.distribution +
         (backend.manifest_path.empty() ? "" : " (" + manifest + ")");
}

// Returns whether the distribution is named after the backend.
bool isOwn(const Backend &backend) {
  return normalizedDistribution(backend.distribution) ==
         normalizedDistribution("nexus-" + backend.name);
}

// Our own backends, in the order of their runtimes.
constexpr std::array<std::string_view, 4> kOurs = {"cpu", "cuda", "hip", "metal"};

// Returns the sort key of a record, which does not depend on the order of requests: our backends
// first, then others by name. For equal names, the backend's own distribution comes first.
std::tuple<std::size_t, std::string_view, int> place(const Backend &backend) {
  const bool own = isOwn(backend);
  const bool named_by_path = backend.distribution.empty();
  const auto *ours = std::find(kOurs.begin(), kOurs.end(), backend.name);
  const auto rank = own || named_by_path ? ours - kOurs.begin() : std::ssize(kOurs);
  return {static_cast<std::size_t>(rank), backend.name, own ? 0 : named_by_path ? 2 : 1};
}

// A driver's message may have several lines, a record has one.
std::string oneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char letter) { return letter == '\n' || letter == '\r'; }, ' ');
  return text;
}

// Adds the manifests that a program without Python can find.
void discover() {
  for (Found &named : findInPluginPath(environmentValue("NEXUS_PLUGIN_PATH"))) {
    add(std::move(named));
  }
  for (Found &neighbour : findBesideLibrary()) add(std::move(neighbour));
  const std::lock_guard<std::mutex> lock(tableMutex());
  entries().discovered = true;
}

void discoverOnce() {
  {
    const std::lock_guard<std::mutex> lock(tableMutex());
    if (!entries().discovery_enabled || entries().discovered) return;
  }
  discover();
}

}  // namespace

// Holds the list's lock and defers log lines: the log function may need a lock, such as Python's,
// whose holder waits for the list.
class Backends::Loading {
 public:
  explicit Loading(Backends &backends) : lock_(backends.mutex_, std::defer_lock) {
    if (loadsPlugin()) {
      failWith(NXS_InvalidOperation,
               "A plug-in asked for the list of backends while it was being loaded; it may do "
               "so later.");
    }
    lock_.lock();
    loadsPlugin() = true;
  }
  ~Loading() { loadsPlugin() = false; }
  Loading(const Loading &) = delete;
  Loading &operator=(const Loading &) = delete;

 private:
  LogHold hold_;  // destroyed after the lock
  std::unique_lock<std::mutex> lock_;
};

Backends::Backends() : wanted_names_(namesOfEnvironment()) {}

std::vector<const Backend *> Backends::all() {
  const Loading loading(*this);
  takeNewEntries();
  for (const auto &backend : backends_) {
    if (!backend->tried) {
      tryName(backend->name);
    }
  }
  return inOrder();
}

std::vector<const Backend *> Backends::named(std::string_view name) {
  const Loading loading(*this);
  takeNewEntries();
  tryName(std::string(name));
  std::vector<const Backend *> found;
  for (const auto &backend : backends_) {
    if (backend->name == name) {
      found.push_back(backend.get());
    }
  }
  return found;
}

std::vector<std::string> Backends::names() {
  const Loading loading(*this);
  takeNewEntries();
  std::set<std::string> found;
  for (const auto &backend : backends_) {
    found.insert(backend->name);
  }
  return {found.begin(), found.end()};
}

std::vector<BackendFolder> Backends::deviceFolders() {
  const Loading loading(*this);
  takeNewEntries();
  std::vector<BackendFolder> folders;
  for (const Backend *backend : inOrder()) {
    if (backend->manifest && !backend->manifest->devices.empty()) {
      folders.push_back({backend->name, backend->manifest->devices});
    }
  }
  return folders;
}

void Backends::takeNewEntries() {
  discoverOnce();
  std::vector<Found> fresh;
  {
    const std::lock_guard<std::mutex> lock(tableMutex());
    const auto &list = entries().list;
    fresh.assign(list.begin() + static_cast<std::ptrdiff_t>(entries_taken_), list.end());
    entries_taken_ = list.size();
  }
  for (const Found &found : fresh) take(found);
}

void Backends::take(const Found &found) {
  const bool failed = found.manifest.empty();
  const std::string path = found.manifest.string();
  for (const auto &backend : backends_) {
    if (!failed && backend->manifest_path == path) {
      if (!backend->tried && backend->distribution.empty()) {
        backend->distribution =
            found.distribution;  // found by its path before its package was known
      }
      return;
    }
  }
  Backend &backend = *backends_.emplace_back(std::make_unique<Backend>());
  backend.manifest_path = path;
  backend.distribution = found.distribution;
  backend.name = found.name;
  backend.reason = found.failure;
  backend.tried = failed;
  try {
    if (!failed) {
      backend.manifest = readManifest(path);
      backend.name = backend.manifest->name;
      backend.library = backend.manifest->library.string();
    }
  } catch (const Failure &failure) {
    backend.name = guessName(path, found.distribution);
    backend.reason = failure.text();
    backend.tried = true;
  }
  if (!wanted(backend.name)) {
    leaveOut(backend);
  }
}

bool Backends::wanted(std::string_view name) const {
  return wanted_names_.empty() || contains(wanted_names_, name);
}

void Backends::leaveOut(Backend &backend) const {
  backend.state = NEXUS_BACKEND_OFF;
  backend.reason =
      "NEXUS_BACKENDS leaves it out: it names " + listWords(wanted_names_, "none") + " only.";
  backend.tried = true;
}

// Returns the backend that has or gets the name; claims are untried backends of that name. A
// backend whose hook failed keeps its name.
Backend &Backends::holderOf(const std::string &name, const std::vector<Backend *> &claims) {
  Backend *&holder = holders_[name];
  if (holder == nullptr) {
    const auto own = std::find_if(backends_.begin(), backends_.end(), [&](const auto &backend) {
      return backend->name == name && isOwn(*backend);
    });
    holder = own == backends_.end() ? claims.front() : own->get();
  }
  return *holder;
}

void Backends::tryName(const std::string &name) {
  std::vector<Backend *> claims;
  for (const auto &backend : backends_) {
    if (backend->name == name && !backend->tried) {
      claims.push_back(backend.get());
    }
  }
  if (claims.empty()) return;
  Backend &holder = holderOf(name, claims);
  for (Backend *claim : claims) {
    if (claim != &holder) {
      claim->reason = "The name '" + name + "' belongs to " + ownerText(holder) +
                      ", so this plug-in was not opened; remove one of the two.";
      claim->tried = true;
    }
  }
  if (!holder.tried) {
    tryToLoad(holder);
  }
}

void Backends::tryToLoad(Backend &backend) {
  layers::warnOfUnknownNames();
  try {
    backend.plugin = &loadPlugin(*backend.manifest);
    backend.version = backend.plugin->version;
    backend.state = NEXUS_BACKEND_PASS;
  } catch (const Failure &failure) {
    const bool absent =
        failure.status() == NXS_DeviceNotFound || failure.status() == NXS_DeviceNotAvailable;
    backend.state = absent ? NEXUS_BACKEND_ABSENT : NEXUS_BACKEND_FAIL;
    backend.reason = oneLine(failure.text());
  } catch (const std::exception &error) {
    backend.state = NEXUS_BACKEND_FAIL;
    backend.reason = std::string("libnexus could not load it: ") + sentence(error.what());
  }
  backend.tried = true;
  if (backend.state == NEXUS_BACKEND_PASS) {
    logLine(NXS_LogLevel_Debug, backend.name, join("loaded from '", backend.library, "'"));
  } else {
    logLine(backend.state == NEXUS_BACKEND_FAIL ? NXS_LogLevel_Warning : NXS_LogLevel_Info,
            backend.name, "The backend can't be used. " + backend.reason);
  }
}

const Backend &Backends::missing(const std::string &name) {
  std::unique_ptr<Backend> &record = missing_[name];
  if (record == nullptr) {
    record = std::make_unique<Backend>();
    record->name = name;
    record->reason =
        "NEXUS_BACKENDS names it, but no plug-in with that name is installed or in "
        "NEXUS_PLUGIN_PATH.";
    record->tried = true;
  }
  return *record;
}

std::vector<const Backend *> Backends::inOrder() {
  std::vector<const Backend *> ordered;
  for (const std::string &name : wanted_names_) {
    const std::size_t before = ordered.size();
    for (const auto &backend : backends_) {
      if (backend->name == name) {
        ordered.push_back(backend.get());
      }
    }
    if (ordered.size() == before) {
      ordered.push_back(&missing(name));
    }
  }
  const auto first_other = static_cast<std::ptrdiff_t>(ordered.size());
  for (const auto &backend : backends_) {
    if (wanted_names_.empty() || !wanted(backend->name)) {
      ordered.push_back(backend.get());
    }
  }
  std::stable_sort(ordered.begin() + first_other, ordered.end(),
                   [](const Backend *a, const Backend *b) { return place(*a) < place(*b); });
  return ordered;
}

namespace {

// Throws the reason why there is no usable backend of that name.
[[noreturn]] void refuseName(std::string_view name, const std::vector<const Backend *> &records) {
  std::string text;
  if (!records.empty()) {
    text = "The backend '" + std::string(name) + "' can't be used.";
    for (const Backend *record : records) {
      text += " " + record->reason;
    }
  } else {
    const std::vector<std::string> names = ofProcess<Backends>().names();
    const std::vector<std::string> near = nearNames(name, names);
    text = "There is no backend '" + std::string(name) + "'; ";
    text += names.empty() ? "none is installed. Install the package nexus-cpu."
                          : "there " + std::string(names.size() == 1 ? "is " : "are ") +
                                listWords(names, "") + ".";
    if (!near.empty()) {
      text += " Did you mean '" + near.front() + "'?";
    }
  }
  throw Failure(NXS_InvalidRuntime, text, 0, records.empty() ? std::string() : std::string(name));
}

}  // namespace

std::vector<const Plugin *> loadedPlugins() {
  std::vector<const Plugin *> plugins;
  for (const Backend *backend : ofProcess<Backends>().all()) {
    if (backend->plugin != nullptr) {
      plugins.push_back(backend->plugin);
    }
  }
  return plugins;
}

const Plugin &pluginOf(std::string_view name) {
  const std::vector<const Backend *> records = ofProcess<Backends>().named(name);
  for (const Backend *record : records) {
    if (record->plugin != nullptr) return *record->plugin;
  }
  refuseName(name, records);
}

namespace {

// Throws NXS_InvalidValue unless a backend has the name: one of our own, installed or not, or
// another that was found.
void requireBackendName(std::string_view name, const std::string &parameter) {
  const std::vector<std::string> found = ofProcess<Backends>().names();
  std::set<std::string> all(kOurs.begin(), kOurs.end());
  all.insert(found.begin(), found.end());
  if (all.contains(std::string(name))) return;
  const std::vector<std::string> known(all.begin(), all.end());
  const std::vector<std::string> near = nearNames(name, known);
  failWith(NXS_InvalidValue, parameter, " names the backend '", name, "', which is not known",
           (near.empty() ? "" : "; did you mean '" + near.front() + "'?"),
           (near.empty() ? "; there " : " There "), "are ", listWords(known, ""), ".");
}

void fillInfo(const Backend &backend, nexus_backend_info *out_info) {
  nexus_backend_info info{};
  info.struct_size = out_info->struct_size;
  info.state = backend.state;
  info.name = stringOf(backend.name);
  info.distribution = stringOf(backend.distribution);
  info.version = stringOf(backend.version);
  info.manifest = stringOf(backend.manifest_path);
  info.library = stringOf(backend.library);
  info.reason = stringOf(backend.reason);
  std::memcpy(out_info, &info, std::min<std::size_t>(info.struct_size, sizeof(info)));
}

}  // namespace

}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_add_manifest(nxs_string path, nxs_string distribution) {
  return guarded([&] {
    const std::string_view manifest = viewOf(path, "path");
    if (manifest.empty()) {
      failWith(NXS_InvalidValue, "path is empty; give the path of a manifest.");
    }
    add({manifest, std::string(viewOf(distribution, "distribution")), {}, {}});
  });
}

nxs_status nexus_add_failure(nxs_string name, nxs_string distribution, nxs_string reason) {
  return guarded([&] {
    const std::string named(viewOf(name, "name"));
    const std::string from(viewOf(distribution, "distribution"));
    const std::string_view why = viewOf(reason, "reason");
    if (named.empty() || why.empty()) {
      failWith(NXS_InvalidValue, named.empty() ? "name" : "reason",
               " is empty; give the text of the record.");
    }
    add({{}, from, named, sentence(why)});
  });
}

nxs_status nexus_check_backend_name(nxs_string name, nxs_string parameter) {
  return guarded([&] {
    requireBackendName(viewOf(name, "name"), std::string(viewOf(parameter, "parameter")));
  });
}

nxs_status nexus_discover(void) {
  return guarded([] { discover(); });
}

void nexus_set_discovery(int32_t enabled) {
  const std::lock_guard<std::mutex> lock(tableMutex());
  entries().discovery_enabled = enabled != 0;
}

nxs_status nexus_backend_count(uint64_t *out_count) {
  return giveResult(out_count, "out_count", [&] { return ofProcess<Backends>().all().size(); });
}

nxs_status nexus_backend_get(uint64_t index, nexus_backend_info *out_info) {
  return guarded([&] {
    requirePointer(out_info, "out_info");
    const std::vector<const Backend *> records = ofProcess<Backends>().all();
    if (index >= records.size()) {
      failWith(NXS_InvalidValue, "index is ", index, ", and the number of records is ",
               records.size(), ".");
    }
    fillInfo(*records[index], out_info);
  });
}
