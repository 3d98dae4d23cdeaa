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

/// The path that a caller gave. Borrows its names.
class PropertyPath {
 public:
  struct Step {
    std::string_view name;  // data() is NULL for a number
    int64_t number = 0;

    bool isNumber() const noexcept { return name.data() == nullptr; }
  };

  /// Throws NXS_InvalidValue where there is no step, or a name is not UTF-8.
  PropertyPath(const nexus_key *path, uint64_t depth);

  const std::vector<Step> &steps() const noexcept { return steps_; }
  /// "MemorySubsystem / MemoryTypes / 1" of the first count steps.
  std::string text(std::size_t count) const;
  std::string text() const { return text(steps_.size()); }

 private:
  std::vector<Step> steps_;
};

/// The key of a step into an object: its name, or that of the enum value; empty for a number that
/// is no key's.
std::string keyOf(const PropertyPath::Step &step);

/// The first entry of a list that has that Name; NULL: none.
const json::Value *entryOf(const json::Value::Array &list, std::string_view wanted);

/// Walks a path from an object on. Throws NXS_InvalidProperty, naming the path up to
/// where it failed and near keys. The value is the object's, or made holds it.
const json::Value &readProperty(Object &object, const PropertyPath &path,
                                std::optional<json::Value> &made);

/// Writes a value to the caller's memory as the wanted type, as nexus_get_property says.
/// path is for the text of NXS_InvalidProperty.
void storeValue(const json::Value &value, nxs_value_type wanted, const std::string &path,
                nxs_value *out_value);

/// A property function of a plug-in's table.
using PropertyFunction = nxs_status (*nxs_functions::*)(nxs_id, nxs_property, nxs_value *);

/// Reads a plug-in's property; nothing where the plug-in does not answer it. what names
/// the object: "buffer".
std::optional<json::Value> readNative(const Plugin &plugin, PropertyFunction function, nxs_id id,
                                      nxs_property number, const char *what);

/// The names of what a plug-in answers of an object: its NP_Keys.
std::vector<std::string> readNativeKeys(const Plugin &plugin, PropertyFunction function, nxs_id id,
                                        const char *what);

/// An integer property of a plug-in's object; nothing where it is not answered or no integer.
std::optional<int64_t> readNativeInt(const Plugin &plugin, PropertyFunction function, nxs_id id,
                                     nxs_property number, const char *what);

/// own and then those of others that are not in it.
std::vector<std::string> unionOf(std::vector<std::string> own,
                                 const std::vector<std::string> &others);

/// The answer to NP_Keys: the numbers of the names that the object answers.
json::Value keyNumbers(Object &object);

/// A list of numbers as a value.
json::Value listOf(const std::vector<int64_t> &numbers);

}  // namespace nexus::core
