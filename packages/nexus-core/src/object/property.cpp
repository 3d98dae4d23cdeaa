// SPDX-License-Identifier: Apache-2.0
#include "object/property.hpp"

#include <cstring>
#include <limits>
#include <utility>

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
  failWith(NXS_InvalidProperty, std::move(text));
}

// Returns the value of NP_Keys: the numbers of the names of the object's properties.
json::Value keyNumbers(Object &object) {
  std::vector<int64_t> numbers;
  for (const std::string &name : object.propertyKeys()) {
    if (const auto number = propertyNumber(name)) {
      numbers.push_back(*number);
    }
  }
  return listOf(numbers);
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
               join("no property has the number ", step.number,
                    "; use a name, or a member of nexus.property."));
    }
    number = static_cast<nxs_property>(step.number);
  } else if (const auto known = propertyNumber(key)) {
    number = *known;
  }
  const json::Value *value = object.heldProperty(key);
  if (value == nullptr) {
    const bool keys = number == NP_Keys && object.type() != NXS_ObjectType_None;
    made = keys ? keyNumbers(object) : object.property(key, number);
    value = made ? &*made : nullptr;
  }
  if (value == nullptr || value->isNull()) {
    notFound(path, 0,
             join("this ", typeName(object.type()), " does not have it",
                  remedy(key, object.propertyKeys())));
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
    if (const std::string *name = entry.text("Name")) names.push_back(*name);
  }
  return names;
}

// Returns the value at a step from value. at is the step's index in the path.
const json::Value &nextStep(const json::Value &value, const PropertyPath &path, std::size_t at) {
  const PropertyPath::Step &step = path.steps()[at];
  if (const json::Value::Array *array = value.array()) {
    if (!step.isNumber()) {
      if (const json::Value *entry = entryOf(*array, step.name)) return *entry;
      const std::vector<std::string> names = namesOf(*array);
      notFound(
          path, at,
          join("'", path.text(at), "' is a list; give an index below ", array->size(),
               (names.empty() ? "." : ", or the Name of an entry" + remedy(step.name, names))));
    }
    if (step.number < 0 || static_cast<uint64_t>(step.number) >= array->size()) {
      notFound(path, at,
               join("'", path.text(at), "' has ", array->size(),
                    array->size() == 1 ? " entry" : " entries", ", counted from 0."));
    }
    return (*array)[static_cast<std::size_t>(step.number)];
  }
  const json::Value::Object *object = value.object();
  if (object == nullptr) {
    notFound(path, at,
             join("'", path.text(at), "' is ", value.typeName(),
                  ", which has no keys; end the path there."));
  }
  const std::string key = keyOf(step);
  const json::Value *member = step.isNumber() && key.empty() ? nullptr : value.find(key);
  if (member == nullptr || member->isNull()) {
    notFound(path, at,
             join("'", path.text(at), "' has no such key", remedy(keyOf(step), keysOf(*object))));
  }
  return *member;
}

}  // namespace

PropertyPath::PropertyPath(const nexus_key *path, uint64_t depth) {
  requirePointer(path, "path");
  if (depth == 0) {
    failWith(NXS_InvalidValue, "path is empty; give at least one key.");
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
  if (!step.isNumber()) return std::string(step.name);
  if (step.number < 0 || step.number > std::numeric_limits<nxs_property>::max()) return {};
  return std::string(propertyName(static_cast<nxs_property>(step.number)));
}

const json::Value *entryOf(const json::Value::Array &list, std::string_view wanted) {
  for (const json::Value &entry : list) {
    const std::string *name = entry.text("Name");
    if (name != nullptr && *name == wanted) return &entry;
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

json::Value listOf(const std::vector<int64_t> &numbers) {
  json::Value::Array list;
  for (const int64_t number : numbers) {
    list.emplace_back(number);
  }
  return json::Value(std::move(list));
}

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
  failWith(NXS_InternalError, "The backend ", plugin.name, " answers the property '",
           propertyName(number), "' with ", why, "; report this to its author.");
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
              join((one ? "a number of " : "a list of numbers in "), size, " bytes"));
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
        malformed(plugin, number, join("text that is not JSON (", error.what(), ")"));
      }
    default:
      malformed(plugin, number, "a value of the unknown type " + std::to_string(type));
  }
}

// ---- To the caller ----------------------------------------------------------

bool isNumber(const json::Value &value) {
  return value.isInt() || value.isDouble() || value.isUnsigned() || value.isBool();
}

