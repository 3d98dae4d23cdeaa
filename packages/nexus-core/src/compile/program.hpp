// SPDX-License-Identifier: Apache-2.0
//
// A caller's program: its text and how to compile it, and the target: a device, and an architecture
// if it is not the device's own.
#pragma once

#include <nexus/nexus_c.h>
#include <nexus-plugin/compile/compile.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"

namespace nexus::core {

/// The caller's description, with defaults filled in; its target is in Target instead. Borrows the
/// caller's texts.
struct Program : nexus_plugin::CompileSettings {
  bool isRelocatable() const noexcept { return (flags & NXS_CompileFlags_Relocatable) != 0; }
  bool isPortable() const noexcept { return language == kPortableLanguage; }

  /// Returns all of it as one text, different for each program.
  std::string key() const;
};

/// Checks and returns a caller's list of texts, the argument named parameter. Throws
/// NXS_InvalidValue.
std::vector<std::string_view> listOfTexts(const nxs_string *texts, uint64_t count,
                                          const std::string &parameter);

/// Throws NXS_InvalidValue for unknown flags or an unknown optimization.
void requireCodeFlags(nxs_compile_flags flags, int32_t reserved, int32_t optimization);

/// Throws NXS_InvalidValue for a name with more than one line.
void requireProgramName(std::string_view name);

/// Returns the caller's program. Throws NXS_InvalidValue for NULL, texts that are not UTF-8, a name
/// with control characters, unknown flags and an unknown optimization. Does not check the source.
Program programOf(const nexus_program_info *info);

/// Throws NXS_InvalidProgram if the source is empty or no text, NXS_InvalidCompilerOptions for an
/// invalid define, NXS_InvalidValue for an include path that is not a folder.
void requireCompilable(const Program &program);

struct Target {
  Device *device = nullptr;  // of the backend that compiles; lives as long as the process
  std::string architecture;  // in the backend's words; empty: the device's own
};

/// Without a device, text names the target as for nexus_compile; else it is an architecture. Throws
/// NXS_InvalidValue (no target), and as selectDevice() does.
Target targetOf(nexus_device *device, std::string_view text);

}  // namespace nexus::core
