// SPDX-License-Identifier: Apache-2.0
// The target of a compilation: an architecture, and the kind of code.
#ifndef NEXUS_CUDA_COMPILE_TARGET_HPP_
#define NEXUS_CUDA_COMPILE_TARGET_HPP_

#include <nexus-api/nxs.h>
#include <string>
#include <string_view>

namespace nexus_cuda NXS_HIDDEN {

// The device that a program is compiled for, as far as compilers need to know it.
struct CompileDevice {
  std::string name;
  int capability = 0;    // 90 for compute capability 9.0
  int driver_major = 0;  // of CUDA, as the driver has it; 0: not known
};

enum class CodeKind {
  machine,  // "sm_90": a cubin, which runs as it is
  ptx,      // "compute_90": text, which the driver compiles when it is loaded
  lto_ir,   // "lto_90": what is optimized when it is linked
};

struct CompileTarget {
  CodeKind kind = CodeKind::machine;
  int capability = 0;   // 90
  std::string variant;  // "a" of "sm_90a": with what only this architecture has; "f", of a family

  // "sm_90a"
  std::string name() const;
  // The same architecture's machine code and its virtual architecture: "sm_90a", "compute_90a".
  std::string machine_name() const;
  std::string virtual_name() const;
  // Of the code: "cubin", "ptx" or "ltoir".
  const char *format() const;
};

// The machine code of a device's own architecture.
CompileTarget own_target(const CompileDevice &device);

// Parses the target that a caller asks for; empty is own_target(). Throws NXS_InvalidValue for what
// is no target.
CompileTarget read_compile_target(std::string_view text, const CompileDevice &device);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_COMPILE_TARGET_HPP_
