// SPDX-License-Identifier: Apache-2.0
//
// That running costs libnexus no memory. The program counts the allocations of a thread; its
// plug-in is a table of functions that do nothing and allocate nothing.
#include <cstdlib>
#include <new>

#include "device/device.hpp"
#include "fake_plugin.hpp"
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

Object emptyDevice() {
  static const nxs_functions table = fake::table();
  fake::answers.completed = UINT64_MAX;
  static nexus::core::Plugin plugin;
  plugin.name = "nothing";
  plugin.device_count = 1;
  plugin.functions = &table;
  plugin.capabilities = NXS_Capability_Timing;
  plugin.generation = nexus::core::processGeneration();
  Object on;
  CHECK_OK(nexus_runtime_get_device(&nexus::core::runtimeOf(plugin), 0, on.out()));
  return on;
}

Object bufferOf(nexus_device *device) {
  const nexus_buffer_desc desc = describe(16);
  Object buffer;
  CHECK_OK(nexus_device_create_buffer(device, &desc, buffer.out()));
  return buffer;
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
  const Object buffer = bufferOf(on);
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
  const Object buffer = bufferOf(on);
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
  const Object buffer = bufferOf(on);
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
  const Object buffer = bufferOf(on);
  char values[16] = {};
  CHECK_EQUAL(0, allocationsOf([&] {
                for (int i = 0; i < 50; ++i) {
                  CHECK_OK(nexus_buffer_copy_to_host(buffer, 0, values, 16, in, 0));
                  CHECK_OK(nexus_buffer_copy_to_host(buffer, 0, values, 16, nullptr, 1));
                }
              }));
}

TEST(removed_commands_leave_nothing_behind) {
  const Object on = emptyDevice();
  Object library;
  CHECK_OK(nexus_device_load_library(on, "code", 4, library.out()));
  Object kernel;
  CHECK_OK(nexus_library_get_kernel(library, {"f", 1}, kernel.out()));
  const Object once = schedule(on);
  const auto create_and_remove = [&] {
    for (int i = 0; i < 50; ++i) {
      Object command;
      CHECK_OK(nexus_schedule_create_command(once, kernel, command.out()));
      CHECK_OK(nexus_command_remove(command));
    }
  };
  create_and_remove();
  kept = 0;
  counting = true;
  create_and_remove();
  counting = false;
  CHECK(kept < 10);
}

TEST(work_that_was_held_back_leaves_nothing_behind) {
  const Object on = emptyDevice();
  const Object in = stream(on);
  const Object counter = event(on);
  const Object buffer = bufferOf(on);
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
