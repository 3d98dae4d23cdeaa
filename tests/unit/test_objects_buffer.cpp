// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

#include "objects.hpp"

using namespace objects;

namespace {

using Lengths = std::vector<uint64_t>;

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

TEST(what_lies_within_a_buffer_is_copied_and_what_goes_beyond_it_refused) {
  const Object on = device("reference:0");
  const Object buffer = floats(on, {1, 2, 3, 4});
  const Floats other{8, 9};
  Floats part(2);
  CHECK_OK(nexus_buffer_copy_from_host(buffer, 4, other.data(), 8, nullptr, 1));
  CHECK_EQUAL((Floats{1, 8, 9, 4}), contents(buffer));
  CHECK_OK(nexus_buffer_copy_to_host(buffer, 8, part.data(), 8, nullptr, 1));
  CHECK_EQUAL((Floats{9, 4}), part);
  CHECK_FAILS(NXS_InvalidValue, nexus_buffer_copy_to_host(buffer, 12, part.data(), 8, nullptr, 1),
              "12", "8", "16");
  CHECK_FAILS(NXS_InvalidValue,
              nexus_buffer_copy_from_host(buffer, UINT64_MAX, part.data(), 8, nullptr, 1),
              "offset");
  const nexus_buffer_desc desc = describe(6);
  Object slice;
  CHECK_FAILS(NXS_InvalidValue, nexus_buffer_slice(buffer, 12, &desc, slice.out()), "offset is 12",
              "size is 6", "16 bytes");
  CHECK_FAILS(NXS_InvalidValue, nexus_buffer_slice(buffer, UINT64_MAX, &desc, slice.out()),
              "offset");
  CHECK_OK(nexus_buffer_slice(buffer, 4, &desc, slice.out()));
  CHECK_FAILS(NXS_InvalidValue, nexus_buffer_fill(slice, part.data(), 4, nullptr, 1), "6", "4");
}

TEST(a_view_with_strides_is_copied_element_by_element) {
  const Object on = device("reference:0");
  const std::vector<int32_t> values{0, 1, 2, 3, 4, 5};
  nexus_buffer_desc desc = describe(24);
  desc.data_type = NXS_DataType_I32;
  Object buffer;
  CHECK_OK(nexus_device_create_buffer(on, &desc, buffer.out()));
  CHECK_OK(nexus_buffer_copy_from_host(buffer, 0, values.data(), 24, nullptr, 1));
  const std::vector<uint64_t> shape{3, 2};
  const std::vector<int64_t> strides{-4, 12};  // the columns of two rows, from the last on
  Object view;
  CHECK_OK(
      nexus_buffer_view(buffer, 8, NXS_DataType_I32, 2, shape.data(), strides.data(), view.out()));
  std::vector<int32_t> packed(6);
  CHECK_OK(nexus_buffer_copy_to_host(view, 0, packed.data(), 24, nullptr, 1));
  CHECK((packed == std::vector<int32_t>{2, 5, 1, 4, 0, 3}));
  int32_t contiguous = 1;
  CHECK_OK(nexus_buffer_is_contiguous(view, &contiguous));
  CHECK_EQUAL(0, contiguous);
  std::vector<int64_t> told(2);
  uint64_t first = 0;
  CHECK_OK(nexus_buffer_get_strides(view, 2, told.data(), &first));
  CHECK((told == strides));
  CHECK_EQUAL(uint64_t{8}, first);
}

TEST(a_view_that_is_not_in_its_buffer_is_refused) {
  const Object on = device("reference:0");
  const nexus_buffer_desc desc = describe(16);
  Object buffer;
  CHECK_OK(nexus_device_create_buffer(on, &desc, buffer.out()));
  const auto refused = [&](uint64_t offset, uint64_t length, int64_t stride, const char *text) {
    Object view;
    CHECK_FAILS(
        NXS_InvalidValue,
        nexus_buffer_view(buffer, offset, NXS_DataType_F32, 1, &length, &stride, view.out()), text);
  };
  refused(4, 4, 4, "offset is 4");
  refused(0, 3, 8, "20");
  refused(4, 3, -4, "before it");
  refused(0, 3, INT64_MAX, "exceed the memory");
  Object view;
  const uint64_t length = 2;
  CHECK_FAILS(NXS_InvalidValue,
              nexus_buffer_view(buffer, 0, NXS_DataType_F32, 1, &length, nullptr, view.out()),
              "strides");
  const int64_t stride = 1;
  CHECK_FAILS(NXS_NotSupported,
              nexus_buffer_view(buffer, 0, NXS_DataType_I4, 1, &length, &stride, view.out()),
              "share a byte");
}

TEST(maintained_memory_is_used_in_place_and_given_back_once) {
  const Object on = device("reference:0");
  alignas(64) float values[4] = {1, 2, 3, 4};
  std::atomic<int> released{0};
  Object buffer = maintained(
      on, values, [](void *count) { ++*static_cast<std::atomic<int> *>(count); }, &released);
  fill(buffer, 3, nullptr);
  const nexus_buffer_desc part = describe(4);
  Object slice;
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
  float value = 0;
  std::atomic<int> released{0};
  nexus_buffer_desc desc = describe(sizeof(value));
  desc.settings = NXS_BufferSettings_Maintain | (uint64_t{1} << 40);
  desc.host_data = &value;
  desc.host_release = [](void *count) { ++*static_cast<std::atomic<int> *>(count); };
  desc.host_context = &released;
  Object buffer;
  CHECK(nexus_device_create_buffer(device("reference:0"), &desc, buffer.out()) != NXS_Success);
  CHECK_EQUAL(0, released.load());
}

}  // namespace
