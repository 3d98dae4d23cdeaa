// SPDX-License-Identifier: Apache-2.0
//
// The layer `validate`: wrong arguments, and calls in a wrong order.
#include <atomic>
#include <thread>

#include "validating.hpp"

using namespace validating;

// ---- A right program -------------------------------------------------------------

TEST(a_right_program_has_no_message) {
  Bench bench;
  bench.record();
  bench.run(bench.stream);
  bench.t->SignalEvent(bench.event, bench.stream, &bench.ticket);
  bench.t->WaitEvent(bench.event, bench.other, &bench.ticket);
  bench.fill(bench.other, bench.range());
  bench.query(bench.other, bench.ticket);
  bench.t->ReleaseSchedule(bench.schedule);
  bench.t->ReleaseBuffer(bench.buffer);
  CHECK_SILENT();
  CHECK(noted.empty());
}

// ---- Arguments -------------------------------------------------------------------

TEST(an_id_of_another_type_is_told) {
  Bench bench;
  bench.fill(bench.event, bench.range());
  CHECK_TOLD("NXV-0101-id");
}

TEST(a_stale_id_is_told) {
  Bench bench;
  bench.t->ReleaseBuffer(bench.buffer);
  bench.fill(bench.stream, bench.range());
  CHECK_TOLD("NXV-0102-dead-id");
}

TEST(a_mistake_that_the_plugin_refuses_is_information_only) {
  Bench bench;
  answers.status = NXS_InvalidBuffer;
  auto wrong = bench.range(1000);
  bench.fill(bench.stream, wrong);
  CHECK_SILENT();
  CHECK_EQUAL(std::string("NXV-0107-range"), only(noted));
}

TEST(a_null_pointer_is_told_and_the_call_is_not_made) {
  Bench bench;
  CHECK_EQUAL(NXS_InvalidValue, bench.t->CreateStream(bench.device, 0, nullptr));
  CHECK_TOLD("NXV-0103-null");
}

TEST(a_small_struct_size_is_told_and_the_call_is_not_made) {
  Bench bench;
  nxs_completion completion{};
  CHECK_EQUAL(NXS_InvalidValue, bench.t->QueryStream(bench.stream, 0, &completion));
  CHECK_TOLD("NXV-0104-struct-size");
}

TEST(bits_that_do_not_exist_are_told) {
  Bench bench;
  nxs_id made = 0;
  bench.t->CreateBuffer(bench.device, 16, 1U << 9, nullptr, &made);
  CHECK_TOLD("NXV-0105-flags");
}

TEST(a_number_of_no_enumeration_is_told) {
  Bench bench;
  const nxs_argument argument{sizeof(argument), NXS_ArgumentKind_Scalar, 99, 0, 0, "1234", 4};
  bench.t->SetCommandArgument(bench.command(), 1, &argument);
  CHECK_TOLD("NXV-0106-enum");
}

TEST(a_range_outside_its_buffer_is_told) {
  Bench bench;
  bench.fill(bench.stream, bench.range(1020, 8));
  CHECK_TOLD("NXV-0107-range");
}

TEST(a_copy_onto_itself_is_told) {
  Bench bench;
  const auto to = bench.range(0, 64);
  const auto from = bench.range(32, 64);
  bench.t->TransferBuffer(bench.stream, &to, &from, &bench.ticket);
  CHECK_TOLD("NXV-0108-overlap");
}

TEST(a_pattern_that_does_not_divide_is_told) {
  Bench bench;
  bench.fill(bench.stream, bench.range(2, 8));
  CHECK_TOLD("NXV-0109-pattern");
}

TEST(a_buffer_of_an_impossible_size_is_told) {
  for (const uint64_t size : {uint64_t{0}, uint64_t{4097}}) {
    Bench bench;
    nxs_id made = 0;
    bench.t->CreateBuffer(bench.device, size, 0, nullptr, &made);
    CHECK_TOLD("NXV-0110-buffer-size");
  }
}

TEST(objects_of_two_devices_are_told) {
  Bench bench;
  nxs_id second = 0;
  bench.t->GetDevice(NXS_ID_MAKE(NXS_ObjectType_Runtime, bench.tag, 1, 0), 1, &second);
  nxs_id foreign = 0;
  bench.t->CreateStream(second, 0, &foreign);
  bench.fill(foreign, bench.range());
  CHECK_TOLD("NXV-0111-other-device");
}

TEST(arguments_that_the_kernel_has_not_are_told) {
  Bench bench;
  bench.setScalar(bench.command(), 2);
  CHECK_TOLD("NXV-0112-argument-index");
}

