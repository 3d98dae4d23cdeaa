// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <thread>

#include "objects.hpp"

using namespace objects;

namespace {

Object systemFloats(Floats values) {
  nexus_buffer_desc desc = describe(values.size() * sizeof(float), NXS_DataType_F32);
  desc.host_data = values.data();
  Object buffer;
  CHECK_OK(nexus_create_system_buffer(&desc, buffer.out()));
  return buffer;
}

Object sliceOf(nexus_buffer *buffer, uint64_t offset, uint64_t size) {
  const nexus_buffer_desc desc = describe(size, NXS_DataType_F32);
  Object slice;
  CHECK_OK(nexus_buffer_slice(buffer, offset, &desc, slice.out()));
  return slice;
}

float *addressOf(nexus_buffer *buffer) {
  void *address = nullptr;
  CHECK_OK(nexus_buffer_get_host_pointer(buffer, &address));
  return static_cast<float *>(address);
}

// y += a * x of the CPU backend.
Object saxpyCommand(nexus_schedule *schedule, nexus_device *device, nexus_buffer *x,
                    nexus_buffer *y, float a, int32_t count) {
  Object library;
  Object kernel;
  Object command;
  CHECK_OK(nexus_device_load_library_file(device, text(NEXUS_CPU_KERNELS), library.out()));
  CHECK_OK(nexus_library_get_kernel(library, text("saxpy"), kernel.out()));
  CHECK_OK(nexus_schedule_create_command(schedule, kernel, command.out()));
  CHECK_OK(nexus_command_set_buffer(command, 0, x));
  CHECK_OK(nexus_command_set_buffer(command, 1, y));
  CHECK_OK(nexus_command_set_scalar(command, 2, &a, sizeof(a), NXS_DataType_F32));
  CHECK_OK(nexus_command_set_scalar(command, 3, &count, sizeof(count), NXS_DataType_I32));
  const nexus_launch_desc desc = launch(static_cast<uint64_t>(count));
  CHECK_OK(nexus_command_finalize(command, &desc));
  return command;
}

// Work in a stream that is held back until open() is called.
class Gate {
 public:
  explicit Gate(nexus_device *device) : event_(event(device)), stream_(objects::stream(device)) {
    CHECK_OK(nexus_stream_wait(stream_, event_, 1));
  }
  nexus_stream *stream() const { return stream_; }
  void open() const { CHECK_OK(nexus_event_signal(event_, 1)); }

