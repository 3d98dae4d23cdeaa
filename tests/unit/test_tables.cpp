// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "base/config.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "check.hpp"
#include "device/selector.hpp"
#include "host/property_name.hpp"
#include "registry/discovery.hpp"
#include "registry/manifest.hpp"

using namespace nexus::core;

TEST(a_backends_own_key_comes_before_the_common_one) {
  setConfig("cc", "gcc");
  CHECK_EQUAL("gcc", configOf("cpu", "cc"));
  setConfig("cpu.cc", "clang");
  CHECK_EQUAL("clang", configOf("cpu", "cc"));
  CHECK_EQUAL("gcc", configOf("other", "cc"));
}

TEST(an_empty_value_removes_a_key) {
  setConfig("tool", "hammer");
  setConfig("tool", "");
  CHECK_EQUAL("", configOf("cpu", "tool"));
}

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

TEST(names_of_backends_have_no_meaning_of_their_own) {
  for (const char *name : {"cpu", "a", "cuda12", "my-gpu", "x_y"}) CHECK(isBackendName(name));
  for (const char *name : {"", "CPU", "1a", "-a", "a:0", "a,b", "a b", "\xc3\xa4"}) {
    CHECK(!isBackendName(name));
  }
}

TEST(distributions_are_compared_by_their_normal_names) {
  CHECK_EQUAL("nexus-cpu", normalizedDistribution("Nexus_CPU"));
  CHECK_EQUAL("nexus-cpu", normalizedDistribution("nexus.-_cpu"));
}

TEST(a_selector_has_a_backend_and_an_index) {
  CHECK_EQUAL("cuda", parseSelector("cuda:12", "x").backend);
  CHECK_EQUAL(uint64_t{12}, parseSelector("cuda:12", "x").index);
  CHECK_EQUAL(uint64_t{0}, parseSelector("cuda", "x").index);
}

TEST(near_names_are_those_with_few_letters_changed) {
  const std::vector<std::string> names = {"Name", "Vendor", "Version", "Size"};
  CHECK_EQUAL("Vendor", nearNames("vendro", names).at(0));
  CHECK(nearNames("Completely", names).empty());
}

TEST(words_are_listed_as_in_a_sentence) {
  CHECK_EQUAL("none", listWords({}, "none"));
  CHECK_EQUAL("a", listWords({"a"}, ""));
  CHECK_EQUAL("a, b and c", listWords({"a", "b", "c"}, ""));
}

TEST(a_text_is_split_without_blanks_and_empty_words) {
  const std::vector<std::string> words = splitWords(" a ,, b,", ',');
  CHECK_EQUAL(std::size_t{2}, words.size());
  CHECK_EQUAL("a", words.at(0));
  CHECK_EQUAL("b", words.at(1));
}

TEST(a_sentence_ends_with_a_stop) {
  CHECK_EQUAL("It broke.", sentence("It broke"));
  CHECK_EQUAL("It broke.", sentence("It broke."));
}
