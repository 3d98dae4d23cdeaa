// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <thread>

#include "objects.hpp"

using namespace objects;

namespace {

using Floats = std::vector<float>;

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

TEST(a_system_buffer_is_whole_pages_of_no_device) {
  const Object buffer = systemFloats({1, 2, 3});
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  CHECK_EQUAL(std::uintptr_t{0}, reinterpret_cast<std::uintptr_t>(addressOf(buffer)) % page);
  CHECK_EQUAL(3.0F, addressOf(buffer)[2]);
  Object none = event(device("reference:0"));
  CHECK_OK(nexus_buffer_get_device(buffer, none.out()));
  CHECK(none.get() == nullptr);
  CHECK_EQUAL(nxs_id{0}, nexus_object_get_id(buffer));
  CHECK_EQUAL(std::vector<int64_t>{12}, propertyNumbers(buffer, {"Size"}));
  CHECK_EQUAL(std::vector<int64_t>{3}, propertyNumbers(buffer, {"Shape"}));
  CHECK_EQUAL(std::string("float32"), propertyText(buffer, {"DataType"}));
  CHECK_FAILS(NXS_InvalidProperty, property(buffer, {"Vendor"}).status, "Vendor");
  for (const int64_t key : propertyNumbers(buffer, {"Keys"})) {
    CHECK_OK(property(buffer, {key}).status);
  }
}

TEST(one_system_buffer_goes_through_the_kernels_of_two_backends) {
  const Object reference = device("reference:0");
  const Object cpu = device("cpu:0");
  const Object x = systemFloats(Floats(256, 1));
  const Object y = systemFloats(Floats(256, 0));
  const Object doubled = schedule(reference);
  const Object scale = scaleCommand(doubled, reference, x, 2, y, 256);
  const Object added = schedule(cpu);
  const Object saxpy = saxpyCommand(added, cpu, x, y, 10, 256);
  for (int i = 0; i < 3; ++i) {
    CHECK_OK(run(doubled));
    CHECK_OK(run(added));
    CHECK_EQUAL(Floats(256, 12), contents(y));
  }
  CHECK_EQUAL(12.0F, addressOf(y)[255]);
}

TEST(a_command_names_its_system_buffers_by_their_ids) {
  const Object on = device("reference:0");
  const Object x = systemFloats({1});
  const Object y = systemFloats({0});
  const Object once = schedule(on);
  const Object command = scaleCommand(once, on, x, 2, y, 1);
  const std::vector<int64_t> ids = propertyNumbers(command, {"Arguments"});
  CHECK_EQUAL(propertyNumbers(x, {"ID"}).at(0), ids.at(0));
  CHECK_EQUAL(propertyNumbers(y, {"ID"}).at(0), ids.at(2));
  CHECK(ids.at(0) != ids.at(2) && ids.at(0) != 0);
}

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

TEST(without_a_stream_the_host_copies_and_fills) {
  const Object on = device("reference:0");
  const Object buffer = systemFloats({1, 2, 3, 4});
  const Object other = systemFloats({0, 0, 0, 0});
  const Object own = floats(on, {5, 6, 7, 8});
  const float given[] = {20, 30};
  CHECK_OK(nexus_buffer_copy_from_host(buffer, 4, given, 8, nullptr, 1));
  CHECK_EQUAL((Floats{1, 20, 30, 4}), contents(buffer));
  CHECK_OK(nexus_buffer_copy_to_buffer(buffer, other, nullptr, 1));
  CHECK_EQUAL((Floats{1, 20, 30, 4}), contents(other));
  CHECK_OK(nexus_buffer_copy_to_buffer(own, buffer, nullptr, 1));
  CHECK_EQUAL((Floats{5, 6, 7, 8}), contents(buffer));
  CHECK_OK(nexus_buffer_copy_to_buffer(other, own, nullptr, 1));
  CHECK_EQUAL((Floats{1, 20, 30, 4}), contents(own));
  const double pattern = 0;
  CHECK_OK(nexus_buffer_fill(buffer, &pattern, sizeof(pattern), nullptr, 1));
  CHECK_EQUAL((Floats{0, 0, 0, 0}), contents(buffer));
  CHECK_OK(nexus_buffer_copy_to_host(buffer, 16, nullptr, 0, nullptr, 1));
}

TEST(what_the_host_does_it_does_in_the_call) {
  const Object on = device("reference:0");
  const Object buffer = systemFloats({1, 2});
  const Object own = floats(on, {3, 4});
  float value = 0;
  CHECK_FAILS(NXS_InvalidValue, nexus_buffer_copy_to_host(buffer, 0, &value, 4, nullptr, 0),
              "blocking is 0", "stream");
  CHECK_FAILS(NXS_InvalidValue, nexus_buffer_copy_from_host(buffer, 0, &value, 4, nullptr, 0),
              "blocking is 0");
  CHECK_FAILS(NXS_InvalidValue, nexus_buffer_copy_to_buffer(buffer, own, nullptr, 0),
              "blocking is 0");
  CHECK_FAILS(NXS_InvalidValue, nexus_buffer_copy_to_buffer(own, buffer, nullptr, 0),
              "blocking is 0");
  CHECK_FAILS(NXS_InvalidValue, nexus_buffer_fill(buffer, "x", 1, nullptr, 0), "blocking is 0");
  CHECK_EQUAL((Floats{1, 2}), contents(buffer));
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

TEST(slices_of_a_system_buffer_are_arguments_too) {
  const Object on = device("cpu:0");
  const Object buffer = systemFloats({1, 2, 3, 4, 0, 0, 0, 0});
  const Object x = sliceOf(buffer, 8, 8);
  const Object y = sliceOf(buffer, 24, 8);
  const Object once = schedule(on);
  const Object command = saxpyCommand(once, on, x, y, 2, 2);
  CHECK_OK(run(once));
  CHECK_EQUAL((Floats{1, 2, 3, 4, 0, 0, 6, 8}), contents(buffer));
  CHECK_EQUAL(6.0F, addressOf(y)[0]);
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

TEST(a_system_buffer_may_go_while_work_uses_it) {
  const Object on = device("cpu:0");
  const Object out = floats(on, Floats(1024, 0));
  const Gate gate(on);
  for (int i = 0; i < 16; ++i) {
    const Object buffer = systemFloats(Floats(1024, static_cast<float>(i)));
    CHECK_OK(nexus_buffer_copy_to_buffer(buffer, out, gate.stream(), 0));
    if (i % 2 == 0) CHECK_OK(nexus_close(buffer));
  }
  gate.open();
  CHECK_EQUAL(Floats(1024, 15), contents(out));
}

TEST(a_closed_system_buffer_refuses_use) {
  const Object buffer = systemFloats({1});
  float value = 0;
  CHECK_OK(nexus_close(buffer));
  CHECK_FAILS(NXS_InvalidBuffer, nexus_buffer_copy_to_host(buffer, 0, &value, 4, nullptr, 1),
              "closed");
}

TEST(a_system_buffer_takes_no_settings_and_a_size_that_there_is) {
  Object buffer;
  nexus_buffer_desc desc = describe(16);
  desc.settings = NXS_BufferSettings_OnHost;
  CHECK_FAILS(NXS_InvalidValue, nexus_create_system_buffer(&desc, buffer.out()), "settings");
  desc = describe(UINT64_MAX);
  CHECK_FAILS(NXS_InvalidBufferSize, nexus_create_system_buffer(&desc, buffer.out()),
              "18446744073709551615");
  CHECK_FAILS(NXS_InvalidValue, nexus_create_system_buffer(nullptr, buffer.out()), "desc");
}

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
uint64_t residentPages() {
  uint64_t size = 0;
  uint64_t resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident;
}

TEST(the_memory_is_freed_when_nothing_uses_it) {
  const Object on = device("cpu:0");
  constexpr uint64_t kBytes = uint64_t{8} << 20;
  const Object out = floats(on, Floats(kBytes / 4, 0));
  const auto round = [&] {
    const Object buffer = systemFloats(Floats(kBytes / 4, 1));
    CHECK_OK(nexus_buffer_copy_to_buffer(buffer, out, stream(on), 0));
  };
  for (int i = 0; i < 4; ++i) round();
  CHECK_OK(nexus_device_synchronize(on, NEXUS_FOREVER));
  const uint64_t before = residentPages();
  for (int i = 0; i < 32; ++i) round();
  CHECK_OK(nexus_device_synchronize(on, NEXUS_FOREVER));
  const uint64_t after = residentPages();
  // 256 MiB went through; a quarter of that would be a leak of every fourth.
  CHECK(after < before + (uint64_t{64} << 20) / static_cast<uint64_t>(sysconf(_SC_PAGESIZE)));
}
#endif

}  // namespace
