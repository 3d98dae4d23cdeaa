// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <thread>
#include <vector>

#include "base/config.hpp"
#include "check.hpp"
#include "host/property_name.hpp"

using namespace nexus::core;

TEST(a_text_that_was_read_stays) {
  setConfig("path", "first");
  const std::string_view first = configOf("cpu", "path");
  setConfig("path", "second");
  CHECK_EQUAL("first", first);
  CHECK_EQUAL("second", configOf("cpu", "path"));
}

TEST(a_vendors_property_has_one_number) {
  const nxs_property number = internProperty("AcmeWarps");
  CHECK(number >= NXS_PROPERTY_VENDOR_FIRST);
  CHECK_EQUAL(number, internProperty("AcmeWarps"));
  CHECK_EQUAL("AcmeWarps", propertyName(number));
  CHECK_EQUAL(number, *propertyNumber("AcmeWarps"));
  CHECK(!propertyNumber("AcmeWeft").has_value());
  CHECK_EQUAL("", propertyName(number + 1));
  CHECK_EQUAL("", propertyName(-1));
  CHECK_EQUAL("", propertyName(NXS_PROPERTY_CNT));
}

TEST(the_catalogue_has_its_own_numbers) {
  CHECK_EQUAL(NP_Vendor, internProperty("Vendor"));
  CHECK_EQUAL("Vendor", propertyName(NP_Vendor));
}

TEST(threads_intern_one_number_for_one_name) {
  std::vector<nxs_property> numbers(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    threads.emplace_back([&numbers, i] {
      for (int turn = 0; turn < 100; ++turn) {
        numbers[i] = internProperty("Shared" + std::to_string(turn));
      }
    });
  }
  for (std::thread &thread : threads) thread.join();
  for (const nxs_property number : numbers) CHECK_EQUAL(numbers[0], number);
}
