// SPDX-License-Identifier: Apache-2.0
// Buffers, copies, fills, mappings, libraries in memory, and what the device says.
#include "../unit/check.hpp"
#include "harness.hpp"

#include <cmath>
#include <fstream>
#include <iterator>
#include <numeric>

using namespace cpu;

static const nxs_id runtime = load();
static const nxs_id stream = new_stream();

namespace {

nxs_buffer_range range(nxs_id buffer, uint64_t offset, uint64_t size) {
  return {sizeof(nxs_buffer_range), buffer, offset, size};
}

nxs_id new_buffer(uint64_t size, void *data = nullptr, nxs_buffer_settings settings = 0) {
  nxs_id id = 0;
  must(table().CreateBuffer(device(), size, settings, data, &id));
  return id;
}

std::vector<unsigned char> contents(nxs_id buffer, uint64_t size) {
  std::vector<unsigned char> bytes(size);
  nxs_ticket ticket = 0;
  must(table().CopyBuffer(buffer, 0, bytes.data(), size, stream, &ticket));
  CHECK_EQUAL(NXS_CompletionState_Completed, wait(stream, ticket).state);
  return bytes;
}

}  // namespace

TEST(a_buffer_begins_as_a_copy_of_the_hosts_memory) {
  std::vector<unsigned char> bytes(1000);
  std::iota(bytes.begin(), bytes.end(), static_cast<unsigned char>(0));
  const nxs_id buffer = new_buffer(1000, bytes.data());
  const std::vector<unsigned char> before = bytes;
  bytes.assign(1000, 0);
  CHECK(contents(buffer, 1000) == before);
  CHECK_EQUAL(1000, int_property(table().GetBufferProperty, buffer, NP_Size));
}

TEST(a_buffer_with_maintain_is_the_hosts_memory) {
  std::vector<int> memory(100, 1);
  const nxs_id buffer = new_buffer(400, memory.data(), NXS_BufferSettings_Maintain);
  Schedule schedule;
  schedule.add(range_kernel("count_1d"), {buffer_argument(buffer, 400)}, launch({100}));
  schedule.complete(stream);
  CHECK_EQUAL(2, memory[99]);
}

TEST(buffers_are_aligned) {
  void *pointer = nullptr;
  nxs_ticket ticket = 0;
  for (const uint64_t size : {1UL, 4096UL, 8UL << 20}) {
    const nxs_id buffer = new_buffer(size);
    const nxs_buffer_range all = range(buffer, 0, size);
    must(table().MapBuffer(stream, &all, NXS_MapAccess_Read, &pointer, &ticket));
    CHECK_EQUAL(0U, reinterpret_cast<uintptr_t>(pointer) % (size >= 4096 ? 4096 : 64));
    must(table().UnmapBuffer(stream, buffer, pointer, &ticket));
    must(table().ReleaseBuffer(buffer));
  }
}

TEST(copies_are_ordered_with_the_streams_other_work) {
  for (const std::size_t count : {10UL, 3000000UL}) {  // within the caller, and on the pool
    const nxs_id own = new_stream();
    std::vector<int> in(count), out(count);
    std::iota(in.begin(), in.end(), 0);
    const nxs_id buffer = new_buffer(count * 4);
    const int factor = 2, term = 1;
    Schedule schedule;
    schedule.add(range_kernel("scale_and_add"),
                 {buffer_argument(buffer, count * 4), scalar(factor), scalar(term)},
                 launch({count}));
    nxs_ticket ticket = 0;
    {
      Gate gate(own);
      must(table().WriteBuffer(buffer, 0, in.data(), count * 4, own, &ticket));
      schedule.start(own);
      must(table().CopyBuffer(buffer, 0, out.data(), count * 4, own, &ticket));
    }
    wait(own, ticket);
    int wrong = 0;
    for (std::size_t i = 0; i < count; ++i) wrong += out[i] != 2 * static_cast<int>(i) + 1;
    CHECK_EQUAL(0, wrong);
  }
}

TEST(a_copy_between_buffers_moves_its_range_only) {
  std::vector<unsigned char> bytes(100, 5);
  const nxs_id from = new_buffer(100, bytes.data());
  bytes.assign(100, 1);
  const nxs_id to = new_buffer(100, bytes.data());
  const nxs_buffer_range destination = range(to, 10, 20), source = range(from, 50, 20);
  nxs_ticket ticket = 0;
  must(table().TransferBuffer(stream, &destination, &source, &ticket));
  const auto result = contents(to, 100);
  for (std::size_t i = 0; i < 100; ++i) CHECK_EQUAL(i >= 10 && i < 30 ? 5 : 1, result[i]);
}

