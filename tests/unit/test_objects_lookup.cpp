// SPDX-License-Identifier: Apache-2.0
//
// Devices looked up by their names, in folders of the user.
#include <stdlib.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "folder.hpp"
#include "objects.hpp"

using namespace objects;

namespace {

std::string &logged() {
  static std::string lines;
  return lines;
}

// A folder that NEXUS_DEVICE_PATH names while it lives; no backend is found.
class UsersFolder {
 public:
  UsersFolder() {
    nexus_set_discovery(0);
    logged().clear();
    nexus_set_log([](void *, nxs_log_level, nxs_string,
                     nxs_string line) { logged() += std::string(line.data, line.size) + "\n"; },
                  nullptr);
    setenv("NEXUS_DEVICE_PATH", folder_.path().c_str(), 1);
  }
  ~UsersFolder() {
    unsetenv("NEXUS_DEVICE_PATH");
    nexus_set_log(nullptr, nullptr);
  }

  /// <vendor>-gpu-<architecture>.json with more members.
  void add(const std::string &vendor, const std::string &architecture, const std::string &more) {
    std::string stem = vendor + "-gpu-" + architecture;
    for (char &letter : stem) letter = static_cast<char>(std::tolower(letter));
    folder_.write(stem + ".json", R"({"Vendor": ")" + vendor + R"(", "Type": "gpu", )" +
                                      R"("Architecture": ")" + architecture + R"(", )" + more +
                                      "}");
  }
  void write(const std::string &name, const std::string &content) { folder_.write(name, content); }
  std::string path(const std::string &name = "") const { return folder_.path(name); }

