// SPDX-License-Identifier: Apache-2.0
#include "execution/kernel.hpp"

#include <algorithm>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {

constinit HandleTable<Kernel, NXS_ObjectType_Kernel> kernels;

namespace {

[[noreturn]] void throw_no_kernel(const Library &library, const std::string &name) {
  if (library.lists_kernels()) library.throw_no_kernel(name);
  library.throw_no_kernel(name, "; declare it extern \"C\", or give its mangled name");
}

}  // namespace

Kernel::Kernel(Ref<Library> library, const std::string &name)
    : LoadedKernel(std::move(library), name) {
  const CurrentContext current(device());
  find();
  read_limits();
  read_arguments();
}

// Finds the function. The driver may load the code only now.
void Kernel::find() {
  if (name().find('\0') != std::string::npos) throw_no_kernel(library(), name());
  std::string symbol = library().symbol_of(name());
  if (symbol.empty()) symbol = name();
  const CUresult found = cu.LibraryGetKernel(&kernel_, library().handle(), symbol.c_str());
  if (found == CUDA_ERROR_NOT_FOUND) throw_no_kernel(library(), name());
  device().check(found, join("finding the kernel '", name(), "'"));
  device().check(
      device().state().memory.with_room([&] { return cu.KernelGetFunction(&function_, kernel_); }),
      join("loading the kernel '", name(), "'"));
}

uint64_t Kernel::ask(CUfunction_attribute attribute) const {
  int value = 0;
  device().check(cu.FuncGetAttribute(&value, attribute, function_),
                 join("asking for the limits of the kernel '", name(), "'"));
  return value > 0 ? static_cast<uint64_t>(value) : 0;
}

// Returns the bytes of each parameter. The driver returns INVALID_VALUE after the last one.
std::vector<uint64_t> Kernel::parameter_sizes() const {
  std::vector<uint64_t> sizes;
  while (true) {
    size_t offset = 0, size = 0;
    const CUresult told = cu.KernelGetParamInfo(kernel_, sizes.size(), &offset, &size);
    if (told == CUDA_ERROR_INVALID_VALUE) return sizes;
    device().check(told, join("asking for the parameters of the kernel '", name(), "'"));
    sizes.push_back(size);
  }
}

void Kernel::read_limits() {
  warp_size_ = device().warp_size();
  max_group_items_ = std::max<uint64_t>(1, ask(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
  shared_memory_ = ask(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  private_memory_ = ask(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  registers_ = ask(CU_FUNC_ATTRIBUTE_NUM_REGS);
  allowed_dynamic_ = ask(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  constant_memory_ = ask(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
  if (!device().has_cluster_launch()) return;
  const Size3 size{ask(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH),
                   ask(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT),
                   ask(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH)};
  if (size[0] != 0 && size[1] != 0 && size[2] != 0) required_cluster_size_ = size;
}

void Kernel::read_arguments() {
  const bool sizes_known = cu.KernelGetParamInfo != nullptr;
  const std::vector<uint64_t> sizes = sizes_known ? parameter_sizes() : std::vector<uint64_t>();
  const std::vector<std::byte> told = library().read_variable("nexus_kernel_" + name());
  if (!told.empty()) {
    auto description = nexus_plugin::read_description(told, name());
    if (sizes_known) nexus_plugin::check_description(description, sizes, name());
    describe(std::move(description));
  } else if (sizes_known) {
    nexus_plugin::check_argument_count(sizes.size(), name());
    counted_ = true;
    for (const uint64_t size : sizes) {
      specs_.push_back({{}, NXS_ArgumentKind_Unknown, NXS_DataType_Undefined, size});
    }
  }
}

namespace {

constexpr auto kernel_properties = nexus_plugin::joined(
    nexus_plugin::gpu::kernel_properties<Gpu>,
    nexus_plugin::property_table<Kernel>({
        {NP_RequiredClusterSize, nexus_plugin::known_member<&Kernel::required_cluster_size>},
        {NP_ConstantMemorySize, nexus_plugin::member<&Kernel::constant_memory>},
    }));

}  // namespace
}  // namespace nexus_cuda

using namespace nexus_cuda;

NEXUS_PLUGIN_OBJECT(Kernel, kernels, kernel_properties)
NEXUS_PLUGIN_KERNEL_ARGUMENTS(
    kernels, counted,
    "has no description of its arguments, and the driver (before CUDA 12.4) does "
    "not report their sizes")
