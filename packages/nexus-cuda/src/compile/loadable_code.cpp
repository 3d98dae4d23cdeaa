// SPDX-License-Identifier: Apache-2.0
#include "compile/loadable_code.hpp"

#include "compile/link.hpp"
#include "toolkit/nvvm.hpp"
#include "toolkit/toolkit_library.hpp"

#include <nexus-plugin/error.hpp>

namespace nexus_cuda NXS_HIDDEN {
namespace {

using nexus_plugin::Error;

std::string linked(const CompileDevice &device, std::string_view code) {
  const CompileTarget target = own_target(device);
  std::string log;
  return link_pieces(device, {target, link_flags(target, CodeSettings())}, {{code, "the library"}},
                     log);
}

std::string compiled(const CompileDevice &device, std::string_view module) {
  CompileTarget target = own_target(device);
  target.kind = CodeKind::ptx;
  return compile_nvvm({std::string(module), "the library", nvvm_flags(target, CodeSettings())})
      .code;
}

// By the compiler or the linker, where the driver does not load it as it is.
std::string made_loadable(const CompileDevice &device, CodeFormat format, std::string_view code) {
  try {
    // Machine code where there is a linker: PTX of a compiler may be newer than the driver.
    const bool stays_ptx = format == CodeFormat::kNvvmIr &&
                           !has_toolkit_library(kNvJitLinkLibrary, device.driver_major);
    return stays_ptx ? compiled(device, code) : linked(device, code);
  } catch (const Error &error) {
    throw Error::with_native_code(error.native_code(), NXS_InvalidBinary, "the library is ",
                                  format_title(format),
                                  ", which no driver loads as it is: ", error.what());
  }
}

}  // namespace

LoadableCode loadable_code(const CompileDevice &device, std::string_view given) {
  if (given.empty()) throw Error(NXS_InvalidBinary, "the library has no bytes");
  NamedCode named = split_names(given);
  LoadableCode out{{}, format_of(named.code), std::move(named.names)};
  if (const std::string why = why_cut_short(named.code); !why.empty()) {
    throw Error(NXS_InvalidBinary, "the library is ", format_title(out.format), ", ", why);
  }
  switch (out.format) {
    case CodeFormat::kCubin:
    case CodeFormat::kFatbin:
    case CodeFormat::kPtx:
      out.bytes = named.code;
      return out;
    case CodeFormat::kRelocatableCubin:
    case CodeFormat::kLtoIr:
    case CodeFormat::kNvvmIr:
      out.bytes = made_loadable(device, out.format, named.code);
      out.format = format_of(out.bytes);
      return out;
    default:
      throw Error(NXS_InvalidBinary, "the library is ", format_title(out.format),
                  ", and no code for NVIDIA GPUs: give a cubin or a fatbin, PTX, which begins with "
                  "'.version', LTO-IR, or NVVM IR");
  }
}

}  // namespace nexus_cuda
