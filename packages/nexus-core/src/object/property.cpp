// SPDX-License-Identifier: Apache-2.0
#include "object/property.hpp"

#include <algorithm>
#include <limits>

#include "base/text.hpp"
#include "host/property_name.hpp"

namespace nexus::core {
namespace {

std::string inWords(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names) {
    text += (text.empty() ? "'" : "', '") + name;
  }
  return text.empty() ? text : text + "'";
}

// Returns the end of a sentence: the available keys.
std::string remedy(std::string_view wrong, const std::vector<std::string> &keys) {
  const std::vector<std::string> near = nearNames(wrong, keys);
  if (!near.empty()) {
    return "; did you mean " + inWords(near) + "?";
  }
  return keys.empty() ? "; it has no keys." : "; its keys are " + inWords(keys) + ".";
}

std::string shown(const PropertyPath::Step &step) {
  const std::string key = keyOf(step);
  return step.isNumber() && key.empty() ? std::to_string(step.number) : key;
}

[[noreturn]] void notFound(const PropertyPath &path, std::size_t at, const std::string &why) {
  std::string text = "Property '" + path.text(at + 1) + "' was not found: " + why;
  throw Failure(NXS_InvalidProperty, std::move(text));
}

// Returns the value of the first step: stored in the object, or in made.
const json::Value &firstStep(Object &object, const PropertyPath &path,
                             std::optional<json::Value> &made) {
  const PropertyPath::Step &step = path.steps().front();
  const std::string key = keyOf(step);
  nxs_property number = NXS_PROPERTY_INVALID;
  if (step.isNumber()) {
    if (key.empty()) {
      notFound(path, 0,
               "no property has the number " + std::to_string(step.number) +
                   "; use a name, or a key of nexus.property.");
    }
    number = static_cast<nxs_property>(step.number);
  } else if (const auto known = propertyNumber(key)) {
    number = *known;
  }
  const json::Value *value = object.heldProperty(key);
  if (value == nullptr) {
    made = object.property(key, number);
    value = made ? &*made : nullptr;
  }
  if (value == nullptr || value->isNull()) {
    notFound(path, 0,
             std::string("this ") + typeName(object.type()) + " does not answer it" +
                 remedy(key, object.propertyKeys()));
  }
  return *value;
}

std::vector<std::string> keysOf(const json::Value::Object &object) {
  std::vector<std::string> keys;
  for (const json::Member &member : object) {
    if (!member.value.isNull()) keys.push_back(member.name);
  }
  return keys;
}

// Returns the names of a list's entries that have one.
std::vector<std::string> namesOf(const json::Value::Array &array) {
  std::vector<std::string> names;
  for (const json::Value &entry : array) {
    const json::Value *name = entry.find("Name");
    if (name != nullptr && name->isString()) {
      names.push_back(*name->string());
    }
  }
  return names;
}

// Returns the value at a step from value. at is the step's index in the path.
const json::Value &nextStep(const json::Value &value, const PropertyPath &path, std::size_t at) {
  const PropertyPath::Step &step = path.steps()[at];
  if (const json::Value::Array *array = value.array()) {
    if (!step.isNumber()) {
      if (const json::Value *entry = entryOf(*array, step.name)) {
        return *entry;
      }
      const std::vector<std::string> names = namesOf(*array);
      notFound(path, at,
               "'" + path.text(at) + "' is a list; give an index from 0 to " +
                   std::to_string(array->size()) + " exclusive" +
                   (names.empty() ? "." : ", or the Name of an entry" + remedy(step.name, names)));
    }
    if (step.number < 0 || static_cast<uint64_t>(step.number) >= array->size()) {
      notFound(path, at,
               "'" + path.text(at) + "' has " + std::to_string(array->size()) +
                   " entries, counted from 0.");
    }
    return (*array)[static_cast<std::size_t>(step.number)];
  }
  const json::Value::Object *object = value.object();
  if (object == nullptr) {
    notFound(path, at,
             "'" + path.text(at) + "' is " + value.typeName() +
                 ", which has no parts; end the path there.");
  }
  const std::string key = keyOf(step);
  const json::Value *member = step.isNumber() && key.empty() ? nullptr : value.find(key);
  if (member == nullptr || member->isNull()) {
    notFound(path, at,
             "'" + path.text(at) + "' has no such key" + remedy(keyOf(step), keysOf(*object)));
  }
  return *member;
}

}  // namespace

