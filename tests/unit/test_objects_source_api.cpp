// SPDX-License-Identifier: Apache-2.0
//
// The device database in the C++ API.
#include <stdlib.h>

#include <nexus/system.hpp>
#include <string>

#include "folder.hpp"
#include "objects.hpp"

namespace {

class Installed {
 public:
  Installed() {
    objects::device("reference:0");
    setenv("NEXUS_DEVICE_PATH", folder_.path().c_str(), 1);
    folder_.write("nexus-cpu-reference.json", R"({
      "Name": "R", "Vendor": "Nexus", "Type": "cpu", "Architecture": "reference",
      "CoreSubsystem": {"Count": 8},
      "Sources": [{"Title": "A \"guide\"\\\n\u0001 é", "Publisher": "P", "Date": "2026",
                   "Version": "2", "Section": "1", "Address": "https://example.com/a,b",
                   "Read": "2026-11-22", "Pages": [1, {"a": "]"}, null],
                   "Values": ["CoreSubsystem"]}]})");
  }
  ~Installed() { unsetenv("NEXUS_DEVICE_PATH"); }

  std::string write(const char *name, const char *text) { return folder_.write(name, text); }
  std::string path(const char *name) const { return folder_.path(name); }

 private:
  check::Folder folder_;
};

TEST(a_source_is_told_in_its_parts) {
  const Installed installed;
  const nexus::PropertySource source =
      nexus::getSystem().lookupDeviceInfo("nexus-cpu-reference").getSource(NP_CoreCount);
  CHECK_EQUAL(std::string("computed"), source.kind);
  CHECK_EQUAL(installed.path("nexus-cpu-reference.json"), source.file);
  CHECK_EQUAL(std::vector<std::string>{"CoreSubsystem/Count"}, source.from);
  CHECK_EQUAL(std::size_t{1}, source.citations.size());
  const nexus::Citation &citation = source.citations.at(0);
  CHECK_EQUAL(std::string("A \"guide\"\\\n\x01 é"), citation.title);
  CHECK_EQUAL(std::string("P 2026 2 1 https://example.com/a,b 2026-11-22"),
              citation.publisher + " " + citation.date + " " + citation.version + " " +
                  citation.section + " " + citation.address + " " + citation.read);
}

TEST(a_devices_file_and_what_it_says_have_different_sources) {
  const Installed installed;
  const nexus::Device device = nexus::getSystem().getDevice("reference:0");
  CHECK_EQUAL(std::string("driver"), device.getInfo().getSource("Name").kind);
  const nexus::Properties file = nexus::getSystem().lookupDeviceInfo(device);
  CHECK_EQUAL(std::string("device file"), file.getSource({"CoreSubsystem", "Count"}).kind);
  CHECK_EQUAL(std::string("R"), file.getProperty<std::string>("Name"));
}

TEST(problems_are_told_in_their_parts) {
  Installed installed;
  const std::string bad = installed.write("acme-gpu-a1.json", "{\n  \"a\": }");
  const std::vector<nexus::DeviceFileProblem> problems = nexus::getSystem().getDeviceInfoProblems();
  CHECK_EQUAL(std::size_t{1}, problems.size());
  CHECK_EQUAL(bad, problems.at(0).file);
  CHECK_EQUAL(std::uint64_t{2}, problems.at(0).line);
  CHECK_EQUAL(std::uint64_t{8}, problems.at(0).column);
  CHECK_EQUAL(std::size_t{0}, problems.at(0).reason.find("it is not JSON: this is no value"));
}

TEST(a_name_that_nobody_has_throws) {
  const Installed installed;
  try {
    nexus::getSystem().lookupDeviceInfo("no such device");
    CHECK(false);
  } catch (const nexus::Error &error) {
    CHECK_EQUAL(nxs_status{NXS_InvalidValue}, error.status());
  }
}

}  // namespace
