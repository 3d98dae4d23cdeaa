// SPDX-License-Identifier: Apache-2.0
//
// Conversion of property values between their three forms: a plug-in's bytes, JSON within libnexus,
// and the caller's memory.
#include <cstring>
#include <limits>
#include <utility>

#include "base/text.hpp"
#include "host/property_name.hpp"
#include "object/property.hpp"

namespace nexus::core {
namespace {

constexpr uint64_t kMostPropertyBytes = uint64_t{64} << 20;  // of one property
constexpr int kMostTurns = 4;  // a list may grow between the two calls

// ---- From a plug-in ---------------------------------------------------------

template <typename Number>
json::Value listFrom(const std::vector<uint64_t> &memory, uint64_t size) {
  json::Value::Array list;
  for (uint64_t i = 0; i < size / sizeof(Number); ++i) {
    Number number{};
    std::memcpy(&number, &memory[i], sizeof(number));
    list.emplace_back(number);
  }
  return json::Value(std::move(list));
}

json::Value textsFrom(std::string_view bytes) {
  json::Value::Array list;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\0');
    list.emplace_back(asUtf8(bytes.substr(0, end)));
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
  }
  return json::Value(std::move(list));
}

[[noreturn]] void malformed(const Plugin &plugin, nxs_property number, const std::string &why) {
  throw Failure(NXS_InternalError, "The backend " + plugin.name + " answers the property '" +
                                       std::string(propertyName(number)) + "' with " + why +
                                       "; report this to its author.");
}

// Returns whether a property whose catalogue type is, for example, "str" may have a value of that
// type.
bool typeMatches(std::string_view catalogue, nxs_value_type type) {
  if (type == NXS_ValueType_Int) return catalogue == "int" || catalogue == "flt";
  if (type == NXS_ValueType_Flt) return catalogue == "flt";
  if (type == NXS_ValueType_Str) return catalogue == "str";
  if (type == NXS_ValueType_IntVec) return catalogue == "int_vec" || catalogue == "flt_vec";
  if (type == NXS_ValueType_FltVec) return catalogue == "flt_vec";
  if (type == NXS_ValueType_StrVec) return catalogue == "str_vec";
  return type == NXS_ValueType_Json && (catalogue == "obj" || catalogue == "obj_vec");
}

// A number has 8 bytes, a list of numbers a multiple of 8.
void checkSize(const Plugin &plugin, nxs_property number, nxs_value_type type, uint64_t size) {
  const bool one = type == NXS_ValueType_Int || type == NXS_ValueType_Flt;
  const bool list = type == NXS_ValueType_IntVec || type == NXS_ValueType_FltVec;
  if ((one && size != 8) || (list && size % 8 != 0)) {
    malformed(plugin, number,
              (one ? "a number of " : "a list of numbers in ") + std::to_string(size) + " bytes");
  }
}

json::Value decode(const Plugin &plugin, nxs_property number, nxs_value_type type,
                   const std::vector<uint64_t> &memory, uint64_t size) {
  const std::string_view bytes(reinterpret_cast<const char *>(memory.data()),
                               static_cast<std::size_t>(size));
  checkSize(plugin, number, type, size);
  switch (type) {
    case NXS_ValueType_Int:
      return listFrom<int64_t>(memory, size).array()->front();
    case NXS_ValueType_Flt:
      return listFrom<double>(memory, size).array()->front();
    case NXS_ValueType_Str:
      return json::Value(asUtf8(bytes));
    case NXS_ValueType_IntVec:
      return listFrom<int64_t>(memory, size);
    case NXS_ValueType_FltVec:
      return listFrom<double>(memory, size);
    case NXS_ValueType_StrVec:
      return textsFrom(bytes);
    case NXS_ValueType_Json:
      try {
        return json::parse(bytes);
      } catch (const json::ParseError &error) {
        malformed(plugin, number, std::string("text that is not JSON (") + error.what() + ")");
      }
    default:
      malformed(plugin, number, "a value of the unknown type " + std::to_string(type));
  }
}

// ---- To the caller ----------------------------------------------------------

bool isNumber(const json::Value &value) {
  return value.isInt() || value.isDouble() || value.isUnsigned() || value.isBool();
}

// A bool counts as 1 or 0; a number above the range of int64_t is no int.
std::optional<int64_t> asInt(const json::Value &value) {
  if (const bool *truth = value.boolean()) return *truth ? 1 : 0;
  if (const int64_t *number = value.integer()) return *number;
  return std::nullopt;
}

std::optional<double> asFlt(const json::Value &value) {
  if (const double *number = value.real()) return *number;
  if (const auto number = asInt(value)) return static_cast<double>(*number);
  if (value.isUnsigned()) {
    return value.visit([](const auto &number) -> double {
      if constexpr (std::is_same_v<std::decay_t<decltype(number)>, uint64_t>) {
        return static_cast<double>(number);
      } else {
        return 0;
      }
    });
  }
  return std::nullopt;
}

// Returns the type of a value if the caller wants no particular one.
nxs_value_type typeOf(const json::Value &value) {
  if (asInt(value)) return NXS_ValueType_Int;
  if (isNumber(value)) return NXS_ValueType_Flt;
  if (value.isString()) return NXS_ValueType_Str;
  const json::Value::Array *list = value.array();
  if (list == nullptr || list->empty()) return NXS_ValueType_Json;
  bool ints = true;
  bool numbers = true;
  bool texts = true;
  for (const json::Value &entry : *list) {
    ints = ints && asInt(entry).has_value();
    numbers = numbers && isNumber(entry);
    texts = texts && entry.isString();
  }
  return ints      ? NXS_ValueType_IntVec
         : numbers ? NXS_ValueType_FltVec
         : texts   ? NXS_ValueType_StrVec
                   : NXS_ValueType_Json;
}

const char *nameOf(nxs_value_type type) {
  switch (type) {
    case NXS_ValueType_Int:
      return "an int";
    case NXS_ValueType_Flt:
      return "a flt";
    case NXS_ValueType_Str:
      return "a str";
    case NXS_ValueType_IntVec:
      return "an int_vec";
    case NXS_ValueType_FltVec:
      return "a flt_vec";
    case NXS_ValueType_StrVec:
      return "a str_vec";
    default:
      return "an obj";
  }
}

bool converts(const json::Value &value, nxs_value_type actual, nxs_value_type wanted) {
  if (wanted == actual || wanted == NXS_ValueType_Json) return true;
  if (wanted == NXS_ValueType_Flt) return actual == NXS_ValueType_Int;
  const bool to_list = wanted == NXS_ValueType_IntVec || wanted == NXS_ValueType_FltVec ||
                       wanted == NXS_ValueType_StrVec;
  if (to_list && value.isArray() && value.array()->empty()) return true;
  return wanted == NXS_ValueType_FltVec && actual == NXS_ValueType_IntVec;
}

template <typename Number>
void append(std::string &bytes, Number number) {
  bytes.append(reinterpret_cast<const char *>(&number), sizeof(number));
}

std::string encode(const json::Value &value, nxs_value_type type) {
  std::string bytes;
  switch (type) {
    case NXS_ValueType_Int:
      append(bytes, *asInt(value));
      break;
    case NXS_ValueType_Flt:
      append(bytes, *asFlt(value));
      break;
    case NXS_ValueType_Str:
      bytes = *value.string();
      break;
    case NXS_ValueType_IntVec:
      for (const json::Value &entry : *value.array()) append(bytes, *asInt(entry));
      break;
    case NXS_ValueType_FltVec:
      for (const json::Value &entry : *value.array()) append(bytes, *asFlt(entry));
      break;
    case NXS_ValueType_StrVec:
      for (const json::Value &entry : *value.array()) {
        bytes.append(entry.string()->c_str()).push_back('\0');
      }
      break;
    default:
      bytes = json::write(value);
  }
  return bytes;
}

}  // namespace