TEST(copies_that_overlap_or_differ_in_size_are_refused) {
  const nxs_id buffer = new_buffer(100);
  const nxs_buffer_range first = range(buffer, 0, 50), second = range(buffer, 49, 50),
                         shorter = range(buffer, 60, 20), outside = range(buffer, 60, 50);
  nxs_ticket ticket = 0;
  CHECK_EQUAL(NXS_MemCopyOverlap, table().TransferBuffer(stream, &first, &second, &ticket));
  CHECK_EQUAL(NXS_InvalidValue, table().TransferBuffer(stream, &first, &shorter, &ticket));
  CHECK_EQUAL(NXS_InvalidValue, table().TransferBuffer(stream, &first, &outside, &ticket));
}

TEST(fills_repeat_patterns_of_each_size) {
  for (const uint64_t pattern_size : {1UL, 2UL, 4UL, 8UL, 16UL}) {
    for (const uint64_t size : {16UL, 4096UL * 3 + 48, 5UL << 20}) {
      const nxs_id buffer = new_buffer(size + 32);
      const unsigned char pattern[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
      const unsigned char zero = 0;
      const nxs_buffer_range all = range(buffer, 0, size + 32), middle = range(buffer, 16, size);
      nxs_ticket ticket = 0;
      must(table().FillBuffer(stream, &all, &zero, 1, &ticket));
      must(table().FillBuffer(stream, &middle, pattern, pattern_size, &ticket));
      const auto bytes = contents(buffer, size + 32);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        const bool inside = i >= 16 && i < size + 16;
        wrong += bytes[i] != (inside ? pattern[(i - 16) % pattern_size] : 0);
      }
      CHECK_EQUAL(0U, wrong);
      must(table().ReleaseBuffer(buffer));
    }
  }
}

TEST(a_fill_with_a_wrong_pattern_or_range_is_refused) {
  const nxs_id buffer = new_buffer(64);
  const int pattern[4] = {};
  const nxs_buffer_range odd = range(buffer, 2, 8), good = range(buffer, 0, 8);
  nxs_ticket ticket = 0;
  CHECK_EQUAL(NXS_InvalidValue, table().FillBuffer(stream, &odd, pattern, 4, &ticket));
  CHECK_EQUAL(NXS_InvalidValue, table().FillBuffer(stream, &good, pattern, 3, &ticket));
}

TEST(a_copy_of_nothing_is_done) {
  const nxs_id buffer = new_buffer(8);
  nxs_ticket ticket = 0;
  must(table().CopyBuffer(buffer, 8, nullptr, 0, stream, &ticket));
  CHECK_EQUAL(NXS_CompletionState_Completed, wait(stream, ticket).state);
  CHECK_EQUAL(NXS_InvalidHostPtr, table().CopyBuffer(buffer, 0, nullptr, 8, stream, &ticket));
}

TEST(only_what_was_mapped_is_unmapped) {
  const nxs_id buffer = new_buffer(64);
  const nxs_buffer_range part = range(buffer, 16, 8);
  void *pointer = nullptr;
  nxs_ticket ticket = 0;
  must(table().MapBuffer(stream, &part, NXS_MapAccess_Write, &pointer, &ticket));
  wait(stream, ticket);
  std::memset(pointer, 9, 8);
  CHECK_EQUAL(NXS_Success, table().UnmapBuffer(stream, buffer, pointer, &ticket));
  CHECK_EQUAL(NXS_InvalidValue, table().UnmapBuffer(stream, buffer, pointer, &ticket));
  CHECK_EQUAL(9, contents(buffer, 64)[16]);
}

