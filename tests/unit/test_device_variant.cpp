// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "check.hpp"
#include "device_db/device_variant.hpp"

using nexus::core::variantOf;
namespace json = nexus::core::json;

namespace {

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
