// SPDX-License-Identifier: Apache-2.0
#include "compile/compile.hpp"
#include "compile/toolkit_library.hpp"
#include "execution/kernel.hpp"
#include "memory/buffer.hpp"

#include <nexus-plugin/gpu/host_copy.hpp>

#include <utility>

namespace nexus_cuda NXS_HIDDEN {

constinit HandleTable<Library, NXS_ObjectType_Library> libraries;

namespace {

// A cubin runs on devices of the same major compute capability; the driver checks the minor one.
void check_architecture(const Device &device, std::string_view bytes) {
  const int wanted = architecture_of_cubin(bytes);
  const int has = device.compute_capability();
  if (wanted == 0 || wanted / 10 == has / 10) return;
  throw Error(NXS_InvalidBinary, "the library is a cubin for sm_", wanted, ", and the device '",
              device.name(), "' is ", device.architecture(),
              "; compile it for that, or to PTX, which runs on later devices too");
}

// Compiles or links code that the driver does not load in this format.
std::string made_loadable(const Device &device, CodeFormat format, std::string_view code) {
  CompileTarget target = read_compile_target({}, device);
  try {
    // Prefers machine code, since the driver may be older than the compiler and refuse its PTX.
    if (format != CodeFormat::kNvvmIr || has_toolkit_library(kNvJitLinkLibrary)) {
      return link_pieces({target, link_flags(target, {})}, {{code, "the library"}});
    }
    target.kind = CodeKind::ptx;
    return compile_nvvm(code, "the library", nvvm_flags(target, {}));
  } catch (const Error &error) {
    throw Error::with_native_code(error.native_code(), NXS_InvalidBinary, "the library is ",
                                  format_title(format),
                                  ", which must be compiled or linked first: ", error.what());
  }
}

// A cubin, a fatbin or PTX.
struct LoadableCode {
  std::string bytes;
  CodeFormat format;
  NameTable names;
};

// Throws NXS_InvalidBinary.
LoadableCode loadable_code(const Device &device, std::string_view given) {
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

}  // namespace

Library::Library(Device &device, std::string_view bytes, const std::string &path)
    : LoadedLibrary(device, bytes, path) {
  LoadableCode code = loadable_code(device, bytes);
  format_ = code.format;
  if (format_ == CodeFormat::kCubin) check_architecture(device, code.bytes);
  const CurrentContext current(device);
  load(code.bytes, std::move(code.names), format());
  list_kernels();
}

void Library::list_kernels() {
  if (cu.LibraryGetKernelCount == nullptr || cu.LibraryEnumerateKernels == nullptr ||
      cu.KernelGetName == nullptr) {
    return;
  }
  constexpr const char *kListing = "listing the kernels of a library";
  unsigned count = 0;
  device().check(cu.LibraryGetKernelCount(&count, handle()), kListing);
  std::vector<CUkernel> found(count);
  if (count != 0) {
    device().check(cu.LibraryEnumerateKernels(found.data(), count, handle()), kListing);
  }
  std::vector<std::string> symbols;
  for (const CUkernel kernel : found) {
    const char *name = nullptr;
    device().check(cu.KernelGetName(&name, kernel), kListing);
    if (name != nullptr) symbols.emplace_back(name);
  }
  list(std::move(symbols));
}

std::vector<std::byte> Library::read_variable(const std::string &name) const {
  CUdeviceptr address = 0;
  size_t size = 0;
  const CUresult found = cu.LibraryGetGlobal(&address, &size, handle(), name.c_str());
  if (found == CUDA_ERROR_NOT_FOUND) return {};
  constexpr const char *kReading = "reading the description of a kernel";
  device().check(found, kReading);
  return nexus_plugin::gpu::HostCopy<Gpu>::read_constant(device(), address, size, kReading);
}

}  // namespace nexus_cuda

using namespace nexus_cuda;

NEXUS_PLUGIN_OBJECT(Library, libraries, nexus_plugin::gpu::library_properties<Gpu>)

NEXUS_PLUGIN_LIBRARIES(devices, libraries, kernels, nexus_plugin::read_library_file)
NEXUS_PLUGIN_GPU_GLOBALS(libraries, buffers)
