// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>

#include "objects.hpp"

using namespace objects;

namespace {

// The reference backend, installed with a device file.
class Installed {
 public:
  explicit Installed(std::string_view device_file)
      : folder_(std::filesystem::temp_directory_path() /
                ("nexus-info-" + std::to_string(reinterpret_cast<std::uintptr_t>(this)))) {
    std::filesystem::create_directories(folder_ / "devices");
    std::ofstream(folder_ / "devices" / "nexus-cpu-reference.json") << device_file;
    std::ofstream(manifest()) << R"({"manifest_version": 1, "name": "reference", "library": ")"
                              << NEXUS_REFERENCE_LIBRARY
                              << R"(", "version": "0.1.0", "devices": "devices",)"
                              << R"( "abi": {"min": "1.0", "max": "1.0"}})";
  }
  ~Installed() { std::filesystem::remove_all(folder_); }

  std::string manifest() const { return (folder_ / "nxs_plugin.json").string(); }
  void replaceDeviceFile(std::string_view text) const {
    std::ofstream(folder_ / "devices" / "nexus-cpu-reference.json") << text;
  }

 private:
  std::filesystem::path folder_;
};

std::string warning;

TEST(info_is_what_the_device_says_laid_over_its_file) {
  const Installed installed(R"({
    "Name": "a name that the device knows better",
    "Vendor": "Nexus", "Type": "cpu", "Architecture": "reference",
    "ReleaseYear": 2026,
    "SpecializedHardware": {"Units": [{"Name": "adder", "Width": 2.5, "Shared": true}]},
    "KernelModel": null
  })");
  nexus_set_discovery(0);
  CHECK_OK(nexus_add_manifest(text(installed.manifest()), text("nexus-reference")));
  Object on;
  CHECK_OK(nexus_select_device(text("reference:0"), on.out()));
  Object info;
  CHECK_OK(nexus_device_get_info(on, info.out()));
  CHECK_EQUAL(std::string("Nexus reference device"), propertyText(info, {"Name"}));
  CHECK_EQUAL(std::vector<int64_t>{2026}, propertyNumbers(info, {"ReleaseYear"}));
  CHECK_EQUAL(std::string("adder"),
              propertyText(info, {"SpecializedHardware", "Units", 0, NP_Name}));
  CHECK_EQUAL(std::vector<double>{2.5},
              propertyNumbers<double>(info, {"SpecializedHardware", "Units", 0, "Width"}));
  CHECK_EQUAL(std::vector<int64_t>{1},
              propertyNumbers(info, {"SpecializedHardware", "Units", 0, "Shared"}));
  CHECK_EQUAL(nxs_value_type{NXS_ValueType_Json}, property(info, {"SpecializedHardware"}).type);
  CHECK_FAILS(NXS_InvalidProperty, property(info, {"KernelModel"}).status, "KernelModel");
  CHECK_FAILS(NXS_InvalidProperty, property(info, {"ReleasYear"}).status, "'ReleaseYear'");

  nexus_set_log([](void *, nxs_log_level, nxs_string,
                   nxs_string line) { warning.assign(line.data, line.size); },
                nullptr);
  installed.replaceDeviceFile("{broken");
  CHECK_OK(nexus_device_get_info(on, info.out()));
  CHECK_EQUAL(std::string("Nexus"), propertyText(info, {"Vendor"}));
  CHECK(warning.find("nexus-cpu-reference.json', line 1, column 2, is left out: it is not JSON") !=
        std::string::npos);
  nexus_set_log(nullptr, nullptr);
}

}  // namespace
