// SPDX-License-Identifier: Apache-2.0
// A host for tests: keeps what a plug-in tells it. Number tells two apart whose
// plug-ins are open at the same time.
#ifndef TESTS_ABI_FAKE_HOST_HPP_
#define TESTS_ABI_FAKE_HOST_HPP_

#include <nexus-api/nxs_functions.h>

#include <map>
#include <mutex>
#include <string>
#include <vector>

template <int Number>
class FakeHost {
 public:
  static constexpr uint32_t kTag = 7 + Number;

  static const nxs_host &get() {
    static const nxs_host host = make();
    return host;
  }
  static nxs_host make() {
    return {sizeof(nxs_host),
            NXS_API_VERSION_MAJOR,
            NXS_API_VERSION_MINOR,
            0,
            kTag,
            log,
            make_error,
            retain,
            release,
            get_config,
            intern,
            is_interrupted};
  }

  // The text of this thread's newest error record; "" before the first.
  static std::string last_error() { return error(newest()); }
  static std::string error(uint64_t record) {
    const std::lock_guard lock(mutex());
    return record == 0 || record > texts().size() ? "" : texts()[record - 1];
  }
  // How many more times the record was retained than released.
  static int owners(uint64_t record) {
    const std::lock_guard lock(mutex());
    return counts()[record];
  }

 private:
  static std::mutex &mutex() {
    static std::mutex one;
    return one;
  }
  static std::vector<std::string> &texts() {
    static std::vector<std::string> all;
    return all;
  }
  static uint64_t &newest() {
    static thread_local uint64_t record = 0;
    return record;
  }
  static std::map<uint64_t, int> &counts() {
    static std::map<uint64_t, int> all;
    return all;
  }

  static void log(uint32_t, nxs_log_level, const nxs_string *) {}
  static uint64_t make_error(uint32_t, int64_t, const nxs_string *text) {
    const std::lock_guard lock(mutex());
    texts().emplace_back(text->data, static_cast<std::size_t>(text->size));
    return newest() = texts().size();
  }
  static void retain(uint64_t record) {
    const std::lock_guard lock(mutex());
    ++counts()[record];
  }
  static void release(uint64_t record) {
    const std::lock_guard lock(mutex());
    --counts()[record];
  }
  static void get_config(uint32_t, const nxs_string *, nxs_string *out_value) {
    *out_value = {"", 0};
  }
  static nxs_property intern(uint32_t, const nxs_string *) { return NXS_PROPERTY_VENDOR_FIRST; }
  static int32_t is_interrupted(uint32_t) { return 0; }
};

#endif  // TESTS_ABI_FAKE_HOST_HPP_
