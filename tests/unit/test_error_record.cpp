// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "registry/plugin.hpp"

using namespace nexus::core;

TEST(a_record_lives_until_its_thread_makes_the_next) {
  const uint64_t first = makeErrorRecord(1, 7, "first");
  CHECK_EQUAL(first, threadErrorRecord());
  CHECK_EQUAL(int64_t{7}, findErrorRecord(first)->native_code);
  const uint64_t second = makeErrorRecord(1, 0, "second");
  CHECK(!findErrorRecord(first).has_value());
  CHECK_EQUAL("second", findErrorRecord(second)->text);
  forgetThreadErrorRecord();
  CHECK(!findErrorRecord(second).has_value());
}

TEST(a_retained_record_outlives_its_thread) {
  uint64_t id = 0;
  std::thread([&] {
    id = makeErrorRecord(3, 0, "of another thread");
    retainErrorRecord(id);
  }).join();
  CHECK_EQUAL("of another thread", findErrorRecord(id)->text);
  releaseErrorRecord(id);
  CHECK(!findErrorRecord(id).has_value());
}

TEST(a_record_of_a_thread_that_ended_is_gone) {
  uint64_t id = 0;
  std::thread([&] { id = makeErrorRecord(3, 0, "of another thread"); }).join();
  CHECK(id != 0);
  CHECK(!findErrorRecord(id).has_value());
}

TEST(ids_that_are_none_do_nothing) {
  retainErrorRecord(0);
  releaseErrorRecord(0);
  retainErrorRecord(123456789);
  releaseErrorRecord(123456789);
  CHECK(!findErrorRecord(0).has_value());
}

TEST(a_long_text_is_cut_between_characters) {
  std::string text = "x";
  for (int i = 0; i < 3000; ++i) text += "\xc3\xa4";
  const uint64_t id = makeErrorRecord(1, 0, text);
  CHECK_EQUAL(std::size_t{4095}, findErrorRecord(id)->text.size());
}

TEST(a_text_that_is_not_utf8_is_replaced) {
  const uint64_t id = makeErrorRecord(1, 0, "\xff");
  CHECK_EQUAL("(the backend's text is not UTF-8)", findErrorRecord(id)->text);
}

TEST(threads_make_and_release_records_at_once) {
  std::vector<std::thread> threads;
  for (uint32_t tag = 1; tag <= 4; ++tag) {
    threads.emplace_back([tag] {
      for (int turn = 0; turn < 500; ++turn) {
        const uint64_t id = makeErrorRecord(tag, turn, "why");
        retainErrorRecord(id);
        CHECK_EQUAL(tag, findErrorRecord(id)->tag);
        releaseErrorRecord(id);
      }
    });
  }
  for (std::thread &thread : threads) thread.join();
}

namespace {

nxs_status failWithRecord(nxs_id buffer) {
  makeErrorRecord(NXS_ID_TAG(buffer), -5, "the driver is busy");
  return NXS_OutOfResources;
}

nxs_status failInSilence(nxs_id) {
  return NXS_InvalidBuffer;
}

nxs_status succeedAfterRecord(nxs_id buffer) {
  failWithRecord(buffer);
  return NXS_Success;
}

// The failure of a call of ReleaseBuffer that is the function.
Failure failureOf(nxsReleaseBuffer_fn function) {
  nxs_functions table{};
  table.ReleaseBuffer = function;
  Plugin plugin;
  plugin.name = "acme";
  plugin.functions = &table;
  plugin.generation = processGeneration();
  try {
    plugin.call(&nxs_functions::ReleaseBuffer, "release a buffer", nxs_id{1});
  } catch (const Failure &failure) {
    return failure;
  }
  return {NXS_Success, ""};
}

}  // namespace

TEST(a_failing_call_becomes_a_failure_with_the_plugins_words) {
  const Failure failure = failureOf(failWithRecord);
  CHECK_EQUAL(NXS_OutOfResources, failure.status());
  CHECK_EQUAL("The backend acme could not release a buffer: the driver is busy.", failure.text());
  CHECK_EQUAL(int64_t{-5}, failure.nativeCode());
  CHECK_EQUAL("acme", failure.backend());
}

TEST(a_call_that_fails_in_silence_is_told_by_its_status) {
  makeErrorRecord(1, 0, "of an older failure");
  CHECK_EQUAL(
      "The backend acme could not release a buffer: it returned NXS_InvalidBuffer without saying "
      "why.",
      failureOf(failInSilence).text());
}

TEST(a_record_without_a_failure_is_no_failure) {
  CHECK_EQUAL(NXS_Success, failureOf(succeedAfterRecord).status());
}

TEST(a_plugin_of_before_a_fork_is_not_called) {
  Plugin plugin;
  plugin.generation = processGeneration() + 1;
  nxs_status status = NXS_Success;
  try {
    plugin.call(&nxs_functions::ReleaseBuffer, "release a buffer", nxs_id{1});
  } catch (const Failure &failure) {
    status = failure.status();
  }
  CHECK_EQUAL(NXS_InvalidOperation, status);
}

TEST(whatever_is_thrown_becomes_a_status) {
  CHECK_EQUAL(NXS_Success, guarded([] {}));
  CHECK_EQUAL(NXS_Timeout, guarded([] { throw Failure(NXS_Timeout, "late"); }));
  CHECK_EQUAL(NXS_OutOfHostMemory, guarded([] { throw std::bad_alloc(); }));
  CHECK_EQUAL(NXS_InternalError, guarded([] { throw std::runtime_error("odd"); }));
  CHECK_EQUAL(NXS_InternalError, guarded([] { throw 42; }));
  CHECK_EQUAL(NXS_NotSupported, guarded([] { return nxs_status{NXS_NotSupported}; }));
}
