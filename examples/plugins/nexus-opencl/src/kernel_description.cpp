// SPDX-License-Identifier: Apache-2.0
#include "kernel_description.hpp"

#include "argument_type.hpp"

#include <array>
#include <cstddef>

namespace nexus_opencl NXS_HIDDEN {
namespace {

// The hidden arguments of a kernel of the portable language have these names.
constexpr std::array<const char *, 3> kHiddenNames = {"nxk_asked_x", "nxk_asked_y", "nxk_asked_z"};

std::optional<std::string> argument_text(const Functions &cl, cl_kernel kernel, cl_uint index,
                                         cl_info info) {
  size_t size = 0;
  if (cl.GetKernelArgInfo(kernel, index, info, 0, nullptr, &size) != CL_SUCCESS) return {};
  std::string text(size, '\0');
  if (cl.GetKernelArgInfo(kernel, index, info, size, text.data(), nullptr) != CL_SUCCESS) return {};
  text.resize(text.find('\0') == std::string::npos ? text.size() : text.find('\0'));
  return text;
}

// The size of a value is not among what a driver tells. It refuses wrong ones.
uint64_t find_scalar_size(const Functions &cl, cl_kernel kernel, cl_uint index) {
  constexpr std::size_t kMost = 1024;
  alignas(std::max_align_t) static constexpr std::array<std::byte, kMost> zeros{};
  uint64_t found = 0;
  for (std::size_t size = 1; size <= kMost; ++size) {
    if (cl.SetKernelArg(kernel, index, size, zeros.data()) != CL_SUCCESS) continue;
    if (found != 0) return 0;  // it takes any size
    found = size;
  }
  return found;
}

std::optional<ArgumentDescription> describe_argument(const Functions &cl, cl_kernel kernel,
                                                     cl_uint index) {
  cl_uint address = 0;
  const std::optional<std::string> type = argument_text(cl, kernel, index, CL_KERNEL_ARG_TYPE_NAME);
  if (!type || type->empty() ||
      cl.GetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(address), &address,
                          nullptr) != CL_SUCCESS) {
    return {};
  }
  cl_bitfield qualifiers = 0;
  cl.GetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof(qualifiers), &qualifiers,
                      nullptr);
  ArgumentDescription out;
  out.name = argument_text(cl, kernel, index, CL_KERNEL_ARG_NAME).value_or("");
  const ArgumentType known = read_argument_type(*type);
  const bool value = address == CL_KERNEL_ARG_ADDRESS_PRIVATE;
  out.kind = address == CL_KERNEL_ARG_ADDRESS_LOCAL ? NXS_ArgumentKind_LocalMemory
             : value                                ? NXS_ArgumentKind_Scalar
                                                    : NXS_ArgumentKind_Buffer;
  const bool reads_only = !value && ((qualifiers & CL_KERNEL_ARG_TYPE_CONST) != 0 ||
                                     address == CL_KERNEL_ARG_ADDRESS_CONSTANT);
  out.type = (reads_only ? "const " : "") + shown_type(*type);
  out.data_type = value && known.components > 1 ? NXS_DataType_Undefined : known.data_type;
  if (value) out.size = known.size != 0 ? known.size : find_scalar_size(cl, kernel, index);
  return out;
}

}  // namespace

void take_hidden_arguments(KernelDescription &kernel) {
  std::vector<ArgumentDescription> &arguments = kernel.arguments;
  if (arguments.size() < kHiddenNames.size()) return;
  const std::size_t first = arguments.size() - kHiddenNames.size();
  for (std::size_t i = 0; i < kHiddenNames.size(); ++i) {
    if (arguments[first + i].name != kHiddenNames[i]) return;
  }
  arguments.resize(first);
  kernel.portable = true;
}

std::optional<KernelDescription> describe_kernel(const Device &device, cl_kernel kernel,
                                                 const std::string &name) {
  const Functions &cl = device.cl();
  cl_uint count = 0;
  check(cl.GetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof(count), &count, nullptr),
        "asking a kernel for the number of its arguments");
  KernelDescription out;
  out.name = name;
  for (cl_uint index = 0; index < count; ++index) {
    std::optional<ArgumentDescription> argument = describe_argument(cl, kernel, index);
    if (!argument) return {};
    out.arguments.push_back(std::move(*argument));
  }
  take_hidden_arguments(out);
  return out;
}

}  // namespace nexus_opencl
