// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "host/stubs.hpp"
#include "layers/calls_text.hpp"
#include "registry/layers.hpp"

using namespace nexus::core;

namespace {

constexpr uint32_t kTag = 9;
constexpr nxs_id kStream = NXS_ID_MAKE(NXS_ObjectType_Stream, kTag, 1, 4);
constexpr nxs_id kEvent = NXS_ID_MAKE(NXS_ObjectType_Event, kTag, 1, 5);
constexpr nxs_id kDevice = NXS_ID_MAKE(NXS_ObjectType_Device, kTag, 1, 0);

// A plug-in that takes one call at a time, and whose work is done when somebody signals.
std::atomic<int> calls_inside{0};
std::atomic<bool> overlapped{false};
std::atomic<bool> done{false};
std::atomic<int> queries{0};

class Inside {
 public:
  Inside() {
    if (calls_inside.fetch_add(1) != 0) overlapped = true;
  }
  ~Inside() { calls_inside.fetch_sub(1); }
};

nxs_status answer(nxs_completion *out_completion) {
  const Inside inside;
  queries.fetch_add(1);
  out_completion->state = done ? NXS_CompletionState_Completed : NXS_CompletionState_Running;
  return NXS_Success;
}

nxs_status queryStream(nxs_id, nxs_ticket, nxs_completion *out) {
  return answer(out);
}
nxs_status queryEvent(nxs_id, nxs_completion *out) {
  return answer(out);
}

nxs_status mustNotWaitStream(nxs_id, nxs_ticket, uint64_t, nxs_completion *) {
  return NXS_InternalError;
}
nxs_status mustNotWaitEvent(nxs_id, uint64_t, nxs_completion *) {
  return NXS_InternalError;
}

nxs_status createStream(nxs_id, int32_t, nxs_id *out_stream) {
  const Inside inside;
  std::this_thread::yield();
  *out_stream = kStream;
  return NXS_Success;
}

nxs_status signalEvent(nxs_id, nxs_id, nxs_ticket *) {
  const Inside inside;
  done = true;
  return NXS_Success;
}

const nxs_functions &serialized() {
  static const nxs_functions *const table = [] {
    auto *own = new nxs_functions{};
    own->QueryStream = queryStream;
    own->QueryEvent = queryEvent;
    own->WaitStream = mustNotWaitStream;
    own->SynchronizeEvent = mustNotWaitEvent;
    own->CreateStream = createStream;
    own->SignalEvent = signalEvent;
    fillStubs(*own);
    return layers::stack(kTag, NXS_ThreadModel_Serialized, own);
  }();
  done = false;
  overlapped = false;
  queries = 0;
  return *table;
}

}  // namespace

TEST(a_free_plugin_is_called_without_a_layer) {
  nxs_functions own{};
  CHECK(layers::stack(kTag, NXS_ThreadModel_Free, &own) == &own);
}

TEST(calls_of_a_serialized_plugin_do_not_overlap) {
  const nxs_functions &table = serialized();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int turn = 0; turn < 200; ++turn) {
        nxs_id stream = 0;
        table.CreateStream(kDevice, 0, &stream);
      }
    });
  }
  for (std::thread &thread : threads) thread.join();
  CHECK(!overlapped);
}

TEST(a_wait_lets_others_call) {
  for (const bool for_event : {false, true}) {
    const nxs_functions &table = serialized();
    nxs_completion completion{};
    std::thread waiting([&] {
      CHECK_EQUAL(NXS_Success, for_event ? table.SynchronizeEvent(kEvent, UINT64_MAX, &completion)
                                         : table.WaitStream(kStream, 1, UINT64_MAX, &completion));
    });
    while (queries == 0) std::this_thread::yield();
    nxs_ticket ticket = 0;
    CHECK_EQUAL(NXS_Success, table.SignalEvent(kEvent, kStream, &ticket));  // ends the wait
    waiting.join();
    CHECK_EQUAL(NXS_CompletionState_Completed, completion.state);
    CHECK(!overlapped);
  }
}

TEST(a_wait_that_runs_out_answers_running) {
  const nxs_functions &table = serialized();
  nxs_completion completion{};
  CHECK_EQUAL(NXS_Success, table.WaitStream(kStream, 1, 0, &completion));
  CHECK_EQUAL(NXS_CompletionState_Running, completion.state);
  CHECK_EQUAL(NXS_Success, table.WaitStream(kStream, 1, 3'000'000, &completion));
  CHECK_EQUAL(NXS_CompletionState_Running, completion.state);
}

TEST(a_missing_optional_function_says_so) {
  nxs_functions own{};
  fillStubs(own);
  void *pointer = nullptr;
  nxs_ticket ticket = 0;
  CHECK_EQUAL(NXS_NotSupported, own.MapBuffer(kStream, nullptr, 0, &pointer, &ticket));
  CHECK_EQUAL("The plug-in has no nxsMapBuffer, which is an optional function.",
              findErrorRecord(threadErrorRecord())->text);
}

