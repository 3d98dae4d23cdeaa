// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "base/log.hpp"
#include "check.hpp"
#include "device_db/device_cache.hpp"
#include "device_db/device_file.hpp"
#include "folder.hpp"

using namespace nexus::core;

namespace {

constexpr const char *kGood =
    R"({"Name": "A", "Vendor": "Acme", "Type": "gpu", "Architecture": "a1"})";

// "line:column reason" of a text in acme-gpu-a1.json; "none" where it can be used.
std::string problemOf(std::string_view text, const char *path = "/x/acme-gpu-a1.json") {
  const ReadDeviceFile read = parseDeviceFile(path, text);
  if (read.file != nullptr) return "none";
  return std::to_string(read.problem.line) + ":" + std::to_string(read.problem.column) + " " +
         read.problem.reason;
}

std::string &logged() {
  static std::string lines;
  return lines;
}

void keepLog() {
  nexus_set_log(
      [](void *, nxs_log_level, nxs_string backend, nxs_string line) {
        logged() += std::string(backend.data, backend.size) + ": " +
                    std::string(line.data, line.size) + "\n";
      },
      nullptr);
}

// Lets the time of the next write differ from that of the last for certain.
void settle() {
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

TEST(a_file_is_an_object_whose_name_is_its_vendor_type_and_architecture) {
  CHECK_EQUAL(std::string("none"), problemOf(kGood));
  CHECK_EQUAL(std::string("acme-gpu-a1"), parseDeviceFile("/x/acme-gpu-a1.json", kGood).file->stem);
  CHECK_EQUAL(std::string("1:15 its name is acme-gpu-a2.json, but its Vendor, Type and "
                          "Architecture make acme-gpu-a1.json."),
              problemOf(kGood, "/x/acme-gpu-a2.json"));
  CHECK_EQUAL(std::string("1:1 it has no Architecture, a text and a part of the file's name."),
              problemOf(R"({"Vendor": "Acme", "Type": "gpu"})"));
  CHECK_EQUAL(std::string("2:3 it has no Vendor, a text and a part of the file's name."),
              problemOf("{\"x\": {\"Vendor\": \"Acme\"},\n  \"Vendor\": 3}"));
  CHECK_EQUAL(std::string("1:2 it holds a list, not an object."), problemOf(" []"));
}

TEST(a_mistake_in_the_json_has_its_line_and_column) {
  CHECK_EQUAL(std::string("2:1 it is not JSON: expected a name in quotes."), problemOf("{\nx}"));
  CHECK_EQUAL(std::string("1:9 it is not JSON: this string is not terminated."),
              problemOf(R"({"Name":"A)"));
  CHECK_EQUAL(std::string("2:2 it is not JSON: the name \"a\" appears twice."),
              problemOf("{\"a\": 1,\n \"a\": 2}"));
  CHECK_EQUAL(std::string("1:3 it is not JSON: this is not UTF-8; save the text as UTF-8."),
              problemOf("{\"\xff\": 1}"));
  CHECK_EQUAL(std::string("1:1 it is not JSON: the text ends where a value is expected."),
              problemOf(""));
  CHECK(problemOf(std::string(100000, '[')).find("more than 128 deep") != std::string::npos);
}

std::string withMember(const std::string &member) {
  return std::string(kGood).insert(1, "\n " + member + ",\n");
}

TEST(variants_are_objects_with_names_of_their_own) {
  CHECK_EQUAL(std::string("none"), problemOf(withMember(R"("Variants": [{"Name": "x"}])")));
  CHECK_EQUAL(std::string("2:2 its Variants are not a list of objects."),
              problemOf(withMember(R"("Variants": {"Name": "x"})")));
  CHECK_EQUAL(std::string("2:2 it has a variant without a Name."),
              problemOf(withMember(R"("Variants": [{"Name": 1}])")));
  CHECK_EQUAL(std::string("2:2 its Variants are not a list of objects."),
              problemOf(withMember(R"("Variants": ["x"])")));
  CHECK_EQUAL(std::string("2:2 it has two variants with the Name 'x'."),
              problemOf(withMember(R"("Variants": [{"Name": "x"}, {"Name": "x"}])")));
}

TEST(sources_are_objects_whose_values_are_texts) {
  CHECK_EQUAL(std::string("none"), problemOf(withMember(R"("Sources": [{"Values": ["Name"]}])")));
  CHECK_EQUAL(std::string("2:2 its Sources are not a list of objects."),
              problemOf(withMember(R"("Sources": "a book")")));
  CHECK_EQUAL(std::string("2:2 its Sources are not a list of objects."),
              problemOf(withMember(R"("Sources": ["a book"])")));
  CHECK_EQUAL(std::string("2:2 it has a source whose Values are not a list of texts."),
              problemOf(withMember(R"("Sources": [{"Values": [1]}])")));
}

TEST(an_index_is_an_object_and_has_no_stem) {
  CHECK_EQUAL(std::string("none"), problemOf(R"({"a-gpu-b": {"Name": "B"}})", "/x/index.json"));
  CHECK_EQUAL(std::string("1:1 it holds a list, not an object."), problemOf("[]", "/x/index.json"));
}

TEST(a_file_is_read_again_only_when_it_has_changed) {
  const check::Folder folder;
  DeviceCache cache;
  const std::string path = folder.write("acme-gpu-a1.json", kGood);
  settle();
  const auto first = cache.read(path, "");
  CHECK(first->file != nullptr);
  CHECK(cache.read(path, "") == first);
  folder.write("acme-gpu-a1.json", std::string(kGood).replace(10, 1, "B"));  // of the same size
  const auto second = cache.read(path, "");
  CHECK_EQUAL(std::string("B"), *second->file->tree.find("Name")->string());
  CHECK_EQUAL(std::string("A"), *first->file->tree.find("Name")->string());
  std::filesystem::remove(path);
  CHECK(cache.read(path, "") == nullptr);
}

TEST(a_problem_is_logged_once_and_again_after_the_file_was_whole) {
  const check::Folder folder;
  DeviceCache cache;
  keepLog();
  logged().clear();
  const std::string path = folder.write("acme-gpu-a1.json", "{");
  const std::string line = "acme: The device file '" + path +
                           "', line 1, column 2, is ignored: it is not JSON: expected a name in "
                           "quotes.\n";
  for (int i = 0; i < 3; ++i) CHECK(cache.read(path, "acme")->file == nullptr);
  CHECK_EQUAL(line, logged());
  folder.write("acme-gpu-a1.json", kGood);
  CHECK(cache.read(path, "acme")->file != nullptr);
  CHECK_EQUAL(line, logged());
  folder.write("acme-gpu-a1.json", "{");
  CHECK(cache.read(path, "acme")->file == nullptr);
  CHECK_EQUAL(line + line, logged());
  nexus_set_log(nullptr, nullptr);
}

TEST(a_file_that_is_too_large_or_no_file_is_left_out) {
  const check::Folder folder;
  DeviceCache cache;
  const std::string large = folder.write("acme-gpu-a1.json", std::string(kMaxDeviceFile + 1, ' '));
  CHECK_EQUAL(std::string("it has more than 4194304 bytes."),
              cache.read(large, "")->problem.reason);
  const std::string dangling = folder.path("acme-gpu-a2.json");
  std::filesystem::create_symlink("/nowhere/at-all", dangling);
  CHECK_EQUAL(std::string("it is not a readable file."), cache.read(dangling, "")->problem.reason);
  std::filesystem::create_directory(folder.path("acme-gpu-a3.json"));
  CHECK(cache.read(folder.path("acme-gpu-a3.json"), "") == nullptr);
}

}  // namespace
