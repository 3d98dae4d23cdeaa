// SPDX-License-Identifier: Apache-2.0
#include "execution/kernel.hpp"

#include "device/device.hpp"
#include "device/memory_pool.hpp"

#include <algorithm>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {

constinit HandleTable<Kernel, NXS_ObjectType_Kernel> kernels;

namespace {

[[noreturn]] void throw_no_kernel(const Library &library, const std::string &name) {
  const bool listed = cu.LibraryGetKernelCount != nullptr;
  library.throw_no_kernel(
      name, listed ? nexus_plugin::instead_of(name, library.kernel_names(), "no kernel")
                   : std::string("; declare it extern \"C\", or give its mangled name"));
}

}  // namespace

Kernel::Kernel(Ref<Library> library, const std::string &name)
    : library_(std::move(library)), name_(name) {
  device().refuse_lost();
  const CurrentContext current(device());
  find();
  read_limits();
  read_arguments();
}

// Finds the function. The driver may load the code only now.
void Kernel::find() {
  if (name_.find('\0') != std::string::npos) throw_no_kernel(*library_, name_);
  const std::string symbol = library_->symbol_of(name_);
  const CUresult found = cu.LibraryGetKernel(&kernel_, library_->handle(), symbol.c_str());
  if (found == CUDA_ERROR_NOT_FOUND) throw_no_kernel(*library_, name_);
  device().check(found, join("finding the kernel '", name_, "'"));
  device().check(
      device().state().memory.with_room([&] { return cu.KernelGetFunction(&function_, kernel_); }),
      join("loading the kernel '", name_, "'"));
}

uint64_t Kernel::ask(CUfunction_attribute attribute) const {
  int value = 0;
  device().check(cu.FuncGetAttribute(&value, attribute, function_),
                 join("asking for the limits of the kernel '", name_, "'"));
  return value > 0 ? static_cast<uint64_t>(value) : 0;
}

// Returns the bytes of each parameter. The driver returns INVALID_VALUE after the last one.
std::vector<uint64_t> Kernel::parameter_sizes() const {
  std::vector<uint64_t> sizes;
  while (true) {
    size_t offset = 0, size = 0;
    const CUresult told = cu.KernelGetParamInfo(kernel_, sizes.size(), &offset, &size);
    if (told == CUDA_ERROR_INVALID_VALUE) return sizes;
    device().check(told, join("asking for the parameters of the kernel '", name_, "'"));
    sizes.push_back(size);
  }
}

void Kernel::read_limits() {
  max_group_items_ = std::max<uint64_t>(1, ask(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
  shared_memory_ = ask(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  local_memory_ = ask(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
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
  const std::vector<std::byte> told = library_->read_variable("nexus_kernel_" + name_);
  if (!told.empty()) {
    description_ = nexus_plugin::read_description(told, name_);
    portable_ = counted_ = true;
    specs_ = nexus_plugin::specs_of(description_.arguments, name_);
    if (sizes_known) nexus_plugin::check_description(description_, sizes, name_);
  } else if (sizes_known) {
    nexus_plugin::check_argument_count(sizes.size(), name_);
    counted_ = true;
    for (const uint64_t size : sizes) {
      specs_.push_back({{}, NXS_ArgumentKind_Unknown, NXS_DataType_Undefined, size});
    }
  }
}

uint64_t Kernel::best_group_items(uint64_t dynamic_shared) const {
  const std::lock_guard lock(mutex_);
  if (best_ && best_->dynamic_shared == dynamic_shared) return best_->items;
  const CurrentContext current(device());
  int grid = 0, items = 0;
  const CUresult result = cu.OccupancyMaxPotentialBlockSize(&grid, &items, function_, nullptr,
                                                            static_cast<size_t>(dynamic_shared), 0);
  const bool told = result == CUDA_SUCCESS && items > 0;
  best_ = {dynamic_shared, told ? static_cast<uint64_t>(items) : max_group_items_};
  return best_->items;
}

void Kernel::allow_dynamic_shared(uint64_t bytes) const {
  const uint64_t most = device().max_shared_memory();
  if (bytes > most || shared_memory_ > most - bytes) {
    throw Error(NXS_OutOfResources, "a group needs ", bytes, " bytes of local memory and ",
                shared_memory_, " that the kernel declares, and the device '", device().name(),
                "' has ", most, "; use less local memory");
  }
  const std::lock_guard lock(mutex_);
  if (bytes <= allowed_dynamic_) return;
  const CurrentContext current(device());
  device().check(cu.FuncSetAttribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                     static_cast<int>(bytes)),
                 join("asking for ", bytes, " bytes of local memory"));
  allowed_dynamic_ = bytes;
}

namespace {

constexpr auto kernel_properties = nexus_plugin::joined(
    nexus_plugin::described_kernel_properties<Kernel>,
    nexus_plugin::property_table<Kernel>({
        {NP_Count,
         [](const Kernel &kernel) -> Value {
           return kernel.counted() ? Value(kernel.specs().size()) : Value();
         }},
        {NP_NativeHandle,
         [](const Kernel &kernel) -> Value {
           return reinterpret_cast<uintptr_t>(kernel.function());
         }},
        {NP_Convention,
         [](const Kernel &kernel) -> Value { return kernel.portable() ? "nexus" : "cuda"; }},
        {NP_PreferredGroupMultiple,
         [](const Kernel &kernel) -> Value { return kernel.device().warp_size(); }},
        {NP_RequiredClusterSize, known_member<&Kernel::required_cluster_size>},
        {NP_ConstantMemorySize, member<&Kernel::constant_memory>},
        {NP_LocalMemorySize, member<&Kernel::shared_memory>},
        {NP_PrivateMemorySize, member<&Kernel::local_memory>},
        {NP_RegistersPerThread, known_member<&Kernel::registers>},
        {NP_MaxThreadgroupMemorySize,
         [](const Kernel &kernel) -> Value { return kernel.device().max_shared_memory(); }},
    }));

}  // namespace
}  // namespace nexus_cuda

using namespace nexus_cuda;

NEXUS_PLUGIN_OBJECT(Kernel, kernels, kernel_properties)
NEXUS_PLUGIN_KERNEL_ARGUMENTS(
    kernels, counted,
    "has no description of its arguments, and the driver (before CUDA 12.4) does "
    "not tell their sizes")
