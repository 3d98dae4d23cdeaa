// SPDX-License-Identifier: Apache-2.0
#include "toolkit/compile_target.hpp"

#include <array>
#include <charconv>
#include <nexus-plugin/error.hpp>

namespace nexus_cuda NXS_HIDDEN {
namespace {

using nexus_plugin::Error;
using nexus_plugin::join;

struct KindName {
  CodeKind kind;
  std::string_view prefix;
  const char *format;
};

constexpr std::array kKindNames = {KindName{CodeKind::machine, "sm_", "cubin"},
                                   KindName{CodeKind::ptx, "compute_", "ptx"},
                                   KindName{CodeKind::lto_ir, "lto_", "ltoir"}};

const KindName &name_of(CodeKind kind) {
  return kKindNames[static_cast<std::size_t>(kind)];
}

// Returns whether the rest behind "sm_" is "90", "90a" or "100f".
bool read_architecture(std::string_view rest, CompileTarget &out) {
  const char *const end = rest.data() + rest.size();
  const auto [at, failed] = std::from_chars(rest.data(), end, out.capability);
  out.variant.assign(at, end);
  const bool known_variant = out.variant.empty() || out.variant == "a" || out.variant == "f";
  return failed == std::errc() && out.capability >= 10 && known_variant;
}

}  // namespace

std::string CompileTarget::name() const {
  return join(name_of(kind).prefix, capability, variant);
}

std::string CompileTarget::machine_name() const {
  return join(name_of(CodeKind::machine).prefix, capability, variant);
}

std::string CompileTarget::virtual_name() const {
  return join(name_of(CodeKind::ptx).prefix, capability, variant);
}

const char *CompileTarget::format() const {
  return name_of(kind).format;
}

CompileTarget own_target(const CompileDevice &device) {
  CompileTarget target;
  target.capability = device.capability;
  return target;
}

CompileTarget read_compile_target(std::string_view text, const CompileDevice &device) {
  if (text.empty()) return own_target(device);
  CompileTarget target;
  for (const KindName &known : kKindNames) {
    target.kind = known.kind;
    if (text.starts_with(known.prefix) &&
        read_architecture(text.substr(known.prefix.size()), target)) {
      return target;
    }
  }
  const int own = device.capability;
  throw Error(NXS_InvalidValue, "target is '", text, "'; give 'sm_", own,
              "' for machine code of an architecture, 'compute_", own, "' for PTX, or 'lto_", own,
              "' for what is optimized when it is linked");
}

}  // namespace nexus_cuda
