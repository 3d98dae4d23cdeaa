// SPDX-License-Identifier: Apache-2.0
//
// The layer `validate`: what a plug-in answers.
#include <limits>

#include "validating.hpp"

using namespace validating;

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

TEST(a_result_that_is_not_written_is_told) {
  Bench bench;
  answers.writes = false;
  nxs_ticket kept = 17;
  const auto range = bench.range();
  bench.t->FillBuffer(bench.stream, &range, "\0\0\0\0", 4, &kept);
  CHECK(told.count("NXV-0406-not-written") == 1);
  CHECK_EQUAL(nxs_ticket{17}, kept);
}

namespace {

using Get = nxs_status (*)(nxs_id, nxs_property, nxs_value *);

void read(Get get, nxs_id object, nxs_property property) {
  int64_t data[8]{};
  nxs_value value{};
  value.struct_size = sizeof(value);
  value.data = data;
  value.capacity = sizeof(data);
  get(object, property, &value);
}

}  // namespace

TEST(each_mistake_of_a_plugin_is_told) {
  checkEachIsTold({
      {"NXV-0403-ticket-order",
       [](Bench &b) {
         b.fill(b.stream, b.range());
         answers.grows = false;
         b.fill(b.stream, b.range());
       }},
      {"NXV-0404-completion",
       [](Bench &b) {
         b.fill(b.stream, b.range());
         b.query(b.stream, b.ticket);
         answers.state = NXS_CompletionState_Running;
         b.query(b.stream, b.ticket);
       }},
      {"NXV-0404-completion",
       [](Bench &b) {
         b.fill(b.stream, b.range());
         answers.completed = 1;
         b.query(b.stream, b.ticket);
         answers.completed = 0;
         b.query(b.stream, b.ticket);
       }},
      {"NXV-0405-early-wait",
       [](Bench &b) {
         b.fill(b.stream, b.range());
         answers.state = NXS_CompletionState_Running;
         nxs_completion completion{};
         completion.struct_size = sizeof(completion);
         b.t->WaitStream(b.stream, b.ticket, 60'000'000'000, &completion);
       }},
      {"NXV-0407-written-on-failure",
       [](Bench &b) {
         answers.status = NXS_OutOfResources;
         answers.writes_on_failure = true;
         b.fill(b.stream, b.range());
       }},
      {"NXV-0408-given-id",
       [](Bench &b) {
         answers.id = b.stream;
         nxs_id made = 0;
         b.t->CreateStream(b.device, 0, &made);
       }},
      {"NXV-0409-property-type",
       [](Bench &b) {
         answers.size_type = NXS_ValueType_Flt;
         read(b.t->GetBufferProperty, b.buffer, NP_Size);
       }},
      {"NXV-0410-keys",
       [](Bench &b) {
         answers.keys.push_back(NP_Priority);
         read(b.t->GetBufferProperty, b.buffer, NP_Keys);
       }},
      {"NXV-0410-keys",
       [](Bench &b) {
         answers.keys = {NP_Name, NP_Keys};
         read(b.t->GetBufferProperty, b.buffer, NP_Size);
       }},
      {"NXV-0411-required-property",
       [](Bench &b) {
         answers.has_name = false;
         read(b.t->GetDeviceProperty, b.device, NP_Name);
       }},
      {"NXV-0412-status",
       [](Bench &b) {
         answers.status = 7;
         b.t->ReleaseEvent(b.event);
       }},
      {"NXV-0413-no-reason",
       [](Bench &b) {
         answers.status = NXS_OutOfResources;
         answers.silent = true;
         b.t->ReleaseEvent(b.event);
       }},
      {"NXV-0414-time",
       [](Bench &b) {
         nxs_id timed = 0;
         b.t->CreateEvent(b.device, NXS_ExecutionSettings_Timing, &timed);
         b.t->SignalEvent(timed, b.stream, &b.ticket);
         answers.elapsed = std::numeric_limits<double>::quiet_NaN();
         double elapsed = 0;
         b.t->GetElapsedTime(timed, timed, &elapsed);
       }},
  });
}
