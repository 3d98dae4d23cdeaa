// SPDX-License-Identifier: Apache-2.0
#include "loader.hpp"

#include <dlfcn.h>

#include <memory>
#include <nexus-plugin/binary_check.hpp>
#include <string>

#include "error_record.hpp"
#include "host.hpp"
#include "layers/layers.hpp"
#include "stubs.hpp"
#include "text.hpp"

namespace nexus::core {
namespace {

constexpr ApiVersion kHostVersion{NXS_API_VERSION_MAJOR, NXS_API_VERSION_MINOR};
constexpr ApiVersion kOldestPlugin{NXS_API_VERSION_MAJOR, kOldestMinor};

// One plug-in on its way from a manifest to a Plugin.
class Loader {
 public:
  explicit Loader(const Manifest &manifest) : manifest_(manifest) {}

  const Plugin &load() {
    requireFittingVersions(manifest_);
    const nxsQueryPlugin_fn query = openLibrary();
    const nxs_host &host = makeHost(manifest_.name);
    tag_ = host.tag;
    // The plug-in may keep both pointers, so neither is ever freed.
    table_ = new nxs_functions{};
    table_->struct_size = sizeof(nxs_functions);
    answer_ = new nxs_plugin{};
    answer_->struct_size = sizeof(nxs_plugin);
    answer_->functions = table_;
    ask(query, host);
    checkVersion();
    checkFunctions();
    checkAnswer();
    const Plugin &plugin = makePlugin();
    requireDevice(plugin);
    return plugin;
  }

 private:
  [[noreturn]] void fail(nxs_status status, const std::string &text) const {
    throw Failure(status, text, 0, manifest_.name);
  }

  nxsQueryPlugin_fn openLibrary() const {
    const std::string path = manifest_.library.string();
    if (const std::string error = nexus_plugin::checkBinary(path); !error.empty()) {
      fail(NXS_InvalidBinary, "The library " + error + ".");
    }
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char *error = dlerror();
      fail(NXS_InvalidBinary, "The library '" + path + "' can't be loaded: " +
                                  (error == nullptr ? "the system does not say why" : error) + ".");
    }
    void *symbol = dlsym(library, "nxsQueryPlugin");
    if (symbol == nullptr) {
      fail(NXS_InvalidBinary,
           "The library '" + path + "' is no plug-in: it does not export nxsQueryPlugin.");
    }
    return reinterpret_cast<nxsQueryPlugin_fn>(symbol);
  }

  void ask(nxsQueryPlugin_fn query, const nxs_host &host) const {
    forgetThreadErrorRecord();
    nxs_status status = NXS_Success;
    try {
      status = query(&host, answer_);
    } catch (...) {
      // Against the rules; an exception of another C++ runtime may not even get here.
      fail(NXS_InternalError,
           "Its nxsQueryPlugin threw a C++ exception, which the plug-in "
           "interface forbids; report it to the plug-in's authors.");
    }
    if (status == NXS_Success) {
      return;
    }
    const auto record = findErrorRecord(threadErrorRecord());
    throw Failure(status,
                  record && !record->text.empty()
                      ? "It refused to start: " + sentence(record->text)
                      : std::string("It refused to start with ") + statusName(status) +
                            " and did not say why.",
                  record ? record->native_code : 0, manifest_.name);
  }

  void checkVersion() const {
    const ApiVersion version{answer_->api_major, answer_->api_minor};
    if (version.major != kHostVersion.major || version > kHostVersion || version < kOldestPlugin) {
      fail(NXS_IncompatibleVersion, "It serves version " + apiText(version) +
                                        " of the plug-in interface, and this nexus-core speaks " +
                                        apiText(kOldestPlugin) + " to " + apiText(kHostVersion) +
                                        "; install versions of both that fit.");
    }
  }

