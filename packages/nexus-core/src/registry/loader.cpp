// SPDX-License-Identifier: Apache-2.0
#include "registry/loader.hpp"

#include <dlfcn.h>

#include <nexus/nexus_c.h>
#include <nexus-plugin/kernel/binary_check.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "host/host.hpp"
#include "host/stubs.hpp"
#include "layers/layer.hpp"
#include "registry/layers.hpp"

namespace nexus::core {

namespace {

// The result of a call with a time limit.
struct TimedCall {
  bool returned = false;  // within the limit
  nxs_status status = NXS_Success;
  bool threw = false;                 // an exception, against the rules
  std::optional<ErrorRecord> record;  // the thread's latest record, if the call failed
};

constexpr double kUsualSeconds = 5;
constexpr double kMostSeconds = 24 * 3600;

double secondsOfEnvironment() {
  const char *value = std::getenv("NEXUS_PLUGIN_TIMEOUT");
  if (value == nullptr || *value == '\0') return kUsualSeconds;
  char *end = nullptr;
  const double seconds = std::strtod(value, &end);
  if (end != value + std::strlen(value) || !(seconds > 0)) {
    logLine(NXS_LogLevel_Warning, {},
            join("NEXUS_PLUGIN_TIMEOUT is '", value,
                 "', which is not a number of seconds above 0; 5 is used."));
    return kUsualSeconds;
  }
  return std::min(seconds, kMostSeconds);
}

// Returns the time in which a plug-in or a hook must start: NEXUS_PLUGIN_TIMEOUT, which is read
// once; 5 s by default and for anything but a number above 0.
double startSeconds() {
  static const double seconds = secondsOfEnvironment();
  return seconds;
}

// Shared by the caller and the thread; the last one frees it.
struct Shared {
  std::mutex mutex;
  std::condition_variable done;
  TimedCall result;
  std::vector<LogLine> lines;
};

TimedCall call(const std::function<nxs_status()> &body) {
  TimedCall result;
  forgetThreadErrorRecord();
  try {
    result.status = body();
  } catch (...) {
    // An exception of another C++ runtime may not even be caught here.
    result.threw = true;
  }
  if (result.status != NXS_Success) {
    result.record = findErrorRecord(threadErrorRecord());
  }
  result.returned = true;
  return result;
}

void runOnThread(const std::shared_ptr<Shared> &shared, const std::function<nxs_status()> &body) {
  TimedCall result;
  std::vector<LogLine> lines;
  {
    LogHold hold;
    loadsPlugin() = true;
    result = call(body);
    lines = hold.take();
  }
  const std::lock_guard<std::mutex> lock(shared->mutex);
  shared->result = std::move(result);
  shared->lines = std::move(lines);
  shared->done.notify_all();
}

}  // namespace

// Returns startSeconds() as text: "5 s".
static std::string startLimitText() {
  std::array<char, 32> digits{};
  const auto end =
      std::snprintf(digits.data(), digits.size(), "%g s", startSeconds());  // 5 s, 0.5 s
  return {digits.data(), static_cast<std::size_t>(end)};
}

// Calls body on a new thread and waits until it returns or startSeconds() have
// passed. The caller's
// thread writes body's log lines, and may defer them. A late body continues unattended, so all
// that it uses must live as long as the process. In the child of a fork() body is called directly,
// without a limit.
static TimedCall callWithinLimit(std::function<nxs_status()> body) {
  // Start no thread in the child of a fork(): the parent's threads left their state there
  // unfinished.
  if (processGeneration() != 1) return call(body);
  const auto shared = std::make_shared<Shared>();
  std::thread([shared, body = std::move(body)] { runOnThread(shared, body); }).detach();
  TimedCall result;
  std::vector<LogLine> lines;
  {
    std::unique_lock<std::mutex> lock(shared->mutex);
    shared->done.wait_for(lock, std::chrono::duration<double>(startSeconds()),
                          [&] { return shared->result.returned; });
    result = shared->result;
    lines.swap(shared->lines);
  }
  for (const LogLine &line : lines) {
    logLine(line.level, line.backend, line.text);
  }
  return result;
}

bool &loadsPlugin() noexcept {
  static thread_local bool loads = false;
  return loads;
}

namespace {

constexpr ApiVersion kHostVersion{NXS_API_VERSION_MAJOR, NXS_API_VERSION_MINOR};
constexpr ApiVersion kOldestPlugin{NXS_API_VERSION_MAJOR, kOldestMinor};

// Such as "1.0", or "1.0 to 1.3".
std::string supportedVersions() {
  const std::string newest = apiText(kHostVersion);
  return kOldestPlugin == kHostVersion ? newest : apiText(kOldestPlugin) + " to " + newest;
}

constexpr uint64_t kMostDevices = 65536;
constexpr uint64_t kLongestText = 256;  // bytes of a plug-in's name or version
constexpr unsigned char kUntouched = 0xA5;

// A struct for a plug-in to fill, followed by bytes that it must not change.
template <typename Struct>
struct Guarded {
  Guarded() {
    value.struct_size = sizeof(Struct);
    guard.fill(kUntouched);
  }
  bool isIntact() const {
    return std::all_of(guard.begin(), guard.end(),
                       [](unsigned char byte) { return byte == kUntouched; });
  }

