// SPDX-License-Identifier: Apache-2.0
#include "objects/kernel.hpp"

#include "fibers/fibers.hpp"

#include <nexus-kernel/cpu/descriptor.h>
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

namespace nexus_cpu NXS_HIDDEN {

using namespace nexus_plugin;

constinit HandleTable<Kernel, NXS_ObjectType_Kernel> kernels;

// Checks that the header's numbers equal those of the C-API.
constexpr bool same(int a, int b) {
  return a == b;
}
static_assert(same(NEXUS_CPU_ARGUMENT_BUFFER, NXS_ArgumentKind_Buffer) &&
              same(NEXUS_CPU_ARGUMENT_SCALAR, NXS_ArgumentKind_Scalar) &&
              same(NEXUS_CPU_ARGUMENT_LOCAL_MEMORY, NXS_ArgumentKind_LocalMemory));
static_assert(same(NEXUS_CPU_F32, NXS_DataType_F32) && same(NEXUS_CPU_F64, NXS_DataType_F64) &&
              same(NEXUS_CPU_F16, NXS_DataType_F16) && same(NEXUS_CPU_BF16, NXS_DataType_BF16));
static_assert(same(NEXUS_CPU_I8, NXS_DataType_I8) && same(NEXUS_CPU_U8, NXS_DataType_U8) &&
              same(NEXUS_CPU_I16, NXS_DataType_I16) && same(NEXUS_CPU_U16, NXS_DataType_U16) &&
              same(NEXUS_CPU_I32, NXS_DataType_I32) && same(NEXUS_CPU_U32, NXS_DataType_U32) &&
              same(NEXUS_CPU_I64, NXS_DataType_I64) && same(NEXUS_CPU_U64, NXS_DataType_U64) &&
              same(NEXUS_CPU_BOOL, NXS_DataType_Bool));

namespace {

// The size of the descriptor in each version. A library may have a larger one, but no smaller one.
constexpr uint64_t kKernelSize = offsetof(nexus_cpu_kernel, run) + sizeof(nexus_cpu_kernel::run);
constexpr uint64_t kKernelSize2 =
    offsetof(nexus_cpu_kernel, local_memory) + sizeof(nexus_cpu_kernel::local_memory);
constexpr uint64_t kArgumentSize =
    offsetof(nexus_cpu_argument, reserved) + sizeof(nexus_cpu_argument::reserved);

}  // namespace

Kernel::Kernel(Ref<Library> library, const std::string &name)
    : library_(std::move(library)), name_(name) {
  const SharedObject &object = library_->object();
  const std::vector<std::string> &names = library_->callable_names();
  // Checks the list, since the lookup also finds symbols of the C library.
  if (std::binary_search(names.begin(), names.end(), name)) {
    if (const void *descriptor = object.find(kDescriptorPrefix + name)) {
      take_descriptor(*static_cast<const nexus_cpu_kernel *>(descriptor));
      return;
    }
    plain_ = reinterpret_cast<Plain>(object.find(name));
  }
  if (plain_ == nullptr) {
    library_->throw_no_kernel(name, instead_of(name, names, "no exported function"));
  }
}

uint64_t Kernel::max_group_items() const noexcept {
  if (!required_group_size_) return kMaxGroupItems;
  const Size3 &size = *required_group_size_;
  return size[0] * size[1] * size[2];
}

void Kernel::take_descriptor(const nexus_cpu_kernel &described) {
  const bool whole = described.struct_size >= kKernelSize && described.version >= 1 &&
                     (described.version < 2 || described.struct_size >= kKernelSize2);
  if (!whole || described.version > NEXUS_KERNEL_VERSION || described.run == nullptr) {
    throw Error(NXS_InvalidKernelDefinition, "the kernel '", name_, "' was built with version ",
                described.version, " of nexus_kernel.h, and this backend knows up to ",
                NEXUS_KERNEL_VERSION, "; build it again, or install a newer nexus-cpu");
  }
  take_arguments(described);
  if (described.version >= 2) take_requirements(described);
  range_ = described.run;
}

void Kernel::take_requirements(const nexus_cpu_kernel &described) {
  const nexus_int32(&size)[3] = described.group_size;
  local_memory_ = described.local_memory;
  if (local_memory_ > kMaxLocalMemory) {
    throw Error(NXS_OutOfResources, "the kernel '", name_, "' declares ", local_memory_,
                " bytes of local memory; the device has ", kMaxLocalMemory, " bytes a group");
  }
  if (size[0] == 0 && size[1] == 0 && size[2] == 0) return;
  uint64_t items_left = kMaxGroupItems;
  Size3 required{};
  for (std::size_t d = 0; d < 3; ++d) {
    required[d] = size[d] < 1 ? 0 : static_cast<uint64_t>(size[d]);
    items_left = required[d] == 0 ? 0 : items_left / required[d];
  }
  if (items_left == 0) {
    throw Error(NXS_InvalidKernelDefinition, "the kernel '", name_, "' requires groups of ",
                size[0], " x ", size[1], " x ", size[2],
                " work items; the device has groups of 1 to ", kMaxGroupItems);
  }
  required_group_size_ = required;
}

void Kernel::take_arguments(const nexus_cpu_kernel &described) {
  check_argument_count(described.argument_count, name_);
  if (described.argument_count > 0 && described.arguments == nullptr) {
    throw Error(NXS_InvalidKernelDefinition, "the kernel '", name_,
                "' has arguments but does not describe them; build it again");
  }
  const char *at = reinterpret_cast<const char *>(described.arguments);
  for (uint32_t i = 0; i < described.argument_count; ++i) {
    const auto *argument = reinterpret_cast<const nexus_cpu_argument *>(at);
    if (argument->struct_size < kArgumentSize || argument->kind < NXS_ArgumentKind_Buffer ||
        argument->kind > NXS_ArgumentKind_LocalMemory || argument->name == nullptr) {
      throw Error(NXS_InvalidKernelDefinition, "the kernel '", name_, "' describes argument ", i,
                  " in an unknown format; build it again with this backend's nexus_kernel.h");
    }
    specs_.push_back({argument->name, argument->kind, argument->data_type, argument->size,
                      argument->type == nullptr ? "" : argument->type});
    at += argument->struct_size;
  }
}

namespace {

constexpr auto kernel_properties = nexus_plugin::joined(
    described_kernel_properties<Kernel>,
    property_table<Kernel>({
        {NP_Count,
         [](const Kernel &kernel) -> Value {
           return kernel.described() ? Value(kernel.specs().size()) : Value();
         }},
        {NP_Convention,
         [](const Kernel &kernel) -> Value {
           return kernel.range() != nullptr ? "range" : "plain-c";
         }},
        {NP_LocalMemorySize,
         [](const Kernel &kernel) -> Value {
           return kernel.described() ? Value(kernel.local_memory()) : Value();
         }},
        {NP_MaxThreadgroupMemorySize, [](const Kernel &) -> Value { return kMaxLocalMemory; }},
    }));

}  // namespace
}  // namespace nexus_cpu

using namespace nexus_cpu;

NEXUS_PLUGIN_OBJECT(Kernel, kernels, kernel_properties)
NEXUS_PLUGIN_LIBRARIES(devices, libraries, kernels, Library::read_file)
NEXUS_PLUGIN_KERNEL_ARGUMENTS(kernels, described,
                              "is a plain C function, which says nothing of its arguments")