  void checkFunctions() const {
    const std::vector<std::string> missing = missingFunctions(*table_);
    if (!missing.empty()) {
      fail(NXS_InvalidOperation, "It lacks " + listWords(missing, "") + ", which " +
                                     (missing.size() == 1 ? "is" : "are") +
                                     " required; report it to the plug-in's authors.");
    }
    fillStubs(*table_);
  }

  void checkAnswer() const {
    const std::string_view name(answer_->name.data == nullptr ? "" : answer_->name.data,
                                answer_->name.data == nullptr ? 0 : answer_->name.size);
    if (name != manifest_.name) {
      fail(NXS_InvalidOperation, "It calls itself '" + std::string(name) + "', and its manifest '" +
                                     manifest_.name + "'; the two must be equal.");
    }
    const nxs_id id = answer_->runtime;
    if (id <= 0 || NXS_ID_TYPE(id) != NXS_ObjectType_Runtime || NXS_ID_TAG(id) != tag_) {
      fail(NXS_InvalidOperation,
           "Its runtime id is not one of a runtime with the tag that it was given; report it to "
           "the plug-in's authors.");
    }
    if (answer_->thread_model != NXS_ThreadModel_Free &&
        answer_->thread_model != NXS_ThreadModel_Serialized) {
      fail(NXS_InvalidOperation, "It declares thread model " +
                                     std::to_string(answer_->thread_model) +
                                     ", which this nexus-core does not know; update nexus-core.");
    }
  }

  // Never freed: objects keep references to it.
  const Plugin &makePlugin() const {
    auto *plugin = new Plugin;
    plugin->tag = tag_;
    plugin->name = manifest_.name;
    plugin->version = answer_->version.data == nullptr
                          ? manifest_.version
                          : std::string(answer_->version.data, answer_->version.size);
    plugin->library = manifest_.library.string();
    plugin->devices = manifest_.devices.string();
    plugin->capabilities = answer_->capabilities;
    plugin->thread_model = answer_->thread_model;
    plugin->runtime = answer_->runtime;
    plugin->answer = answer_;
    plugin->one_command_at_a_time = layers::isWanted("sync");
    plugin->generation = processGeneration();
    plugin->functions = layers::stack(tag_, answer_->thread_model, table_);
    return *plugin;
  }

  void requireDevice(const Plugin &plugin) const {
    int64_t count = 0;
    nxs_value value{};
    value.struct_size = sizeof(value);
    value.data = &count;
    value.capacity = sizeof(count);
    plugin.call(&nxs_functions::GetRuntimeProperty, "count its devices", plugin.runtime,
                nxs_property{NP_Size}, &value);
    if (value.type != NXS_ValueType_Int || value.size != sizeof(count) || count < 0) {
      fail(NXS_InvalidOperation,
           "It does not answer NP_Size of its runtime with a number of devices; report it to the "
           "plug-in's authors.");
    }
    if (count == 0) {
      fail(NXS_DeviceNotFound, "It finds no device on this machine.");
    }
  }

  const Manifest &manifest_;
  uint32_t tag_ = 0;
  nxs_functions *table_ = nullptr;
  nxs_plugin *answer_ = nullptr;
};

}  // namespace

void requireFittingVersions(const Manifest &manifest) {
  if (manifest.oldest_host > kHostVersion) {
    throw Failure(NXS_IncompatibleVersion,
                  "It needs version " + apiText(manifest.oldest_host) +
                      " of the plug-in interface or a newer one, and this nexus-core has " +
                      apiText(kHostVersion) + "; update nexus-core.",
                  0, manifest.name);
  }
  if (manifest.built_with < kOldestPlugin) {
    throw Failure(NXS_IncompatibleVersion,
                  "It was built for version " + apiText(manifest.built_with) +
                      " of the plug-in interface, and this nexus-core needs " +
                      apiText(kOldestPlugin) + " or newer; update the plug-in.",
                  0, manifest.name);
  }
}

const Plugin &loadPlugin(const Manifest &manifest) {
  return Loader(manifest).load();
}

}  // namespace nexus::core