  Struct value{};
  std::array<unsigned char, 1024> guard;
};

// A loaded library and its backend.
struct UsedLibrary {
  void *handle;
  std::string backend;
};

// Those of this process. Only one thread loads at a time.
std::vector<UsedLibrary> &usedLibraries() {
  return ofProcess<std::vector<UsedLibrary>>();
}

// Loads one plug-in, from its manifest to a Plugin.
class Loader {
 public:
  explicit Loader(const Manifest &manifest) : manifest_(manifest) {}

  const Plugin &load() {
    requireFittingVersions();
    const nxsQueryPlugin_fn query = openLibrary();
    requireUnusedLibrary();
    const nxs_host &host = makeHost(manifest_.name);
    tag_ = host.tag;
    // Never freed, since the plug-in may keep these pointers.
    table_ = new Guarded<nxs_functions>;
    answer_ = new Guarded<nxs_plugin>;
    answer_->value.functions = &table_->value;
    ask(query, host);
    checkStructs();
    checkVersion();
    checkFunctions();
    checkAnswer();
    Plugin &plugin = makePlugin();
    plugin.device_count = countDevices(plugin);
    usedLibraries().push_back({library_, manifest_.name});
    return plugin;
  }

 private:
  template <typename... Parts>
  [[noreturn]] void fail(nxs_status status, const Parts &...parts) const {
    throw Failure(status, join(parts...), 0, manifest_.name);
  }

  // Throws for a plug-in that violates the C-API.
  template <typename... Parts>
  [[noreturn]] void refuse(const Parts &...parts) const {
    fail(NXS_InvalidOperation, parts..., "; report it to the plug-in's authors.");
  }

  // Throws if the manifest's versions don't fit this host, without opening the library.
  void requireFittingVersions() const {
    if (manifest_.oldest_host > kHostVersion) {
      fail(NXS_IncompatibleVersion, "It needs version ", apiText(manifest_.oldest_host),
           " of the plug-in interface or a newer one, and this nexus-core has ",
           apiText(kHostVersion), "; update nexus-core.");
    }
    if (manifest_.built_with < kOldestPlugin) {
      fail(NXS_IncompatibleVersion, "It was built for version ", apiText(manifest_.built_with),
           " of the plug-in interface, and this nexus-core needs ", apiText(kOldestPlugin),
           " or newer; update the plug-in.");
    }
  }

