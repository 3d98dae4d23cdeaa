// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "check.hpp"
#include "device/device_merge.hpp"

using namespace nexus::core;

namespace {

std::string laidOver(const char *base, const char *over) {
  json::Value tree = json::parse(base);
  layOver(tree, json::parse(over));
  return json::write(tree);
}

TEST(objects_are_merged_and_all_else_is_replaced) {
  CHECK_EQUAL(std::string(R"({"a":{"x":1,"y":3,"z":4},"b":[5],"c":6})"),
              laidOver(R"({"a": {"x": 1, "y": 2}, "b": [1, 2]})",
                       R"({"a": {"y": 3, "z": 4}, "b": [5], "c": 6})"));
}

TEST(null_replaces_nothing) {
  CHECK_EQUAL(std::string(R"({"a":1})"), laidOver(R"({"a": 1})", R"({"a": null, "b": null})"));
}

TEST(entries_of_lists_are_merged_by_their_name_and_new_ones_appended) {
  CHECK_EQUAL(std::string(R"([{"Name":"L1","Size":1,"Ways":8},{"Name":"L2"},{"Name":"L3"}])"), [] {
    json::Value tree = json::parse(R"({"m": [{"Name": "L1", "Size": 1}, {"Name": "L2"}]})");
    layOver(tree, json::parse(R"({"m": [{"Name": "L3"}, {"Name": "L1", "Ways": 8}]})"));
    return json::write(*tree.find("m"));
  }());
}

TEST(lists_within_entries_are_merged_as_well) {
  CHECK_EQUAL(
      std::string(R"({"u":[{"Name":"SM","Units":[{"Name":"FP32","Count":128,"SIMDSize":1}]}]})"),
      laidOver(
          R"({"u": [{"Name": "SM", "Units": [{"Name": "FP32", "Count": 64}]}]})",
          R"({"u": [{"Name": "SM", "Units": [{"Name": "FP32", "Count": 128, "SIMDSize": 1}]}]})"));
}

TEST(a_list_with_an_entry_without_a_name_is_replaced) {
  CHECK_EQUAL(std::string(R"({"m":[{"Size":2}]})"),
              laidOver(R"({"m": [{"Name": "L1"}]})", R"({"m": [{"Size": 2}]})"));
  CHECK_EQUAL(std::string(R"({"m":[]})"), laidOver(R"({"m": [{"Name": "L1"}]})", R"({"m": []})"));
}

std::string ordered(const char *subsystem) {
  json::Value tree = json::parse(subsystem);
  orderMemories(tree);
  return json::write(tree);
}

TEST(memories_stand_in_a_fixed_order_and_then_by_name) {
  CHECK_EQUAL(
      std::string(
          R"({"MemoryTypes":[{"Name":"Global"},{"Name":"L2"},{"Name":"L1"},{"Name":"Local"},)"
          R"({"Name":"L3"},{"Name":"Registers"},{"Name":"Constant"},{"Name":"L1i"}],)"
          R"("SupportedMemoryTypes":["Global","L2","Constant"]})"),
      ordered(R"({"MemoryTypes": [{"Name": "Local"}, {"Name": "L1i"}, {"Name": "L3"},
                  {"Name": "Global"}, {"Name": "L2"}, {"Name": "Constant"}, {"Name": "Registers"},
                  {"Name": "L1"}], "SupportedMemoryTypes": ["Constant", "L2", "Global"]})"));
}

TEST(index_1_is_l2_also_where_nothing_is_known_of_it) {
  CHECK_EQUAL(
      std::string(R"({"MemoryTypes":[{"Name":"Global"},{"Name":"L2"},{"Name":"L1","Size":9}]})"),
      ordered(R"({"MemoryTypes": [{"Name": "L1", "Size": 9}]})"));
  CHECK_EQUAL(std::string(R"({"MemoryTypes":[]})"), ordered(R"({"MemoryTypes": []})"));
}

TEST(a_path_goes_through_lists_by_names) {
  const json::Value tree = json::parse(R"({"a": [{"Name": "x", "b": {"c": 7}}], "n": null})");
  CHECK_EQUAL(int64_t{7}, *valueAt(tree, {"a", "x", "b", "c"})->integer());
  CHECK(valueAt(tree, {"a", "y"}) == nullptr);
  CHECK(valueAt(tree, {"a", "x", "b", "c", "d"}) == nullptr);
  CHECK(valueAt(tree, {"n"}) == nullptr);
  CHECK(valueAt(tree, {}) == &tree);
}

TEST(paths_are_joined_and_split_by_slashes) {
  CHECK_EQUAL(std::string("a/L2 cache/Size"), joinedPath({"a", "L2 cache", "Size"}));
  CHECK(TreePath({"a", "b"}) == splitPath("a/b"));
  CHECK(splitPath("").empty());
}

TEST(a_variant_over_its_file_has_its_own_names_and_no_variants) {
  const json::Value tree = json::parse(R"({
    "Name": "Hopper", "Aliases": ["GH100"], "Vendor": "NVIDIA", "Power": {"MinPower": 100},
    "Variants": [{"Name": "H100", "Power": {"MaxPower": 700}},
                 {"Name": "H200", "Aliases": ["H200 SXM"]}]})");
  CHECK_EQUAL(
      std::string(R"({"Name":"H100","Vendor":"NVIDIA","Power":{"MinPower":100,"MaxPower":700}})"),
      json::write(withVariant(tree, "H100")));
  CHECK_EQUAL(std::string(R"(["H200 SXM"])"),
              json::write(*withVariant(tree, "H200").find("Aliases")));
}

}  // namespace
