// SPDX-License-Identifier: Apache-2.0
//
// Properties against the catalogue, NP_Keys against what is answered.
#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>
#include <tuple>

#include "base/process.hpp"
#include "host/property_name.hpp"
#include "layers/validate/checks.hpp"

namespace nexus::core::layers::validation {
namespace {

// The types of the catalogue, in its words.
constexpr nxs_value_type value_int = NXS_ValueType_Int;
constexpr nxs_value_type value_flt = NXS_ValueType_Flt;
constexpr nxs_value_type value_str = NXS_ValueType_Str;
constexpr nxs_value_type value_int_vec = NXS_ValueType_IntVec;
constexpr nxs_value_type value_flt_vec = NXS_ValueType_FltVec;
constexpr nxs_value_type value_str_vec = NXS_ValueType_StrVec;
constexpr nxs_value_type value_obj = NXS_ValueType_Json;
constexpr nxs_value_type value_obj_vec = NXS_ValueType_Json;

// NXS_ValueType_None for a vendor's own.
nxs_value_type catalogueType(nxs_property property) {
  static_cast<void>(value_flt_vec);
  switch (property) {
#define NEXUS_VALIDATE_TYPE(name, number, type) \
  case number:                                  \
    return value_##type;
    NXS_FOR_EACH_PROPERTY(NEXUS_VALIDATE_TYPE)
#undef NEXUS_VALIDATE_TYPE
    default:
      return NXS_ValueType_None;
  }
}

bool sizeFits(nxs_value_type type, uint64_t size) {
  switch (type) {
    case NXS_ValueType_Int:
    case NXS_ValueType_Flt:
      return size == 8;
    case NXS_ValueType_IntVec:
    case NXS_ValueType_FltVec:
      return size % 8 == 0;
    default:
      return true;
  }
}

std::string nameOf(nxs_property property) {
  const std::string_view name = propertyName(property);
  return name.empty() ? std::to_string(property) : std::string(name);
}

// Returns whether every object of the type answers it.
bool isRequired(nxs_object_type type, nxs_property property) {
  if (property == NP_Keys) {
    return true;
  }
  switch (type) {
    case NXS_ObjectType_Runtime:
      return property == NP_Name || property == NP_Size;
    case NXS_ObjectType_Device:
      return property == NP_Name || property == NP_Vendor || property == NP_Type ||
             property == NP_Architecture;
    case NXS_ObjectType_Buffer:
    case NXS_ObjectType_Schedule:
      return property == NP_Size;
    case NXS_ObjectType_Kernel:
      return property == NP_Name;
    case NXS_ObjectType_Stream:
      return property == NP_LastTicket;
    default:
      return false;
  }
}

// What an object's NP_Keys lists; nothing where it can't be read.
std::vector<int64_t> keysOf(const Call &call, Getter getter, nxs_id object) {
  nxs_value value{};
  value.struct_size = sizeof(value);
  std::vector<int64_t> keys;
  for (int turn = 0; turn < 2; ++turn) {
    value.data = keys.data();
    value.capacity = keys.size() * sizeof(int64_t);
    const nxs_status status = (call.next().*getter)(object, NP_Keys, &value);
    if (status != NXS_Success || value.type != NXS_ValueType_IntVec) {
      return {};
    }
    if (value.size <= value.capacity) {
      keys.resize(value.size / sizeof(int64_t));
      return keys;
    }
    keys.resize(value.size / sizeof(int64_t) + 1);
  }
  return {};
}

bool isAnswered(const Call &call, Getter getter, nxs_id object, nxs_property property) {
  nxs_value value{};
  value.struct_size = sizeof(value);
  return (call.next().*getter)(object, property, &value) != NXS_InvalidProperty;
}

// Properties of kinds of objects that were found among their keys.
struct Seen {
  std::mutex mutex;
  std::set<std::tuple<uint32_t, nxs_object_type, nxs_property>> properties;

  bool first(uint32_t tag, nxs_object_type type, nxs_property property) {
    const std::lock_guard<std::mutex> lock(mutex);
    return properties.insert({tag, type, property}).second;
  }
};

void checkKeys(Call &call, Getter getter, nxs_id object, const nxs_value &value) {
  std::vector<int64_t> keys(value.size / sizeof(int64_t));
  if (!keys.empty()) std::memcpy(keys.data(), value.data, keys.size() * sizeof(int64_t));
  for (const int64_t key : keys) {
    const auto property = static_cast<nxs_property>(key);
    if (property != key || !isAnswered(call, getter, object, property)) {
      call.blame(Message::Keys, join("NP_Keys of ", idText(object), " names ", nameOf(property),
                                     ", which it does not answer"));
      return;
    }
  }
}

void checkIsKey(Call &call, Getter getter, nxs_id object, nxs_property property) {
  const std::vector<int64_t> keys = keysOf(call, getter, object);
  if (!keys.empty() && std::find(keys.begin(), keys.end(), property) == keys.end()) {
    call.blame(Message::Keys, join("NP_Keys of ", idText(object), " does not name ",
                                   nameOf(property), ", which it answers"));
  }
}

}  // namespace

void afterProperty(Call &call, Getter getter, nxs_id object, nxs_property property,
                   const nxs_value &value) {
  const nxs_value_type wanted = catalogueType(property);
  const bool right_type = wanted == NXS_ValueType_None
                              ? value.type > NXS_ValueType_None && value.type <= NXS_ValueType_Json
                              : value.type == wanted;
  if (!right_type || !sizeFits(value.type, value.size)) {
    call.blame(Message::PropertyType,
               join(nameOf(property), " has the type ", value.type, " and ", value.size,
                    " bytes, and the catalogue's type is ", wanted));
    return;
  }
  if (property != NP_Keys) {
    if (ofProcess<Seen>().first(call.tag(), NXS_ID_TYPE(object), property)) {
      checkIsKey(call, getter, object, property);
    }
  } else if (value.size <= value.capacity) {
    checkKeys(call, getter, object, value);
  }
}

void refusedProperty(Call &call, nxs_status status, nxs_id object, nxs_property property) {
  if (status == NXS_InvalidProperty && isRequired(NXS_ID_TYPE(object), property)) {
    call.blame(Message::RequiredProperty,
               join(idText(object), " does not answer ", nameOf(property)));
  }
}

}  // namespace nexus::core::layers::validation
