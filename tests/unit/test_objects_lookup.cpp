// SPDX-License-Identifier: Apache-2.0
//
// Devices looked up by their names, in folders of the user.
#include <stdlib.h>

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

TEST(a_stem_counts_before_an_architecture_and_that_before_a_name) {
  UsersFolder folder;
  folder.add("A", "x", R"("Name": "by architecture")");
  folder.add("B", "y", R"("Name": "x")");
  folder.add("C", "z", R"("Name": "by stem", "Aliases": ["B gpu y"])");
  CHECK_EQUAL(std::string("by architecture"), nameOf("x"));
  CHECK_EQUAL(std::string("x"), nameOf("b gpu y"));
}

TEST(of_many_candidates_ten_are_named) {
  UsersFolder folder;
  for (int i = 10; i < 25; ++i) folder.add("Acme", "a" + std::to_string(i), R"("Name": "All")");
  Object found;
  CHECK_FAILS(NXS_InvalidValue, nexus_lookup_device_info(text("all"), found.out()),
              "(\"acme-gpu-a19\")\n  and 5 more");
  CHECK_EQUAL(std::string::npos, errorText().find("acme-gpu-a20"));
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

}  // namespace
