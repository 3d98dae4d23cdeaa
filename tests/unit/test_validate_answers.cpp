// SPDX-License-Identifier: Apache-2.0
//
// The layer `validate`: what a plug-in answers.
#include <limits>

#include "validating.hpp"

using namespace validating;

// ---- What the plug-in answers ----------------------------------------------------

TEST(a_claim_without_its_function_is_told) {
  const Bench bench(NXS_Capability_HostVisibleMemory);  // and it has no nxsMapBuffer
  CHECK_TOLD("NXV-0401-missing-function");
}

TEST(a_claim_that_is_not_supported_is_told) {
  Bench bench(NXS_Capability_Timing);
  answers.status = NXS_NotSupported;
  nxs_id made = 0;
  bench.t->CreateEvent(bench.device, NXS_ExecutionSettings_Timing, &made);
  CHECK_TOLD("NXV-0402-not-supported");
}

TEST(a_ticket_that_does_not_grow_is_told) {
  Bench bench;
  bench.fill(bench.stream, bench.range());
  answers.grows = false;
  bench.fill(bench.stream, bench.range());
  CHECK_TOLD("NXV-0403-ticket-order");
}

TEST(completion_that_goes_backwards_is_told) {
  Bench bench;
  bench.fill(bench.stream, bench.range());
  bench.query(bench.stream, bench.ticket);
  answers.state = NXS_CompletionState_Running;
  bench.query(bench.stream, bench.ticket);
  CHECK_TOLD("NXV-0404-completion");
}

TEST(a_wait_that_ends_early_is_told) {
  Bench bench;
  bench.fill(bench.stream, bench.range());
  answers.state = NXS_CompletionState_Running;
  nxs_completion completion{};
  completion.struct_size = sizeof(completion);
  bench.t->WaitStream(bench.stream, bench.ticket, 60'000'000'000, &completion);
  CHECK_TOLD("NXV-0405-early-wait");
}

TEST(a_result_that_is_not_written_is_told) {
  Bench bench;
  answers.writes = false;
  nxs_ticket kept = 17;
  const auto range = bench.range();
  bench.t->FillBuffer(bench.stream, &range, "\0\0\0\0", 4, &kept);
  CHECK(told.count("NXV-0406-not-written") == 1);
  CHECK_EQUAL(nxs_ticket{17}, kept);
}

TEST(a_result_that_is_written_on_failure_is_told) {
  Bench bench;
  answers.status = NXS_OutOfResources;
  answers.writes_on_failure = true;
  bench.fill(bench.stream, bench.range());
  CHECK_TOLD("NXV-0407-written-on-failure");
}

TEST(an_id_that_lives_already_is_told) {
  Bench bench;
  answers.id = bench.stream;
  nxs_id made = 0;
  bench.t->CreateStream(bench.device, 0, &made);
  CHECK_TOLD("NXV-0408-given-id");
}

namespace {

nxs_status read(const Bench &bench, nxs_property property) {
  int64_t data[8]{};
  nxs_value value{};
  value.struct_size = sizeof(value);
  value.data = data;
  value.capacity = sizeof(data);
  return bench.t->GetBufferProperty(bench.buffer, property, &value);
}

nxs_status readDevice(const Bench &bench, nxs_property property) {
  int64_t data[8]{};
  nxs_value value{};
  value.struct_size = sizeof(value);
  value.data = data;
  value.capacity = sizeof(data);
  return bench.t->GetDeviceProperty(bench.device, property, &value);
}

}  // namespace

TEST(a_property_of_another_type_is_told) {
  Bench bench;
  answers.size_type = NXS_ValueType_Flt;
  read(bench, NP_Size);
  CHECK_TOLD("NXV-0409-property-type");
}

TEST(keys_that_are_not_answered_and_those_that_lack_are_told) {
  {
    Bench bench;
    answers.keys.push_back(NP_Priority);
    read(bench, NP_Keys);
    CHECK_TOLD("NXV-0410-keys");
  }
  Bench bench;
  answers.keys = {NP_Name, NP_Keys};
  read(bench, NP_Size);
  CHECK_TOLD("NXV-0410-keys");
}

TEST(a_required_property_that_lacks_is_told) {
  Bench bench;
  answers.has_name = false;
  readDevice(bench, NP_Name);
  CHECK_TOLD("NXV-0411-required-property");
}

TEST(a_status_that_there_is_not_is_told) {
  Bench bench;
  answers.status = 7;
  bench.t->ReleaseEvent(bench.event);
  CHECK_TOLD("NXV-0412-status");
}

TEST(a_failure_without_a_reason_is_told) {
  Bench bench;
  answers.status = NXS_OutOfResources;
  answers.silent = true;
  bench.t->ReleaseEvent(bench.event);
  CHECK_TOLD("NXV-0413-no-reason");
}

TEST(a_time_that_is_none_is_told) {
  Bench bench;
  nxs_id timed = 0;
  bench.t->CreateEvent(bench.device, NXS_ExecutionSettings_Timing, &timed);
  bench.t->SignalEvent(timed, bench.stream, &bench.ticket);
  answers.elapsed = std::numeric_limits<double>::quiet_NaN();
  double elapsed = 0;
  bench.t->GetElapsedTime(timed, timed, &elapsed);
  CHECK_TOLD("NXV-0414-time");
}
