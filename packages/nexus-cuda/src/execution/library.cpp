// SPDX-License-Identifier: Apache-2.0
#include "compile/compile.hpp"
#include "compile/toolkit_library.hpp"
#include "device/memory_pool.hpp"
#include "execution/kernel.hpp"

#include <algorithm>

namespace nexus_cuda NXS_HIDDEN {

constinit HandleTable<Library, NXS_ObjectType_Library> libraries;

namespace {

constexpr std::size_t kLogSize = 8192;

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

void unload(CUlibrary library) noexcept {
  log_unreleased(cu.LibraryUnload(library), "unloading a library");
}

constexpr auto library_properties = nexus_plugin::joined(
    nexus_plugin::library_file_properties<Library>,
    nexus_plugin::property_table<Library>({
        {NP_Type, [](const Library &) -> Value { return "CUDA library"; }},
        {NP_NativeHandle,
         [](const Library &library) -> Value {
           return reinterpret_cast<uintptr_t>(library.handle());
         }},
        {NP_Format, member<&Library::format>},
        {NP_Count,
         [](const Library &library) -> Value {
           return cu.LibraryGetKernelCount == nullptr ? Value()
                                                      : Value(library.kernel_names().size());
         }},
        {NP_KernelNames,
         [](const Library &library) -> Value {
           return cu.LibraryGetKernelCount == nullptr ? Value() : Value(library.kernel_names());
         }},
    }));

}  // namespace

Library::Library(Device &device, std::string_view bytes, const std::string &path)
    : LibraryFile(bytes, path), device_(&device) {
  device.refuse_lost();
  LoadableCode code = loadable_code(device, bytes);
  format_ = code.format;
  names_ = std::move(code.names);
  if (format_ == CodeFormat::kCubin) check_architecture(device, code.bytes);
  const CurrentContext current(device);
  load(code.bytes);
  try {
    list_kernels();
  } catch (...) {
    unload(library_);
    throw;
  }
}

Library::~Library() {
  try {
    const CurrentContext current(*device_);
    device_->state().memory.free_after(nexus_plugin::kAllStreams,
                                       [library = library_] { unload(library); });
  } catch (const std::exception &) {  // the device is lost
  }
}

void Library::load(const std::string &bytes) {
  std::string log(kLogSize, '\0');
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log.data(), reinterpret_cast<void *>(kLogSize)};
  const CUresult result = device_->state().memory.with_room([&] {
    return cu.LibraryLoadData(&library_, bytes.c_str(), options, values, 2, nullptr, nullptr, 0);
  });
  if (result == CUDA_SUCCESS) return;
  log.resize(log.find('\0') == std::string::npos ? log.size() : log.find('\0'));
  while (log.ends_with('\n')) log.pop_back();
  if (is_fatal(result)) device_->check(result, "loading a library");
  const nxs_status status = result == CUDA_ERROR_OUT_OF_MEMORY       ? NXS_OutOfResources
                            : status_of(result) == NXS_InternalError ? NXS_InvalidBinary
                                                                     : status_of(result);
  throw_error(result, status,
              join("loading the library (", format(), ") for '", device_->name(), "' (",
                   device_->architecture(), ")",
                   log.empty() ? "" : "; the driver's compiler said: " + log + ":"));
}

void Library::list_kernels() {
  if (cu.LibraryGetKernelCount == nullptr || cu.LibraryEnumerateKernels == nullptr ||
      cu.KernelGetName == nullptr) {
    return;
  }
  constexpr const char *kListing = "listing the kernels of a library";
  unsigned count = 0;
  device_->check(cu.LibraryGetKernelCount(&count, library_), kListing);
  if (count == 0) return;
  std::vector<CUkernel> found(count);
  device_->check(cu.LibraryEnumerateKernels(found.data(), count, library_), kListing);
  for (const CUkernel kernel : found) {
    const char *name = nullptr;
    device_->check(cu.KernelGetName(&name, kernel), kListing);
    if (name == nullptr) continue;
    symbols_.emplace_back(name);
    kernel_names_.push_back(name_of_symbol(name, names_));
  }
  std::sort(kernel_names_.begin(), kernel_names_.end());
}

std::vector<std::byte> Library::read_variable(const std::string &name) const {
  CUdeviceptr address = 0;
  size_t size = 0;
  const CUresult found = cu.LibraryGetGlobal(&address, &size, library_, name.c_str());
  if (found == CUDA_ERROR_NOT_FOUND) return {};
  constexpr const char *kReading = "reading the description of a kernel";
  device_->check(found, kReading);
  std::vector<std::byte> bytes(size);
  const CUstream stream = device_->state().memory.stream();
  device_->check(cu.MemcpyAsync(reinterpret_cast<CUdeviceptr>(bytes.data()), address, size, stream),
                 kReading);
  device_->check(cu.StreamSynchronize(stream), kReading);
  return bytes;
}

}  // namespace nexus_cuda

using namespace nexus_cuda;

NEXUS_PLUGIN_OBJECT(Library, libraries, library_properties)

NEXUS_PLUGIN_LIBRARIES(devices, libraries, kernels, nexus_plugin::read_library_file)