 private:
  Object event_;
  Object stream_;
};

TEST(the_host_waits_for_the_work_of_every_device) {
  const Object reference = device("reference:0");
  const Object cpu = device("cpu:0");
  const Object x = systemFloats(Floats(64, 1));
  const Object y = systemFloats(Floats(64, 0));
  const Object doubled = schedule(reference);
  const Object scale = scaleCommand(doubled, reference, x, 2, y, 64);
  const Object added = schedule(cpu);
  const Object saxpy = saxpyCommand(added, cpu, x, y, 3, 64);
  const Gate first(reference);
  const Gate second(cpu);
  CHECK_OK(run(doubled, first.stream(), kNonBlocking));
  CHECK_OK(nexus_stream_wait_stream(second.stream(), first.stream()));
  CHECK_OK(run(added, second.stream(), kNonBlocking));
  std::thread opens([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    second.open();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    first.open();
  });
  CHECK_EQUAL(5.0F, addressOf(y)[63]);
  opens.join();
}

std::atomic<int> checks{0};

TEST(the_hosts_wait_for_a_system_buffer_can_be_interrupted) {
  const Object on = device("reference:0");
  const Object x = systemFloats({1});
  const Object y = systemFloats({0});
  const Object once = schedule(on);
  const Object command = scaleCommand(once, on, x, 2, y, 1);
  const Gate gate(on);
  CHECK_OK(run(once, gate.stream(), kNonBlocking));
  nexus_set_interrupt_check([](void *) -> int32_t { return ++checks > 1 ? 1 : 0; }, nullptr);
  float value = 7;
  void *address = nullptr;
  CHECK_FAILS(NXS_Cancelled, nexus_buffer_copy_to_host(y, 0, &value, 4, nullptr, 1), "interrupted");
  CHECK_FAILS(NXS_Cancelled, nexus_buffer_fill(y, "x", 1, nullptr, 1), "interrupted");
  CHECK_FAILS(NXS_Cancelled, nexus_buffer_get_host_pointer(y, &address), "interrupted");
  nexus_set_interrupt_check(nullptr, nullptr);
  CHECK_EQUAL(7.0F, value);
  gate.open();
  CHECK_EQUAL(Floats{2}, contents(y));
}

TEST(copies_and_fills_of_a_stream_are_done_by_its_device) {
  for (const char *name : {"reference:0", "cpu:0"}) {
    const Object on = device(name);
    const Object buffer = systemFloats(Floats(32, 1));
    const Object other = systemFloats(Floats(32, 0));
    const Object own = floats(on, Floats(32, 5));
    const Gate gate(on);
    const float two = 2;
    Floats out(32, 0);
    CHECK_OK(nexus_buffer_fill(buffer, &two, sizeof(two), gate.stream(), 0));
    CHECK_OK(nexus_buffer_copy_to_buffer(buffer, other, gate.stream(), 0));
    CHECK_OK(nexus_buffer_copy_to_buffer(own, buffer, gate.stream(), 0));
    CHECK_OK(nexus_buffer_copy_to_host(buffer, 0, out.data(), 128, gate.stream(), 0));
    gate.open();
    CHECK_EQUAL(Floats(32, 2), contents(other));
    CHECK_EQUAL(Floats(32, 5), contents(buffer));
    CHECK_EQUAL(Floats(32, 5), out);
    CHECK_OK(nexus_buffer_copy_from_host(buffer, 0, &two, 4, gate.stream(), 1));
    CHECK_EQUAL(2.0F, contents(buffer).at(0));
  }
}

TEST(copies_of_a_system_buffer_are_checked_like_others) {
  const Object on = device("reference:0");
  const Object cpu = device("cpu:0");
  const Object buffer = systemFloats({1, 2, 3, 4});
  const Object own = floats(on, {3, 4});
  const Object elsewhere = stream(cpu);
  float value = 0;
  CHECK_FAILS(NXS_InvalidValue, nexus_buffer_copy_to_host(buffer, 13, &value, 4, nullptr, 1),
              "offset is 13", "16");
  CHECK_FAILS(NXS_InvalidHostPtr, nexus_buffer_copy_to_host(buffer, 0, nullptr, 4, nullptr, 1),
              "host is NULL");
  CHECK_FAILS(NXS_InvalidValue, nexus_buffer_copy_to_buffer(buffer, own, nullptr, 1), "16", "8");
  const Object half = sliceOf(buffer, 0, 8);
  CHECK_FAILS(NXS_InvalidDevice, nexus_buffer_copy_to_buffer(half, own, elsewhere, 1), "cpu:0",
              "reference:0");
  const Object overlapping = sliceOf(buffer, 4, 8);
  CHECK_FAILS(NXS_MemCopyOverlap, nexus_buffer_copy_to_buffer(half, overlapping, nullptr, 1),
              "overlap");
  const Object beside = sliceOf(buffer, 8, 8);
  CHECK_OK(nexus_buffer_copy_to_buffer(half, beside, nullptr, 1));
  CHECK_EQUAL((Floats{1, 2, 1, 2}), contents(buffer));
  CHECK_FAILS(NXS_InvalidValue, nexus_buffer_fill(buffer, "abc", 3, nullptr, 1), "pattern_size");
}

TEST(copies_and_fills_of_a_schedule_take_system_buffers) {
  for (const char *name : {"reference:0", "cpu:0"}) {
    const Object on = device(name);
    Object buffer = systemFloats({0, 0});
    const Object own = floats(on, {3, 4});
    const Object other = systemFloats({0, 0});
    const Object once = schedule(on);
    const float nine = 9;
    Object command;
    CHECK_OK(nexus_schedule_create_copy_command(once, buffer, own, command.out()));
    CHECK_OK(nexus_schedule_create_fill_command(once, own, &nine, sizeof(nine), command.out()));
    CHECK_OK(nexus_schedule_create_copy_command(once, other, buffer, command.out()));
    const Gate gate(on);
    CHECK_OK(run(once, gate.stream(), kNonBlocking));
    buffer.reset();  // the schedule keeps it
    gate.open();
    CHECK_EQUAL((Floats{3, 4}), contents(other));
    CHECK_EQUAL((Floats{9, 9}), contents(own));
  }
}

}  // namespace
