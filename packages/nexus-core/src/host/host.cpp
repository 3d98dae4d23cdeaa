// SPDX-License-Identifier: Apache-2.0
#include "host/host.hpp"

#include <array>
#include <atomic>
#include <mutex>
#include <new>
#include <string>

#include "base/config.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "base/wait.hpp"
#include "host/property_name.hpp"

namespace nexus::core {
namespace {

constexpr uint32_t kTagEnd = 1U << NXS_ID_TAG_BITS;

// Set when the tag is assigned, then constant. Tag 0 is unused.
std::array<std::atomic<const std::string *>, kTagEnd> backend_names{};

// A plug-in may pass a size with a NULL pointer, or no text at all.
std::string_view textOf(const nxs_string *text) {
  return text == nullptr || text->data == nullptr ? std::string_view()
                                                  : std::string_view(text->data, text->size);
}

void hostLog(uint32_t tag, nxs_log_level level, const nxs_string *text) noexcept {
  const std::string_view view = textOf(text);
  logLine(level, backendOfTag(tag), view.substr(0, utf8Prefix(view)));
}

uint64_t hostMakeError(uint32_t tag, int64_t native_code, const nxs_string *text) noexcept {
  return makeErrorRecord(tag, native_code, textOf(text));
}

void hostGetConfig(uint32_t tag, const nxs_string *key, nxs_string *out_value) noexcept {
  if (out_value == nullptr) return;
  *out_value = {nullptr, 0};
  try {
    *out_value = stringOf(configOf(backendOfTag(tag), textOf(key)));
  } catch (const std::bad_alloc &) {
    logLine(NXS_LogLevel_Error, backendOfTag(tag),
            "There was no memory left to look up a configuration key.");
  }
}

nxs_property hostInternProperty(uint32_t, const nxs_string *name) noexcept {
  try {
    return internProperty(textOf(name));
  } catch (const std::bad_alloc &) {
    return NXS_PROPERTY_INVALID;
  }
}

int32_t hostIsInterrupted(uint32_t) noexcept {
  return isInterrupted() ? 1 : 0;
}

}  // namespace

const nxs_host &makeHost(std::string_view name) {
  static uint32_t next_tag = 1;  // under tableMutex
  const std::lock_guard<std::mutex> lock(tableMutex());
  if (next_tag == kTagEnd) {
    failWith(NXS_OutOfResources, "All ", kTagEnd - 1,
             " plug-in tags are in use; start a new process.");
  }
  auto *host = new nxs_host{};
  host->struct_size = sizeof(nxs_host);
  host->api_major = NXS_API_VERSION_MAJOR;
  host->api_minor = NXS_API_VERSION_MINOR;
  host->min_minor = kOldestMinor;
  host->tag = next_tag;
  host->log = &hostLog;
  host->make_error = &hostMakeError;
  host->retain_error = &retainErrorRecord;
  host->release_error = &releaseErrorRecord;
  host->get_config = &hostGetConfig;
  host->intern_property = &hostInternProperty;
  host->is_interrupted = &hostIsInterrupted;
  backend_names[next_tag].store(new std::string(name), std::memory_order_release);
  ++next_tag;
  return *host;
}

std::string_view backendOfTag(uint32_t tag) noexcept {
  const std::string *name =
      tag < kTagEnd ? backend_names[tag].load(std::memory_order_acquire) : nullptr;
  return name == nullptr ? std::string_view() : std::string_view(*name);
}

}  // namespace nexus::core
