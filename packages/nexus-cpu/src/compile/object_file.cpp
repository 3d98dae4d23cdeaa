// SPDX-License-Identifier: Apache-2.0
#include "compile/object_file.hpp"

#include <cstdint>
#include <cstring>
#include <nexus-plugin/error.hpp>

namespace nexus_cpu NXS_HIDDEN {
namespace {

#if defined(__APPLE__)
constexpr std::string_view kObjectMagic = "\xcf\xfa\xed\xfe";
constexpr std::size_t kKindAt = 12;
constexpr uint32_t kObjectKind = 1;
using Kind = uint32_t;
#else
constexpr std::string_view kObjectMagic =
    "\x7f"
    "ELF";
constexpr std::size_t kKindAt = 16;
constexpr uint16_t kObjectKind = 1;
using Kind = uint16_t;
#endif

bool is_object_file(std::string_view bytes) {
  Kind kind{};
  if (!bytes.starts_with(kObjectMagic) || bytes.size() < kKindAt + sizeof(kind)) return false;
  std::memcpy(&kind, bytes.data() + kKindAt, sizeof(kind));
  return kind == kObjectKind;
}

}  // namespace

void check_object_file(std::string_view bytes, std::string_view name) {
  if (is_object_file(bytes)) return;
  throw nexus_plugin::Error(NXS_InvalidBinary, "'", name,
                            "' is no object file; compile it with relocatable=True, or give the "
                            "bytes of an object file (.o)");
}

}  // namespace nexus_cpu
