// SPDX-License-Identifier: Apache-2.0
//
// Properties: paths of keys, their values as JSON, and the caller's memory.
#pragma once

#include <nexus/nexus_c.h>

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

/// Reads a property of a plug-in's object; nothing if the plug-in does not have it. what names the
/// object: "buffer".
std::optional<json::Value> readNative(const Plugin &plugin, PropertyFunction function, nxs_id id,
                                      nxs_property number, const char *what);

/// Returns the names of all properties of a plug-in's object: its NP_Keys.
std::vector<std::string> readNativeKeys(const Plugin &plugin, PropertyFunction function, nxs_id id,
                                        const char *what);

/// Reads an integer property of a plug-in's object; nothing if it is missing or no integer.
std::optional<int64_t> readNativeInt(const Plugin &plugin, PropertyFunction function, nxs_id id,
                                     nxs_property number, const char *what);

/// Returns own, followed by those of others that are not in own.
std::vector<std::string> unionOf(std::vector<std::string> own,
                                 const std::vector<std::string> &others);

/// Returns the value of NP_Keys: the numbers of the object's property names.
json::Value keyNumbers(Object &object);

json::Value listOf(const std::vector<int64_t> &numbers);

}  // namespace nexus::core
