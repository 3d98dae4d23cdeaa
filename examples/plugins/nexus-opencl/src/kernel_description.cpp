// SPDX-License-Identifier: Apache-2.0
#include "kernel_description.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <map>
#include <nexus-plugin/base/data_type.hpp>
#include <span>

namespace nexus_opencl NXS_HIDDEN {
namespace {

// The numbers of OpenCL C by their names.
constexpr std::pair<std::string_view, nxs_data_type> kNumbers[] = {
    {"bool", NXS_DataType_Bool}, {"char", NXS_DataType_I8},    {"uchar", NXS_DataType_U8},
    {"short", NXS_DataType_I16}, {"ushort", NXS_DataType_U16}, {"int", NXS_DataType_I32},
    {"uint", NXS_DataType_U32},  {"long", NXS_DataType_I64},   {"ulong", NXS_DataType_U64},
    {"half", NXS_DataType_F16},  {"float", NXS_DataType_F32},  {"double", NXS_DataType_F64},
};

// Returns the type of a number in OpenCL C, such as "unsigned char", or in nexus_kernel.h, such as
// "nexus_uint8" or "nexus_int".
nxs_data_type find_type(std::string_view name) {
  constexpr std::string_view kUnsigned = "unsigned ", kPortable = "nexus_";
  const bool portable = name.starts_with(kPortable);
  if (portable) name.remove_prefix(kPortable.size());
  const std::string wanted =
      name.starts_with(kUnsigned) ? join("u", name.substr(kUnsigned.size())) : std::string(name);
  for (const auto &[known, type] : kNumbers) {
    if (known == wanted || (portable && data_type(type).name == wanted)) return type;
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

// The type of an argument by its name in OpenCL C.
struct ArgumentType {
  nxs_data_type data_type = NXS_DataType_Undefined;  // of the value, or of what is pointed to
  uint32_t components = 1;                           // of a vector
};

// name: as clGetKernelArgInfo gives it, such as "float4*" or "nexus_int32".
ArgumentType read_argument_type(std::string_view name) {
  const std::string_view bare = without_qualifiers(without_end(name, " *"));
  const nxs_data_type number = find_type(bare);
  const uint32_t components = components_of(bare);
  if (number != NXS_DataType_Undefined || components == 0) return {number};
  const nxs_data_type element = find_type(without_end(bare, "0123456789"));
  return {element, element == NXS_DataType_Undefined ? 1 : components};
}

// Returns the bytes of a value; 0 if the type is not known.
constexpr uint64_t value_size(nxs_data_type type, uint32_t components) {
  if (type == NXS_DataType_Undefined) return 0;
  // Three components take the place of four.
  return data_type(type).bits / 8 * (components == 3 ? 4 : components);
}

// Returns "float *" for "float*".
std::string shown_type(std::string_view name) {
  const std::string_view bare = without_end(name, " *");
  const std::string_view end = name.substr(bare.size());
  const auto stars = static_cast<std::size_t>(std::count(end.begin(), end.end(), '*'));
  return join(bare, stars == 0 ? "" : " ", std::string(stars, '*'));
}

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

// If the last arguments are the hidden ones of nexus_kernel.h, removes them and marks the kernel as
// portable.
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

// ---- SPIR-V -----------------------------------------------------------

constexpr uint32_t kMagicNumber = 0x07230203;
constexpr std::size_t kHeaderWords = 5;
constexpr uint32_t kKernelModel = 6;

enum Opcode : uint16_t {
  OpName = 5,
  OpString = 7,
  OpEntryPoint = 15,
  OpTypeInt = 21,
  OpTypeFloat = 22,
  OpTypeVector = 23,
  OpTypePointer = 32,
  OpFunction = 54,
  OpFunctionParameter = 55,
  OpFunctionEnd = 56,
};

enum StorageClass : uint32_t {
  UniformConstant = 0,
  Workgroup = 4,
  CrossWorkgroup = 5,
  NoPointer = UINT32_MAX,
};

using Words = std::span<const uint32_t>;

uint32_t swapped(uint32_t word) {
  return (word >> 24) | ((word >> 8) & 0xff00U) | ((word << 8) & 0xff0000U) | (word << 24);
}

[[noreturn]] void refuse_module(std::string_view why) {
  throw Error(NXS_InvalidBinary, "the SPIR-V module ", why);
}

// Returns the words in this machine's order of bytes.
std::vector<uint32_t> module_words(std::string_view bytes) {
  if (bytes.size() % sizeof(uint32_t) != 0 || bytes.size() < kHeaderWords * sizeof(uint32_t)) {
    refuse_module(join("is cut short: it has ", bytes.size(), " bytes"));
  }
  std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
  std::memcpy(words.data(), bytes.data(), bytes.size());
  if (words[0] != kMagicNumber) std::transform(words.begin(), words.end(), words.begin(), swapped);
  return words;
}

// Reads a literal text: four letters a word, and a zero byte behind the last.
std::string text_at(Words words) {
  std::string text;
  for (const uint32_t word : words) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      const auto letter = static_cast<char>((word >> shift) & 0xffU);
      if (letter == '\0') return text;
      text += letter;
    }
  }
  refuse_module("is damaged: a text in it has no end");
}

struct SpirvType {
  nxs_data_type data_type = NXS_DataType_Undefined;  // of a vector's or a pointer's elements too
  uint32_t components = 0;                           // 1: a number; more: a vector
  uint32_t storage = NoPointer;                      // of a pointer
};

// Reads the names, types and functions of a module, and describes its kernels.
class SpirvModule {
 public:
  explicit SpirvModule(Words words) {
    for (std::size_t at = kHeaderWords; at < words.size();) {
      const std::size_t length = words[at] >> 16;
      if (length == 0 || length > words.size() - at) {
        refuse_module(join("is cut short or damaged at byte ", at * sizeof(uint32_t)));
      }
      read(static_cast<uint16_t>(words[at] & 0xffffU), words.subspan(at + 1, length - 1));
      at += length;
    }
    if (function_ != 0) refuse_module("is cut short: a function in it has no end");
  }

