// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

#include "objects.hpp"

using namespace objects;

namespace {

using Floats = std::vector<float>;
using Lengths = std::vector<uint64_t>;

Lengths shapeOf(nexus_buffer *buffer) {
  Lengths shape(8);
  uint32_t rank = 0;
  CHECK_OK(nexus_buffer_get_shape(buffer, shape.size(), shape.data(), &rank));
  shape.resize(rank);
  return shape;
}

std::atomic<int> released{0};
void countRelease(void *) {
  released.fetch_add(1);
}

TEST(a_buffer_of_bytes_has_one_dimension) {
  const Object on = device("reference:0");
  nexus_buffer_desc desc = describe(12);
  Object buffer;
  CHECK_OK(nexus_device_create_buffer(on, &desc, buffer.out()));
  CHECK_EQUAL(Lengths{12}, shapeOf(buffer));
  CHECK_EQUAL(std::string("undefined"), propertyText(buffer, {"DataType"}));
  CHECK_EQUAL(std::vector<int64_t>{12}, propertyNumbers(buffer, {"Size"}));
}

TEST(an_empty_buffer_keeps_its_shape_and_its_copies_do_nothing) {
  const Object on = device("reference:0");
  const Lengths shape{2, 0};
  for (const bool system : {false, true}) {
    nexus_buffer_desc desc = describe(0, NXS_DataType_F32);
    desc.shape = shape.data();
    desc.rank = 2;
    Object buffer;
    CHECK_OK(system ? nexus_create_system_buffer(&desc, buffer.out())
                    : nexus_device_create_buffer(on, &desc, buffer.out()));
    CHECK_EQUAL(shape, shapeOf(buffer));
    CHECK_EQUAL(std::vector<int64_t>{0}, propertyNumbers(buffer, {"Size"}));
    const float one = 1;
    CHECK_OK(nexus_buffer_fill(buffer, &one, sizeof(one), nullptr, 1));
    CHECK_OK(nexus_buffer_copy_to_host(buffer, 0, nullptr, 0, nullptr, 1));
    CHECK_OK(nexus_buffer_copy_from_host(buffer, 0, nullptr, 0, nullptr, 1));
    CHECK_OK(nexus_buffer_copy_to_buffer(buffer, buffer, nullptr, 1));
  }
}

TEST(a_shape_of_rank_0_is_one_element) {
  const Object on = device("reference:0");
  const uint64_t none = 0;
  nexus_buffer_desc desc = describe(0, NXS_DataType_F32);
  desc.shape = &none;
  Object buffer;
  CHECK_OK(nexus_device_create_buffer(on, &desc, buffer.out()));
  CHECK_EQUAL(Lengths{}, shapeOf(buffer));
  CHECK_EQUAL(std::vector<int64_t>{4}, propertyNumbers(buffer, {"Size"}));
}

TEST(a_shape_makes_the_size) {
  const Object on = device("reference:0");
  const Lengths shape{2, 3};
  nexus_buffer_desc desc = describe(0, NXS_DataType_F16);
  desc.shape = shape.data();
  desc.rank = 2;
  Object buffer;
  CHECK_OK(nexus_device_create_buffer(on, &desc, buffer.out()));
  uint64_t size = 0;
  CHECK_OK(nexus_buffer_get_size(buffer, &size));
  CHECK_EQUAL(uint64_t{12}, size);
  CHECK_EQUAL(shape, shapeOf(buffer));
  CHECK_EQUAL((std::vector<int64_t>{2, 3}), propertyNumbers(buffer, {"Shape"}));
  CHECK_EQUAL(std::vector<int64_t>{2}, propertyNumbers(buffer, {"Rank"}));
  CHECK_EQUAL(std::string("float16"), propertyText(buffer, {"DataType"}));
}

TEST(what_does_not_fit_is_refused_with_its_numbers) {
  const Object on = device("reference:0");
  const Lengths shape{2, 3};
  const Lengths huge{UINT64_MAX, 2};
  Object buffer;
  nexus_buffer_desc desc = describe(20, NXS_DataType_F32);
  desc.shape = shape.data();
  desc.rank = 2;
  CHECK_FAILS(NXS_InvalidValue, nexus_device_create_buffer(on, &desc, buffer.out()), "20", "(2, 3)",
              "float32", "24");
  desc.shape = huge.data();
  CHECK_FAILS(NXS_InvalidBufferSize, nexus_device_create_buffer(on, &desc, buffer.out()),
              "64 bits");
  desc = describe(7, NXS_DataType_F32);
  CHECK_FAILS(NXS_InvalidBufferSize, nexus_device_create_buffer(on, &desc, buffer.out()), "7",
              "float32");
  desc = describe(4, 77);
  CHECK_FAILS(NXS_InvalidValue, nexus_device_create_buffer(on, &desc, buffer.out()), "77");
  desc = describe(4);
  desc.settings = NXS_BufferSettings_Maintain;
  CHECK_FAILS(NXS_InvalidHostPtr, nexus_device_create_buffer(on, &desc, buffer.out()), "host_data");
  CHECK_FAILS(NXS_InvalidDevice, nexus_device_create_buffer(nullptr, &desc, buffer.out()),
              "device");
  CHECK(buffer.get() == nullptr);
}

TEST(four_bit_elements_are_packed_or_one_a_byte) {
  const Object on = device("reference:0");
  const Lengths shape{5};
  for (const uint64_t size : {0, 3, 5}) {
    nexus_buffer_desc desc = describe(size, NXS_DataType_I4);
    desc.shape = shape.data();
    desc.rank = 1;
    Object buffer;
    CHECK_OK(nexus_device_create_buffer(on, &desc, buffer.out()));
    uint64_t bytes = 0;
    CHECK_OK(nexus_buffer_get_size(buffer, &bytes));
    CHECK_EQUAL(size == 0 ? uint64_t{3} : size, bytes);
  }
}

TEST(copies_go_both_ways_and_to_parts) {
  const Object on = device("reference:0");
  const Object buffer = floats(on, {1, 2, 3, 4});
  const Floats other{8, 9};
  CHECK_OK(nexus_buffer_copy_from_host(buffer, 4, other.data(), 8, nullptr, 1));
  CHECK_EQUAL((Floats{1, 8, 9, 4}), contents(buffer));
  Floats part(2);
  CHECK_OK(nexus_buffer_copy_to_host(buffer, 8, part.data(), 8, nullptr, 1));
  CHECK_EQUAL((Floats{9, 4}), part);
  CHECK_FAILS(NXS_InvalidValue, nexus_buffer_copy_to_host(buffer, 12, part.data(), 8, nullptr, 1),
              "12", "8", "16");
  CHECK_FAILS(NXS_InvalidHostPtr, nexus_buffer_copy_to_host(buffer, 0, nullptr, 8, nullptr, 1),
              "host");
}

TEST(copies_of_one_stream_are_ordered_without_waiting) {
  const Object on = device("reference:0");
  const Object in = stream(on);
  const Object from = floats(on, {1, 2});
  const Object to = floats(on, {0, 0});
  const Floats values{5, 6};
  Floats back(2);
  CHECK_OK(nexus_buffer_copy_from_host(from, 0, values.data(), 8, in, 0));
  CHECK_OK(nexus_buffer_copy_to_buffer(from, to, in, 0));
  CHECK_OK(nexus_buffer_copy_to_host(to, 0, back.data(), 8, in, 0));
  CHECK_OK(nexus_stream_synchronize(in, NEXUS_FOREVER));
  CHECK_EQUAL(values, back);
}

TEST(a_copy_without_a_stream_follows_the_work_of_all_streams) {
  const Object on = device("reference:0");
  for (int round = 0; round < 20; ++round) {
    const Object left = stream(on);
    const Object right = stream(on);
    const Object buffer = floats(on, Floats(4096, 0));
    const Object half = floats(on, Floats(4096, 1));
    const float two = 2;
    CHECK_OK(nexus_buffer_fill(half, &two, sizeof(two), left, 0));
    CHECK_OK(nexus_buffer_fill(buffer, &two, sizeof(two), right, 0));
    CHECK_OK(nexus_buffer_copy_to_buffer(half, buffer, nullptr, 0));
    CHECK_EQUAL(Floats(4096, 2), contents(buffer));
  }
}

TEST(fills_repeat_a_pattern) {
  const Object on = device("reference:0");
  const Object buffer = floats(on, {1, 2, 3, 4});
  const float value = 7;
  CHECK_OK(nexus_buffer_fill(buffer, &value, sizeof(value), nullptr, 1));
  CHECK_EQUAL((Floats{7, 7, 7, 7}), contents(buffer));
  CHECK_FAILS(NXS_InvalidValue, nexus_buffer_fill(buffer, &value, 3, nullptr, 1), "pattern_size",
              "3");
  nexus_buffer_desc desc = describe(6);
  Object odd;
  CHECK_OK(nexus_device_create_buffer(on, &desc, odd.out()));
  CHECK_FAILS(NXS_InvalidValue, nexus_buffer_fill(odd, &value, 4, nullptr, 1), "6", "4");
}

TEST(a_slice_shares_the_memory) {
  const Object on = device("reference:0");
  Object buffer = floats(on, {1, 2, 3, 4});
  nexus_buffer_desc desc = describe(8, NXS_DataType_F32);
  Object slice;
  CHECK_OK(nexus_buffer_slice(buffer, 4, &desc, slice.out()));
  const float value = 9;
  CHECK_OK(nexus_buffer_fill(slice, &value, sizeof(value), nullptr, 1));
  CHECK_EQUAL((Floats{1, 9, 9, 4}), contents(buffer));
  desc = describe(4, NXS_DataType_F32);
  Object inner;
  CHECK_OK(nexus_buffer_slice(slice, 4, &desc, inner.out()));
  buffer.reset();
  slice.reset();
  CHECK_EQUAL(Floats{9}, contents(inner));
  CHECK_FAILS(NXS_InvalidValue, nexus_buffer_slice(inner, 4, &desc, slice.out()), "offset is 4",
              "size is 4", "4 bytes");
  CHECK_FAILS(NXS_InvalidValue, nexus_buffer_slice(inner, UINT64_MAX, &desc, slice.out()),
              "offset");
}

TEST(the_host_pointer_sees_finished_work) {
  const Object on = device("reference:0");
  const Object in = stream(on);
  const Object buffer = floats(on, {1, 2, 3, 4});
  nexus_buffer_desc desc = describe(8, NXS_DataType_F32);
  Object slice;
  CHECK_OK(nexus_buffer_slice(buffer, 8, &desc, slice.out()));
  const float value = 5;
  CHECK_OK(nexus_buffer_fill(buffer, &value, sizeof(value), in, 0));
  void *pointer = nullptr;
  CHECK_OK(nexus_buffer_get_host_pointer(slice, &pointer));
  auto *elements = static_cast<float *>(pointer);
  CHECK_EQUAL(5.0F, elements[0]);
  elements[1] = 6;
  CHECK_EQUAL((Floats{5, 5, 5, 6}), contents(buffer));
  void *again = nullptr;
  CHECK_OK(nexus_buffer_get_host_pointer(buffer, &again));
  CHECK(static_cast<float *>(again) + 2 == elements);
}

TEST(maintained_memory_is_used_in_place_and_given_back_once) {
  const Object on = device("reference:0");
  alignas(64) float values[4] = {1, 2, 3, 4};
  nexus_buffer_desc desc = describe(sizeof(values), NXS_DataType_F32);
  desc.settings = NXS_BufferSettings_Maintain;
  desc.host_data = values;
  desc.host_release = countRelease;
  Object buffer;
  Object slice;
  released = 0;
  CHECK_OK(nexus_device_create_buffer(on, &desc, buffer.out()));
  const float value = 3;
  CHECK_OK(nexus_buffer_fill(buffer, &value, sizeof(value), nullptr, 0));
  const nexus_buffer_desc part = describe(4);
  CHECK_OK(nexus_buffer_slice(buffer, 4, &part, slice.out()));
  CHECK_OK(nexus_close(buffer));
  CHECK_EQUAL(0, released.load());
  slice.reset();
  for (int i = 0; i < 2000 && released == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK_EQUAL(1, released.load());
  CHECK_EQUAL(3.0F, values[3]);
}

TEST(memory_of_a_buffer_that_could_not_be_made_stays_the_callers) {
  const Object on = device("reference:0");
  float value = 0;
  nexus_buffer_desc desc = describe(sizeof(value));
  desc.settings = NXS_BufferSettings_Maintain | (uint64_t{1} << 40);
  desc.host_data = &value;
  desc.host_release = countRelease;
  Object buffer;
  released = 0;
  CHECK(nexus_device_create_buffer(on, &desc, buffer.out()) != NXS_Success);
  CHECK_EQUAL(0, released.load());
}

TEST(a_closed_buffer_refuses_use) {
  const Object on = device("reference:0");
  const Object buffer = floats(on, {1, 2});
  CHECK_OK(nexus_close(buffer));
  CHECK_OK(nexus_close(buffer));
  float value = 0;
  CHECK_FAILS(NXS_InvalidBuffer, nexus_buffer_copy_to_host(buffer, 0, &value, 4, nullptr, 1),
              "closed");
  CHECK_FAILS(NXS_InvalidBuffer, property(buffer, {"Size"}).status, "closed");
}

TEST(objects_of_another_kind_are_refused_by_name) {
  const Object on = device("reference:0");
  const Object buffer = floats(on, {1, 2});
  uint64_t size = 0;
  CHECK_FAILS(NXS_InvalidBuffer, nexus_buffer_get_size(on, &size), "buffer", "device");
  CHECK_FAILS(NXS_InvalidBuffer, nexus_buffer_get_size(nullptr, &size), "NULL");
  CHECK_FAILS(NXS_InvalidValue, nexus_buffer_get_size(buffer, nullptr), "out_bytes");
  CHECK_FAILS(NXS_InvalidStream, nexus_buffer_fill(buffer, "x", 1, buffer, 1), "stream", "buffer");
  CHECK_FAILS(NXS_InvalidOperation, nexus_close(on), "device");
}

TEST(copies_between_backends_go_through_the_host) {
  const Object here = device("reference:0");
  const Object there = device("cpu:0");
  const Object from = floats(here, {1, 2, 3});
  const Object to = floats(there, {0, 0, 0});
  CHECK_OK(nexus_buffer_copy_to_buffer(from, to, nullptr, 1));
  CHECK_EQUAL((Floats{1, 2, 3}), contents(to));
  const Object elsewhere = stream(there);
  CHECK_FAILS(NXS_InvalidDevice, nexus_buffer_fill(from, "x", 1, elsewhere, 1), "cpu:0",
              "reference:0");
  const Object small = floats(here, {0});
  CHECK_FAILS(NXS_InvalidValue, nexus_buffer_copy_to_buffer(from, small, nullptr, 1), "12", "4");
}

}  // namespace