 private:
  check::Folder folder_;
};

// Hopper with its products, and two chips that share a name.
class Hopper : public UsersFolder {
 public:
  Hopper() {
    add("NVIDIA", "sm_90", R"("Name": "Hopper", "Aliases": ["GH100"],
        "CoreSubsystem": {"SIMDSize": 32}, "Variants": [
        {"Name": "H100 SXM", "Aliases": ["H100"], "CoreSubsystem": {"Count": 132}},
        {"Name": "H100 PCIe", "Aliases": ["H100"], "CoreSubsystem": {"Count": 114}},
        {"Name": "H200", "CoreSubsystem": {"Count": 132}}])");
    add("Acme", "a1", R"("Name": "One", "Aliases": ["Shared"])");
    add("Other", "o1", R"("Name": "Two", "Aliases": ["shared"])");
  }
};

Object lookUp(const std::string &name) {
  Object found;
  CHECK_OK(nexus_lookup_device_info(text(name), found.out()));
  return found;
}

std::string nameOf(const std::string &name) {
  const Object found = lookUp(name);
  return found.get() == nullptr ? "none" : propertyText(found, {"Name"});
}

std::string problems() {
  std::vector<uint64_t> memory(4096);
  nxs_value value{};
  value.struct_size = sizeof(value);
  value.data = memory.data();
  value.capacity = memory.size() * 8;
  CHECK_OK(nexus_get_device_info_problems(&value));
  return std::string(reinterpret_cast<const char *>(memory.data()), value.size);
}

TEST(a_file_is_found_by_stem_architecture_name_and_alias) {
  const Hopper hopper;
  for (const char *name : {"nvidia-gpu-sm_90", "NVIDIA GPU SM 90", "sm_90", "SM-90", "nvidia sm_90",
                           "hopper", "NVIDIA Hopper", "gh100"}) {
    CHECK_EQUAL(std::string("Hopper"), nameOf(name));
  }
}

TEST(a_variant_is_found_by_its_name_and_laid_over_the_file) {
  const Hopper hopper;
  for (const char *name : {"H200", "nvidia h200", "NVIDIA_H200"}) {
    CHECK_EQUAL(std::string("H200"), nameOf(name));
  }
  const Object found = lookUp("h100-pcie");
  CHECK_EQUAL(std::vector<int64_t>{114}, propertyNumbers(found, {"CoreCount"}));
  CHECK_EQUAL(std::vector<int64_t>{32}, propertyNumbers(found, {"CoreSubsystem", "SIMDSize"}));
  CHECK_EQUAL(nxs_status{NXS_InvalidProperty}, property(found, {"Variants"}).status);
}

TEST(a_stem_counts_before_an_architecture_and_that_before_a_name) {
  UsersFolder folder;
  folder.add("A", "x", R"("Name": "by architecture")");
  folder.add("B", "y", R"("Name": "x")");
  folder.add("C", "z", R"("Name": "by stem", "Aliases": ["B gpu y"])");
  CHECK_EQUAL(std::string("by architecture"), nameOf("x"));
  CHECK_EQUAL(std::string("x"), nameOf("b gpu y"));
}

TEST(a_name_of_several_names_the_candidates) {
  const Hopper hopper;
  Object found;
  CHECK_FAILS(NXS_InvalidValue, nexus_lookup_device_info(text("H100"), found.out()),
              "name is 'H100', which 2 devices have; write one of\n",
              "\n  nexus.lookup_device_info(\"nvidia-gpu-sm_90/H100 SXM\")\n",
              "\n  nexus.lookup_device_info(\"nvidia-gpu-sm_90/H100 PCIe\")");
  CHECK_EQUAL(std::string("H100 PCIe"), nameOf("nvidia-gpu-sm_90/H100 PCIe"));
  CHECK_EQUAL(std::string("H100 SXM"), nameOf("NVIDIA GPU sm-90/nvidia h100_sxm"));
  CHECK_FAILS(NXS_InvalidValue, nexus_lookup_device_info(text("SHARED"), found.out()), "'SHARED'",
              "(\"acme-gpu-a1\")", "(\"other-gpu-o1\")");
}

TEST(of_many_candidates_ten_are_named) {
  UsersFolder folder;
  for (int i = 10; i < 25; ++i) folder.add("Acme", "a" + std::to_string(i), R"("Name": "All")");
  Object found;
  CHECK_FAILS(NXS_InvalidValue, nexus_lookup_device_info(text("all"), found.out()),
              "(\"acme-gpu-a19\")\n  and 5 more");
  CHECK_EQUAL(std::string::npos, errorText().find("acme-gpu-a20"));
}

TEST(an_unknown_name_names_near_ones_and_those_that_hold_its_words) {
  const Hopper hopper;
  Object found;
  CHECK_FAILS(NXS_InvalidValue, nexus_lookup_device_info(text("Hoper"), found.out()), "'Hoper'",
              "did you mean 'Hopper'?");
  CHECK_FAILS(NXS_InvalidValue, nexus_lookup_device_info(text("PCIe"), found.out()),
              "did you mean 'H100 PCIe'?");
  for (const std::string &name :
       {std::string(), std::string(10000, 'x'), std::string("../../etc"), std::string("/"),
        std::string("acme-gpu-a1/none"), std::string("index"), std::string("a\0b", 3)}) {
    CHECK_FAILS(NXS_InvalidValue, nexus_lookup_device_info(text(name), found.out()), "name is '");
  }
}

TEST(a_file_is_found_by_its_stem_without_a_look_at_the_others) {
  Hopper hopper;
  hopper.write("acme-gpu-bad.json", "{");
  hopper.write("index.json",
               R"({"nvidia-gpu-sm_90": {"Name": "Hopper", "Variants": [{"Name": "H200"}]},
      "acme-gpu-a1": {}, "other-gpu-o1": {}, "acme-gpu-bad": {}})");
  for (const char *name : {"nvidia-gpu-sm_90", "NVIDIA-GPU-SM_90", "sm_90", "Hopper", "H200"}) {
    lookUp(name);
  }
  Object all;
  CHECK_OK(nexus_get_device_info(all.out()));
  CHECK_EQUAL(std::string("Hopper"), propertyText(all, {"nvidia-gpu-sm_90", "Name"}));
  CHECK_EQUAL(std::string(), logged());  // of the bad file: it was not read
  CHECK_FAILS(NXS_InvalidProperty, property(all, {"acme-gpu-bad"}).status, "acme-gpu-bad");
  CHECK(logged().find("acme-gpu-bad.json', line 1") != std::string::npos);
}

TEST(a_file_that_the_index_does_not_know_is_read_for_its_names) {
  Hopper hopper;
  hopper.write("index.json", R"({"nvidia-gpu-sm_90": {"Name": "Hopper"}})");
  CHECK_EQUAL(std::string("One"), nameOf("One"));
}

