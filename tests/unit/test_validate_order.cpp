// SPDX-License-Identifier: Apache-2.0
//
// The layer `validate`: work that uses the same memory.
#include "validating.hpp"

using namespace validating;

// ---- Use of memory ---------------------------------------------------------------

TEST(writes_of_two_streams_without_order_are_told) {
  Bench bench;
  bench.fill(bench.stream, bench.range());
  bench.fill(bench.other, bench.range(512, 4));
  CHECK_TOLD("NXV-0301-hazard");
}

TEST(work_on_other_bytes_is_no_hazard) {
  Bench bench;
  bench.fill(bench.stream, bench.range(0, 512));
  bench.fill(bench.other, bench.range(512, 512));
  CHECK_SILENT();
}

TEST(work_in_one_stream_is_no_hazard) {
  Bench bench;
  bench.fill(bench.stream, bench.range());
  bench.fill(bench.stream, bench.range());
  CHECK_SILENT();
}

TEST(a_wait_of_the_host_orders) {
  Bench bench;
  bench.fill(bench.stream, bench.range());
  bench.query(bench.stream, bench.ticket);
  bench.fill(bench.other, bench.range());
  CHECK_SILENT();
}

TEST(what_a_stream_waited_for_is_done_when_its_later_work_is) {
  Bench bench;
  bench.fill(bench.stream, bench.range());
  bench.t->SignalEvent(bench.event, bench.stream, &bench.ticket);
  bench.t->WaitEvent(bench.event, bench.other, &bench.ticket);
  bench.query(bench.other, bench.ticket);
  nxs_id third = 0;
  bench.t->CreateStream(bench.device, 0, &third);
  bench.fill(third, bench.range());
  CHECK_SILENT();
}

TEST(an_event_of_before_the_work_does_not_order) {
  Bench bench;
  bench.t->SignalEvent(bench.event, bench.stream, &bench.ticket);
  bench.fill(bench.stream, bench.range());
  bench.t->WaitEvent(bench.event, bench.other, &bench.ticket);
  bench.fill(bench.other, bench.range());
  CHECK_TOLD("NXV-0301-hazard");
}

TEST(a_kernel_that_writes_and_a_copy_are_told) {
  Bench bench;
  bench.record();
  bench.run(bench.stream);
  char host[64];
  bench.t->CopyBuffer(bench.buffer, 0, host, 64, bench.other, &bench.ticket);
  CHECK_TOLD("NXV-0301-hazard");
}

TEST(a_kernel_that_reads_and_a_copy_are_no_hazard) {
  Bench bench;
  answers.declaration = "const float *";
  const nxs_string name{"read", 4};
  bench.t->GetKernel(bench.library, &name, &bench.kernel);
  bench.record();
  bench.run(bench.stream);
  char host[64];
  bench.t->CopyBuffer(bench.buffer, 0, host, 64, bench.other, &bench.ticket);
  CHECK_SILENT();
}

TEST(runs_of_one_schedule_in_two_streams_are_no_hazard) {
  Bench bench;
  bench.record();
  bench.run(bench.stream);
  bench.run(bench.other);
  CHECK_SILENT();
}

TEST(kernels_that_do_not_say_what_they_write_are_information_only) {
  Bench bench(0);
  bench.record();
  bench.run(bench.stream);
  bench.t->CreateSchedule(bench.device, &bench.schedule);
  bench.record();
  bench.run(bench.other);
  CHECK_SILENT();
  CHECK_EQUAL(std::string("NXV-0303-possible-hazard"), only(noted));
}

TEST(a_copy_from_host_memory_that_a_copy_still_fills_is_told) {
  Bench bench;
  char host[64];
  bench.t->CopyBuffer(bench.buffer, 0, host, 64, bench.stream, &bench.ticket);
  bench.t->WriteBuffer(bench.buffer, 0, host + 60, 4, bench.stream, &bench.ticket);
  CHECK_TOLD("NXV-0302-host-memory");
}

TEST(copies_in_turn_with_other_host_memory_are_no_hazard) {
  Bench bench;
  char host[64];
  bench.t->CopyBuffer(bench.buffer, 0, host, 32, bench.stream, &bench.ticket);
  bench.t->WriteBuffer(bench.buffer, 0, host + 32, 32, bench.stream, &bench.ticket);
  CHECK_SILENT();
}
