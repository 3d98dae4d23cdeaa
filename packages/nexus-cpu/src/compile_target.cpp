// SPDX-License-Identifier: Apache-2.0
#include "compile_target.hpp"

#include <algorithm>
#include <nexus-plugin/error.hpp>

namespace nexus_cpu NXS_HIDDEN {
namespace {

#if defined(__x86_64__) || defined(__i386__)
constexpr bool kNamesAreArchitectures = true;  // -march takes the names of processors
#else
constexpr bool kNamesAreArchitectures = false;  // -mcpu does, and -march those of architectures
#endif
#if defined(__aarch64__) || defined(__arm__) || defined(__x86_64__) || defined(__i386__)
constexpr bool kHasNative = true;
#else
constexpr bool kHasNative = false;  // not every compiler knows "native" there
#endif

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

bool is_architecture(std::string_view target) {
  return kNamesAreArchitectures || target.starts_with("armv") || target.starts_with("rv");
}

// zig writes x86_64_v3 for x86-64-v3, and generic+v8_2a for armv8.2-a.
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
                             CompilerKind compiler) {
  if (target.empty() || target == "native") {
    CompileTarget native{true, native_name(processor), {}};
    if (compiler == CompilerKind::zig) {
      native.flags = {"-mcpu=native"};
    } else if (kHasNative) {
      native.flags = {kNamesAreArchitectures ? "-march=native" : "-mcpu=native"};
    }
    return native;
  }
  check_target_name(target);
  CompileTarget named{false, std::string(target), {}};
  if (compiler == CompilerKind::zig) {
    named.flags = {"-mcpu=" + zig_name(target)};
  } else {
    named.flags = {(is_architecture(target) ? "-march=" : "-mcpu=") + named.name};
  }
  return named;
}

}  // namespace nexus_cpu
