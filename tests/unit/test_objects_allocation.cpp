// SPDX-License-Identifier: Apache-2.0
//
// That running costs libnexus no memory. The program counts the allocations of a thread; its
// plug-in is a table of functions that do nothing and allocate nothing.
#include <cstdlib>
#include <new>

#include "device/runtime.hpp"
#include "objects.hpp"
#include "registry/plugin.hpp"

using namespace objects;

namespace {

thread_local bool counting = false;
thread_local int allocations = 0;
thread_local int kept = 0;  // allocations of this thread that it has not freed

}  // namespace

void *operator new(std::size_t size) {
  allocations += counting ? 1 : 0;
  kept += counting ? 1 : 0;
  if (void *memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void *operator new(std::size_t size, const std::nothrow_t &) noexcept {
  allocations += counting ? 1 : 0;
  kept += counting ? 1 : 0;
  return std::malloc(size);
}
void operator delete(void *memory) noexcept {
  kept -= counting && memory != nullptr ? 1 : 0;
  std::free(memory);
}
void operator delete(void *memory, std::size_t) noexcept {
  operator delete(memory);
}

namespace {

nxs_id nextId() {
  static nxs_id id = 0;
  return ++id;
}

nxs_ticket nextTicket() {
  static nxs_ticket ticket = 0;
  return ++ticket;
}

nxs_status make(nxs_id, nxs_id *out) {
  *out = nextId();
  return NXS_Success;
}

nxs_status answerNothing(nxs_id, nxs_property, nxs_value *out) {
  const int64_t one = 1;  // a runtime's number of devices, and whatever else is asked for
  out->type = NXS_ValueType_Int;
  out->size = sizeof(one);
  std::memcpy(out->data, &one, sizeof(one));
  return NXS_Success;
}

nxs_status completed(nxs_ticket ticket, nxs_completion *out) {
  out->state = NXS_CompletionState_Completed;
  out->completed = ticket;
  return NXS_Success;
}

nxs_functions functionsThatDoNothing() {
  nxs_functions table{};
  table.GetRuntimeProperty = answerNothing;
  table.GetDeviceProperty = answerNothing;
  table.GetDevice = [](nxs_id, uint32_t, nxs_id *out) -> nxs_status {
    *out = NXS_ID_MAKE(NXS_ObjectType_Device, 0, 1, 0);
    return NXS_Success;
  };
  table.CreateStream = [](nxs_id, int32_t, nxs_id *out) { return make(0, out); };
  table.CreateEvent = [](nxs_id, nxs_execution_settings, nxs_id *out) { return make(0, out); };
  table.CreateSchedule = make;
  table.CreateBuffer = [](nxs_id, uint64_t, nxs_buffer_settings, void *, nxs_id *out) {
    return make(0, out);
  };
  table.CreateFillCommand = [](nxs_id, const nxs_buffer_range *, const void *, uint64_t,
                               nxs_id *out) { return make(0, out); };
  const auto release = [](nxs_id) -> nxs_status { return NXS_Success; };
  table.ReleaseStream = table.ReleaseEvent = table.ReleaseSchedule = release;
  table.ReleaseBuffer = table.ReleaseLibrary = table.ReleaseKernel = release;
  table.ReleaseCommand = release;
  table.CreateLibrary = [](nxs_id, const void *, uint64_t, nxs_id *out) { return make(0, out); };
  table.GetKernel = [](nxs_id, const nxs_string *, nxs_id *out) { return make(0, out); };
  table.GetLibraryProperty = table.GetKernelProperty = [](nxs_id, nxs_property, nxs_value *) {
    return nxs_status{NXS_InvalidProperty};
  };
  table.CreateCommand = [](nxs_id, nxs_id, nxs_id *out) { return make(0, out); };
  table.RunSchedule = [](nxs_id, nxs_id, nxs_execution_settings, nxs_ticket *out) -> nxs_status {
    *out = nextTicket();
    return NXS_Success;
  };
  table.CopyBuffer = [](nxs_id, uint64_t, void *, uint64_t, nxs_id, nxs_ticket *out) -> nxs_status {
    *out = nextTicket();
    return NXS_Success;
  };
  table.SignalEvent = table.WaitEvent = [](nxs_id, nxs_id, nxs_ticket *out) -> nxs_status {
    *out = nextTicket();
    return NXS_Success;
  };
  table.QueryStream = [](nxs_id, nxs_ticket ticket, nxs_completion *out) {
    return completed(ticket, out);
  };
  table.WaitStream = [](nxs_id, nxs_ticket ticket, uint64_t, nxs_completion *out) {
    return completed(ticket, out);
  };
  return table;
}

Object emptyDevice() {
  static const nxs_functions table = functionsThatDoNothing();
  static nexus::core::Plugin plugin;
  plugin.name = "nothing";
  plugin.device_count = 1;
  plugin.functions = &table;
  plugin.capabilities = NXS_Capability_Timing;
  plugin.generation = nexus::core::processGeneration();
  Object on;
  CHECK_OK(nexus_runtime_get_device(nexus::core::runtimeOf(plugin), 0, on.out()));
  return on;
}

void fillCommand(nexus_schedule *schedule, nexus_buffer *buffer) {
  Object command;
  CHECK_OK(nexus_schedule_create_fill_command(schedule, buffer, "x", 1, command.out()));
}

// Allocations of this thread while body runs, once it has run before.
template <class Body>
int allocationsOf(const Body &body) {
  body();
  allocations = 0;
  counting = true;
  body();
  counting = false;
  return allocations;
}

TEST(runs_allocate_nothing) {
  const Object on = emptyDevice();
  const Object in = stream(on);
  const nexus_buffer_desc desc = describe(16);
  Object buffer;
  CHECK_OK(nexus_device_create_buffer(on, &desc, buffer.out()));
  const Object once = schedule(on);
  fillCommand(once, buffer);
  for (nexus_object *where : {in.get(), static_cast<nexus_object *>(nullptr)}) {
    for (const nxs_execution_settings settings : {kNonBlocking, nxs_execution_settings{0}}) {
      CHECK_EQUAL(0, allocationsOf([&] {
                    for (int i = 0; i < 50; ++i) CHECK_OK(run(once, where, settings));
                  }));
    }
  }
}

TEST(runs_that_signal_and_wait_allocate_nothing) {
  const Object on = emptyDevice();
  const Object in = stream(on);
  const Object counter = event(on);
  const nexus_buffer_desc desc = describe(16);
  Object buffer;
  CHECK_OK(nexus_device_create_buffer(on, &desc, buffer.out()));
  const Object once = schedule(on);
  Object command;
  fillCommand(once, buffer);
  CHECK_OK(nexus_schedule_create_signal_command(once, counter, 1, 1, command.out()));
  CHECK_OK(nexus_schedule_create_wait_command(once, counter, 1, 1, command.out()));
  fillCommand(once, buffer);
  CHECK_EQUAL(0, allocationsOf([&] {
                for (int i = 0; i < 50; ++i) CHECK_OK(run(once, in, kNonBlocking));
              }));
}

TEST(signals_with_timing_and_runs_without_allocate_nothing) {
  const Object on = emptyDevice();
  const Object in = stream(on);
  const nexus_buffer_desc desc = describe(16);
  Object buffer;
  CHECK_OK(nexus_device_create_buffer(on, &desc, buffer.out()));
  for (const nxs_event_type type : {NXS_EventType_Shared, NXS_EventType_Signal}) {
    const Object shot = event(on, type, NXS_ExecutionSettings_Timing);
    const Object once = schedule(on);
    Object command;
    fillCommand(once, buffer);
    CHECK_OK(nexus_schedule_create_signal_command(once, shot, 1, 1, command.out()));
    CHECK_EQUAL(0, allocationsOf([&] {
                  for (int i = 0; i < 50; ++i) CHECK_OK(run(once, in, kNonBlocking));
                  for (int i = 0; i < 50; ++i) {
                    CHECK_OK(run(once, in, kNonBlocking | NXS_ExecutionSettings_Timing));
                  }
                }));
  }
}

TEST(copies_to_the_host_allocate_nothing) {
  const Object on = emptyDevice();
  const Object in = stream(on);
  const nexus_buffer_desc desc = describe(16);
  Object buffer;
  CHECK_OK(nexus_device_create_buffer(on, &desc, buffer.out()));
  char values[16] = {};
  CHECK_EQUAL(0, allocationsOf([&] {
                for (int i = 0; i < 50; ++i) {
                  CHECK_OK(nexus_buffer_copy_to_host(buffer, 0, values, 16, in, 0));
                  CHECK_OK(nexus_buffer_copy_to_host(buffer, 0, values, 16, nullptr, 1));
                }
              }));
}

TEST(discarded_commands_leave_nothing_behind) {
  const Object on = emptyDevice();
  Object library;
  CHECK_OK(nexus_device_load_library(on, "code", 4, library.out()));
  Object kernel;
  CHECK_OK(nexus_library_get_kernel(library, {"f", 1}, kernel.out()));
  const Object once = schedule(on);
  const auto create_and_discard = [&] {
    for (int i = 0; i < 50; ++i) {
      Object command;
      CHECK_OK(nexus_schedule_create_command(once, kernel, command.out()));
      CHECK_OK(nexus_command_discard(command));
    }
  };
  create_and_discard();
  kept = 0;
  counting = true;
  create_and_discard();
  counting = false;
  CHECK(kept < 10);
}

TEST(work_that_was_held_back_leaves_nothing_behind) {
  const Object on = emptyDevice();
  const Object in = stream(on);
  const Object counter = event(on);
  const nexus_buffer_desc desc = describe(16);
  Object buffer;
  CHECK_OK(nexus_device_create_buffer(on, &desc, buffer.out()));
  char values[16] = {};
  uint64_t value = 0;
  const auto hold = [&] {
    for (int i = 0; i < 5000; ++i) {
      CHECK_OK(nexus_stream_wait(in, counter, ++value));
      CHECK_OK(nexus_buffer_copy_to_host(buffer, 0, values, 16, in, 0));
      CHECK_OK(nexus_event_signal(counter, value));
    }
  };
  kept = 0;
  allocationsOf(hold);
  CHECK(kept < 10);
}

}  // namespace