PropertyPath::PropertyPath(const nexus_key *path, uint64_t depth) {
  requirePointer(path, "path");
  if (depth == 0) {
    throw Failure(NXS_InvalidValue, "path is empty; give at least one key.");
  }
  for (uint64_t i = 0; i < depth; ++i) {
    Step step;
    if (path[i].name.data == nullptr) {
      step.number = path[i].number;
    } else {
      step.name = viewOf(path[i].name, "path");
      if (step.name.data() == nullptr) {
        step.name = "";
      }
    }
    steps_.push_back(step);
  }
}

std::string PropertyPath::text(std::size_t count) const {
  std::string text;
  for (std::size_t i = 0; i < count && i < steps_.size(); ++i) {
    const Step &step = steps_[i];
    // The first number is an enum value, shown by name; later numbers are indices.
    text += i == 0
                ? shown(step)
                : " / " + (step.isNumber() ? std::to_string(step.number) : std::string(step.name));
  }
  return text;
}

std::string keyOf(const PropertyPath::Step &step) {
  if (!step.isNumber()) {
    return std::string(step.name);
  }
  if (step.number < 0 || step.number > std::numeric_limits<nxs_property>::max()) {
    return {};
  }
  return std::string(propertyName(static_cast<nxs_property>(step.number)));
}

const json::Value *entryOf(const json::Value::Array &list, std::string_view wanted) {
  for (const json::Value &entry : list) {
    const json::Value *name = entry.find("Name");
    if (name != nullptr && name->isString() && *name->string() == wanted) {
      return &entry;
    }
  }
  return nullptr;
}

const json::Value &readProperty(Object &object, const PropertyPath &path,
                                std::optional<json::Value> &made) {
  const json::Value *at = &firstStep(object, path, made);
  for (std::size_t i = 1; i < path.steps().size(); ++i) {
    at = &nextStep(*at, path, i);
  }
  return *at;
}

std::vector<std::string> unionOf(std::vector<std::string> own,
                                 const std::vector<std::string> &others) {
  for (const std::string &other : others) {
    if (std::find(own.begin(), own.end(), other) == own.end()) {
      own.push_back(other);
    }
  }
  return own;
}

json::Value keyNumbers(Object &object) {
  std::vector<int64_t> numbers;
  for (const std::string &name : object.propertyKeys()) {
    if (const auto number = propertyNumber(name)) {
      numbers.push_back(*number);
    }
  }
  return listOf(numbers);
}

json::Value listOf(const std::vector<int64_t> &numbers) {
  json::Value::Array list;
  for (const int64_t number : numbers) {
    list.emplace_back(number);
  }
  return json::Value(std::move(list));
}

}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_get_property(nexus_object *object, const nexus_key *path, uint64_t depth,
                              nxs_value_type wanted, nxs_value *out_value) {
  return guarded([&] {
    Object &asked = anyObject(object);
    const PropertyPath steps(path, depth);
    std::optional<json::Value> made;
    storeValue(readProperty(asked, steps, made), wanted, steps.text(), out_value);
  });
}

nxs_status nexus_get_property_keys(nexus_object *object, nxs_value *out_value) {
  return guarded([&] {
    json::Value::Array names;
    for (std::string &name : anyObject(object).propertyKeys()) {
      names.emplace_back(std::move(name));
    }
    storeValue(json::Value(std::move(names)), NXS_ValueType_StrVec, "Keys", out_value);
  });
}
