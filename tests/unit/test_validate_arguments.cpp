// SPDX-License-Identifier: Apache-2.0
//
// The layer `validate`: wrong arguments, and calls in a wrong order.
#include <atomic>
#include <thread>

#include "validating.hpp"

using namespace validating;

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

TEST(a_mistake_that_the_plugin_refuses_is_information_only) {
  Bench bench;
  answers.status = NXS_InvalidBuffer;
  bench.fill(bench.stream, bench.range(1000));
  CHECK_SILENT();
  CHECK_EQUAL(std::string("NXV-0107-range"), only(noted));
}

namespace {

std::atomic<int> inside{0};

nxs_status finalizeTogether(nxs_id, const nxs_launch *) {
  inside.fetch_add(1);
  while (inside < 2) std::this_thread::yield();
  return NXS_Success;
}

}  // namespace

TEST(each_mistake_of_a_caller_is_told) {
  checkEachIsTold({
      {"NXV-0101-id", [](Bench &b) { b.fill(b.event, b.range()); }},
      {"NXV-0102-dead-id",
       [](Bench &b) {
         b.t->ReleaseBuffer(b.buffer);
         b.fill(b.stream, b.range());
       }},
      {"NXV-0103-null",
       [](Bench &b) { CHECK_EQUAL(NXS_InvalidValue, b.t->CreateStream(b.device, 0, nullptr)); }},
      {"NXV-0104-struct-size",
       [](Bench &b) {
         nxs_completion completion{};
         CHECK_EQUAL(NXS_InvalidValue, b.t->QueryStream(b.stream, 0, &completion));
       }},
      {"NXV-0105-flags", [](Bench &b) { b.makeBuffer(16, 1U << 9); }},
      {"NXV-0106-enum",
       [](Bench &b) {
         const nxs_argument argument{
             sizeof(argument), NXS_ArgumentKind_Scalar, 99, 0, 0, "1234", 4};
         b.t->SetCommandArgument(b.command(), 1, &argument);
       }},
      {"NXV-0107-range", [](Bench &b) { b.fill(b.stream, b.range(1020, 8)); }},
      {"NXV-0108-overlap",
       [](Bench &b) {
         const auto to = b.range(0, 64);
         const auto from = b.range(32, 64);
         b.t->TransferBuffer(b.stream, &to, &from, &b.ticket);
       }},
      {"NXV-0109-pattern", [](Bench &b) { b.fill(b.stream, b.range(2, 8)); }},
      {"NXV-0110-buffer-size", [](Bench &b) { b.makeBuffer(0); }},
      {"NXV-0110-buffer-size", [](Bench &b) { b.makeBuffer(4097); }},
      {"NXV-0111-other-device",
       [](Bench &b) {
         nxs_id second = 0;
         b.t->GetDevice(NXS_ID_MAKE(NXS_ObjectType_Runtime, b.tag, 1, 0), 1, &second);
         nxs_id foreign = 0;
         b.t->CreateStream(second, 0, &foreign);
         b.fill(foreign, b.range());
       }},
      {"NXV-0112-argument-index", [](Bench &b) { b.setScalar(b.command(), 2); }},
      {"NXV-0113-argument-kind", [](Bench &b) { b.setScalar(b.command(), 0); }},
      {"NXV-0114-argument-size", [](Bench &b) { b.setScalar(b.command(), 1, 8); }},
      {"NXV-0115-alignment", [](Bench &b) { b.setBuffer(b.command(), 8); }},
      {"NXV-0116-launch", [](Bench &b) { b.record(65); }},
      {"NXV-0116-launch", [](Bench &b) { b.record(4); }},
      {"NXV-0117-local-memory", [](Bench &b) { b.record(8, 5000); }},
      {"NXV-0118-ticket",
       [](Bench &b) {
         answers.state = NXS_CompletionState_Running;
         b.query(b.stream, 7);
       }},
      {"NXV-0201-not-finalized",
       [](Bench &b) {
         b.command();
         b.run(b.stream);
       }},
      {"NXV-0202-never-signalled", [](Bench &b) { b.t->WaitEvent(b.event, b.stream, &b.ticket); }},
      {"NXV-0102-dead-id",
       [](Bench &b) {
         nxs_id imported = 0;
         b.t->ImportEvent(b.device, "handle", 6, &imported);
         b.t->ReleaseEvent(imported);
         b.t->WaitEvent(imported, b.stream, &b.ticket);
       }},
      {"NXV-0203-missing-argument",
       [](Bench &b) {
         const nxs_id command = b.command();
         b.setBuffer(command);
         b.finalize(command);
       }},
      {"NXV-0204-untimed",
       [](Bench &b) {
         b.t->SignalEvent(b.event, b.stream, &b.ticket);
         double elapsed = 0;
         b.t->GetElapsedTime(b.event, b.event, &elapsed);
       }},
      {"NXV-0205-mapping", [](Bench &b) { b.t->UnmapBuffer(b.stream, b.buffer, &b, &b.ticket); }},
      {"NXV-0206-recorders",
       [](Bench &b) {
         nxs_functions &own = ownTable();
         own.FinalizeCommand = finalizeTogether;
         fillStubs(own);
         b.t = layers::stack(b.tag, NXS_ThreadModel_Free, &own);
         const nxs_id command = b.command();
         b.setBuffer(command);
         b.setScalar(command);
         std::thread second([&] { b.finalize(command); });
         b.finalize(command);
         second.join();
       }},
  });
}
