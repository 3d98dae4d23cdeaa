// SPDX-License-Identifier: Apache-2.0
// A checked nxs_compile_info, in the terms of NVIDIA's compilers.
#ifndef NEXUS_CUDA_COMPILE_REQUEST_HPP_
#define NEXUS_CUDA_COMPILE_REQUEST_HPP_

#include "device/device.hpp"

#include <nexus-plugin/compile.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::CompileDescription;
using nexus_plugin::CompileSettings;
using nexus_plugin::LinkSettings;

enum class CodeKind {
  machine,  // "sm_90": a cubin
  ptx,      // "compute_90": PTX, which the driver compiles when it loads the library
  lto_ir,   // "lto_90": LTO-IR, which is optimized when it is linked
};

// An architecture, and the kind of code for it.
struct CompileTarget {
  CodeKind kind = CodeKind::machine;
  int capability = 0;   // 90 for compute capability 9.0
  std::string variant;  // "a" in "sm_90a": for this architecture alone; "f": for its family

  std::string name() const { return name_as(kind); }  // "sm_90a"
  // Returns the same architecture's name for another kind of code, such as "compute_90a".
  std::string name_as(CodeKind other) const;
  // Returns "cubin", "ptx" or "ltoir".
  const char *format() const;
};

// Parses a target. Empty: machine code for the device's architecture. Throws NXS_InvalidValue.
CompileTarget read_compile_target(std::string_view text, const Device &device);

enum class Language {
  portable,  // "nexus"
  cuda,      // "cuda": CUDA C++
  ptx,       // "ptx"
  nvvm_ir,   // "nvvm": NVVM IR as text
};

// Returns the names of the languages, in the order of the enum.
const std::vector<std::string> &compile_languages();

// Options that compilers and linkers have in common.
struct CodeSettings {
  int optimization = 3;  // 0 to 3
  bool fast_math = false, debug = false, line_info = false, relocatable = false;
  std::vector<std::string> extra_flags;  // the caller's flags for the compiler
};

// Throws NXS_InvalidCompilerOptions.
CodeSettings read_code_settings(nxs_compile_flags flags, int32_t optimization,
                                const std::vector<std::string_view> &options);

// Appends the flags that libNVVM and nvJitLink have in common.
void add_ir_flags(std::vector<std::string> &flags, const CodeSettings &settings);

struct CompileRequest : CodeSettings {
  std::string_view source;  // valid as long as the CompileSettings
  std::string name;         // of the program: one line, not empty
  Language language = Language::cuda;
  CompileTarget target;
  bool of_device = false;  // the caller named no target
  // Only for C++:
  std::string standard;              // "c++17"
  std::vector<std::string> defines;  // "NAME" or "NAME=value"
  std::vector<std::string> include_paths;
  std::vector<std::string> name_expressions;  // such as "scale<float>"

  bool is_cxx() const noexcept {
    return language == Language::portable || language == Language::cuda;
  }
};

// Throws NXS_NotSupported (the language), NXS_InvalidCompilerOptions or NXS_InvalidValue (the
// target).
CompileRequest read_compile_request(const Device &device, const CompileSettings &settings);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_COMPILE_REQUEST_HPP_
