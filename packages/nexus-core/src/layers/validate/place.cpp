// SPDX-License-Identifier: Apache-2.0
#include "layers/validate/place.hpp"

#include <nexus/nexus_c.h>
#include <nexus-plugin/base/text.hpp>

#include <array>
#include <cstddef>
#include <cstdio>
#include <initializer_list>
#include <string_view>

#if !defined(_WIN32)
#include <dlfcn.h>
#endif
#if __has_include(<execinfo.h>)
#include <execinfo.h>
#define NEXUS_HAS_BACKTRACE 1
#endif

namespace nexus::core::layers::validation {
namespace {

using nexus_plugin::join;

thread_local Place noted;

#if defined(NEXUS_HAS_BACKTRACE)

// Returns whether a symbol is of the namespace nexus: an inline function of the C++ Source API.
bool isOfNexus(const char *symbol) noexcept {
  const std::string_view name = symbol == nullptr ? "" : symbol;
  return name.substr(0, 9) == "_ZN5nexus" || name.substr(0, 10) == "_ZNK5nexus";
}

// Returns the base of the library or program that an address is in. Returns NULL if it is not
// known, is not the user's, or is a system library, where the stack of each thread begins.
const void *moduleOf(const void *address) noexcept {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr || isOfNexus(info.dli_sname)) {
    return nullptr;
  }
  const std::string_view path = info.dli_fname;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (const std::string_view starter :
       {"libc.so", "libc-", "libpthread", "libstdc++", "libc++", "libsystem"}) {
    if (name.substr(0, starter.size()) == starter) return nullptr;
  }
  return info.dli_fbase;
}

const void *addressOutside() noexcept {
  std::array<void *, 48> frames{};
  const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
  const void *own = moduleOf(reinterpret_cast<const void *>(&nexus_set_place));
  for (int i = 0; i < count; ++i) {
    const void *frame = frames[static_cast<std::size_t>(i)];
    const void *module = moduleOf(frame);
    if (module != nullptr && module != own) return frame;
  }
  return nullptr;
}

std::string addressText(const void *address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  const bool named = info.dli_sname != nullptr;
  const auto *base = static_cast<const char *>(named ? info.dli_saddr : info.dli_fbase);
  char offset[24];
  std::snprintf(offset, sizeof(offset), "+0x%tx", static_cast<const char *>(address) - base);
  return join(info.dli_fname, "(", named ? info.dli_sname : "", offset, ")");
}

#else

const void *addressOutside() noexcept {
  return nullptr;
}

std::string addressText(const void *) {
  return {};
}

#endif

}  // namespace

Place presentPlace() noexcept {
  return noted.file != nullptr ? noted : Place{nullptr, 0, addressOutside()};
}

std::string placeText(const Place &place) {
  if (place.file != nullptr) return join(place.file, ":", place.line);
  return place.address == nullptr ? std::string() : addressText(place.address);
}

std::string placeNote(const char *what, const Place &place) {
  const std::string text = placeText(place);
  return text.empty() ? text : join(" (", what, " ", text, ")");
}

}  // namespace nexus::core::layers::validation

extern "C" void nexus_set_place(const char *file, int32_t line) {
  nexus::core::layers::validation::noted = {file, line, nullptr};
}
