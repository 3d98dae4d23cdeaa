// SPDX-License-Identifier: Apache-2.0
#include <nexus.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include "objects.hpp"

using namespace objects;

namespace {

uint64_t handleOf(nexus_object *object) {
  const nexus_key key{text("NativeHandle"), 0};
  int64_t handle = 0;
  nxs_value value{sizeof(value), 0, 0, &handle, sizeof(handle), 0};
  CHECK_OK(nexus_get_property(object, &key, 1, NXS_ValueType_Int, &value));
  return static_cast<uint64_t>(handle);
}

int64_t bytesOf(nexus_device *device, const char *name) {
  const nexus_key key{text(name), 0};
  int64_t bytes = 0;
  nxs_value value{sizeof(value), 0, 0, &bytes, sizeof(bytes), 0};
  CHECK_OK(nexus_get_property(device, &key, 1, NXS_ValueType_Int, &value));
  return bytes;
}

void countRelease(void *count) {
  ++*static_cast<std::atomic<int> *>(count);
}

std::string exported(nexus_buffer *buffer) {
  std::string bytes;
  const nxs_sink sink{sizeof(sink), &bytes, [](void *into, const void *data, uint64_t size) {
                        static_cast<std::string *>(into)->append(static_cast<const char *>(data),
                                                                 size);
                      }};
  CHECK_OK(nexus_buffer_export(buffer, &sink));
  return bytes;
}

Object shareable(nexus_device *device, std::vector<float> values) {
  nexus_buffer_desc desc = describe(values.size() * sizeof(float), NXS_DataType_F32);
  desc.host_data = values.data();
  desc.settings = NXS_BufferSettings_Shareable;
  Object buffer;
  CHECK_OK(nexus_device_create_buffer(device, &desc, buffer.out()));
  return buffer;
}

TEST(memory_of_others_is_used_in_place_and_given_back_once) {
  const Object on = device("reference:0");
  std::vector<float> memory{1, 2, 3, 4};
  std::atomic<int> released{0};
  nexus_buffer_desc desc = describe(8, NXS_DataType_F32);
  desc.host_release = countRelease;
  desc.host_context = &released;
  Object buffer;
  CHECK_OK(nexus_device_create_buffer_from_handle(on, reinterpret_cast<uintptr_t>(memory.data()), 8,
                                                  &desc, buffer.out()));
  const float seven = 7;
  CHECK_OK(nexus_buffer_fill(buffer, &seven, sizeof(seven), nullptr, 1));
  CHECK((memory == std::vector<float>{1, 2, 7, 7}));
  CHECK_EQUAL(0, released.load());
  buffer.reset();
  CHECK_OK(nexus_device_synchronize(on, NEXUS_FOREVER));
  CHECK_EQUAL(1, released.load());
}

TEST(memory_that_is_refused_stays_its_owners) {
  const Object on = device("reference:0");
  std::atomic<int> released{0};
  nexus_buffer_desc desc = describe(8);
  desc.host_release = countRelease;
  desc.host_context = &released;
  Object buffer;
  CHECK_FAILS(NXS_InvalidHostPtr,
              nexus_device_create_buffer_from_handle(on, 0, 0, &desc, buffer.out()), "handle is 0");
  desc.settings = NXS_BufferSettings_OnHost;
  CHECK_FAILS(NXS_InvalidValue,
              nexus_device_create_buffer_from_handle(on, 64, 0, &desc, buffer.out()), "settings");
  CHECK_EQUAL(0, released.load());
}

TEST(the_handle_of_a_slice_is_that_of_its_first_byte) {
  const Object on = device("cpu:0");
  const Object whole = floats(on, {1, 2, 3, 4});
  const nexus_buffer_desc desc = describe(8, NXS_DataType_F32);
  Object part;
  CHECK_OK(nexus_buffer_slice(whole, 8, &desc, part.out()));
  CHECK_EQUAL(handleOf(whole) + 8, handleOf(part));
}

TEST(an_exported_buffer_is_imported_by_parts) {
  const Object on = device("cpu:0");
  const Object buffer = shareable(on, {1, 2, 3, 4});
  const std::string handle = exported(buffer);
  const nexus_buffer_desc desc = describe(8, NXS_DataType_F32);
  Object part;
  CHECK_OK(nexus_device_import_buffer(on, handle.data(), handle.size(), 8, &desc, part.out()));
  CHECK((contents(part) == std::vector<float>{3, 4}));
  const float nine = 9;
  CHECK_OK(nexus_buffer_fill(part, &nine, sizeof(nine), nullptr, 1));
  CHECK((contents(buffer) == std::vector<float>{1, 2, 9, 9}));
}

TEST(more_than_the_exported_memory_is_refused) {
  const Object on = device("cpu:0");
  const Object buffer = shareable(on, {1, 2, 3, 4});
  const std::string handle = exported(buffer);
  const nexus_buffer_desc desc = describe(16, NXS_DataType_F32);
  Object part;
  CHECK_FAILS(NXS_InvalidValue,
              nexus_device_import_buffer(on, handle.data(), handle.size(), 4, &desc, part.out()),
              "offset is 4", "16 bytes; give a part of it");
  CHECK_FAILS(NXS_InvalidValue, nexus_device_import_buffer(on, "x", 1, 0, &desc, part.out()),
              "handle is none");
}

TEST(what_was_not_made_to_be_shared_is_not) {
  const Object on = device("cpu:0");
  const Object buffer = floats(on, {1});
  const nxs_sink sink{sizeof(sink), nullptr, [](void *, const void *, uint64_t) {}};
  CHECK_FAILS(NXS_InvalidOperation, nexus_buffer_export(buffer, &sink), "Shareable");
  nexus_buffer_desc desc = describe(64);
  Object system;
  CHECK_OK(nexus_create_system_buffer(&desc, system.out()));
  CHECK_FAILS(NXS_NotSupported, nexus_buffer_export(system, &sink), "system buffer");
}

TEST(buffers_are_counted_while_they_live) {
  const Object on = device("reference:0");
  const int64_t used = bytesOf(on, "MemoryUsed");
  CHECK_OK(nexus_device_reset_memory_peak(on));
  {
    const Object buffer = floats(on, {1, 2, 3, 4});
    CHECK_EQUAL(used + 16, bytesOf(on, "MemoryUsed"));
    CHECK_EQUAL(used + 16, bytesOf(on, "MemoryReserved"));
  }
  CHECK_EQUAL(used, bytesOf(on, "MemoryUsed"));
  CHECK_EQUAL(used + 16, bytesOf(on, "MemoryPeak"));
  CHECK_OK(nexus_device_reset_memory_peak(on));
  CHECK_EQUAL(used, bytesOf(on, "MemoryPeak"));
  CHECK_OK(nexus_device_trim_memory(on, 0));  // it keeps none
}

TEST(a_stream_waits_for_the_work_of_a_buffer) {
  const Object on = device("cpu:0");
  const Object buffer = floats(on, {1});
  const Object working = stream(on);
  const Object waiting = stream(on);
  const Object gate = event(on);
  CHECK_OK(nexus_stream_wait(working, gate, 1));
  const float two = 2;
  CHECK_OK(nexus_buffer_fill(buffer, &two, sizeof(two), working, 0));
  // The work is held back, so no driver can order anything behind it: the call waits.
  std::thread opener([&] { nexus_event_signal(gate, 1); });
  CHECK_OK(nexus_stream_wait_buffer(waiting, buffer));
  opener.join();
  CHECK_OK(nexus_stream_synchronize(waiting, NEXUS_FOREVER));
  CHECK((contents(buffer) == std::vector<float>{2}));
}

TEST(a_backend_without_foreign_streams_says_so) {
  const Object on = device("cpu:0");
  std::atomic<int> released{0};
  Object made;
  CHECK_FAILS(NXS_NotSupported,
              nexus_device_create_stream_from_handle(on, 1, countRelease, &released, made.out()),
              "nxsCreateStreamFromHandle");
  CHECK_EQUAL(0, released.load());
}

TEST(the_source_api_shares_memory_too) {
  const Object on = device("cpu:0");
  nexus_retain(on);
  const nexus::Device cpu{on.get()};
  nexus::BufferDesc desc;
  desc.size = 64;
  desc.settings = NXS_BufferSettings_Shareable;
  const nexus::Buffer buffer = cpu.createBuffer(desc);
  desc.settings = 0;
  const nexus::Buffer other = cpu.importBuffer(buffer.exportMemory(), desc);
  buffer.fill(std::uint8_t{5});
  std::vector<std::uint8_t> bytes(64);
  other.copy(bytes);
  CHECK((bytes == std::vector<std::uint8_t>(64, 5)));
  nexus::ForeignMemory memory;
  memory.handle = reinterpret_cast<uintptr_t>(bytes.data());
  cpu.createBuffer(memory, desc).fill(std::uint8_t{6});
  CHECK((bytes == std::vector<std::uint8_t>(64, 6)));
  cpu.trimMemory();
  cpu.resetMemoryPeak();
}

}  // namespace
