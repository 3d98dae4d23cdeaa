// SPDX-License-Identifier: Apache-2.0
// The checked request of nxs_compile_info, in the form that NVIDIA's compilers take.
#ifndef NEXUS_CUDA_COMPILE_REQUEST_HPP_
#define NEXUS_CUDA_COMPILE_REQUEST_HPP_

#include "device/device.hpp"

#include <nexus-plugin/compile/compile_checks.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::CompileDescription;
using nexus_plugin::CompileSettings;
using nexus_plugin::LinkSettings;

enum class CodeKind {
  machine,  // "sm_90": a cubin, which runs as it is
  ptx,      // "compute_90": text, which the driver compiles when it is loaded
  lto_ir,   // "lto_90": optimized when it is linked
};

// An architecture, and the kind of code for it.
struct CompileTarget {
  CodeKind kind = CodeKind::machine;
  int capability = 0;   // 90 for compute capability 9.0
  std::string variant;  // "a" of "sm_90a": for this architecture alone; "f": for its family

  std::string name() const { return name_as(kind); }  // "sm_90a"
  // The name of the same architecture's code of another kind: "compute_90a".
  std::string name_as(CodeKind other) const;
  // Of the code: "cubin", "ptx" or "ltoir".
  const char *format() const;
};

// Parses the target that a caller asks for; empty is the machine code of the device's own
// architecture. Throws NXS_InvalidValue.
CompileTarget read_compile_target(std::string_view text, const Device &device);

enum class Language {
  portable,  // "nexus"
  cuda,      // "cuda": CUDA C++
  ptx,       // "ptx"
  nvvm_ir,   // "nvvm": LLVM's, as text
};

// The languages that programs for CUDA can be written in.
const std::vector<std::string> &compile_languages();

// Options of both compilers and linkers.
struct CodeSettings {
  int optimization = 3;  // 0 to 3
  bool fast_math = false, debug = false, line_info = false, relocatable = false;
  std::vector<std::string> extra_flags;  // the caller's own, in the compiler's words
};

// Throws NXS_InvalidCompilerOptions.
CodeSettings read_code_settings(nxs_compile_flags flags, int32_t optimization,
                                const std::vector<std::string_view> &options);

// Appends the flags that libNVVM and nvJitLink have in common.
void add_ir_flags(std::vector<std::string> &flags, const CodeSettings &settings);

// The settings of C++ are those of the languages that NVRTC compiles.
struct CompileRequest : CodeSettings, nexus_plugin::CxxSettings {
  std::string_view source;  // the caller's
  std::string name;         // not empty, one line
  Language language = Language::cuda;
  CompileTarget target;
  bool of_device = false;  // no target was asked for

  bool is_cxx() const noexcept {
    return language == Language::portable || language == Language::cuda;
  }
};

// Throws NXS_NotSupported (the language), NXS_InvalidCompilerOptions or NXS_InvalidValue (the
// target), in words that name the parameter.
CompileRequest read_compile_request(const Device &device, const CompileSettings &settings);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_COMPILE_REQUEST_HPP_
