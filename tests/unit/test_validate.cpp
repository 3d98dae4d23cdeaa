// SPDX-License-Identifier: Apache-2.0
//
// The layer `validate`: each message is provoked, and a right program has none.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <thread>

#include "check.hpp"
#include "fake_plugin.hpp"
#include "layers/layers.hpp"
#include "log.hpp"
#include "stubs.hpp"

using namespace nexus::core;
using fake::answers;

namespace {

std::set<std::string> told;   // the ids of the messages of warnings and errors
std::set<std::string> noted;  // of those that are information only

void take(void *, nxs_log_level level, nxs_string, nxs_string text) {
  const std::string line(text.data, text.size);
  (level >= NXS_LogLevel_Warning ? told : noted).insert(line.substr(0, line.find(':')));
}

const bool prepared = [] {
  setenv("NEXUS_LAYERS", "validate", 1);
  setenv("NEXUS_LOG", "info", 1);
  setLogSink(take, nullptr);
  return true;
}();

uint32_t next_tag = 100;

// Objects of a plug-in of its own, under the layer.
struct Bench {
  explicit Bench(uint64_t capabilities = NXS_Capability_ArgumentInfo) : tag(next_tag++) {
    static_cast<void>(prepared);
    answers = {};
    told.clear();
    noted.clear();
    auto *own = new nxs_functions(fake::table());
    layers::noteClaims(tag, capabilities, *own);
    fillStubs(*own);
    t = layers::stack(tag, NXS_ThreadModel_Free, own);
    t->GetDevice(NXS_ID_MAKE(NXS_ObjectType_Runtime, tag, 1, 0), 0, &device);
    buffer = makeBuffer();
    t->CreateStream(device, 0, &stream);
    t->CreateStream(device, 0, &other);
    t->CreateEvent(device, 0, &event);
    t->CreateSchedule(device, &schedule);
    t->CreateLibrary(device, "code", 4, &library);
    const nxs_string name{"scale", 5};
    t->GetKernel(library, &name, &kernel);
  }

  // What a later test finds at the same addresses is in use by nobody.
  ~Bench() {
    answers = {};
    t->ReleaseStream(stream);
    t->ReleaseStream(other);
  }
  Bench(const Bench &) = delete;
  Bench &operator=(const Bench &) = delete;

  nxs_id makeBuffer() {
    nxs_id made = 0;
    t->CreateBuffer(device, 1024, 0, nullptr, &made);
    return made;
  }

  nxs_buffer_range range(uint64_t offset = 0, uint64_t size = 1024) const {
    return {sizeof(nxs_buffer_range), buffer, offset, size};
  }

  nxs_status fill(nxs_id in, nxs_buffer_range where) {
    return t->FillBuffer(in, &where, "\0\0\0\0", 4, &ticket);
  }

  nxs_id command() {
    nxs_id made = 0;
    t->CreateCommand(schedule, kernel, &made);
    return made;
  }

  nxs_status setBuffer(nxs_id command, uint64_t offset = 0) {
    const nxs_argument argument{
        sizeof(argument), NXS_ArgumentKind_Buffer, 0, buffer, offset, nullptr, 512};
    return t->SetCommandArgument(command, 0, &argument);
  }

  nxs_status setScalar(nxs_id command, uint32_t index = 1, uint64_t size = 4) {
    const nxs_argument argument{
        sizeof(argument), NXS_ArgumentKind_Scalar, 0, 0, 0, "12345678", size};
    return t->SetCommandArgument(command, index, &argument);
  }

  nxs_status finalize(nxs_id command, uint64_t group = 8, uint64_t local = 0) {
    const nxs_launch launch{sizeof(launch), {group, 1, 1}, {64, 1, 1}, {8, 1, 1}, local};
    return t->FinalizeCommand(command, &launch);
  }

  // A schedule with one kernel command, ready to run.
  void record() {
    const nxs_id made = command();
    setBuffer(made);
    setScalar(made);
    finalize(made);
  }

  nxs_status run(nxs_id in) { return t->RunSchedule(schedule, in, 0, &ticket); }

  nxs_status query(nxs_id in, nxs_ticket asked) {
    completion = {};
    completion.struct_size = sizeof(completion);
    return t->QueryStream(in, asked, &completion);
  }

  uint32_t tag;
  const nxs_functions *t = nullptr;
  nxs_id device = 0, buffer = 0, stream = 0, other = 0, event = 0, schedule = 0, library = 0,
         kernel = 0;
  nxs_ticket ticket = 0;
  nxs_completion completion{};
};

std::string only(const std::set<std::string> &ids) {
  return ids.size() == 1
             ? *ids.begin()
             : std::to_string(ids.size()) + " ids" + (ids.empty() ? "" : ", first " + *ids.begin());
}

#define CHECK_TOLD(id) CHECK_EQUAL(std::string(id), only(told))
#define CHECK_SILENT() CHECK_EQUAL(std::string("0 ids"), only(told))

}  // namespace

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
  auto *own = new nxs_functions(fake::table());
  own->FinalizeCommand = finalizeTogether;
  fillStubs(*own);
  bench.t = layers::stack(bench.tag, NXS_ThreadModel_Free, own);
  const nxs_id command = bench.command();
  bench.setBuffer(command);
  bench.setScalar(command);
  std::thread second([&] { bench.finalize(command); });
  bench.finalize(command);
  second.join();
  CHECK_TOLD("NXV-0206-recorders");
}

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