TEST(libraries_of_the_same_bytes_are_separate) {
  std::ifstream file(kernel_folder() + "/counter_kernels.so", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  Shared<int> out(1);
  const auto next = [&](nxs_id library) {
    Schedule schedule;
    schedule.add(kernel(library, "next"), {argument(out)}, launch({1}, {1}));
    schedule.complete(stream);
    return out.host[0];
  };
  nxs_id first = 0, second = 0;
  must(table().CreateLibrary(device(), bytes.data(), bytes.size(), &first));
  must(table().CreateLibrary(device(), bytes.data(), bytes.size(), &second));
  CHECK_EQUAL(1, next(first));
  CHECK_EQUAL(2, next(first));
  CHECK_EQUAL(1, next(second));
  CHECK_EQUAL(1, next(library("counter_kernels.so")));
  CHECK_EQUAL(1, next(library("counter_kernels.so")));
}

TEST(code_stays_while_a_kernel_of_it_lives) {
  nxs_id from = library("plain_kernels.so");
  const nxs_id kept = kernel(from, "tell_ids");
  must(table().ReleaseLibrary(from));
  Shared<int> out(12);
  Schedule schedule;
  schedule.add(kept, {argument(out)}, launch({1}, {1}));
  must(table().ReleaseKernel(kept));
  CHECK_EQUAL(NXS_CompletionState_Completed, schedule.complete(stream).state);
  CHECK_EQUAL(1, out.host[0]);
}

TEST(a_library_lists_its_kernels) {
  const nxs_id from = library("plain_kernels.so");
  const std::string names = text_property(table().GetLibraryProperty, from, NP_SubUnits);
  CHECK_EQUAL(6, int_property(table().GetLibraryProperty, from, NP_Count));
  CHECK(names == std::string("add\0count_3d\0local_sum\0no_arguments\0sum_64\0tell_ids\0", 52));
  CHECK_EQUAL("plain_kernels.so", text_property(table().GetLibraryProperty, from, NP_Name));
}

TEST(plain_functions_are_kernels_where_no_kernel_describes_itself) {
  const nxs_id plain = library("plain_kernels.so");
  CHECK_EQUAL(text_property(table().GetLibraryProperty, plain, NP_SubUnits),
              text_property(table().GetLibraryProperty, plain, NP_KernelNames));
  nxs_id described = 0;
  must(
      table().CreateLibraryFromFile(device(), text(setting("NEXUS_CPU_DEMO_KERNELS")), &described));
  CHECK(text_property(table().GetLibraryProperty, described, NP_KernelNames) ==
        std::string("add_vectors\0gradient_magnitude\0saxpy\0sobel_gradients\0", 53));
}

TEST(the_demo_kernels_of_the_wheel_work) {
  nxs_id from = 0;
  const std::string path = setting("NEXUS_CPU_DEMO_KERNELS");
  must(table().CreateLibraryFromFile(device(), text(path), &from));
  constexpr int kWidth = 37, kHeight = 23;
  Shared<float> picture(kWidth * kHeight), x(kWidth * kHeight, -1), y(kWidth * kHeight, -1),
      magnitude(kWidth * kHeight);
  const auto at = [&](int column, int row) {
    return picture.host[static_cast<std::size_t>(row * kWidth + column)];
  };
  for (std::size_t i = 0; i < picture.host.size(); ++i) {
    picture.host[i] = static_cast<float>(i * i % 101);
  }
  const int n = kWidth * kHeight;
  Schedule schedule;
  schedule.add(kernel(from, "sobel_gradients"),
               {argument(picture), argument(x), argument(y), scalar(kWidth), scalar(kHeight)},
               launch({kWidth, kHeight}));
  schedule.add(kernel(from, "gradient_magnitude"),
               {argument(x), argument(y), argument(magnitude), scalar(n)}, launch({n}));
  CHECK_EQUAL(NXS_CompletionState_Completed, schedule.complete(stream).state);
  for (int row = 0; row < kHeight; ++row) {
    for (int column = 0; column < kWidth; ++column) {
      float across = 0, down = 0;
      if (row > 0 && column > 0 && row < kHeight - 1 && column < kWidth - 1) {
        for (int d = -1; d <= 1; ++d) {
          const float weight = d == 0 ? 2.0f : 1.0f;
          across += weight * (at(column + 1, row + d) - at(column - 1, row + d));
          down += weight * (at(column + d, row + 1) - at(column + d, row - 1));
        }
      }
      const auto i = static_cast<std::size_t>(row * kWidth + column);
      CHECK_EQUAL(across, x.host[i]);
      CHECK_EQUAL(down, y.host[i]);
      CHECK(std::fabs(std::sqrt(across * across + down * down) - magnitude.host[i]) < 1e-3f);
    }
  }
}

TEST(the_device_says_what_it_is) {
  const GetProperty get = table().GetDeviceProperty;
  CHECK(!text_property(get, device(), NP_Name).empty());
  CHECK(!text_property(get, device(), NP_Vendor).empty());
  CHECK(!text_property(get, device(), NP_Architecture).empty());
  CHECK_EQUAL("cpu", text_property(get, device(), NP_Type));
  CHECK_EQUAL(1, int_property(get, device(), NP_UnifiedMemory));
  CHECK(contains(text_property(get, device(), NP_MemorySubsystem), "\"MemoryTypes\":["));
  for (const int64_t key : ints_property(get, device(), NP_Keys)) {
    CHECK(!property(get, device(), static_cast<nxs_property>(key)).empty());
  }
  nxs_value value{};
  value.struct_size = sizeof(value);
  CHECK_EQUAL(NXS_InvalidProperty, get(device(), NP_MaxPower, &value));
}