std::optional<json::Value> readNative(const Plugin &plugin, PropertyFunction function, nxs_id id,
                                      nxs_property number, const char *what) {
  if (number == NXS_PROPERTY_INVALID) {
    return std::nullopt;
  }
  std::vector<uint64_t> memory(32);
  nxs_value value{};
  for (int turn = 0; turn < kMostTurns; ++turn) {
    value.struct_size = sizeof(value);
    value.data = memory.data();
    value.capacity = memory.size() * sizeof(uint64_t);
    try {
      plugin.call(
          function,
          [&] {
            return "read the property '" + std::string(propertyName(number)) + "' of a " + what;
          },
          id, number, &value);
    } catch (const Failure &failure) {
      if (failure.status() == NXS_InvalidProperty) {
        return std::nullopt;
      }
      throw;
    }
    if (value.type == NXS_ValueType_None) {
      return std::nullopt;
    }
    if (const std::string_view wanted = propertyType(number);
        !wanted.empty() && value.type >= NXS_ValueType_Int && value.type <= NXS_ValueType_Json &&
        !typeMatches(wanted, value.type)) {
      malformed(
          plugin, number,
          std::string(nameOf(value.type)) + " where the catalogue has " + std::string(wanted));
    }
    if (value.size <= value.capacity) {
      return decode(plugin, number, value.type, memory, value.size);
    }
    if (value.size > kMostPropertyBytes) {
      malformed(plugin, number, "a value of " + std::to_string(value.size) + " bytes");
    }
    memory.resize(static_cast<std::size_t>((value.size + 7) / 8));
  }
  malformed(plugin, number, "a value that grows each time it is read");
}

