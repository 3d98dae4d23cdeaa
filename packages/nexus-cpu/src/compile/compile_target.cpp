// SPDX-License-Identifier: Apache-2.0
#include "compile/compile_target.hpp"

#include <algorithm>
#include <nexus-plugin/error.hpp>

namespace nexus_cpu NXS_HIDDEN {
namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

void check_target_name(std::string_view target) {
  if (!target.starts_with('-') && std::all_of(target.begin(), target.end(), is_name_character)) {
    return;
  }
  throw nexus_plugin::Error(NXS_InvalidValue, "target is '", target,
                            "', which can't be a processor's name: give one such as 'native', "
                            "'znver4', 'x86-64-v3' or 'neoverse-n1'");
}

const char *flag_for(std::string_view target, ProcessorFamily family) {
  const bool architecture =
      family == ProcessorFamily::x86 || target.starts_with("armv") || target.starts_with("rv");
  return architecture ? "-march=" : "-mcpu=";
}

// Returns zig's spelling: x86_64_v3 for x86-64-v3, generic+v8_2a for armv8.2-a.
std::string zig_name(std::string_view target) {
  std::string name(target);
  if (target.starts_with("armv")) {
    name = "generic+v" + name.substr(4);
    std::erase(name, '-');
  }
  std::replace_if(name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
}

std::string native_name(const Processor &processor) {
  std::string name = processor.architecture.empty() ? "generic" : processor.architecture;
  for (const std::string &feature : processor.features) name += "+" + feature;
  return name;
}

}  // namespace

CompileTarget resolve_target(std::string_view target, const Processor &processor,
                             CompilerKind compiler, ProcessorFamily family) {
  const bool zig = compiler == CompilerKind::zig;
  if (target.empty() || target == "native") {
    CompileTarget native{true, native_name(processor), {}};
    if (zig || family != ProcessorFamily::other) {
      native.flags.push_back((zig ? "-mcpu=" : flag_for("native", family)) + std::string("native"));
    }
    return native;
  }
  check_target_name(target);
  const std::string name(target);
  return {false, name, {zig ? "-mcpu=" + zig_name(target) : flag_for(target, family) + name}};
}

}  // namespace nexus_cpu