  nxsQueryPlugin_fn openLibrary() {
    const std::string path = manifest_.library.string();
    if (const std::string error = nexus_plugin::checkBinary(path); !error.empty()) {
      fail(NXS_InvalidBinary, "The library ", error, ".");
    }
    library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) {
      const char *error = dlerror();
      fail(NXS_InvalidBinary, "The library '", path,
           "' can't be loaded: ", (error == nullptr ? "the system does not say why" : error), ".");
    }
    void *symbol = dlsym(library_, "nxsQueryPlugin");
    if (symbol == nullptr) {
      fail(NXS_InvalidBinary, "The library '", path,
           "' is not a plug-in: it does not export nxsQueryPlugin.");
    }
    return reinterpret_cast<nxsQueryPlugin_fn>(symbol);
  }

  // A second query would give the library a new host and tag, and break the first backend.
  void requireUnusedLibrary() const {
    for (const UsedLibrary &used : usedLibraries()) {
      if (used.handle == library_) {
        fail(NXS_InvalidOperation, "The backend '", used.backend, "' already uses its library '",
             manifest_.library.string(), "'; remove this manifest, or build a library of its own.");
      }
    }
  }

  void ask(nxsQueryPlugin_fn query, const nxs_host &host) const {
    const TimedCall call =
        callWithinLimit([query, &host, answer = answer_] { return query(&host, &answer->value); });
    if (call.threw) {
      fail(NXS_InternalError,
           "Its nxsQueryPlugin threw a C++ exception, which the plug-in interface forbids; report "
           "it to the plug-in's authors.");
    }
    if (!call.returned) {
      fail(NXS_Timeout, tooLate("nxsQueryPlugin"));
    }
    if (call.status == NXS_Success) return;
    throw Failure(call.status,
                  call.record && !call.record->text.empty()
                      ? "It refused to start: " + sentence(call.record->text)
                      : std::string("It refused to start with ") + statusName(call.status) +
                            " and did not say why.",
                  call.record ? call.record->native_code : 0, manifest_.name);
  }

  static std::string tooLate(const char *function) {
    return std::string("Its ") + function + " did not return within " + startLimitText() +
           ", and was given up; set NEXUS_PLUGIN_TIMEOUT to more seconds to wait longer.";
  }

  // Checks the members that the host sets, and the bytes behind the structs.
  void checkStructs() const {
    if (!table_->isIntact() || !answer_->isIntact()) {
      refuse("It wrote beyond the struct_size of ",
             (table_->isIntact() ? "nxs_plugin" : "nxs_functions"), " that it was given");
    }
    if (answer_->value.struct_size != sizeof(nxs_plugin)) {
      refuse("It changed the struct_size of nxs_plugin, which only the host sets, to ",
             answer_->value.struct_size);
    }
    if (answer_->value.functions != &table_->value) {
      refuse("It gave a table of functions of its own instead of filling the host's");
    }
  }

  void checkVersion() const {
    const ApiVersion version{answer_->value.api_major, answer_->value.api_minor};
    if (version.major != kHostVersion.major || version > kHostVersion || version < kOldestPlugin) {
      fail(NXS_IncompatibleVersion, "It serves version ", apiText(version),
           " of the plug-in interface, and this nexus-core speaks ", supportedVersions(),
           "; install versions of both that fit.");
    }
  }

  void checkFunctions() const {
    const std::vector<std::string> missing = missingFunctions(table_->value);
    if (!missing.empty()) {
      refuse("It lacks ", listWords(missing, ""), ", which ", (missing.size() == 1 ? "is" : "are"),
             " required");
    }
    if (const auto odd = functionsWithoutCode(table_->value); !odd.empty()) {
      refuse("Its table has ", listWords(odd, ""), " at ",
             (odd.size() == 1 ? "an address" : "addresses"), " without code");
    }
    layers::noteClaims(tag_, answer_->value.capabilities, table_->value);
    fillStubs(table_->value);
  }

  // Returns a text of the answer; empty for none. Checks first that it can be read.
  std::string textOf(const nxs_string &text, const char *what) const {
    if (text.size == 0) return {};
    if (text.size > kLongestText || !isReadable(text.data, text.size)) {
      refuse("It returned ", text.size, " bytes as its ", what,
             ", which are too many or can't be read");
    }
    return asUtf8({text.data, static_cast<std::size_t>(text.size)});
  }

