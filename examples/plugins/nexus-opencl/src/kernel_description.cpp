// SPDX-License-Identifier: Apache-2.0
#include "kernel_description.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <nexus-plugin/data_type.hpp>

namespace nexus_opencl NXS_HIDDEN {
namespace {

struct NamedType {
  std::string_view name;
  nxs_data_type data_type;
};

// The types of OpenCL C, and those of nexus_kernel.h.
constexpr std::array kNamedTypes = {
    NamedType{"bool", NXS_DataType_Bool},          NamedType{"char", NXS_DataType_I8},
    NamedType{"uchar", NXS_DataType_U8},           NamedType{"unsigned char", NXS_DataType_U8},
    NamedType{"short", NXS_DataType_I16},          NamedType{"ushort", NXS_DataType_U16},
    NamedType{"unsigned short", NXS_DataType_U16}, NamedType{"int", NXS_DataType_I32},
    NamedType{"uint", NXS_DataType_U32},           NamedType{"unsigned int", NXS_DataType_U32},
    NamedType{"long", NXS_DataType_I64},           NamedType{"ulong", NXS_DataType_U64},
    NamedType{"unsigned long", NXS_DataType_U64},  NamedType{"half", NXS_DataType_F16},
    NamedType{"float", NXS_DataType_F32},          NamedType{"double", NXS_DataType_F64},
    NamedType{"nexus_int8", NXS_DataType_I8},      NamedType{"nexus_uint8", NXS_DataType_U8},
    NamedType{"nexus_int16", NXS_DataType_I16},    NamedType{"nexus_uint16", NXS_DataType_U16},
    NamedType{"nexus_int32", NXS_DataType_I32},    NamedType{"nexus_uint32", NXS_DataType_U32},
    NamedType{"nexus_int64", NXS_DataType_I64},    NamedType{"nexus_uint64", NXS_DataType_U64},
    NamedType{"nexus_bool", NXS_DataType_Bool},    NamedType{"nexus_float", NXS_DataType_F32},
    NamedType{"nexus_int", NXS_DataType_I32},      NamedType{"nexus_uint", NXS_DataType_U32},
};

nxs_data_type find_type(std::string_view name) {
  for (const NamedType &type : kNamedTypes) {
    if (type.name == name) return type.data_type;
  }
  return NXS_DataType_Undefined;
}

std::string_view without_end(std::string_view text, std::string_view letters) {
  const std::size_t last = text.find_last_not_of(letters);
  return last == std::string_view::npos ? std::string_view() : text.substr(0, last + 1);
}

// Returns "float" for "const volatile float".
std::string_view without_qualifiers(std::string_view name) {
  for (const std::string_view word :
       {"const ", "volatile ", "restrict ", "__global ", "__constant ", "__local ", "__private "}) {
    if (name.starts_with(word)) return without_qualifiers(name.substr(word.size()));
  }
  return name;
}

// Returns the number that a vector's name ends with, such as 16 for float16; 0 for other names.
uint32_t components_of(std::string_view name) {
  uint32_t count = 0;
  for (const char c : name.substr(without_end(name, "0123456789").size())) {
    count = count * 10 + static_cast<uint32_t>(c - '0');
    if (count > 16) return 0;
  }
  const bool vector = count == 2 || count == 3 || count == 4 || count == 8 || count == 16;
  return vector ? count : 0;
}

}  // namespace

ArgumentType read_argument_type(std::string_view name) {
  const std::string_view bare = without_qualifiers(without_end(name, " *"));
  const nxs_data_type number = find_type(bare);
  const uint32_t components = components_of(bare);
  if (number != NXS_DataType_Undefined || components == 0) return {number};
  const nxs_data_type element = find_type(without_end(bare, "0123456789"));
  return {element, element == NXS_DataType_Undefined ? 1 : components};
}

std::string shown_type(std::string_view name) {
  const std::string_view bare = without_end(name, " *");
  const std::string_view end = name.substr(bare.size());
  const auto stars = static_cast<std::size_t>(std::count(end.begin(), end.end(), '*'));
  return join(bare, stars == 0 ? "" : " ", std::string(stars, '*'));
}

namespace {

// The names of the hidden arguments of a kernel in the portable language.
constexpr std::array<const char *, 3> kHiddenNames = {"nxk_asked_x", "nxk_asked_y", "nxk_asked_z"};

// Drivers do not tell the size of a value. They refuse wrong ones.
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
  const std::optional<std::string> type =
      read_text(cl.GetKernelArgInfo, kernel, index, CL_KERNEL_ARG_TYPE_NAME);
  if (!type || type->empty() ||
      cl.GetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(address), &address,
                          nullptr) != CL_SUCCESS) {
    return {};
  }
  cl_bitfield qualifiers = 0;
  cl.GetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof(qualifiers), &qualifiers,
                      nullptr);
  ArgumentDescription out;
  out.name = read_text(cl.GetKernelArgInfo, kernel, index, CL_KERNEL_ARG_NAME).value_or("");
  const ArgumentType known = read_argument_type(*type);
  const bool value = address == CL_KERNEL_ARG_ADDRESS_PRIVATE;
  out.kind = address == CL_KERNEL_ARG_ADDRESS_LOCAL ? NXS_ArgumentKind_LocalMemory
             : value                                ? NXS_ArgumentKind_Scalar
                                                    : NXS_ArgumentKind_Buffer;
  const bool reads_only = !value && ((qualifiers & CL_KERNEL_ARG_TYPE_CONST) != 0 ||
                                     address == CL_KERNEL_ARG_ADDRESS_CONSTANT);
  out.type = (reads_only ? "const " : "") + shown_type(*type);
  out.data_type = value && known.components > 1 ? NXS_DataType_Undefined : known.data_type;
  if (value) out.size = value_size(known.data_type, known.components);
  if (value && out.size == 0) out.size = find_scalar_size(cl, kernel, index);
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
