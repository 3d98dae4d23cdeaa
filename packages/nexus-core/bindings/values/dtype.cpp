// SPDX-License-Identifier: Apache-2.0
#include "values/dtype.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <span>
#include <string>
#include <utility>

#include "python/errors.hpp"
#include "python/shared_state.hpp"
#include "values/parse.hpp"

namespace nexus::python {
namespace {

struct Name {
  std::string_view text;
  nxs_data_type type;
};

// The first name of a type is the one shown.
constexpr std::array kNames = {
    Name{"float32", NXS_DataType_F32},      Name{"single", NXS_DataType_F32},
    Name{"fp32", NXS_DataType_F32},         Name{"f32", NXS_DataType_F32},
    Name{"float16", NXS_DataType_F16},      Name{"half", NXS_DataType_F16},
    Name{"fp16", NXS_DataType_F16},         Name{"f16", NXS_DataType_F16},
    Name{"bfloat16", NXS_DataType_BF16},    Name{"bf16", NXS_DataType_BF16},
    Name{"float64", NXS_DataType_F64},      Name{"double", NXS_DataType_F64},
    Name{"fp64", NXS_DataType_F64},         Name{"f64", NXS_DataType_F64},
    Name{"float8_e4m3fn", NXS_DataType_F8}, Name{"fp8", NXS_DataType_F8},
    Name{"float8_e5m2", NXS_DataType_BF8},  Name{"bf8", NXS_DataType_BF8},
    Name{"float4_e2m1fn", NXS_DataType_F4}, Name{"fp4", NXS_DataType_F4},
    Name{"bfloat4", NXS_DataType_BF4},      Name{"bf4", NXS_DataType_BF4},
    Name{"int64", NXS_DataType_I64},        Name{"longlong", NXS_DataType_I64},
    Name{"i64", NXS_DataType_I64},          Name{"int32", NXS_DataType_I32},
    Name{"i32", NXS_DataType_I32},          Name{"int16", NXS_DataType_I16},
    Name{"i16", NXS_DataType_I16},          Name{"int8", NXS_DataType_I8},
    Name{"int4", NXS_DataType_I4},          Name{"uint64", NXS_DataType_U64},
    Name{"ulonglong", NXS_DataType_U64},    Name{"u64", NXS_DataType_U64},
    Name{"uint32", NXS_DataType_U32},       Name{"u32", NXS_DataType_U32},
    Name{"uint16", NXS_DataType_U16},       Name{"u16", NXS_DataType_U16},
    Name{"uint8", NXS_DataType_U8},         Name{"uint4", NXS_DataType_U4},
    Name{"bool", NXS_DataType_Bool},        Name{"bool_", NXS_DataType_Bool},
    Name{"complex64", NXS_DataType_C64},    Name{"complex128", NXS_DataType_C128},
    Name{"c64", NXS_DataType_C64},          Name{"c128", NXS_DataType_C128},
};

// Codes whose digits are bytes for numpy and bits for others.
struct Ambiguous {
  std::string_view code;
  const char *names;
};

constexpr std::array kAmbiguous = {
    Ambiguous{"f4", "'float32' (numpy's) or 'float4_e2m1fn'"},
    Ambiguous{"f8", "'float64' (numpy's) or 'float8_e4m3fn'"},
    Ambiguous{"i4", "'int32' (numpy's) or 'int4'"},
    Ambiguous{"i8", "'int64' (numpy's) or 'int8'"},
    Ambiguous{"u4", "'uint32' (numpy's) or 'uint4'"},
    Ambiguous{"u8", "'uint64' (numpy's) or 'uint8'"},
};

constexpr const char *kWanted =
    "a name such as 'float32' or 'bf16', a member of nexus.data_type, or a numpy dtype";

bool isText(py::handle object) {
  return object && PyUnicode_Check(object.ptr());
}

// Returns the name of a dtype object; empty for other objects.
std::string nameOf(py::handle dtype) {
  if (PyType_Check(dtype.ptr())) {
    return py::cast<std::string>(
        dtype.attr("__name__"));  // numpy.float32, ml_dtypes.bfloat16, bool
  }
  const py::object name = py::getattr(dtype, "name", py::none());
  if (isText(name)) {
    return py::cast<std::string>(name);
  }
  const py::object inner = py::getattr(py::getattr(dtype, "dtype", py::none()), "name", py::none());
  if (isText(inner)) {  // jax.numpy.float32; an object with a shape is a value, not a dtype
    return hasAttribute(dtype, "shape") ? std::string() : py::cast<std::string>(inner);
  }
  const auto text = py::cast<std::string>(py::str(dtype));
  constexpr std::string_view torch = "torch.";
  return text.starts_with(torch) ? text.substr(torch.size()) : std::string();
}

// NOLINTNEXTLINE(google-runtime-int): numpy uses C's
constexpr nxs_data_type kLong = sizeof(long) == 8 ? NXS_DataType_I64 : NXS_DataType_I32;
constexpr nxs_data_type kUnsignedLong = sizeof(long) == 8 ? NXS_DataType_U64 : NXS_DataType_U32;

// numpy's codes: a kind and a number of bytes, the buffer protocol's letter, C's name.
constexpr std::array kKinds = {
    Name{"b1", NXS_DataType_Bool}, Name{"f2", NXS_DataType_F16},   Name{"f4", NXS_DataType_F32},
    Name{"f8", NXS_DataType_F64},  Name{"i1", NXS_DataType_I8},    Name{"i2", NXS_DataType_I16},
    Name{"i4", NXS_DataType_I32},  Name{"i8", NXS_DataType_I64},   Name{"u1", NXS_DataType_U8},
    Name{"u2", NXS_DataType_U16},  Name{"u4", NXS_DataType_U32},   Name{"u8", NXS_DataType_U64},
    Name{"c8", NXS_DataType_C64},  Name{"c16", NXS_DataType_C128},
};
constexpr std::array kLetters = {
    Name{"?", NXS_DataType_Bool}, Name{"e", NXS_DataType_F16},   Name{"f", NXS_DataType_F32},
    Name{"d", NXS_DataType_F64},  Name{"b", NXS_DataType_I8},    Name{"B", NXS_DataType_U8},
    Name{"h", NXS_DataType_I16},  Name{"H", NXS_DataType_U16},   Name{"i", NXS_DataType_I32},
    Name{"I", NXS_DataType_U32},  Name{"q", NXS_DataType_I64},   Name{"Q", NXS_DataType_U64},
    Name{"Zf", NXS_DataType_C64}, Name{"Zd", NXS_DataType_C128},
};
constexpr std::array kNamesInC = {
    Name{"F", NXS_DataType_C64},
    Name{"D", NXS_DataType_C128},
    Name{"l", kLong},
    Name{"L", kUnsignedLong},
    Name{"byte", NXS_DataType_I8},
    Name{"ubyte", NXS_DataType_U8},
    Name{"short", NXS_DataType_I16},
    Name{"ushort", NXS_DataType_U16},
    Name{"intc", NXS_DataType_I32},
    Name{"uintc", NXS_DataType_U32},
    Name{"long", kLong},
    Name{"ulong", kUnsignedLong},
};

std::optional<nxs_data_type> typeOf(std::string_view text, std::span<const Name> names) noexcept {
  const auto found = std::ranges::find(names, text, &Name::text);
  return found == names.end() ? std::nullopt : std::optional(found->type);
}

// Returns the first name of a type, or nullptr.
const char *textOf(nxs_data_type type, std::span<const Name> names) noexcept {
  const auto found = std::ranges::find(names, type, &Name::type);
  return found == names.end() ? nullptr : found->text.data();  // a literal: zero-terminated
}

// Parses numpy's codes; the kinds and letters with or without a byte order ("f2", "<f4").
std::optional<nxs_data_type> dtypeFromNumpyCode(std::string_view text) noexcept {
  if (text.size() > 1 && text.size() <= 4 &&
      std::string_view("<>=|").find(text[0]) != std::string_view::npos) {
    text.remove_prefix(1);
  }
  for (const std::span<const Name> names :
       {std::span<const Name>(kKinds), std::span<const Name>(kLetters),
        std::span<const Name>(kNamesInC)}) {
    if (const auto type = typeOf(text, names)) return type;
  }
  return std::nullopt;
}

constexpr char kForeignOrder = std::endian::native == std::endian::little ? '>' : '<';

bool isForeignOrder(py::handle dtype, const std::string &name, nxs_data_type type) {
  if (isText(dtype)) {
    return name[0] == kForeignOrder && dataTypeBits(type) > 8;
  }
  const py::object native = py::getattr(dtype, "isnative", py::none());
  return native.ptr() == Py_False;
}

// "; near names are 'float32' and 'float16'", or empty.
std::string nearNames(const std::string &text) {
  py::list known;
  for (const Name &name : kNames) {
    known.append(py::str(name.text.data(), name.text.size()));
  }
  std::string near;
  for (const py::handle name :
       py::module_::import("difflib").attr("get_close_matches")(text, known)) {
    near += (near.empty() ? "; near names are " : ", ") + py::cast<std::string>(py::repr(name));
  }
  return near;
}

void refuseAmbiguous(const std::string &parameter, py::handle dtype, std::string_view name) {
  for (const Ambiguous &each : kAmbiguous) {
    if (each.code == name) {
      throwValueError(
          parameter, dtype,
          std::string("it means bytes in numpy and bits elsewhere; give ") + each.names);
    }
  }
}

[[noreturn]] void throwUnknown(const std::string &parameter, py::handle dtype,
                               const std::string &name) {
  for (const auto &[of_python, instead] :
       {std::pair("float", "'float32' or 'float64'"), std::pair("int", "'int32' or 'int64'"),
        std::pair("complex", "'complex64' or 'complex128'")}) {
    if (name != of_python) continue;
    throwValueError(parameter, dtype, "Python's " + name + " has no fixed width; give " + instead);
  }
  throwValueError(parameter, dtype, std::string("it has to be ") + kWanted + nearNames(name));
}

// numpy's dtypes of records, by the numbers of their data types. They never change and are never
// freed, since buffers keep numbers only.
struct Record {
  py::object dtype;
  std::string name;
  nxs_data_type type;
};
std::deque<Record> &records() {
  static auto &all = *new std::deque<Record>;
  return all;
}

StateMutex recordsMutex;

const Record *recordOf(nxs_data_type type) noexcept {
  if (NEXUS_RECORD_SIZE(type) == 0) return nullptr;
  const StateLock lock(recordsMutex);
  const auto found = std::ranges::find(records(), type, &Record::type);
  return found == records().end() ? nullptr : &*found;
}

// Returns the record of a dtype; nullptr if there is none. Compares the records from begin on,
// which becomes their number.
const Record *findRecord(py::handle dtype, std::size_t &begin) {
  for (;; ++begin) {
    const Record *known = nullptr;
    {
      const StateLock lock(recordsMutex);
      if (begin == records().size()) return nullptr;
      known = &records()[begin];
    }
    if (known->dtype.equal(dtype)) return known;  // runs Python code
  }
}

// Returns the data type of a structured dtype of numpy.
nxs_data_type parseRecord(const std::string &parameter, py::handle dtype) {
  std::size_t number = 0;
  if (const Record *known = findRecord(dtype, number)) return known->type;
  const auto size = dtype.attr("itemsize").cast<std::int64_t>();
  const auto refuse = [&](const std::string &why) { throwValueError(parameter, dtype, why); };
  if (dtype.attr("hasobject").cast<bool>()) refuse("it has Python objects");
  if (dtype.attr("isnative").ptr() == Py_False) {
    refuse(
        "a field's byte order is not this machine's; convert with "
        "array.astype(dtype.newbyteorder('='))");
  }
  if (size < 1 || size > NEXUS_RECORD_MOST) {
    refuse("its records have " + std::to_string(size) + " bytes; give 1 to " +
           std::to_string(NEXUS_RECORD_MOST));
  }
  constexpr std::size_t most = 1 << 14;
  Record made{py::reinterpret_borrow<py::object>(dtype), std::string(py::str(dtype)), 0};
  for (;;) {
    if (number == most) refuse("the process has too many structured dtypes");
    made.type = NEXUS_RECORD_TYPE(static_cast<std::int32_t>(size), static_cast<int>(number));
    {
      const StateLock lock(recordsMutex);
      if (number == records().size()) return records().emplace_back(std::move(made)).type;
    }
    // Meanwhile another thread has added some.
    if (const Record *known = findRecord(dtype, number)) return known->type;
  }
}

}  // namespace

bool isRecordDtype(py::handle dtype) {
  const py::object fields = py::getattr(dtype, "fields", py::none());
  return !fields.is_none() && hasAttribute(dtype, "itemsize") && hasAttribute(dtype, "hasobject");
}

py::object recordDtype(nxs_data_type type) {
  const Record *const record = recordOf(type);
  return record == nullptr ? py::object(py::none()) : record->dtype;
}

const char *dtypeName(nxs_data_type type) noexcept {
  if (const Record *record = recordOf(type)) return record->name.c_str();
  const char *const name = textOf(type, kNames);
  return name == nullptr ? "bytes" : name;
}

std::optional<nxs_data_type> dtypeFromName(std::string_view text) noexcept {
  return typeOf(text, kNames);
}

nxs_data_type parseDtype(py::handle dtype, const std::string &parameter) {
  if (PyLong_Check(dtype.ptr())) {
    const py::object enumeration = py::module_::import("nexus.data_type").attr("DataType");
    if (!py::isinstance(dtype, enumeration)) {
      throwTypeError(parameter, kWanted, dtype);
    }
    return dtype.cast<nxs_data_type>();
  }
  if (!isText(dtype) && isRecordDtype(dtype)) {
    return parseRecord(parameter, dtype);
  }
  const std::string name = isText(dtype) ? parseText(dtype, parameter) : nameOf(dtype);
  if (name.empty() && !isText(dtype)) {
    throwTypeError(parameter, kWanted, dtype);
  }
  if (isText(dtype)) {
    refuseAmbiguous(parameter, dtype, name);
  }
  std::optional<nxs_data_type> type = dtypeFromName(name);
  if (!type && isText(dtype)) {
    type = dtypeFromNumpyCode(name);
  }
  if (!type) {
    throwUnknown(parameter, dtype, name);
  }
  if (isForeignOrder(dtype, name, *type)) {
    throwValueError(parameter, dtype,
                    "its byte order is not this machine's; convert with "
                    "array.astype(dtype.newbyteorder('='))");
  }
  return *type;
}

bool isVoidDtype(py::handle dtype) {
  const py::object type = py::getattr(dtype, "type", py::none());
  return py::str(py::getattr(type, "__name__", py::none())).equal(py::str("void"));
}

std::optional<nxs_data_type> dtypeFromFormat(const char *format, std::size_t itemsize) noexcept {
  std::string_view text = format == nullptr ? "B" : format;
  if (!text.empty() && std::string_view("@=<>!").find(text.front()) != std::string_view::npos) {
    const bool swapped =
        text.front() == kForeignOrder || (text.front() == '!' && kForeignOrder == '>');
    if (swapped && itemsize > 1) {
      return std::nullopt;
    }
    text.remove_prefix(1);
  }
  if (text.size() == 2 && text.front() == 'Z') return typeOf(text, kLetters);
  if (text.size() != 1) {
    return std::nullopt;
  }
  const char code = text.front();
  // The width of an integer's letter differs. Compares characters, since each copy comes here.
  const auto sized = [itemsize](char kind) -> std::optional<nxs_data_type> {
    for (const Name &name : kKinds) {
      if (name.text[0] == kind && itemsize == static_cast<std::size_t>(name.text[1] - '0')) {
        return name.type;
      }
    }
    return std::nullopt;
  };
  if (std::string_view("bhilqn").find(code) != std::string_view::npos) return sized('i');
  if (std::string_view("BHILQN").find(code) != std::string_view::npos) return sized('u');
  return std::string_view("efd?").find(code) != std::string_view::npos ? typeOf(text, kLetters)
                                                                       : std::nullopt;
}

py::object dtypeObject(nxs_data_type type) {
  if (type == NXS_DataType_Undefined) {
    return py::none();
  }
  return py::str(dtypeName(type));
}

const char *dtypeFormat(nxs_data_type type) noexcept {
  return type == NXS_DataType_Undefined ? "B" : textOf(type, kLetters);
}

const char *dtypeKind(nxs_data_type type) noexcept {
  return type == NXS_DataType_Undefined ? "u1" : textOf(type, kKinds);
}

}  // namespace nexus::python
