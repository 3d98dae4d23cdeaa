// SPDX-License-Identifier: Apache-2.0
#include "registry/backends.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
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

// An added manifest or failure, in the order of addition.
struct Entry {
  std::string path;  // empty for a failure
  std::string distribution;
  std::string name;    // of a failure
  std::string reason;  // of a failure

  friend bool operator==(const Entry &, const Entry &) = default;
};

// All under tableMutex, so that it is consistent in the child of a fork().
struct Entries {
  std::vector<Entry> list;
  bool discovery_enabled = true;
  bool discovered = false;  // at least once
  Backends *backends = nullptr;
};

Entries &entries() {
  static Entries &all = *new Entries;
  return all;
}

void addEntry(Entry entry) {
  const std::lock_guard<std::mutex> lock(tableMutex());
  auto &list = entries().list;
  if (std::find(list.begin(), list.end(), entry) == list.end()) {
    list.push_back(std::move(entry));
  }
}

// Returns one name for a file, however the path was written.
std::string canonicalPath(std::string_view path) {
  std::error_code error;
  fs::path canonical = fs::canonical(fs::path(path), error);
  if (error) {
    canonical = fs::absolute(fs::path(path), error);
  }
  return error ? std::string(path) : canonical.string();
}

void discoverOnce() {
  {
    const std::lock_guard<std::mutex> lock(tableMutex());
    if (!entries().discovery_enabled || entries().discovered) return;
  }
  discover();
}

std::vector<std::string> namesOfEnvironment() {
  std::vector<std::string> names;
  for (std::string &name : splitWords(environmentValue("NEXUS_BACKENDS"), ',')) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(std::move(name));
    }
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

}  // namespace

void addManifest(std::string_view path, std::string_view distribution) {
  if (path.empty()) {
    failWith(NXS_InvalidValue, "path is empty; give the path of a manifest.");
  }
  addEntry({canonicalPath(path), std::string(distribution), {}, {}});
}

void addFailure(std::string_view name, std::string_view distribution, std::string_view reason) {
  if (name.empty() || reason.empty()) {
    failWith(NXS_InvalidValue, name.empty() ? "name" : "reason",
             " is empty; give what the record is to say.");
  }
  addEntry({{}, std::string(distribution), std::string(name), sentence(reason)});
}

void discover() {
  std::vector<Found> found = findInPluginPath(environmentValue("NEXUS_PLUGIN_PATH"));
  for (Found &neighbour : findBesideLibrary()) {
    found.push_back(std::move(neighbour));
  }
  for (const Found &one : found) {
    if (one.failure.empty()) {
      addManifest(one.manifest.string(), one.distribution);
    } else {
      addFailure(one.name, one.distribution, one.failure);
    }
  }
  const std::lock_guard<std::mutex> lock(tableMutex());
  entries().discovered = true;
}

void setDiscovery(bool enabled) {
  const std::lock_guard<std::mutex> lock(tableMutex());
  entries().discovery_enabled = enabled;
}

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

Backends::Backends(uint64_t generation)
    : generation_(generation), wanted_names_(namesOfEnvironment()) {}

Backends &Backends::ofThisProcess() {
  const std::lock_guard<std::mutex> lock(tableMutex());
  Backends *&backends = entries().backends;
  if (backends == nullptr || backends->generation_ != processGeneration()) {
    backends = new Backends(processGeneration());  // never freed, since callers keep its records
  }
  return *backends;
}

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

std::vector<std::string> Backends::knownNames() {
  std::set<std::string_view> known(kOurs.begin(), kOurs.end());
  const std::vector<std::string> found = names();
  known.insert(found.begin(), found.end());
  return {known.begin(), known.end()};
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
  std::vector<Entry> fresh;
  {
    const std::lock_guard<std::mutex> lock(tableMutex());
    const auto &list = entries().list;
    fresh.assign(list.begin() + static_cast<std::ptrdiff_t>(entries_taken_), list.end());
    entries_taken_ = list.size();
  }
  for (const Entry &entry : fresh) {
    if (entry.path.empty()) {
      takeFailure(entry.name, entry.distribution, entry.reason);
    } else {
      takeManifest(entry.path, entry.distribution);
    }
  }
}

Backend &Backends::addBackend() {
  return *backends_.emplace_back(std::make_unique<Backend>());
}

void Backends::takeManifest(const std::string &path, const std::string &distribution) {
  for (const auto &backend : backends_) {
    if (backend->manifest_path == path) {
      if (!backend->tried && backend->distribution.empty()) {
        backend->distribution = distribution;  // found by its path before its package was known
      }
      return;
    }
  }
  Backend &backend = addBackend();
  backend.manifest_path = path;
  backend.distribution = distribution;
  try {
    backend.manifest = readManifest(path);
    backend.name = backend.manifest->name;
    backend.library = backend.manifest->library.string();
  } catch (const Failure &failure) {
    backend.name = guessName(path, distribution);
    backend.reason = failure.text();
    backend.tried = true;
  }
  if (!wanted(backend.name)) {
    leaveOut(backend);
  }
}

void Backends::takeFailure(const std::string &name, const std::string &distribution,
                           const std::string &reason) {
  Backend &backend = addBackend();
  backend.name = name;
  backend.distribution = distribution;
  backend.reason = reason;
  backend.tried = true;
  if (!wanted(name)) {
    leaveOut(backend);
  }
}

bool Backends::wanted(std::string_view name) const {
  return wanted_names_.empty() ||
         std::find(wanted_names_.begin(), wanted_names_.end(), name) != wanted_names_.end();
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
      claim->reason = "The name '" + name + "' is that of " + ownerText(holder) +
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
        "NEXUS_BACKENDS names it, and no plug-in of that name is installed or named by "
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
    const std::vector<std::string> names = Backends::ofThisProcess().names();
    const std::vector<std::string> near = nearNames(name, names);
    text = "There is no backend '" + std::string(name) + "'; ";
    text += names.empty() ? "none is installed. The package nexus-cpu brings one."
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
  for (const Backend *backend : Backends::ofThisProcess().all()) {
    if (backend->plugin != nullptr) {
      plugins.push_back(backend->plugin);
    }
  }
  return plugins;
}

const Plugin &pluginOf(std::string_view name) {
  const std::vector<const Backend *> records = Backends::ofThisProcess().named(name);
  for (const Backend *record : records) {
    if (record->plugin != nullptr) return *record->plugin;
  }
  refuseName(name, records);
}

}  // namespace nexus::core
