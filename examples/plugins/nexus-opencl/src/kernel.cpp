// SPDX-License-Identifier: Apache-2.0
#include "kernel.hpp"

#include <algorithm>
#include <utility>

namespace nexus_opencl NXS_HIDDEN {

using nexus_plugin::Error;
using nexus_plugin::join;
using nexus_plugin::member;
using nexus_plugin::Ref;
using nexus_plugin::Value;

constinit nexus_plugin::HandleTable<Kernel, NXS_ObjectType_Kernel> kernels;

namespace {

// What the driver says of the kernel on the device; empty where it says nothing.
template <class Number>
std::optional<Number> limit_of(const Device &device, cl_kernel kernel, cl_info info) {
  Number value{};
  const cl_int error =
      device.cl().GetKernelWorkGroupInfo(kernel, device.id(), info, sizeof(value), &value, nullptr);
  return error == CL_SUCCESS ? std::optional<Number>(value) : std::nullopt;
}

using ThreeSizes = std::array<size_t, 3>;

}  // namespace

Kernel::Kernel(Ref<Library> library, const std::string &name)
    : library_(std::move(library)), name_(name) {
  const std::vector<std::string> &names = library_->kernel_names();
  if (!std::binary_search(names.begin(), names.end(), name)) {
    library_->throw_no_kernel(name, nexus_plugin::instead_of(name, names, "no kernel"));
  }
  const Owned<cl_kernel> kernel = make();
  read_arguments(kernel.get());
  read_limits(kernel.get());
}

Owned<cl_kernel> Kernel::make() const {
  cl_int error = CL_SUCCESS;
  const cl_kernel made = device().cl().CreateKernel(library_->program(), name_.c_str(), &error);
  check(error, join("making the kernel '", name_, "'"));
  return Owned<cl_kernel>(device().cl(), made);
}

void Kernel::read_arguments(cl_kernel kernel) {
  cl_uint count = 0;
  check(device().cl().GetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof(count), &count, nullptr),
        join("asking the kernel '", name_, "' for its arguments"));
  argument_count_ = count;
  if (const KernelDescription *known = library_->description(name_)) {
    description_ = *known;
  } else if (auto told = describe_kernel(device(), kernel, name_)) {
    description_ = std::move(*told);
  } else {
    return;
  }
  portable_ = description_.portable;
  const std::size_t all = description_.arguments.size() + (portable_ ? kHiddenArguments : 0);
  if (all != count) {
    throw Error(NXS_InvalidBinary, "the kernel '", name_, "' has ", count,
                " arguments, and its description ", all, "; compile the program again");
  }
  described_ = true;
  argument_count_ = static_cast<uint32_t>(description_.arguments.size());
  specs_ = nexus_plugin::specs_of(description_.arguments, name_);
}

void Kernel::read_limits(cl_kernel kernel) {
  const Device &on = device();
  const auto most = limit_of<size_t>(on, kernel, CL_KERNEL_WORK_GROUP_SIZE);
  max_group_items_ = most.value_or(0) != 0 ? *most : on.max_group_items();
  preferred_multiple_ = std::max<uint64_t>(
      1, limit_of<size_t>(on, kernel, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE).value_or(1));
  local_memory_ = limit_of<cl_ulong>(on, kernel, CL_KERNEL_LOCAL_MEM_SIZE).value_or(0);
  private_memory_ = limit_of<cl_ulong>(on, kernel, CL_KERNEL_PRIVATE_MEM_SIZE).value_or(0);
  const auto required = limit_of<ThreeSizes>(on, kernel, CL_KERNEL_COMPILE_WORK_GROUP_SIZE);
  if (required && (*required)[0] != 0) {
    required_group_size_ = {(*required)[0], (*required)[1], (*required)[2]};
  }
}

namespace {

constexpr auto kernel_properties = nexus_plugin::joined(
    nexus_plugin::described_kernel_properties<Kernel>,
    nexus_plugin::property_table<Kernel>({
        {NP_Count, member<&Kernel::argument_count>},
        {NP_Convention,
         [](const Kernel &kernel) -> Value { return kernel.portable() ? "nexus" : "opencl"; }},
        {NP_PreferredGroupMultiple, member<&Kernel::preferred_multiple>},
        {NP_LocalMemorySize, member<&Kernel::local_memory>},
        {NP_PrivateMemorySize, member<&Kernel::private_memory>},
        {NP_MaxThreadgroupMemorySize,
         [](const Kernel &kernel) -> Value { return kernel.device().local_memory_size(); }},
    }));

}  // namespace
}  // namespace nexus_opencl

using namespace nexus_opencl;

NEXUS_PLUGIN_OBJECT(Kernel, kernels, kernel_properties)
NEXUS_PLUGIN_KERNEL_ARGUMENTS(kernels, described,
                              "came from a binary that says nothing of its arguments")