TEST(a_stub_takes_any_first_argument) {
  nxs_functions own{};
  fillStubs(own);
  double elapsed = 0;
  for (const nxs_id id : {nxs_id{0}, nxs_id{-1}, INT64_MAX}) {
    CHECK_EQUAL(NXS_NotSupported, own.GetElapsedTime(id, id, &elapsed));
  }
}

TEST(a_layer_refuses_an_id_of_no_plugin) {
  nxs_id stream = 0;
  for (const nxs_id id : {nxs_id{0}, nxs_id{-1}}) {
    CHECK_EQUAL(NXS_InvalidObject, serialized().CreateStream(id, 0, &stream));
  }
}

namespace {

std::string shown(const char *type, auto value) {
  std::string line;
  layers::ShownArgument(value).put(line, layers::Parameter{type, "name", false});
  return line;
}

}  // namespace

TEST(arguments_are_shown_by_their_types) {
  CHECK_EQUAL("event#5.1", shown("nxs_id", kEvent));
  CHECK_EQUAL("none", shown("nxs_id", nxs_id{0}));
  CHECK_EQUAL("0xffffffffffffffff", shown("nxs_id", nxs_id{-1}));
  CHECK_EQUAL("OnDevice|Maintain",
              shown("nxs_buffer_settings",
                    uint64_t{NXS_BufferSettings_OnDevice | NXS_BufferSettings_Maintain}));
  CHECK_EQUAL("NonBlocking|0x100",
              shown("nxs_execution_settings", uint64_t{NXS_ExecutionSettings_NonBlocking | 256}));
  CHECK_EQUAL("0", shown("nxs_map_access", uint64_t{0}));
  CHECK_EQUAL("4096", shown("uint64_t", uint64_t{4096}));
  CHECK_EQUAL("Vendor", shown("nxs_property", nxs_property{NP_Vendor}));
  CHECK_EQUAL("99999", shown("nxs_property", nxs_property{99999}));
  CHECK_EQUAL("-3", shown("int32_t", int32_t{-3}));
  const nxs_string quoted{"a\"b", 3};
  const nxs_string empty{nullptr, 0};
  CHECK_EQUAL("\"a\\\"b\"", shown("const nxs_string *", &quoted));
  CHECK_EQUAL("\"\"", shown("const nxs_string *", &empty));
  CHECK_EQUAL("NULL", shown("const nxs_string *", static_cast<const nxs_string *>(nullptr)));
  CHECK_EQUAL("NULL", shown("const void *", static_cast<const void *>(nullptr)));
}

TEST(structs_are_shown_by_what_they_hold) {
  const float scalar = 1.0F;
  nxs_argument argument{};
  argument.kind = NXS_ArgumentKind_Scalar;
  argument.data_type = NXS_DataType_F32;
  argument.data = &scalar;
  argument.size = sizeof(scalar);
  CHECK_EQUAL("{Scalar F32 0000803f, size=4}",
              shown("", static_cast<const nxs_argument *>(&argument)));
  argument = {};
  argument.buffer = NXS_ID_MAKE(NXS_ObjectType_Buffer, kTag, 2, 3);
  argument.size = 64;
  CHECK_EQUAL("{Buffer buffer#3.2, offset=0, size=64}",
              shown("", static_cast<const nxs_argument *>(&argument)));
  nxs_launch launch{sizeof(nxs_launch), {64, 1, 1}, {1000, 1, 1}, {16, 1, 1}, 0, 0, {}};
  CHECK_EQUAL(
      "{group_size=[64, 1, 1], grid_size=[1000, 1, 1], group_count=[16, 1, 1], local_memory=0}",
      shown("", static_cast<const nxs_launch *>(&launch)));
  launch.flags = NXS_LaunchFlags_Cooperative;
  launch.cluster_size[0] = launch.cluster_size[1] = launch.cluster_size[2] = 2;
  const std::string text = shown("", static_cast<const nxs_launch *>(&launch));
  CHECK(text.ends_with(", flags=Cooperative, cluster_size=[2, 2, 2]}"));
  int64_t number = -7;
  nxs_value value{sizeof(nxs_value), NXS_ValueType_Int, 0, &number, 8, 8};
  CHECK_EQUAL("-7", shown("", &value));
  value.size = 9;
  CHECK_EQUAL("(needs 9 bytes, has room for 8)", shown("", &value));
  nxs_completion completion{};
  completion.state = NXS_CompletionState_Failed;
  completion.status = NXS_DeviceLost;
  completion.error = makeErrorRecord(kTag, 0, "gone");
  CHECK_EQUAL("{Failed, completed=0, NXS_DeviceLost: \"gone\"}", shown("", &completion));
}
