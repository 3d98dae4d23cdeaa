// SPDX-License-Identifier: Apache-2.0
#include "spirv.hpp"

#include <cstring>
#include <map>
#include <nexus-plugin/data_type.hpp>
#include <span>

namespace nexus_opencl NXS_HIDDEN {
namespace {

using nexus_plugin::Error;
using nexus_plugin::join;

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

enum StorageClass : uint32_t { UniformConstant = 0, Workgroup = 4, CrossWorkgroup = 5 };

using Words = std::span<const uint32_t>;

uint32_t swapped(uint32_t word) {
  return (word >> 24) | ((word >> 8) & 0xff00U) | ((word << 8) & 0xff0000U) | (word << 24);
}

[[noreturn]] void refuse_module(std::string_view why) {
  throw Error(NXS_InvalidBinary, "the SPIR-V module ", why);
}

// In this machine's order of bytes.
std::vector<uint32_t> module_words(std::string_view bytes) {
  if (bytes.size() % sizeof(uint32_t) != 0 || bytes.size() < kHeaderWords * sizeof(uint32_t)) {
    refuse_module(join("is cut short: it has ", bytes.size(), " bytes"));
  }
  std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
  std::memcpy(words.data(), bytes.data(), bytes.size());
  if (words[0] != kMagicNumber) {
    for (uint32_t &word : words) word = swapped(word);
  }
  return words;
}

// A literal text: four letters a word, a zero byte at its end. after: the words behind it.
std::string text_at(Words words, Words *after = nullptr) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      const auto letter = static_cast<char>((words[i] >> shift) & 0xffU);
      if (letter == '\0') {
        if (after != nullptr) *after = words.subspan(i + 1);
        return text;
      }
      text += letter;
    }
  }
  refuse_module("is damaged: a text in it has no end");
}

struct SpirvType {
  enum class Form { other, number, vector, pointer } form = Form::other;
  nxs_data_type data_type = NXS_DataType_Undefined;
  uint32_t components = 1;
  uint32_t storage = 0;  // of a pointer
  uint32_t target = 0;   // of a pointer: the id of what it points to
};

nxs_data_type number_type(bool is_float, uint32_t width) {
  switch (width) {
    case 8:
      return is_float ? NXS_DataType_Undefined : NXS_DataType_I8;
    case 16:
      return is_float ? NXS_DataType_F16 : NXS_DataType_I16;
    case 32:
      return is_float ? NXS_DataType_F32 : NXS_DataType_I32;
    case 64:
      return is_float ? NXS_DataType_F64 : NXS_DataType_I64;
    default:
      return NXS_DataType_Undefined;
  }
}

struct Parameter {
  uint32_t type;
  uint32_t id;
};

// What of a module matters to a caller of its kernels.
class SpirvReader {
 public:
  void read(Words module);
  std::vector<KernelDescription> kernels() const;

 private:
  void take(uint16_t opcode, Words operands);
  void take_type(uint16_t opcode, Words operands);
  ArgumentDescription argument_of(const Parameter &parameter, std::string_view type_name) const;
  std::vector<std::string> type_names(const std::string &kernel) const;

  struct Entry {
    uint32_t function;
    std::string name;
  };
  std::vector<Entry> entries_;
  std::map<uint32_t, std::string> names_;
  std::vector<std::string> strings_;
  std::map<uint32_t, SpirvType> types_;
  std::map<uint32_t, std::vector<Parameter>> functions_;
  uint32_t function_ = 0;  // that is being read; 0 between them
};

void SpirvReader::read(Words module) {
  for (std::size_t at = kHeaderWords; at < module.size();) {
    const std::size_t length = module[at] >> 16;
    if (length == 0 || length > module.size() - at) {
      refuse_module(join("is cut short or damaged at byte ", at * sizeof(uint32_t)));
    }
    take(static_cast<uint16_t>(module[at] & 0xffffU), module.subspan(at + 1, length - 1));
    at += length;
  }
  if (function_ != 0) refuse_module("is cut short: a function in it has no end");
}

void SpirvReader::take(uint16_t opcode, Words operands) {
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
        entries_.push_back({operands[1], text_at(operands.subspan(2))});
      }
      break;
    case OpTypeInt:
    case OpTypeFloat:
    case OpTypeVector:
    case OpTypePointer:
      need(opcode == OpTypeFloat ? 2 : 3);
      take_type(opcode, operands);
      break;
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

