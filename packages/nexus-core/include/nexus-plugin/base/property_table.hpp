// SPDX-License-Identifier: Apache-2.0
// The properties of one kind of object, listed once:
//
//   constexpr auto buffer_properties = property_table<Buffer>({
//       {NP_Size, member<&Buffer::size>},
//       {NP_Type, [](const Buffer &) -> Value { return "memory"; }},
//   });
//   buffer_properties.get(*buffers.pin(id), property, out_value);
//
// The value of NP_Keys comes from the list too.
#ifndef NEXUS_PLUGIN_PROPERTY_TABLE_HPP_
#define NEXUS_PLUGIN_PROPERTY_TABLE_HPP_

#include <nexus-plugin/base/value.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <string_view>

namespace nexus_plugin NXS_HIDDEN {

// A property and the function that reads it. If that returns an empty Value, the property is not
// known, and so not in NP_Keys.
template <class T>
struct Property {
  nxs_property key;
  Value (*read)(const T &object);
};

// Reads a property from a member of the object: {NP_Size, member<&Buffer::size>}.
template <auto Member, class T>
Value member(const T &object) {
  return std::invoke(Member, object);
}
// Does the same for a property that is not known if it is 0 or empty.
template <auto Member, class T>
Value known_member(const T &object) {
  return known(std::invoke(Member, object));
}

// Returns "Size" for NP_Size; empty for a number that is not in the catalogue.
constexpr std::string_view property_name(nxs_property property) noexcept {
  switch (property) {
#define NEXUS_PLUGIN_PROPERTY_CASE(name, number, type) \
  case number:                                         \
    return #name;
    NXS_FOR_EACH_PROPERTY(NEXUS_PLUGIN_PROPERTY_CASE)
#undef NEXUS_PLUGIN_PROPERTY_CASE
    default:
      return {};
  }
}

[[noreturn, gnu::cold]] inline void throw_unknown_property(nxs_property property) {
  throw Error(NXS_InvalidProperty, "the property ", property_name(property), " (number ", property,
              ") is unknown for this object; NP_Keys lists the known ones");
}

template <class T, std::size_t Count>
struct PropertyTable {
  std::array<Property<T>, Count> properties;

  // Implements nxsGet<Object>Property. Throws NXS_InvalidProperty if the value is not known.
  void get(const T &object, nxs_property property, nxs_value *out_value) const {
    nxs_value &out = check_struct(out_value, "out_value");
    const Value value = property == NP_Keys ? Value(keys(object)) : read(object, property);
    if (!value.known()) throw_unknown_property(property);
    value.write(out);
  }

  // Returns the value, empty if it is not known.
  Value read(const T &object, nxs_property property) const {
    for (const Property<T> &entry : properties) {
      if (entry.key == property) return entry.read(object);
    }
    return {};
  }

  // Returns the numbers of the object's known properties, including NP_Keys.
  std::vector<int64_t> keys(const T &object) const {
    std::vector<int64_t> known;
    for (const Property<T> &entry : properties) {
      if (entry.read(object).known()) known.push_back(entry.key);
    }
    known.push_back(NP_Keys);
    return known;
  }
};

template <class T, std::size_t Count>
constexpr PropertyTable<T, Count> property_table(const Property<T> (&properties)[Count]) {
  return {std::to_array(properties)};
}

// Returns a table with the properties of both.
template <class T, std::size_t First, std::size_t Second>
constexpr PropertyTable<T, First + Second> joined(const PropertyTable<T, First> &first,
                                                  const PropertyTable<T, Second> &second) {
  PropertyTable<T, First + Second> both{};
  std::size_t at = 0;
  for (const Property<T> &each : first.properties) both.properties[at++] = each;
  for (const Property<T> &each : second.properties) both.properties[at++] = each;
  return both;
}

// The properties of every stream. Stream has completion(), and priority() if it has priorities.
template <class Stream>
inline constexpr auto common_stream_properties = property_table<Stream>({
    {NP_LastTicket, [](const Stream &stream) -> Value { return stream.completion().last(); }},
    {NP_Priority,
     [](const Stream &stream) -> Value {
       if constexpr (requires { stream.priority(); }) return stream.priority();
       return 0;
     }},
    {NP_Status,
     [](const Stream &stream) -> Value {
       if (stream.completion().failure() != nullptr) return "Error";
       return stream.completion().idle() ? "Complete" : "Running";
     }},
});

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_PROPERTY_TABLE_HPP_
