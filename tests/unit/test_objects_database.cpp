// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "objects.hpp"

using namespace objects;

namespace {

namespace fs = std::filesystem;

// Three installed backends: the reference with two device files, one that can't be loaded with two,
// and the CPU of the build. Made once, since a process finds its backends once.
class Installed {
 public:
  Installed()
      : folder_(fs::temp_directory_path() / ("nexus-database-" + std::to_string(getpid()))) {
    write("reference/devices/acme-gpu-a1.json",
          R"({"Name": "Acme One", "Vendor": "Acme", "Type": "gpu", "Architecture": "a1"})");
    write("reference/devices/acme-gpu-a-two.json",
          R"({"Name": "Acme Two", "Vendor": "Acme", "Type": "gpu", "Architecture": "A-Two"})");
    write("reference/devices/broken-gpu-b1.json", "{broken");
    write("reference/devices/notes.txt", "no device file");
    write("reference/nxs_plugin.json", manifest("reference", NEXUS_REFERENCE_LIBRARY));
    write("unable/devices/acme-gpu-a1.json", R"({"Name": "a second one of that stem",
          "Vendor": "Acme", "Type": "gpu", "Architecture": "a1"})");
    write("unable/devices/other-gpu-a1.json",
          R"({"Name": "Other", "Vendor": "Other", "Type": "gpu", "Architecture": "a1"})");
    write("unable/nxs_plugin.json", manifest("unable", "/nowhere/libunable.so"));
    nexus_set_discovery(0);
    nexus_set_log([](void *, nxs_log_level, nxs_string,
                     nxs_string line) { logged() += std::string(line.data, line.size) + "\n"; },
                  nullptr);
    for (const char *name : {"unable", "reference"}) {
      CHECK_OK(nexus_add_manifest(text((folder_ / name / "nxs_plugin.json").string()), text("")));
    }
    CHECK_OK(nexus_add_manifest(text(NEXUS_CPU_MANIFEST), text("nexus-cpu")));
  }
  ~Installed() {
    nexus_set_log(nullptr, nullptr);
    fs::remove_all(folder_);
  }

  static std::string &logged() {
    static std::string lines;
    return lines;
  }

 private:
  void write(const fs::path &place, std::string_view content) const {
    fs::create_directories((folder_ / place).parent_path());
    std::ofstream(folder_ / place) << content;
  }
  static std::string manifest(const std::string &name, const std::string &library) {
    return R"({"manifest_version": 1, "name": ")" + name + R"(", "library": ")" + library +
           R"(", "devices": "devices", "abi": {"min": "1.0", "max": "1.0"}})";
  }

  fs::path folder_;
};

Object database() {
  static const Installed installed;
  Object all;
  CHECK_OK(nexus_get_device_info(all.out()));
  return all;
}

TEST(the_database_has_the_files_of_all_backends_by_their_stems) {
  const Object all = database();
  CHECK_EQUAL(std::string("Acme Two"), propertyText(all, {"acme-gpu-a-two", "Name"}));
  CHECK_EQUAL(std::string("Other"), propertyText(all, {"other-gpu-a1", "Name"}));
  CHECK_FAILS(NXS_InvalidProperty, property(all, {"notes"}).status, "notes");
}

TEST(of_two_files_of_one_stem_the_first_backends_counts) {
  CHECK_EQUAL(std::string("Acme One"), propertyText(database(), {"acme-gpu-a1", "Name"}));
}

TEST(a_device_here_without_a_file_tells_of_itself) {
  CHECK_EQUAL(std::string("Nexus reference device"),
              propertyText(database(), {"nexus-cpu-reference", "Name"}));
}

}  // namespace
