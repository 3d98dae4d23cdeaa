// SPDX-License-Identifier: Apache-2.0
//
// Properties: paths of keys, their values as JSON, and the caller's memory. And sets of properties
// that are not objects of a backend, such as a device's info.
#pragma once

#include <nexus/nexus_c.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/json.hpp"
#include "object/object.hpp"
#include "registry/plugin.hpp"

namespace nexus::core {

/// A caller's path. Borrows its names.
class PropertyPath {
 public:
  struct Step {
    std::string_view name;  // data() is NULL for a number
    int64_t number = 0;

    bool isNumber() const noexcept { return name.data() == nullptr; }
  };

  /// Throws NXS_InvalidValue if it has no steps, or a name is not UTF-8.
  PropertyPath(const nexus_key *path, uint64_t depth);

  const std::vector<Step> &steps() const noexcept { return steps_; }
  /// The first count steps as "MemorySubsystem / MemoryTypes / 1".
  std::string text(std::size_t count) const;
  std::string text() const { return text(steps_.size()); }

 private:
  std::vector<Step> steps_;
};

/// Returns the key of a step into an object: its name, or the name of its enum value; empty for an
/// unknown number.
std::string keyOf(const PropertyPath::Step &step);

/// Returns the first entry of a list with that Name, or NULL.
const json::Value *entryOf(const json::Value::Array &list, std::string_view wanted);

/// Follows a path from an object. The value is stored in the object or in made. Throws
/// NXS_InvalidProperty, with the failed path and similar keys.
const json::Value &readProperty(Object &object, const PropertyPath &path,
                                std::optional<json::Value> &made);

/// Writes a value to the caller's memory as the wanted type, as nexus_get_property specifies. path
/// is for the text of NXS_InvalidProperty.
void storeValue(const json::Value &value, nxs_value_type wanted, const std::string &path,
                nxs_value *out_value);

using PropertyFunction = nxs_status (*nxs_functions::*)(nxs_id, nxs_property, nxs_value *);

/// The properties of a plug-in's object, which a function of its table reads. what names the
/// object: "buffer".
struct NativeProperties {
  const Plugin &plugin;
  PropertyFunction function;
  nxs_id id;
  const char *what;

  /// Returns a property; nothing if the plug-in does not have it.
  std::optional<json::Value> read(nxs_property number) const;

  /// Returns an integer; nothing if it is missing or no integer.
  std::optional<int64_t> readInt(nxs_property number) const;

  /// Returns the type of the device in NP_DLPackDevice; nothing if the plug-in does not say.
  std::optional<int64_t> readDLPackType() const;

  /// Returns own, followed by the names in NP_Keys that are not in own.
  std::vector<std::string> keys(std::vector<std::string> own) const;
};

json::Value listOf(const std::vector<int64_t> &numbers);

/// Returns the value of NP_Status for work in that state.
json::Value statusOf(nxs_completion_state state);

/// An object that has only properties, all held. Never changes.
class Properties : public Object {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_None;

  std::optional<json::Value> property(std::string_view name, nxs_property number) final;

  /// Returns the source of the value at a path, in the form of nexus_get_property_source. Throws as
  /// readProperty() does.
  json::Value source(const PropertyPath &path);

  /// Like source(), for a path whose first `first` steps led to this object and which has a value.
  /// With no step left: the source of the whole.
  virtual json::Value sourceAt(const PropertyPath &path, std::size_t first) = 0;

 protected:
  Properties() : Object(kType) {}
};

}  // namespace nexus::core
