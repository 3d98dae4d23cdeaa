// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "objects.hpp"

using namespace objects;

namespace {

Object infoOf(nexus_device *device) {
  Object info;
  CHECK_OK(nexus_device_get_info(device, info.out()));
  return info;
}

std::vector<std::string> texts(const Bytes &bytes) {
  std::vector<std::string> words;
  for (auto at = bytes.data.begin(); at != bytes.data.end();) {
    const auto end = std::find(at, bytes.data.end(), '\0');
    words.emplace_back(at, end);
    at = end + 1;
  }
  return words;
}

TEST(a_key_is_a_name_or_a_number) {
  const Object on = device("cpu:0");
  CHECK_EQUAL(propertyText(on, {"Type"}), propertyText(on, {NP_Type}));
  CHECK_EQUAL(std::string("cpu"), propertyText(on, {"Type"}));
  Object runtime;
  CHECK_OK(nexus_device_get_runtime(on, runtime.out()));
  CHECK_EQUAL(std::string("cpu"), propertyText(runtime, {"Name"}));
  CHECK_EQUAL(std::vector<int64_t>{1}, propertyNumbers(runtime, {"Size"}));
  nxs_string selector{};
  CHECK_OK(nexus_device_get_selector(on, &selector));
  CHECK_EQUAL(std::string("cpu:0"), std::string(selector.data, selector.size));
}

TEST(paths_walk_into_what_a_device_says) {
  const Object info = infoOf(device("cpu:0"));
  const std::string first = propertyText(info, {"MemorySubsystem", "MemoryTypes", 0, "Name"});
  CHECK(!first.empty());
  CHECK(propertyNumbers(info, {"MemorySubsystem", "MemoryTypes", 0, NP_Size}).front() > 0);
  const std::vector<std::string> types =
      texts(property(info, {"MemorySubsystem", "SupportedMemoryTypes"}, NXS_ValueType_StrVec));
  CHECK(std::find(types.begin(), types.end(), first) != types.end());
}

TEST(what_is_not_found_names_the_path_and_near_keys) {
  const Object on = device("cpu:0");
  const Object info = infoOf(on);
  CHECK_FAILS(NXS_InvalidProperty, property(on, {"Vender"}).status, "'Vender'", "'Vendor'",
              "device");
  CHECK_FAILS(NXS_InvalidProperty, property(on, {"Shape"}).status, "'Shape'");
  CHECK_FAILS(NXS_InvalidProperty, property(on, {4711}).status, "4711");
  CHECK_FAILS(NXS_InvalidProperty, property(on, {-1}).status, "-1");
  CHECK_FAILS(NXS_InvalidProperty, property(info, {"MemorySubsystem", "MemoryType", 0}).status,
              "'MemorySubsystem / MemoryType'", "'MemoryTypes'");
  CHECK_FAILS(NXS_InvalidProperty, property(info, {"MemorySubsystem", "MemoryTypes", 99}).status,
              "'MemorySubsystem / MemoryTypes / 99'", "entries");
  CHECK_FAILS(NXS_InvalidProperty, property(info, {"MemorySubsystem", "MemoryTypes", "x"}).status,
              "is a list");
  CHECK_FAILS(NXS_InvalidProperty, property(on, {"Vendor", "x"}).status, "a string");
  CHECK_FAILS(NXS_InvalidValue, property(on, {}).status, "path");
  CHECK_FAILS(NXS_InvalidObject, property(nullptr, {"Name"}).status, "NULL");
}

TEST(an_int_becomes_a_flt_and_nothing_else) {
  const Object on = device("reference:0");
  const Object buffer = floats(on, {1, 2});
  CHECK_EQUAL(std::vector<double>{8}, propertyNumbers<double>(buffer, {"Size"}, NXS_ValueType_Flt));
  CHECK_EQUAL(std::vector<double>{2},
              propertyNumbers<double>(buffer, {"Shape"}, NXS_ValueType_FltVec));
  CHECK_FAILS(NXS_InvalidProperty, property(buffer, {"Size"}, NXS_ValueType_Str).status, "'Size'",
              "an int", "a str");
  CHECK_FAILS(NXS_InvalidProperty, property(buffer, {"DataType"}, NXS_ValueType_Int).status,
              "a str", "an int");
  CHECK_FAILS(NXS_InvalidProperty, property(buffer, {"Size"}, NXS_ValueType_IntVec).status, "Size");
  CHECK_EQUAL(nxs_value_type{NXS_ValueType_IntVec}, property(buffer, {"Shape"}).type);
  CHECK_EQUAL(std::vector<int64_t>{2}, propertyNumbers(buffer, {"Shape", 0}));
}

TEST(keys_are_what_is_answered) {
  const Object on = device("cpu:0");
  const Object once = schedule(on);
  const Object in = stream(on);
  const Object counter = event(on);
  const Object buffer = floats(on, {1});
  for (nexus_object *object : {on.get(), once.get(), in.get(), counter.get(), buffer.get()}) {
    nxs_value value{};
    value.struct_size = sizeof(value);
    std::vector<uint64_t> memory(4096);
    value.data = memory.data();
    value.capacity = memory.size() * 8;
    CHECK_OK(nexus_get_property_keys(object, &value));
    Bytes bytes{NXS_Success, value.type, {}};
    const char *begin = reinterpret_cast<const char *>(memory.data());
    bytes.data.assign(begin, begin + value.size);
    const std::vector<std::string> keys = texts(bytes);
    CHECK(!keys.empty());
    for (const std::string &key : keys) {
      CHECK_OK(property(object, {key.c_str()}).status);
    }
    CHECK_EQUAL(keys.size(), propertyNumbers(object, {"Keys"}).size());
  }
}

TEST(memory_that_is_too_small_is_told_the_size) {
  const Object on = device("cpu:0");
  const nexus_key key = Path("Type").keys().front();
  char memory[8] = "unused";
  nxs_value value{};
  value.struct_size = sizeof(value);
  value.data = memory;
  value.capacity = 2;
  CHECK_OK(nexus_get_property(on, &key, 1, NXS_ValueType_Str, &value));
  CHECK_EQUAL(uint64_t{3}, value.size);
  CHECK_EQUAL(std::string("unused"), std::string(memory));
  value.data = nullptr;
  CHECK_FAILS(NXS_InvalidValue, nexus_get_property(on, &key, 1, NXS_ValueType_Str, &value),
              "out_value");
  value.struct_size = 8;
  CHECK_FAILS(NXS_InvalidValue, nexus_get_property(on, &key, 1, NXS_ValueType_Str, &value),
              "struct_size");
}

TEST(info_is_the_device_laid_over_its_file) {
  const Object on = device("reference:0");
  const Object info = infoOf(on);
  CHECK_EQUAL(std::string("Nexus reference device"), propertyText(info, {"Name"}));
  CHECK_EQUAL(NXS_ObjectType_None, nexus_object_get_type(info));
  CHECK_FAILS(NXS_InvalidProperty, property(info, {"Keys"}).status, "Keys");
}

}  // namespace