TEST(an_argument_of_another_kind_is_told) {
  Bench bench;
  bench.setScalar(bench.command(), 0);
  CHECK_TOLD("NXV-0113-argument-kind");
}

TEST(a_scalar_of_another_size_is_told) {
  Bench bench;
  bench.setScalar(bench.command(), 1, 8);
  CHECK_TOLD("NXV-0114-argument-size");
}

TEST(a_misaligned_argument_is_told) {
  Bench bench;
  bench.setBuffer(bench.command(), 8);
  CHECK_TOLD("NXV-0115-alignment");
}

TEST(a_group_beyond_the_limit_or_too_few_groups_are_told) {
  for (const uint64_t group : {uint64_t{65}, uint64_t{4}}) {
    Bench bench;
    const nxs_id command = bench.command();
    bench.setBuffer(command);
    bench.setScalar(command);
    bench.finalize(command, group);
    CHECK_TOLD("NXV-0116-launch");
  }
}

TEST(too_much_local_memory_is_told) {
  Bench bench;
  const nxs_id command = bench.command();
  bench.setBuffer(command);
  bench.setScalar(command);
  bench.finalize(command, 8, 5000);
  CHECK_TOLD("NXV-0117-local-memory");
}

TEST(a_ticket_that_was_never_given_is_told) {
  Bench bench;
  answers.state = NXS_CompletionState_Running;
  bench.query(bench.stream, 7);
  CHECK_TOLD("NXV-0118-ticket");
}

// ---- Order of calls --------------------------------------------------------------

TEST(a_run_of_a_command_that_was_not_finalized_is_told) {
  Bench bench;
  bench.command();
  bench.run(bench.stream);
  CHECK_TOLD("NXV-0201-not-finalized");
}

TEST(a_wait_for_an_event_that_nobody_signalled_is_told) {
  Bench bench;
  bench.t->WaitEvent(bench.event, bench.stream, &bench.ticket);
  CHECK_TOLD("NXV-0202-never-signalled");
}

TEST(an_event_of_another_process_may_be_waited_for_whoever_signals_it) {
  Bench bench;
  nxs_id imported = 0;
  bench.t->ImportEvent(bench.device, "handle", 6, &imported);
  bench.t->WaitEvent(imported, bench.stream, &bench.ticket);
  nxs_completion completion{};
  completion.struct_size = sizeof(completion);
  bench.t->QueryEvent(imported, &completion);
  CHECK_SILENT();
}

TEST(an_event_of_another_process_that_was_released_is_told) {
  Bench bench;
  nxs_id imported = 0;
  bench.t->ImportEvent(bench.device, "handle", 6, &imported);
  bench.t->ReleaseEvent(imported);
  bench.t->WaitEvent(imported, bench.stream, &bench.ticket);
  CHECK_TOLD("NXV-0102-dead-id");
}

TEST(a_missing_argument_is_told) {
  Bench bench;
  const nxs_id command = bench.command();
  bench.setBuffer(command);
  bench.finalize(command);
  CHECK_TOLD("NXV-0203-missing-argument");
}

TEST(the_time_of_an_event_without_timing_is_told) {
  Bench bench;
  bench.t->SignalEvent(bench.event, bench.stream, &bench.ticket);
  double elapsed = 0;
  bench.t->GetElapsedTime(bench.event, bench.event, &elapsed);
  CHECK_TOLD("NXV-0204-untimed");
}

TEST(the_end_of_no_mapping_is_told) {
  Bench bench;
  bench.t->UnmapBuffer(bench.stream, bench.buffer, &bench, &bench.ticket);
  CHECK_TOLD("NXV-0205-mapping");
}

namespace {

std::atomic<int> inside{0};

nxs_status finalizeTogether(nxs_id, const nxs_launch *) {
  inside.fetch_add(1);
  while (inside < 2) std::this_thread::yield();
  return NXS_Success;
}

}  // namespace

TEST(two_threads_that_record_one_schedule_are_told) {
  Bench bench;
  nxs_functions &own = ownTable();
  own.FinalizeCommand = finalizeTogether;
  fillStubs(own);
  bench.t = layers::stack(bench.tag, NXS_ThreadModel_Free, &own);
  const nxs_id command = bench.command();
  bench.setBuffer(command);
  bench.setScalar(command);
  std::thread second([&] { bench.finalize(command); });
  bench.finalize(command);
  second.join();
  CHECK_TOLD("NXV-0206-recorders");
}
