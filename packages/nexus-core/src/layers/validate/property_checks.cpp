// SPDX-License-Identifier: Apache-2.0
//
// Compares properties with the catalogue, and NP_Keys with the properties that the object has.
#include <algorithm>
#include <utility>

#include "host/property_name.hpp"
#include "layers/validate/call.hpp"

namespace nexus::core::layers::validation {
namespace {

// Returns NXS_ValueType_None for a vendor's own property.
nxs_value_type catalogueType(nxs_property property) {
  constexpr std::pair<std::string_view, nxs_value_type> kTypes[] = {
      {"int", NXS_ValueType_Int},        {"flt", NXS_ValueType_Flt},
      {"str", NXS_ValueType_Str},        {"int_vec", NXS_ValueType_IntVec},
      {"flt_vec", NXS_ValueType_FltVec}, {"str_vec", NXS_ValueType_StrVec},
      {"obj", NXS_ValueType_Json},       {"obj_vec", NXS_ValueType_Json}};
  const std::string_view name = propertyType(property);
  const auto *found = std::find_if(std::begin(kTypes), std::end(kTypes),
                                   [&](const auto &type) { return type.first == name; });
  return found == std::end(kTypes) ? NXS_ValueType_None : found->second;
}

bool sizeFits(nxs_value_type type, uint64_t size) {
  if (type == NXS_ValueType_Int || type == NXS_ValueType_Flt) return size == 8;
  return (type != NXS_ValueType_IntVec && type != NXS_ValueType_FltVec) || size % 8 == 0;
}

// Returns whether every object of the type answers the property.
bool isRequired(nxs_object_type type, nxs_property property) {
  constexpr std::pair<nxs_object_type, nxs_property> kRequired[] = {
      {NXS_ObjectType_Runtime, NP_Name}, {NXS_ObjectType_Runtime, NP_Size},
      {NXS_ObjectType_Device, NP_Name},  {NXS_ObjectType_Device, NP_Vendor},
      {NXS_ObjectType_Device, NP_Type},  {NXS_ObjectType_Device, NP_Architecture},
      {NXS_ObjectType_Buffer, NP_Size},  {NXS_ObjectType_Schedule, NP_Size},
      {NXS_ObjectType_Kernel, NP_Name},  {NXS_ObjectType_Stream, NP_LastTicket}};
  return property == NP_Keys || std::find(std::begin(kRequired), std::end(kRequired),
                                          std::pair(type, property)) != std::end(kRequired);
}

bool isAnswered(const Call &call, Getter getter, nxs_id object, nxs_property property) {
  nxs_value value{};
  value.struct_size = sizeof(value);
  return (call.next().*getter)(object, property, &value) != NXS_InvalidProperty;
}

void checkKeys(Call &call, Getter getter, nxs_id object, const nxs_value &value) {
  const auto *keys = static_cast<const int64_t *>(value.data);
  for (uint64_t i = 0; i < value.size / sizeof(int64_t); ++i) {
    const auto property = static_cast<nxs_property>(keys[i]);
    if (property != keys[i] || !isAnswered(call, getter, object, property)) {
      call.blame(Message::Keys, "NP_Keys of ", idText(object), " names ", propertyText(property),
                 ", which it does not have");
      return;
    }
  }
}

void checkIsKey(Call &call, Getter getter, nxs_id object, nxs_property property) {
  const std::vector<int64_t> keys = statedNumbers(call, getter, object, NP_Keys);
  if (!keys.empty() && std::find(keys.begin(), keys.end(), property) == keys.end()) {
    call.blame(Message::Keys, "NP_Keys of ", idText(object), " does not list ",
               propertyText(property), ", which it has");
  }
}

}  // namespace

std::vector<int64_t> statedNumbers(const Call &call, Getter getter, nxs_id object,
                                   nxs_property property) {
  std::vector<int64_t> numbers(3);
  for (int turn = 0; turn < 2; ++turn) {
    nxs_value value{};
    value.struct_size = sizeof(value);
    value.data = numbers.data();
    value.capacity = numbers.size() * sizeof(int64_t);
    const nxs_status status = (call.next().*getter)(object, property, &value);
    if (status != NXS_Success ||
        (value.type != NXS_ValueType_Int && value.type != NXS_ValueType_IntVec)) {
      return {};
    }
    numbers.resize(value.size / sizeof(int64_t));
    if (value.size <= value.capacity) return numbers;
  }
  return {};
}

void afterProperty(Call &call, Getter getter, nxs_id object, nxs_property property,
                   const nxs_value &value) {
  const nxs_value_type wanted = catalogueType(property);
  const bool right_type = wanted == NXS_ValueType_None
                              ? value.type > NXS_ValueType_None && value.type <= NXS_ValueType_Json
                              : value.type == wanted;
  if (!right_type || !sizeFits(value.type, value.size)) {
    call.blame(Message::PropertyType, propertyText(property), " has the type ", value.type, " and ",
               value.size, " bytes, but the catalogue's type is ", wanted);
    return;
  }
  if (property != NP_Keys) {
    const bool first = Locked()->in_keys.insert({call.tag(), NXS_ID_TYPE(object), property}).second;
    if (first) checkIsKey(call, getter, object, property);
  } else if (value.size <= value.capacity) {
    checkKeys(call, getter, object, value);
  }
}

void refusedProperty(Call &call, nxs_status status, nxs_id object, nxs_property property) {
  if (status == NXS_InvalidProperty && isRequired(NXS_ID_TYPE(object), property)) {
    call.blame(Message::RequiredProperty, idText(object), " lacks the required property ",
               propertyText(property));
  }
}

}  // namespace nexus::core::layers::validation
