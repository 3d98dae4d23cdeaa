// SPDX-License-Identifier: Apache-2.0
// The checked request of nxs_compile_info, in the form that NVIDIA's compilers take.
#ifndef NEXUS_CUDA_COMPILE_REQUEST_HPP_
#define NEXUS_CUDA_COMPILE_REQUEST_HPP_

#include "toolkit/compile_target.hpp"

#include <nexus-plugin/compile.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

enum class Language {
  portable,  // "nexus"
  cuda,      // "cuda": CUDA C++
  ptx,       // "ptx"
  nvvm_ir,   // "nvvm": LLVM's, as text
};

// Options of both compilers and linkers.
struct CodeSettings {
  int optimization = 3;  // 0 to 3
  bool fast_math = false, debug = false, line_info = false, relocatable = false;
  std::vector<std::string> extra_flags;  // the caller's own, in the compiler's words
};

// Throws NXS_InvalidCompilerOptions.
CodeSettings read_code_settings(nxs_compile_flags flags, int32_t optimization,
                                const std::vector<std::string_view> &options);

struct CompileRequest : CodeSettings {
  std::string_view source;  // the caller's
  std::string name;         // not empty, one line
  Language language = Language::cuda;
  CompileTarget target;
  bool of_device = false;                     // the target is the device's own: none was asked for
  std::string standard;                       // "c++17"; of the languages that NVRTC compiles
  std::vector<std::string> defines;           // "NAME" or "NAME=value"
  std::vector<std::string> include_paths;     // the caller's
  std::vector<std::string> name_expressions;  // kernels of templates

  bool is_cxx() const noexcept {
    return language == Language::portable || language == Language::cuda;
  }
};

// The languages that programs for CUDA can be written in.
const std::vector<std::string> &compile_languages();

// Throws NXS_NotSupported (the language), NXS_InvalidCompilerOptions or NXS_InvalidValue (the
// target), in words that name the parameter.
CompileRequest read_compile_request(const CompileDevice &device,
                                    const nexus_plugin::CompileSettings &settings);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_COMPILE_REQUEST_HPP_