TEST(an_index_that_is_older_than_its_file_is_told) {
  Hopper hopper;
  hopper.write("index.json", R"({"nvidia-gpu-sm_90": {"Variants": [{"Name": "H300"}]}})");
  Object found;
  CHECK_FAILS(NXS_InvalidValue, nexus_lookup_device_info(text("H300"), found.out()), "index",
              "nvidia-gpu-sm_90.json");
}

TEST(the_file_of_a_device_that_can_not_be_used_says_why) {
  UsersFolder folder;
  folder.write("acme-gpu-a1.json", "{\"Vendor\": \"Acme\"");
  Object found;
  CHECK_FAILS(NXS_InvalidValue, nexus_lookup_device_info(text("acme-gpu-a1"), found.out()),
              "acme-gpu-a1.json', line 1, column 18, is left out: it is not JSON");
}

TEST(problems_are_told_with_file_line_and_reason) {
  UsersFolder folder;
  CHECK_EQUAL(std::string("[]"), problems());
  folder.write("acme-gpu-a1.json", "{\n\"a\": }");
  const std::string bad = folder.path("acme-gpu-a1.json");
  CHECK_EQUAL(R"([{"File":")" + bad +
                  R"(","Line":2,"Column":6,"Reason":"it is not JSON: this is )" +
                  R"(no value; expected an object, a list, a string, a number, true, false or )" +
                  R"(null."}])",
              problems());
  folder.write("index.json", "[]");
  CHECK(problems().find("index.json") != std::string::npos);
}

TEST(a_folder_that_is_not_there_is_told_and_the_others_count) {
  const Hopper hopper;
  const std::string gone = hopper.path("gone");
  setenv("NEXUS_DEVICE_PATH", (gone + ":" + hopper.path() + ":").c_str(), 1);
  CHECK_EQUAL(std::string("Hopper"), nameOf("hopper"));
  CHECK_EQUAL(std::string("Hopper"), nameOf("hopper"));
  CHECK_EQUAL("The folder '" + gone +
                  "' is left out: it is named by NEXUS_DEVICE_PATH, and is no folder that can be "
                  "read.\n",
              logged());
  CHECK(problems().find(gone) != std::string::npos);
}

TEST(the_first_folder_counts_for_a_stem_unless_its_file_is_bad) {
  UsersFolder first;
  UsersFolder second;
  first.add("Acme", "a1", R"("Name": "first")");
  second.add("Acme", "a1", R"("Name": "second")");
  setenv("NEXUS_DEVICE_PATH", (first.path() + ":" + second.path()).c_str(), 1);
  CHECK_EQUAL(std::string("first"), nameOf("acme-gpu-a1"));
  first.write("acme-gpu-a1.json", "{");
  CHECK_EQUAL(std::string("second"), nameOf("acme-gpu-a1"));
  CHECK_EQUAL(std::string("second"), nameOf("a1"));
  setenv("NEXUS_DEVICE_PATH", second.path().c_str(), 1);
  second.add("Acme", "a1", R"("Name": "changed")");
  CHECK_EQUAL(std::string("changed"), nameOf("a1"));
}

TEST(ten_thousand_lookups_of_eight_threads_find_what_one_finds) {
  const Hopper hopper;
  const std::vector<std::pair<const char *, const char *>> asked = {
      {"nvidia-gpu-sm_90", "Hopper"}, {"H200", "H200"}, {"sm_90", "Hopper"}, {"One", "One"}};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < 1250; ++i) {
        const auto &[name, expected] = asked[i % asked.size()];
        Object found;
        const bool ok = nexus_lookup_device_info(text(name), found.out()) == NXS_Success &&
                        propertyText(found, {"Name"}) == expected;
        wrong += ok ? 0 : 1;
      }
    });
  }
  for (std::thread &thread : threads) thread.join();
  CHECK_EQUAL(0, wrong.load());
}

TEST(bad_arguments_are_refused) {
  Object found;
  CHECK_FAILS(NXS_InvalidValue, nexus_lookup_device_info(text("x"), nullptr), "out_properties");
  CHECK_FAILS(NXS_InvalidValue, nexus_lookup_device_info(text("\xff"), found.out()), "name");
  CHECK_FAILS(NXS_InvalidDevice, nexus_lookup_device_info_of(nullptr, found.out()), "device");
  CHECK_FAILS(NXS_InvalidValue, nexus_get_device_info_problems(nullptr), "out_value");
}

}  // namespace