std::vector<std::string> readNativeKeys(const Plugin &plugin, PropertyFunction function, nxs_id id,
                                        const char *what) {
  std::vector<std::string> names;
  const std::optional<json::Value> keys = readNative(plugin, function, id, NP_Keys, what);
  if (!keys || !keys->isArray()) {
    return names;
  }
  for (const json::Value &key : *keys->array()) {
    const int64_t *number = key.integer();
    if (number != nullptr && *number >= 0 && *number <= std::numeric_limits<nxs_property>::max()) {
      const std::string_view name = propertyName(static_cast<nxs_property>(*number));
      if (!name.empty()) names.emplace_back(name);
    }
  }
  return names;
}

std::optional<int64_t> readNativeInt(const Plugin &plugin, PropertyFunction function, nxs_id id,
                                     nxs_property number, const char *what) {
  const std::optional<json::Value> value = readNative(plugin, function, id, number, what);
  if (!value || !value->isInt()) {
    return std::nullopt;
  }
  return *value->integer();
}

void storeValue(const json::Value &value, nxs_value_type wanted, const std::string &path,
                nxs_value *out_value) {
  requirePointer(out_value, "out_value");
  if (out_value->struct_size < sizeof(nxs_value)) {
    throw Failure(NXS_InvalidValue, "out_value->struct_size is " +
                                        std::to_string(out_value->struct_size) +
                                        "; set it to sizeof(nxs_value).");
  }
  if (out_value->data == nullptr && out_value->capacity != 0) {
    throw Failure(NXS_InvalidValue, "out_value has no data and a capacity of " +
                                        std::to_string(out_value->capacity) +
                                        " bytes; give memory, or a capacity of 0.");
  }
  const nxs_value_type actual = typeOf(value);
  const nxs_value_type type = wanted == NXS_ValueType_None ? actual : wanted;
  if (!converts(value, actual, type)) {
    throw Failure(NXS_InvalidProperty, "Property '" + path + "' is " + nameOf(actual) + ", and " +
                                           nameOf(wanted) +
                                           " was wanted; ask for it by its own type.");
  }
  const std::string bytes = encode(value, type);
  out_value->type = type;
  out_value->size = bytes.size();
  if (bytes.size() <= out_value->capacity && !bytes.empty()) {
    std::memcpy(out_value->data, bytes.data(), bytes.size());
  }
}

}  // namespace nexus::core