void SpirvReader::take_type(uint16_t opcode, Words operands) {
  SpirvType type;
  if (opcode == OpTypeInt || opcode == OpTypeFloat) {
    type.form = SpirvType::Form::number;
    type.data_type = number_type(opcode == OpTypeFloat, operands[1]);
  } else if (opcode == OpTypeVector) {
    type.form = SpirvType::Form::vector;
    type.data_type = types_[operands[1]].data_type;
    type.components = operands[2];
  } else {
    type.form = SpirvType::Form::pointer;
    type.storage = operands[1];
    type.target = operands[2];
  }
  types_[operands[0]] = type;
}

ArgumentDescription SpirvReader::argument_of(const Parameter &parameter,
                                             std::string_view type_name) const {
  ArgumentDescription out;
  if (const auto name = names_.find(parameter.id); name != names_.end()) out.name = name->second;
  const auto known = types_.find(parameter.type);
  const SpirvType type = known == types_.end() ? SpirvType{} : known->second;
  const ArgumentType named = read_argument_type(type_name);
  out.type = shown_type(type_name);
  if (type.form == SpirvType::Form::pointer &&
      (type.storage == CrossWorkgroup || type.storage == UniformConstant ||
       type.storage == Workgroup)) {
    out.kind = type.storage == Workgroup ? NXS_ArgumentKind_LocalMemory : NXS_ArgumentKind_Buffer;
    const auto target = types_.find(type.target);
    out.data_type = target == types_.end() ? NXS_DataType_Undefined : target->second.data_type;
    if (named.data_type != NXS_DataType_Undefined) out.data_type = named.data_type;
    return out;
  }
  // A pointer of another kind is a struct that is passed by value: its size is not looked for.
  out.kind = NXS_ArgumentKind_Scalar;
  if (type.form == SpirvType::Form::number) {
    out.data_type = named.data_type == NXS_DataType_Undefined ? type.data_type : named.data_type;
  }
  out.size =
      nexus_plugin::data_type(type.data_type).size * (type.components == 3 ? 4 : type.components);
  return out;
}

// The types of a kernel's arguments as its source had them, where the compiler wrote them down.
std::vector<std::string> SpirvReader::type_names(const std::string &kernel) const {
  const std::string prefix = "kernel_arg_type." + kernel + ".";
  std::vector<std::string> names;
  for (const std::string &text : strings_) {
    if (!text.starts_with(prefix)) continue;
    std::string name;
    for (const char c : text.substr(prefix.size())) {
      if (c == ',') {
        names.push_back(std::move(name));
        name.clear();
      } else {
        name += c;
      }
    }
  }
  return names;
}

std::vector<KernelDescription> SpirvReader::kernels() const {
  std::vector<KernelDescription> all;
  for (const Entry &entry : entries_) {
    KernelDescription kernel;
    kernel.name = entry.name;
    const std::vector<std::string> names = type_names(entry.name);
    const auto parameters = functions_.find(entry.function);
    if (parameters == functions_.end()) {
      refuse_module(join("is cut short: it has no function for the kernel '", entry.name, "'"));
    }
    for (std::size_t i = 0; i < parameters->second.size(); ++i) {
      kernel.arguments.push_back(
          argument_of(parameters->second[i], i < names.size() ? names[i] : std::string()));
    }
    take_hidden_arguments(kernel);
    all.push_back(std::move(kernel));
  }
  return all;
}

}  // namespace

bool is_spirv(std::string_view bytes) {
  uint32_t word = 0;
  if (bytes.size() < sizeof(word)) return false;
  std::memcpy(&word, bytes.data(), sizeof(word));
  return word == kMagicNumber || swapped(word) == kMagicNumber;
}

std::vector<KernelDescription> read_spirv(std::string_view bytes) {
  const std::vector<uint32_t> words = module_words(bytes);
  SpirvReader reader;
  reader.read(words);
  std::vector<KernelDescription> found = reader.kernels();
  if (found.empty()) {
    refuse_module("has no kernel: no entry point of the execution model Kernel");
  }
  return found;
}

}  // namespace nexus_opencl
