// SPDX-License-Identifier: Apache-2.0
// nxsQueryPlugin: negotiates the version of the C-API and fills the table of functions.
//
//   extern "C" NXS_EXPORT nxs_status nxsQueryPlugin(const nxs_host *host, nxs_plugin *plugin) {
//     nxs_functions functions = nexus_plugin::required_functions();
//     functions.MapBuffer = nxsMapBuffer;  // the optional ones that the plug-in defines
//     return nexus_plugin::query(host, plugin, {.name = "acme", .version = "1.0.0"}, functions,
//                                [] { return runtimes.create(); });
//   }
//
// If the capabilities are known only after the driver has started, the last function returns a
// Started.
//
// A required function that the plug-in does not define fails to link.
#ifndef NEXUS_PLUGIN_QUERY_HPP_
#define NEXUS_PLUGIN_QUERY_HPP_

#include <nexus-plugin/base/checks.hpp>

#include <algorithm>
#include <concepts>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace nexus_plugin NXS_HIDDEN {

// A plug-in's description of itself. The texts must live as long as the process.
struct Identity {
  std::string_view name;      // the backend's, such as "cuda"
  std::string_view version;   // the plug-in's own
  uint64_t capabilities = 0;  // NXS_Capability_* bits, if they are known before the start
  nxs_thread_model thread_model = NXS_ThreadModel_Free;
  uint32_t min_minor = 0;                      // the oldest version that the plug-in can serve
  uint32_t api_minor = NXS_API_VERSION_MINOR;  // the newest version that it serves: its headers'
};

// The runtime of a started backend, and the NXS_Capability_* bits that all its devices have.
struct Started {
  nxs_id runtime = 0;
  uint64_t capabilities = 0;
};

// Returns a table with all required functions; the optional ones are NULL.
inline nxs_functions required_functions() noexcept {
  nxs_functions table{};
  table.struct_size = sizeof(table);
#define NEXUS_PLUGIN_TAKE_REQUIRED(name) table.name = nxs##name;
#define NEXUS_PLUGIN_TAKE_OPTIONAL(name)
#define NXS_FUNCTION(need, since, name, parameters) NEXUS_PLUGIN_TAKE_##need(name)
#include <nexus-api/nxs_functions.def>
#undef NEXUS_PLUGIN_TAKE_REQUIRED
#undef NEXUS_PLUGIN_TAKE_OPTIONAL
  return table;
}

namespace detail {

// Returns a text such as "1.0" or "1.2 to 1.4".
inline std::string versions_text(uint32_t from, uint32_t to) {
  std::string text = join(NXS_API_VERSION_MAJOR, ".", from);
  if (from != to) text += join(" to ", NXS_API_VERSION_MAJOR, ".", to);
  return text;
}

// Returns the minor version that both sides use. Throws NXS_IncompatibleVersion if there is none,
// NXS_InvalidValue if the Identity's min_minor is above its api_minor.
inline uint32_t negotiate(const nxs_host &host, const Identity &self) {
  if (self.min_minor > self.api_minor) {
    throw Error(NXS_InvalidValue, "the plug-in ", self.name, " ", self.version,
                " gives its Identity a min_minor of ", self.min_minor,
                ", and is built with headers of ", versions_text(self.api_minor, self.api_minor),
                "; it is at most ", self.api_minor);
  }
  const uint32_t minor = std::min(host.api_minor, self.api_minor);
  if (host.api_major != NXS_API_VERSION_MAJOR || minor < self.min_minor) {
    throw Error(NXS_IncompatibleVersion, "the plug-in ", self.name, " ", self.version,
                " serves the plug-in interface ", versions_text(self.min_minor, self.api_minor),
                ", and this Nexus speaks ", host.api_major, ".", host.api_minor,
                "; install versions that fit");
  }
  if (minor < host.min_minor) {
    throw Error(NXS_IncompatibleVersion, "the plug-in ", self.name, " ", self.version,
                " speaks the plug-in interface ", NXS_API_VERSION_MAJOR, ".", minor,
                ", and this Nexus needs at least ", host.api_major, ".", host.min_minor,
                "; install a newer version of the plug-in");
  }
  return minor;
}

constexpr bool is_older(uint32_t minor, uint32_t since) noexcept {
  return minor < since;
}

// Removes the functions that are newer than the negotiated version.
inline void remove_newer(nxs_functions &table, uint32_t minor) noexcept {
#define NXS_FUNCTION(need, since, name, parameters) \
  if (is_older(minor, since)) table.name = nullptr;
#include <nexus-api/nxs_functions.def>
}

// Copies only entries that lie wholly within the host's struct_size.
inline void copy_table(const nxs_functions &from, nxs_functions &to) noexcept {
  constexpr uint64_t first = sizeof(from.struct_size);
  constexpr uint64_t entry = sizeof(nxsGetDevice_fn);
  const uint64_t known = std::min<uint64_t>(to.struct_size, sizeof(from));
  if (known <= first) return;
  const uint64_t bytes = (known - first) / entry * entry;
  std::memcpy(reinterpret_cast<char *>(&to) + first, reinterpret_cast<const char *>(&from) + first,
              static_cast<std::size_t>(bytes));
}

template <class Start>
Started call_start(Start &&start, uint64_t capabilities) {
  if constexpr (std::same_as<decltype(std::forward<Start>(start)()), Started>) {
    return std::forward<Start>(start)();
  } else {
    return {std::forward<Start>(start)(), capabilities};
  }
}

}  // namespace detail

// Negotiates, starts the backend, and fills plugin and its table.
//   functions  required_functions(), and the optional ones that the plug-in defines
//   start      makes the backend's runtime and returns its id, or a Started; throws
//              Error(NXS_DeviceNotAvailable) with a sentence if it can't start
template <class Start>
nxs_status query(const nxs_host *host, nxs_plugin *plugin, const Identity &self,
                 nxs_functions functions, Start &&start) noexcept {
  return guarded([&] {
    const nxs_host &checked_host = check_struct(host, "host");
    bind_host(&checked_host);
    nxs_plugin &out = check_struct(plugin, "plugin");
    nxs_functions &table = *check_pointer(out.functions, "plugin->functions");
    const uint32_t minor = detail::negotiate(checked_host, self);
    const Started started = detail::call_start(std::forward<Start>(start), self.capabilities);
    detail::remove_newer(functions, minor);
    detail::copy_table(functions, table);
    out.api_major = NXS_API_VERSION_MAJOR;
    out.api_minor = minor;
    out.name = as_nxs(self.name);
    out.version = as_nxs(self.version);
    out.runtime = started.runtime;
    out.capabilities = started.capabilities;
    out.thread_model = self.thread_model;
    out.reserved = 0;
  });
}

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_QUERY_HPP_
