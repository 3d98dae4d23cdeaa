// SPDX-License-Identifier: Apache-2.0
//
// Where values come from: the reference device, with a device file that cites its sources.
#include <stdlib.h>

#include "folder.hpp"
#include "objects.hpp"

using namespace objects;

namespace {

constexpr const char *kFile = R"({
  "Name": "Reference", "Vendor": "Nexus", "Type": "cpu", "Architecture": "reference",
  "FabricationProcess": "N1",
  "CoreSubsystem": {"SubUnitType": "Core", "SIMDSize": 4},
  "MemorySubsystem": {"MemoryTypes": [
    {"Name": "L2", "Size": 1024, "Ways": 8}, {"Name": "Global", "BusWidth": 64}]},
  "KernelModel": {"Features": ["adx", "avx"]},
  "Variants": [
    {"Name": "Nexus reference device", "CoreSubsystem": {"Count": 8},
     "MemorySubsystem": {"MemoryTypes": [{"Name": "L2", "Size": 4096}]}},
    {"Name": "Another", "CoreSubsystem": {"Count": 16}}],
  "Sources": [
    {"Title": "Guide", "Publisher": "Nexus", "Version": "2", "Section": "1", "Read": "2026-11-20",
     "Values": ["Name", "CoreSubsystem", "MemorySubsystem/MemoryTypes/L2"]},
    {"Title": "Memories", "Publisher": "Nexus", "Date": "2026", "Section": "2",
     "Read": "2026-11-21",
     "Values": ["MemorySubsystem/MemoryTypes/L2/Size", "MemorySubsystem/MemoryTypes/Global"]},
    {"Title": "Products", "Publisher": "Nexus", "Date": "2026", "Section": "3",
     "Read": "2026-11-22", "Values": ["Variants/Nexus reference device", "FabricationProcess"]}]})";

// The reference backend, and a user's folder with its device file.
class Installed {
 public:
  Installed() : path_(folder_.write("nexus-cpu-reference.json", kFile)) {
    setenv("NEXUS_DEVICE_PATH", folder_.path().c_str(), 1);
  }
  ~Installed() { unsetenv("NEXUS_DEVICE_PATH"); }
  const std::string &path() const { return path_; }

 private:
  check::Folder folder_;
  std::string path_;
};

Object lookUp(const char *name) {
  device("reference:0");
  Object found;
  CHECK_OK(nexus_lookup_device_info(text(name), found.out()));
  return found;
}

Object infoOfDevice() {
  const Object on = device("reference:0");
  Object info;
  CHECK_OK(nexus_device_get_info(on, info.out()));
  return info;
}

std::string sourceOf(nexus_object *properties, const Path &path) {
  std::vector<uint64_t> memory(4096);
  nxs_value value{};
  value.struct_size = sizeof(value);
  value.data = memory.data();
  value.capacity = memory.size() * 8;
  CHECK_OK(nexus_get_property_source(properties, path.keys().data(), path.keys().size(), &value));
  return std::string(reinterpret_cast<const char *>(memory.data()), value.size);
}

// "kind: Title, Title <- from"
std::string shortSource(nexus_object *properties, const Path &path) {
  const std::string source = sourceOf(properties, path);
  std::string made = source.substr(9, source.find('"', 9) - 9) + ":";
  for (const char *title : {"Guide", "Memories", "Products"}) {
    if (source.find(std::string("\"") + title + "\"") != std::string::npos) {
      made += std::string(" ") + title;
    }
  }
  const std::size_t from = source.find("\"From\":");
  return from == std::string::npos ? made : made + " <- " + source.substr(from + 7);
}

TEST(a_value_of_the_file_is_cited_in_full) {
  const Installed installed;
  const Object info = lookUp("nexus-cpu-reference");
  CHECK_EQUAL(R"({"Kind":"device file","File":")" + installed.path() +
                  R"(","Citations":[{"Title":"Products","Publisher":"Nexus","Date":"2026",)" +
                  R"("Section":"3","Read":"2026-11-22"}]})",
              sourceOf(info, {"FabricationProcess"}));
}

TEST(the_longest_path_that_covers_a_value_counts) {
  const Installed installed;
  const Object info = lookUp("nexus-cpu-reference");
  CHECK_EQUAL(std::string("device file: Memories"),
              shortSource(info, {NP_MemorySubsystem, "MemoryTypes", 1, "Size"}));
  CHECK_EQUAL(std::string("device file: Guide"),
              shortSource(info, {NP_MemorySubsystem, "MemoryTypes", 1, NP_Ways}));
  CHECK_EQUAL(std::string("device file: Guide"),
              shortSource(info, {"MemorySubsystem", "MemoryTypes", 1, "Name"}));
  CHECK_EQUAL(std::string("device file: Memories"),
              shortSource(info, {"MemorySubsystem", "MemoryTypes", "L2", "Size"}));
  CHECK_EQUAL(std::string("device file:"), shortSource(info, {"Vendor"}));
}