// A bool counts as 1 or 0; a number above the range of int64_t is not an int.
std::optional<int64_t> asInt(const json::Value &value) {
  if (const bool *truth = value.boolean()) return *truth ? 1 : 0;
  if (const int64_t *number = value.integer()) return *number;
  return std::nullopt;
}

std::optional<double> asFlt(const json::Value &value) {
  if (const double *number = value.real()) return *number;
  if (const auto number = asInt(value)) return static_cast<double>(*number);
  if (const uint64_t *number = value.bigInteger()) return static_cast<double>(*number);
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

std::optional<json::Value> NativeProperties::read(nxs_property number) const {
  if (number == NXS_PROPERTY_INVALID) return std::nullopt;
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
      if (failure.status() == NXS_InvalidProperty) return std::nullopt;
      throw;
    }
    if (value.type == NXS_ValueType_None) return std::nullopt;
    if (const std::string_view wanted = propertyType(number);
        !wanted.empty() && value.type >= NXS_ValueType_Int && value.type <= NXS_ValueType_Json &&
        !typeMatches(wanted, value.type)) {
      malformed(plugin, number, join(nameOf(value.type), " where the catalogue has ", wanted));
    }
    if (value.size <= value.capacity) return decode(plugin, number, value.type, memory, value.size);
    if (value.size > kMostPropertyBytes) {
      malformed(plugin, number, join("a value of ", value.size, " bytes"));
    }
    memory.resize(static_cast<std::size_t>((value.size + 7) / 8));
  }
  malformed(plugin, number, "a value that grows each time it is read");
}

std::vector<std::string> NativeProperties::keys(std::vector<std::string> own) const {
  const std::optional<json::Value> keys = read(NP_Keys);
  if (!keys || !keys->isArray()) return own;
  for (const json::Value &key : *keys->array()) {
    const int64_t *number = key.integer();
    if (number == nullptr || *number < 0 || *number > std::numeric_limits<nxs_property>::max()) {
      continue;
    }
    const std::string_view name = propertyName(static_cast<nxs_property>(*number));
    if (!name.empty() && !contains(own, name)) {
      own.emplace_back(name);
    }
  }
  return own;
}

std::optional<int64_t> NativeProperties::readInt(nxs_property number) const {
  const std::optional<json::Value> value = read(number);
  if (!value || !value->isInt()) return std::nullopt;
  return *value->integer();
}

json::Value statusOf(nxs_completion_state state) {
  return state == NXS_CompletionState_Completed ? "Complete"
         : state == NXS_CompletionState_Failed  ? "Error"
                                                : "Running";
}

std::optional<int64_t> NativeProperties::readDLPackType() const {
  const auto place = read(NP_DLPackDevice);
  const json::Value::Array *numbers = place ? place->array() : nullptr;
  const int64_t *type =
      numbers != nullptr && !numbers->empty() ? numbers->front().integer() : nullptr;
  return type == nullptr ? std::nullopt : std::optional(*type);
}

void storeValue(const json::Value &value, nxs_value_type wanted, const std::string &path,
                nxs_value *out_value) {
  requireWhole(out_value, "out_value", "nxs_value");
  if (out_value->data == nullptr && out_value->capacity != 0) {
    failWith(NXS_InvalidValue, "out_value has no data and a capacity of ", out_value->capacity,
             " bytes; give memory, or a capacity of 0.");
  }
  const nxs_value_type actual = typeOf(value);
  const nxs_value_type type = wanted == NXS_ValueType_None ? actual : wanted;
  if (!converts(value, actual, type)) {
    failWith(NXS_InvalidProperty, "Property '", path, "' is ", nameOf(actual), ", and ",
             nameOf(wanted), " was wanted; ask for it by its own type.");
  }
  const std::string bytes = encode(value, type);
  out_value->type = type;
  out_value->size = bytes.size();
  if (bytes.size() <= out_value->capacity && !bytes.empty()) {
    std::memcpy(out_value->data, bytes.data(), bytes.size());
  }
}

std::optional<json::Value> Properties::property(std::string_view name, nxs_property) {
  const json::Value *value = heldProperty(name);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

json::Value Properties::source(const PropertyPath &path) {
  std::optional<json::Value> made;
  readProperty(*this, path, made);
  return sourceAt(path, 0);
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

nxs_status nexus_get_property_source(nexus_properties *properties, const nexus_key *path,
                                     uint64_t depth, nxs_value *out_value) {
  return guarded([&] {
    Properties &asked = given<Properties>(properties, "properties");
    const PropertyPath steps(path, depth);
    storeValue(asked.source(steps), NXS_ValueType_Json, steps.text(), out_value);
  });
}