  void checkAnswer() const {
    const std::string name = textOf(answer_->value.name, "name");
    if (name != manifest_.name) {
      fail(NXS_InvalidOperation, "It calls itself '", name, "', but its manifest says '",
           manifest_.name, "'; give both the same name.");
    }
    const nxs_id id = answer_->value.runtime;
    if (id <= 0 || NXS_ID_TYPE(id) != NXS_ObjectType_Runtime || NXS_ID_TAG(id) != tag_) {
      refuse("It returned a runtime id without the type of a runtime or without its own tag");
    }
    if (answer_->value.thread_model != NXS_ThreadModel_Free &&
        answer_->value.thread_model != NXS_ThreadModel_Serialized) {
      fail(NXS_InvalidOperation, "It declares thread model ", answer_->value.thread_model,
           ", which this nexus-core does not know; update nexus-core.");
    }
  }

  // Never freed: objects keep references to it.
  Plugin &makePlugin() const {
    const std::string version = textOf(answer_->value.version, "version");
    auto *plugin = new Plugin;
    plugin->tag = tag_;
    plugin->name = manifest_.name;
    plugin->version = version.empty() ? manifest_.version : version;
    plugin->library = manifest_.library.string();
    plugin->devices = manifest_.devices.string();
    plugin->capabilities = answer_->value.capabilities;
    plugin->thread_model = answer_->value.thread_model;
    plugin->runtime = answer_->value.runtime;
    plugin->answer = &answer_->value;
    plugin->one_command_at_a_time = layers::isWanted("sync");
    plugin->generation = processGeneration();
    plugin->functions = layers::stack(tag_, answer_->value.thread_model, &table_->value);
    return *plugin;
  }

  // With a time limit, since a driver that hangs often does so here.
  uint64_t countDevices(const Plugin &plugin) const {
    struct Answer {
      int64_t count = 0;
      nxs_value value{};
    };
    const auto answer = std::make_shared<Answer>();
    answer->value.struct_size = sizeof(nxs_value);
    answer->value.data = &answer->count;
    answer->value.capacity = sizeof(answer->count);
    const TimedCall call = callWithinLimit([answer, &plugin] {
      return plugin.functions->GetRuntimeProperty(plugin.runtime, NP_Size, &answer->value);
    });
    if (!call.returned) {
      fail(NXS_Timeout, tooLate("nxsGetRuntimeProperty, which counts the devices,"));
    }
    if (call.threw || call.status != NXS_Success) {
      fail(call.threw ? NXS_InternalError : call.status,
           "It could not count its devices: " +
               (call.record ? sentence(call.record->text)
                            : std::string("it returned ") + statusName(call.status) +
                                  " without saying why."));
    }
    return checkCount(answer->value, answer->count);
  }

  uint64_t checkCount(const nxs_value &value, int64_t count) const {
    if (value.type != NXS_ValueType_Int || value.size != sizeof(count) || count < 0) {
      refuse("It does not answer NP_Size of its runtime with a number of devices");
    }
    if (count == 0) {
      fail(NXS_DeviceNotFound, "It finds no device on this machine.");
    }
    if (static_cast<uint64_t>(count) > kMostDevices) {
      refuse("It reports ", count, " devices; at most ", kMostDevices, " are accepted");
    }
    return static_cast<uint64_t>(count);
  }

  const Manifest &manifest_;
  void *library_ = nullptr;
  uint32_t tag_ = 0;
  Guarded<nxs_functions> *table_ = nullptr;
  Guarded<nxs_plugin> *answer_ = nullptr;
};

}  // namespace

const Plugin &loadPlugin(const Manifest &manifest) {
  return Loader(manifest).load();
}

}  // namespace nexus::core

double nexus_plugin_timeout(void) {
  return nexus::core::startSeconds();
}
