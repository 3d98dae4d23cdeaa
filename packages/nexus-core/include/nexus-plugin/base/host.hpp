// SPDX-License-Identifier: Apache-2.0
// The host that loaded this plug-in, and its services.
//
// Any thread may call these functions once nxsQueryPlugin was entered. The host lives as long as
// the process.
#ifndef NEXUS_PLUGIN_HOST_HPP_
#define NEXUS_PLUGIN_HOST_HPP_

#include <nexus-api/nxs.h>
#include <nexus-plugin/base/text.hpp>

#include <atomic>
#include <string>
#include <string_view>

namespace nexus_plugin NXS_HIDDEN {
namespace detail {

// Each plug-in has its own, whatever compiler flags it is built with: the namespace is hidden.
inline constinit std::atomic<const nxs_host *> bound_host{nullptr};

}  // namespace detail

// Called by query() with a host that was checked to have all services of version 1.0.
inline void bind_host(const nxs_host *host) noexcept {
  detail::bound_host.store(host, std::memory_order_release);
}

// Returns NULL before nxsQueryPlugin.
inline const nxs_host *host() noexcept {
  return detail::bound_host.load(std::memory_order_acquire);
}

// Returns the plug-in's tag, which is part of all its ids; 0 before nxsQueryPlugin.
inline uint32_t host_tag() noexcept {
  const nxs_host *bound = host();
  return bound == nullptr ? 0 : bound->tag;
}

// Writes one line to the user's log, which is join(parts...).
template <class... Parts>
void log(nxs_log_level level, const Parts &...parts) {
  if (const nxs_host *bound = host()) {
    const std::string line = join(parts...);
    const nxs_string text = as_nxs(line);
    bound->log(bound->tag, level, &text);
  }
}

// Makes an error record, this thread's latest, and returns its id; 0 if there is no host yet.
inline uint64_t make_error(int64_t native_code, std::string_view text) noexcept {
  const nxs_host *bound = host();
  const nxs_string words = as_nxs(text);
  return bound == nullptr ? 0 : bound->make_error(bound->tag, native_code, &words);
}

inline void retain_error(uint64_t error) noexcept {
  if (const nxs_host *bound = host()) bound->retain_error(error);
}

inline void release_error(uint64_t error) noexcept {
  if (const nxs_host *bound = host()) bound->release_error(error);
}

// Returns the value of a configuration key; empty if it is not set. Lives as long as the process.
inline std::string_view get_config(std::string_view key) noexcept {
  const nxs_host *bound = host();
  const nxs_string asked = as_nxs(key);
  nxs_string value{};
  if (bound != nullptr) bound->get_config(bound->tag, &asked, &value);
  return view(value);
}

// Returns the number of a vendor's own property; NXS_PROPERTY_INVALID for an invalid name.
inline nxs_property intern_property(std::string_view name) noexcept {
  const nxs_host *bound = host();
  const nxs_string asked = as_nxs(name);
  return bound == nullptr ? NXS_PROPERTY_INVALID : bound->intern_property(bound->tag, &asked);
}

// Returns whether the program wants this thread's nxsCompileProgram or nxsLinkProgram to stop. Then
// throw Error(NXS_Cancelled, ...). Call it regularly during long work, without holding a lock.
inline bool is_interrupted() noexcept {
  const nxs_host *bound = host();
  return bound != nullptr && bound->is_interrupted(bound->tag) != 0;
}

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_HOST_HPP_