TEST(a_part_of_the_tree_is_cited_by_all_of_its_values) {
  const Installed installed;
  const Object info = lookUp("nexus-cpu-reference");
  CHECK_EQUAL(std::string("device file: Guide Memories"),
              shortSource(info, {"MemorySubsystem", "MemoryTypes", 1}));
  CHECK_EQUAL(std::string("mixed: Guide Memories"), shortSource(info, {"MemorySubsystem"}));
  CHECK_EQUAL(std::string("device file: Products"), shortSource(info, {"Variants", 0}));
}

TEST(a_value_of_a_variant_is_cited_there_first) {
  const Installed installed;
  const Object info = lookUp("Nexus reference device");
  CHECK_EQUAL(std::string("device file: Products"), shortSource(info, {"CoreSubsystem", "Count"}));
  CHECK_EQUAL(std::string("device file: Guide"), shortSource(info, {"CoreSubsystem", "SIMDSize"}));
  CHECK_EQUAL(std::string("device file: Products"),
              shortSource(info, {"MemorySubsystem", "MemoryTypes", 1, "Size"}));
  CHECK_EQUAL(std::string("device file: Products"), shortSource(info, {"Name"}));
}

TEST(what_a_variant_is_without_a_source_for_is_cited_at_the_file) {
  const Installed installed;
  const Object info = lookUp("Another");
  CHECK_EQUAL(std::string("device file: Guide"), shortSource(info, {"CoreSubsystem", "Count"}));
}

TEST(a_computed_value_tells_of_what_and_is_cited_as_that) {
  const Installed installed;
  const Object info = lookUp("Nexus reference device");
  CHECK_EQUAL(std::string(R"(computed: Products <- ["CoreSubsystem/Count"]})"),
              shortSource(info, {"CoreCount"}));
  CHECK_EQUAL(
      std::string(R"(computed: Memories <- ["MemorySubsystem/MemoryTypes/Global/BusWidth"]})"),
      shortSource(info, {NP_MemoryBusWidth}));
}

TEST(what_the_device_says_is_the_drivers) {
  const Installed installed;
  const Object info = infoOfDevice();
  CHECK_EQUAL(std::string(R"({"Kind":"driver","Citations":[]})"), sourceOf(info, {"Name"}));
  CHECK_EQUAL(std::string("device file: Products"), shortSource(info, {"FabricationProcess"}));
  CHECK_EQUAL(std::string("device file: Products"), shortSource(info, {"CoreSubsystem", "Count"}));
}

TEST(in_the_database_a_path_goes_through_the_stem) {
  const Installed installed;
  device("reference:0");
  Object all;
  CHECK_OK(nexus_get_device_info(all.out()));
  CHECK_EQUAL(std::string("device file: Products"),
              shortSource(all, {"nexus-cpu-reference", "FabricationProcess"}));
  CHECK_EQUAL(std::string("mixed: Guide Memories Products"),
              shortSource(all, {"nexus-cpu-reference"}));
}

TEST(a_path_that_leads_nowhere_fails_as_reading_does) {
  const Installed installed;
  const Object info = lookUp("nexus-cpu-reference");
  nxs_value value{};
  value.struct_size = sizeof(value);
  const auto source = [&](const Path &path) {
    return nexus_get_property_source(info, path.keys().data(), path.keys().size(), &value);
  };
  CHECK_FAILS(NXS_InvalidProperty, source({"FabricationProces"}), "'FabricationProcess'");
  CHECK_FAILS(NXS_InvalidProperty, source({"MemorySubsystem", "MemoryTypes", 2}), "2 entries");
  CHECK_FAILS(NXS_InvalidProperty, source({"Name", "Name"}), "no parts");
  CHECK_FAILS(NXS_InvalidProperty, source({-1}), "-1");
  CHECK_FAILS(NXS_InvalidValue, nexus_get_property_source(info, nullptr, 1, &value), "path");
  CHECK_FAILS(NXS_InvalidObject, nexus_get_property_source(nullptr, nullptr, 1, &value),
              "properties");
  const Object on = device("reference:0");
  CHECK_FAILS(NXS_InvalidObject, nexus_get_property_source(on, nullptr, 1, &value), "a device");
}

TEST(the_file_of_a_device_here_comes_with_its_variant_and_without_what_it_says) {
  const Installed installed;
  const Object on = device("reference:0");
  Object file;
  CHECK_OK(nexus_lookup_device_info_of(on, file.out()));
  CHECK_EQUAL(std::vector<int64_t>{8}, propertyNumbers(file, {"CoreCount"}));
  CHECK_FAILS(NXS_InvalidProperty, property(file, {"ID"}).status, "ID");
}

TEST(without_another_folder_it_is_the_file_of_the_plugin) {
  const Installed installed;
  const Object on = device("reference:0");
  Object file;
  setenv("NEXUS_DEVICE_PATH", "", 1);
  CHECK_OK(nexus_lookup_device_info_of(on, file.out()));
  CHECK_FAILS(NXS_InvalidProperty, property(file, {"CoreCount"}).status, "CoreCount");
}

}  // namespace
