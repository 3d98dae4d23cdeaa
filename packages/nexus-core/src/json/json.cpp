// SPDX-License-Identifier: Apache-2.0
#include "json/json.hpp"

#include <algorithm>
#include <limits>

namespace nexus::core::json {

Value::Value(uint64_t value) {
  if (value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    data_ = static_cast<int64_t>(value);  // one form for each number
  } else {
    data_ = value;
  }
}

const Value *Value::find(std::string_view name) const {
  const Object *members = object();
  if (members == nullptr) {
    return nullptr;
  }
  const auto found = std::find_if(members->begin(), members->end(),
                                  [&](const Member &member) { return member.name == name; });
  return found == members->end() ? nullptr : &found->value;
}

Value *Value::find(std::string_view name) {
  return const_cast<Value *>(static_cast<const Value *>(this)->find(name));
}

void Value::set(std::string_view name, Value value) {
  if (Value *present = find(name); present != nullptr) {
    *present = std::move(value);
    return;
  }
  if (!isObject()) {
    data_ = Object{};
  }
  object()->push_back({std::string(name), std::move(value)});
}

void Value::erase(std::string_view name) {
  if (Object *members = object()) {
    std::erase_if(*members, [&](const Member &member) { return member.name == name; });
  }
}

const char *Value::typeName() const {
  static constexpr const char *kNames[] = {"null",     "true or false", "an integer", "an integer",
                                           "a number", "a string",      "a list",     "an object"};
  return kNames[data_.index()];
}

}  // namespace nexus::core::json
