// SPDX-License-Identifier: Apache-2.0
// Compiles and links programs with NVIDIA's libraries.
#ifndef NEXUS_CUDA_COMPILE_HPP_
#define NEXUS_CUDA_COMPILE_HPP_

#include "device/device.hpp"

#include <nexus-plugin/compile/compile_checks.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::CompileDescription;
using nexus_plugin::CompileSettings;
using nexus_plugin::LinkSettings;

// ---- Requests: a checked nxs_compile_info, in the terms of NVIDIA's compilers ----

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

// The CxxSettings are only for C++.
struct CompileRequest : CodeSettings, nexus_plugin::CxxSettings {
  std::string_view source;  // valid as long as the CompileSettings
  std::string name;         // of the program: one line, not empty
  Language language = Language::cuda;
  CompileTarget target;
  bool of_device = false;  // the caller named no target

  bool is_cxx() const noexcept {
    return language == Language::portable || language == Language::cuda;
  }
};

// ---- Programs in CUDA C++ and in the portable language: NVRTC --------------

// Returns a text such as "NVRTC 13.5". Throws NXS_CompilerNotAvailable.
std::string nvrtc_title();

// Describes how NVRTC would compile a program. If NVRTC does not know the device's architecture,
// and the caller named no target, the target is PTX of the newest architecture that it knows. Opens
// NVRTC only if its files do not tell its version, or the device may be too new for it. Throws
// NXS_CompilerNotAvailable.
CompileDescription describe_nvrtc(const Device &device, CompileRequest &request);

// Throws NXS_CompileProgramFailure, NXS_InvalidCompilerOptions, NXS_InvalidValue (an architecture
// that NVRTC does not know), NXS_CompilerNotAvailable, NXS_Cancelled.
void compile_with_nvrtc(const Device &device, CompileRequest &request, const nxs_sink &code,
                        const nxs_sink &log);

// ---- Programs in NVVM IR and PTX: libNVVM and nvJitLink --------------------

// Returns the flags for libNVVM.
std::vector<std::string> nvvm_flags(const CompileTarget &target, const CodeSettings &settings);

// Compiles NVVM IR, text or bitcode, to PTX or LTO-IR, and adds libdevice if the module calls it.
// log: gets libNVVM's output on success; may be NULL. Throws NXS_CompileProgramFailure,
// NXS_InvalidCompilerOptions, NXS_CompilerNotAvailable, NXS_Cancelled.
std::string compile_nvvm(std::string_view module, const std::string &name,
                         const std::vector<std::string> &flags, const nxs_sink *log = nullptr);

// Compiles NVVM IR to PTX with libNVVM, and PTX to machine code with nvJitLink. Without nvJitLink,
// and if the caller named no target, the result is PTX, which the driver compiles. Throws
// NXS_CompilerNotAvailable, NXS_LinkerNotAvailable, NXS_InvalidValue (LTO-IR of PTX); compile_ir()
// also NXS_CompileProgramFailure.
CompileDescription describe_ir(CompileRequest &request);
void compile_ir(CompileRequest &request, const nxs_sink &code, const nxs_sink &log);

// ---- Linking: nvJitLink ----------------------------------------------------

// Returns a text such as "nvJitLink 13.5". Throws NXS_LinkerNotAvailable.
std::string linker_title();

struct LinkPlan {
  CompileTarget target;  // machine code or PTX
  std::vector<std::string> flags;
};

// Returns the flags for nvJitLink.
std::vector<std::string> link_flags(const CompileTarget &target, const CodeSettings &settings);

// Links pieces of code of any CodeFormat; NVVM IR is compiled first. log: gets the linker's output,
// also if it fails; may be NULL. Throws NXS_LinkProgramFailure, NXS_InvalidBinary (a piece that
// can't be linked), NXS_LinkerNotAvailable, NXS_InvalidCompilerOptions, NXS_InvalidValue (the
// target), NXS_Cancelled.
std::string link_pieces(const LinkPlan &plan, const std::vector<LinkSettings::Piece> &pieces,
                        const nxs_sink *log = nullptr);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_COMPILE_HPP_
