// SPDX-License-Identifier: Apache-2.0
//
// The device database and shared memory in the C++ API.
#include <stdlib.h>

#include <nexus.h>
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
      "MemorySubsystem": {"MemoryTypes": [{"Name": "L2", "Size": 1024}]},
      "Variants": [{"Name": "Special", "CoreSubsystem": {"Count": 16}}],
      "Sources": [{"Title": "A \"guide\"\\\n\u0001 é", "Publisher": "P", "Date": "2026",
                   "Version": "2", "Section": "1", "Address": "https://example.com/a,b",
                   "Read": "2026-11-22", "Pages": [1, {"a": "]"}, null],
                   "Values": ["CoreSubsystem"]},
                  {"Title": "Memories", "Publisher": "P", "Date": "2026", "Section": "2",
                   "Read": "2026-11-22", "Values": ["MemorySubsystem"]},
                  {"Title": "Sizes", "Publisher": "P", "Date": "2026", "Section": "3",
                   "Read": "2026-11-22", "Values": ["MemorySubsystem/MemoryTypes/L2/Size"]}]})");
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

TEST(the_longest_path_that_covers_a_value_counts) {
  const Installed installed;
  const nexus::Properties info = nexus::getSystem().lookupDeviceInfo("nexus-cpu-reference");
  const auto titleOf = [&](const std::vector<nexus::Key> &path) {
    return info.getSource(path).citations.at(0).title;
  };
  CHECK_EQUAL(std::string("Sizes"), titleOf({"MemorySubsystem", "MemoryTypes", "L2", "Size"}));
  CHECK_EQUAL(std::string("Sizes"), titleOf({NP_MemorySubsystem, "MemoryTypes", 1, "Size"}));
  CHECK_EQUAL(std::string("Memories"), titleOf({"MemorySubsystem", "MemoryTypes", 1, "Name"}));
  CHECK_EQUAL(std::size_t{0}, info.getSource("Vendor").citations.size());
}

TEST(a_variant_without_a_source_of_its_own_has_that_of_its_file) {
  const Installed installed;
  const nexus::Properties info = nexus::getSystem().lookupDeviceInfo("Special");
  CHECK_EQUAL(std::size_t{1}, info.getSource({"CoreSubsystem", "Count"}).citations.size());
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
  CHECK_EQUAL(std::size_t{0}, problems.at(0).reason.find("it is not JSON: expected "));
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

TEST(devices_share_memory_and_use_that_of_others) {
  const objects::Object on = objects::device("cpu:0");
  nexus_retain(on);
  const nexus::Device cpu{on.get()};
  nexus::BufferDesc desc;
  desc.size = 64;
  desc.settings = NXS_BufferSettings_Shareable;
  const nexus::Buffer buffer = cpu.createBuffer(desc);
  desc.settings = 0;
  const nexus::Buffer other = cpu.importBuffer(buffer.exportMemory(), desc);
  buffer.fill(std::uint8_t{5});
  std::vector<std::uint8_t> bytes(64);
  other.copy(bytes);
  CHECK((bytes == std::vector<std::uint8_t>(64, 5)));
  desc.size = 32;
  cpu.importBuffer(buffer.exportMemory(), desc, 32).fill(std::uint8_t{7});
  buffer.copy(bytes);
  CHECK((bytes[31] == 5 && bytes[32] == 7));
  try {
    cpu.importBuffer(buffer.exportMemory(), desc, 33);
    CHECK(false);
  } catch (const nexus::Error &error) {
    CHECK_EQUAL(nxs_status{NXS_InvalidValue}, error.status());
    CHECK(std::string(error.what()).find("offset is 33") != std::string::npos);
  }
  desc.size = 64;
  nexus::ForeignMemory memory;
  memory.handle = reinterpret_cast<uintptr_t>(bytes.data());
  cpu.createBuffer(memory, desc).fill(std::uint8_t{6});
  CHECK((bytes == std::vector<std::uint8_t>(64, 6)));
  cpu.trimMemory();
  cpu.resetMemoryPeak();
}

}  // namespace