  std::vector<KernelDescription> kernels() const {
    std::vector<KernelDescription> all;
    for (const auto &[function, name] : entries_) {
      const auto found = functions_.find(function);
      if (found == functions_.end()) {
        refuse_module(join("is cut short: it has no function for the kernel '", name, "'"));
      }
      KernelDescription kernel{name, {}};
      const std::vector<std::string> types = type_names(name);
      for (std::size_t i = 0; i < found->second.size(); ++i) {
        const auto [type, id] = found->second[i];
        kernel.arguments.push_back(argument_of(type, id, i < types.size() ? types[i] : ""));
      }
      take_hidden_arguments(kernel);
      all.push_back(std::move(kernel));
    }
    return all;
  }

 private:
  struct Parameter {
    uint32_t type, id;
  };

  void read(uint16_t opcode, Words operands) {
    const auto need = [&](std::size_t count) {
      if (operands.size() < count) refuse_module("is damaged: an instruction is too short");
    };
    switch (opcode) {
      case OpName:
        need(2);
        names_[operands[0]] = text_at(operands.subspan(1));
        break;
      case OpString:
        need(2);
        strings_.push_back(text_at(operands.subspan(1)));
        break;
      case OpEntryPoint:
        need(3);
        if (operands[0] == kKernelModel) {
          entries_.emplace_back(operands[1], text_at(operands.subspan(2)));
        }
        break;
      case OpTypeInt:
      case OpTypeFloat:
        need(opcode == OpTypeFloat ? 2 : 3);
        // Modules for OpenCL do not say whether integers have a sign.
        types_[operands[0]] = {number_type(opcode == OpTypeFloat, true, operands[1]), 1};
        break;
      case OpTypeVector:
        need(3);
        types_[operands[0]] = {types_[operands[1]].data_type, operands[2]};
        break;
      case OpTypePointer: {
        need(3);
        const SpirvType target = types_[operands[2]];
        const bool known = target.components != 0;
        types_[operands[0]] = {known ? target.data_type : NXS_DataType_Undefined, 0, operands[1]};
        break;
      }
      case OpFunction:
        need(2);
        function_ = operands[1];
        functions_[function_] = {};
        break;
      case OpFunctionEnd:
        function_ = 0;
        break;
      case OpFunctionParameter:
        need(2);
        functions_[function_].push_back({operands[0], operands[1]});
        break;
      default:
        break;
    }
  }

  ArgumentDescription argument_of(uint32_t type_id, uint32_t id, std::string_view name) const {
    ArgumentDescription out;
    if (const auto found = names_.find(id); found != names_.end()) out.name = found->second;
    const auto found = types_.find(type_id);
    const SpirvType type = found == types_.end() ? SpirvType{} : found->second;
    out.type = shown_type(name);
    out.data_type = read_argument_type(name).data_type;
    if (out.data_type == NXS_DataType_Undefined) out.data_type = type.data_type;
    if (type.storage == Workgroup) {
      out.kind = NXS_ArgumentKind_LocalMemory;
    } else if (type.storage != CrossWorkgroup && type.storage != UniformConstant) {
      // A pointer of another kind is a struct that is passed by value; its size is not looked up.
      out.kind = NXS_ArgumentKind_Scalar;
      if (type.components != 1) out.data_type = NXS_DataType_Undefined;
      out.size = value_size(type.data_type, type.components);
    }
    return out;
  }

  // Returns the types of a kernel's arguments in the words of its source; empty if the compiler did
  // not keep them.
  std::vector<std::string> type_names(const std::string &kernel) const {
    const std::string prefix = "kernel_arg_type." + kernel + ".";
    for (const std::string &text : strings_) {
      if (text.starts_with(prefix)) return split(text.substr(prefix.size()), ',');
    }
    return {};
  }

  std::vector<std::pair<uint32_t, std::string>> entries_;  // functions and names of kernels
  std::map<uint32_t, std::string> names_;
  std::vector<std::string> strings_;
  std::map<uint32_t, SpirvType> types_;
  std::map<uint32_t, std::vector<Parameter>> functions_;
  uint32_t function_ = 0;  // that is being read; 0 between them
};

}  // namespace

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

bool is_spirv(std::string_view bytes) {
  uint32_t word = 0;
  if (bytes.size() < sizeof(word)) return false;
  std::memcpy(&word, bytes.data(), sizeof(word));
  return word == kMagicNumber || swapped(word) == kMagicNumber;
}

std::vector<KernelDescription> read_spirv(std::string_view bytes) {
  const std::vector<uint32_t> words = module_words(bytes);
  std::vector<KernelDescription> found = SpirvModule(words).kernels();
  if (found.empty()) {
    refuse_module("has no kernel: no entry point of the execution model Kernel");
  }
  return found;
}

}  // namespace nexus_opencl
