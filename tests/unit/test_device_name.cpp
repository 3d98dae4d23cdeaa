// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "check.hpp"
#include "device_db/device_name.hpp"

using namespace nexus::core;

namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

std::string partsText(std::string_view stem) {
  const StemParts parts = partsOfStem(stem);
  return std::string(parts.vendor) + "|" + std::string(parts.type) + "|" +
         std::string(parts.architecture);
}

TEST(a_stem_is_made_of_letters_that_every_file_system_takes) {
  CHECK_EQUAL(std::string("amd-cpu-znver4"), stemOfParts("AMD", "cpu", "znver4"));
  CHECK_EQUAL(std::string("acme_inc.-gpu-x_1+"), stemOfParts("Acme Inc.", "gpu", "X/1+"));
}

TEST(a_stem_is_parted_at_its_type_also_where_others_have_dashes) {
  CHECK_EQUAL(std::string("arm|cpu|cortex-a76"), partsText("arm-cpu-cortex-a76"));
  CHECK_EQUAL(std::string("hewlett-packard|gpu|x-1"), partsText("hewlett-packard-gpu-x-1"));
  CHECK_EQUAL(std::string("acme|toaster|t-1"), partsText("acme-toaster-t-1"));
  CHECK_EQUAL(std::string("||"), partsText("acme-cpu"));
}

TEST(a_folded_name_has_no_case_no_marks_and_one_dash_between_words) {
  CHECK_EQUAL(std::string("intel-xeon-platinum-8480+"),
              foldedName(" Intel(R)  Xeon(R)_Platinum - 8480+ "));
  CHECK_EQUAL(std::string("intel-core-i9"), foldedName("Intel\u00ae Core\u2122 i9"));
  CHECK_EQUAL(std::string(), foldedName(" _-(TM) "));
}

TEST(the_vendor_before_a_name_does_not_count) {
  CHECK(isSameName("nvidia-h200", "h200", "nvidia"));
  CHECK(isSameName("h200", "nvidia-h200", "nvidia"));
  CHECK(!isSameName("nvidia-h200", "h200", "amd"));
  CHECK(!isSameName("nvidiah200", "h200", "nvidia"));
  CHECK(!isSameName("", "", "nvidia"));
  CHECK(isSameName("nvidia", "nvidia", "nvidia"));
}

TEST(words_are_found_whole_only) {
  CHECK_EQUAL(std::size_t{4}, findWords("amd-epyc-9654-96-core", "epyc-9654"));
  CHECK_EQUAL(kNowhere, findWords("amd-epyc-9654p", "epyc-9654"));
  CHECK_EQUAL(std::size_t{3}, findWords("xa-a-b", "a"));
  CHECK_EQUAL(kNowhere, findWords("a-b", ""));
}

const json::Value &file() {
  static const json::Value tree = json::parse(R"({
    "Vendor": "NVIDIA",
    "Variants": [
      {"Name": "H100 SXM", "DeviceNames": ["NVIDIA H100 80GB HBM3"]},
      {"Name": "H100 PCIe"},
      {"Name": "RTX 4070", "Aliases": ["GeForce RTX 4070"]},
      {"Name": "RTX 4070 Ti"},
      {"Name": "EPYC 9654"},
      {"Name": "M1"},
      {"Name": "Twin A", "Aliases": ["Twin"]},
      {"Name": "Twin B", "Aliases": ["Twin"]}
    ]})");
  return tree;
}

std::string variant(const char *device_name) {
  return variantOf(file(), device_name);
}

TEST(a_device_is_the_variant_of_its_name_with_or_without_the_vendor) {
  CHECK_EQUAL(std::string("H100 PCIe"), variant("NVIDIA H100 PCIe"));
  CHECK_EQUAL(std::string("H100 PCIe"), variant("h100-pcie"));
  CHECK_EQUAL(std::string("H100 SXM"), variant("NVIDIA H100 80GB HBM3"));
}

TEST(a_name_may_stand_within_the_devices) {
  CHECK_EQUAL(std::string("EPYC 9654"), variant("AMD EPYC 9654 96-Core Processor"));
  CHECK_EQUAL(std::string("EPYC 9654"), variant("AMD EPYC 9654 w/ Radeon 780M Graphics"));
  CHECK_EQUAL(std::string("EPYC 9654"), variant("EPYC(TM) 9654 CPU @ 2.40GHz"));
}

TEST(the_longest_name_counts) {
  CHECK_EQUAL(std::string("RTX 4070"), variant("NVIDIA GeForce RTX 4070"));
  CHECK_EQUAL(std::string("RTX 4070 Ti"), variant("NVIDIA GeForce RTX 4070 Ti"));
}

TEST(a_word_behind_the_name_that_makes_it_another_product_fits_none) {
  CHECK_EQUAL(std::string(), variant("NVIDIA GeForce RTX 4070 Laptop GPU"));
  CHECK_EQUAL(std::string(), variant("NVIDIA GeForce RTX 4070 Ti SUPER"));
  CHECK_EQUAL(std::string(), variant("Apple M1 Pro"));
  CHECK_EQUAL(std::string(), variant("RTX 4070 12"));
  CHECK_EQUAL(std::string(), variant("AMD EPYC 9654P 96-Core Processor"));
}

TEST(where_two_fit_as_well_it_is_none) {
  CHECK_EQUAL(std::string(), variant("NVIDIA Twin"));
  CHECK_EQUAL(std::string("Twin A"), variant("NVIDIA Twin A"));
}

TEST(a_file_without_variants_has_none) {
  CHECK_EQUAL(std::string(), variantOf(json::parse(R"({"Vendor": "AMD"})"), "EPYC 9654"));
  CHECK_EQUAL(std::string(), variant(""));
}

}  // namespace
