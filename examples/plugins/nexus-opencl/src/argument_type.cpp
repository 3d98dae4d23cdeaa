// SPDX-License-Identifier: Apache-2.0
#include "argument_type.hpp"

#include <array>
#include <nexus-plugin/data_type.hpp>

namespace nexus_opencl NXS_HIDDEN {
namespace {

struct NamedType {
  std::string_view name;
  nxs_data_type data_type;
};

// OpenCL C's own, and those of nexus_kernel.h.
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

// "const volatile float" is "float".
std::string_view without_qualifiers(std::string_view name) {
  for (bool found = true; found;) {
    found = false;
    for (const std::string_view word : {"const ", "volatile ", "restrict ", "__global ",
                                        "__constant ", "__local ", "__private "}) {
      if (name.starts_with(word)) {
        name.remove_prefix(word.size());
        found = true;
      }
    }
  }
  return name;
}

// The components that a vector's name ends with, such as the 16 of float16.
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
  std::string_view bare = without_qualifiers(without_end(name, " *"));
  ArgumentType out;
  out.data_type = find_type(bare);
  if (out.data_type == NXS_DataType_Undefined) {
    const uint32_t components = components_of(bare);
    const nxs_data_type element = find_type(without_end(bare, "0123456789"));
    if (components != 0 && element != NXS_DataType_Undefined) {
      out.data_type = element;
      out.components = components;
    }
  }
  // A vector of three takes the place of four.
  out.size =
      nexus_plugin::data_type(out.data_type).size * (out.components == 3 ? 4 : out.components);
  return out;
}

std::string shown_type(std::string_view name) {
  const std::string_view bare = without_end(name, " *");
  std::string out(bare);
  bool first = true;
  for (const char c : name.substr(bare.size())) {
    if (c != '*') continue;
    out += first ? " *" : "*";
    first = false;
  }
  return out;
}

}  // namespace nexus_opencl
