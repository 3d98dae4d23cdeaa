// SPDX-License-Identifier: Apache-2.0
// Kernels of both conventions: that each work item runs once, with the right ids
// and the right arguments.
#include "../unit/check.hpp"
#include "harness.hpp"

#include <algorithm>
#include <cmath>

using namespace cpu;

static const nxs_id runtime = load();
static const nxs_id stream = new_stream();

namespace {

constexpr Size kChosen{0, 0, 0};

bool all_are(const std::vector<int> &values, int expected) {
  return std::all_of(values.begin(), values.end(), [&](int value) { return value == expected; });
}

void check_add(nxs_id kernel, std::size_t n, Size group, bool with_count) {
  Shared<float> a(n), b(n), c(n, -1.0f);
  for (std::size_t i = 0; i < n; ++i) {
    a.host[i] = static_cast<float>(i);
    b.host[i] = static_cast<float>(2 * i);
  }
  const int count = static_cast<int>(n);
  std::vector<nxs_argument> arguments = {argument(a), argument(b), argument(c)};
  if (with_count) arguments.push_back(scalar(count, NXS_DataType_I32));
  Schedule schedule;
  schedule.add(kernel, arguments, launch({n}, group));
  CHECK_EQUAL(NXS_CompletionState_Completed, schedule.complete(stream).state);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) wrong += c.host[i] != a.host[i] + b.host[i] ? 1 : 0;
  CHECK_EQUAL(0U, wrong);
}

}  // namespace

TEST(a_vector_is_added_at_every_size_and_group_size) {
  for (const std::size_t n : {1UL, 2UL, 63UL, 64UL, 65UL, 1000UL, 1024UL, 100003UL}) {
    for (const Size group : {kChosen, Size{1}, Size{7}, Size{64}, Size{256}, Size{4096}}) {
      check_add(range_kernel("add"), n, group, true);
      check_add(range_kernel("add_bounded"), n, group, true);
      check_add(plain_kernel("add"), n, group, false);
    }
  }
}

TEST(each_item_of_a_grid_runs_once_in_one_dimension) {
  for (const uint64_t n : {1UL, 17UL, 4096UL, 50001UL}) {
    for (const Size group : {kChosen, Size{1}, Size{5}, Size{63}, Size{64}, Size{1000}}) {
      Shared<int> counts(n);
      Schedule schedule;
      schedule.add(range_kernel("count_1d"), {argument(counts)}, launch({n}, group));
      schedule.complete(stream);
      CHECK(all_are(counts.host, 1));
    }
  }
}

TEST(each_item_of_a_grid_runs_once_in_two_dimensions) {
  for (const Size grid : {Size{1, 1}, Size{1, 100}, Size{100, 1}, Size{37, 53}, Size{641, 480}}) {
    for (const Size group : {kChosen, Size{1, 1}, Size{16, 16}, Size{64, 4}, Size{128, 1}}) {
      Shared<int> counts(grid.x * grid.y);
      Schedule schedule;
      schedule.add(range_kernel("count_2d"), {argument(counts)}, launch(grid, group));
      schedule.complete(stream);
      CHECK(all_are(counts.host, 1));
    }
  }
}

TEST(each_item_of_a_grid_runs_once_in_three_dimensions) {
  for (const Size grid : {Size{1, 1, 1}, Size{3, 5, 7}, Size{1, 1, 500}, Size{65, 33, 9}}) {
    for (const Size group :
         {kChosen, Size{1, 1, 1}, Size{4, 4, 4}, Size{64, 2, 2}, Size{2, 3, 5}}) {
      Shared<int> range(grid.x * grid.y * grid.z), plain(grid.x * grid.y * grid.z);
      const int width = static_cast<int>(grid.x), height = static_cast<int>(grid.y);
      Schedule schedule;
      schedule.add(range_kernel("count_3d"), {argument(range)}, launch(grid, group));
      schedule.add(plain_kernel("count_3d"), {argument(plain), scalar(width), scalar(height)},
                   launch(grid, group));
      schedule.complete(stream);
      CHECK(all_are(range.host, 1));
      CHECK(all_are(plain.host, 1));
    }
  }
}

TEST(an_item_knows_its_ids_and_all_sizes) {
  for (const Size group : {Size{4, 3, 2}, Size{64, 2, 1}, Size{1, 1, 1}, Size{100, 1, 3}}) {
    const Size grid{130, 5, 4};
    const nxs_launch size = launch(grid, group);
    const uint64_t launched[3] = {size.group_count[0] * group.x, size.group_count[1] * group.y,
                                  size.group_count[2] * group.z};
    Shared<int> out(launched[0] * launched[1] * launched[2] * 15, -1);
    Schedule schedule;
    schedule.add(range_kernel("tell_ids"), {argument(out)}, size);
    schedule.complete(stream);
    int wrong = 0;
    const uint64_t groups[3] = {group.x, group.y, group.z};
    for (std::size_t at = 0; at < out.host.size() / 15; ++at) {
      const uint64_t id[3] = {at % launched[0], at / launched[0] % launched[1],
                              at / launched[0] / launched[1]};
      for (std::size_t d = 0; d < 3; ++d) {
        const int *told = &out.host[at * 15 + d];
        wrong += told[0] != static_cast<int>(id[d] / groups[d]);
        wrong += told[3] != static_cast<int>(id[d] % groups[d]);
        wrong += told[6] != static_cast<int>(groups[d]);
        wrong += told[9] != static_cast<int>(size.group_count[d]);
        wrong += told[12] != static_cast<int>(size.grid_size[d]);
      }
    }
    CHECK_EQUAL(0, wrong);
  }
}

TEST(bounds_keep_items_out_in_each_dimension) {
  const int width = 70, height = 3, depth = 2, value = 9;
  const nxs_launch size = launch({100, 10, 10}, {32, 4, 4});
  Shared<int> out(128 * 12 * 12);
  Schedule schedule;
  schedule.add(range_kernel("fill_box"),
               {argument(out), scalar(width), scalar(height), scalar(depth), scalar(value)}, size);
  schedule.complete(stream);
  int wrong = 0;
  for (int z = 0; z < 12; ++z) {
    for (int y = 0; y < 12; ++y) {
      for (int x = 0; x < 128; ++x) {
        const bool inside = x < width && y < height && z < depth;
        wrong += out.host[static_cast<std::size_t>((z * 12 + y) * 128 + x)] != (inside ? value : 0);
      }
    }
  }
  CHECK_EQUAL(0, wrong);
}

TEST(a_bound_below_zero_runs_nothing) {
  const int width = -5, height = 1, depth = 1, value = 9;
  Shared<int> out(64);
  Schedule schedule;
  schedule.add(range_kernel("fill_box"),
               {argument(out), scalar(width), scalar(height), scalar(depth), scalar(value)},
               launch({64}, {64}));
  schedule.complete(stream);
  CHECK(all_are(out.host, 0));
}

TEST(a_plain_kernel_gets_sizes_and_ids_in_their_order) {
  Shared<int> out(10 * 12);
  Schedule schedule;
  schedule.add(plain_kernel("tell_ids"), {argument(out)}, launch({10}, {4}));
  schedule.complete(stream);
  for (int i = 0; i < 10; ++i) {
    const int expected[12] = {3, 1, 1, 4, 1, 1, i / 4, 0, 0, i % 4, 0, 0};
    CHECK(std::equal(expected, expected + 12, &out.host[static_cast<std::size_t>(i) * 12]));
  }
}

TEST(kernels_take_no_arguments_and_sixty_four) {
  Schedule schedule;
  schedule.add(plain_kernel("no_arguments"), {}, launch({100}));
  schedule.add(range_kernel("no_arguments"), {}, launch({100}));
  Shared<int> sum(1);
  std::vector<int> values(64);
  std::vector<nxs_argument> arguments = {argument(sum)};
  for (int i = 1; i < 64; ++i) {
    values[static_cast<std::size_t>(i)] = i * i;
    arguments.push_back(scalar(values[static_cast<std::size_t>(i)]));
  }
  schedule.add(plain_kernel("sum_64"), arguments, launch({1}));
  CHECK_EQUAL(NXS_CompletionState_Completed, schedule.complete(stream).state);
  CHECK_EQUAL(63 * 64 * 127 / 6, sum.host[0]);
}

TEST(a_kernel_that_describes_itself_takes_sixty_four_arguments) {
  Shared<int> buffer(64);
  std::vector<nxs_argument> arguments;
  for (int i = 0; i < 64; ++i) {
    buffer.host[static_cast<std::size_t>(i)] = i;
    arguments.push_back(buffer_argument(buffer.id, 4, static_cast<uint64_t>(i) * 4));
  }
  Schedule schedule;
  schedule.add(range_kernel("sum_64"), arguments, launch({1}, {1}));
  CHECK_EQUAL(NXS_CompletionState_Completed, schedule.complete(stream).state);
  CHECK_EQUAL(63 * 64 / 2, buffer.host[0]);
}

TEST(scalars_arrive_bit_for_bit) {
  const int8_t i8 = -128;
  const uint8_t u8 = 255;
  const int16_t i16 = -32768;
  const uint16_t u16 = 65535;
  const int32_t i32 = INT32_MIN;
  const uint32_t u32 = UINT32_MAX;
  const int64_t i64 = INT64_MIN;
  const uint64_t u64 = UINT64_MAX;
  const uint32_t nan_bits = 0x7f812345;  // a signalling NaN with a payload
  float f32 = 0;
  std::memcpy(&f32, &nan_bits, 4);
  const double f64 = -0.0;
  const uint8_t flag = 1;
  Shared<unsigned char> out(49);
  Schedule schedule;
  schedule.add(
      range_kernel("scalars"),
      {argument(out), scalar(i8, NXS_DataType_I8), scalar(u8, NXS_DataType_U8),
       scalar(i16, NXS_DataType_I16), scalar(u16, NXS_DataType_U16), scalar(i32, NXS_DataType_I32),
       scalar(u32, NXS_DataType_U32), scalar(i64, NXS_DataType_I64), scalar(u64, NXS_DataType_U64),
       scalar(f32, NXS_DataType_F32), scalar(f64, NXS_DataType_F64),
       scalar(flag, NXS_DataType_Bool)},
      launch({1}, {1}));
  schedule.complete(stream);
  const unsigned char *bytes = out.host.data();
  CHECK(std::memcmp(bytes, &i8, 1) == 0);
  CHECK(std::memcmp(bytes + 1, &u8, 1) == 0);
  CHECK(std::memcmp(bytes + 2, &i16, 2) == 0);
  CHECK(std::memcmp(bytes + 4, &u16, 2) == 0);
  CHECK(std::memcmp(bytes + 8, &i32, 4) == 0);
  CHECK(std::memcmp(bytes + 12, &u32, 4) == 0);
  CHECK(std::memcmp(bytes + 16, &i64, 8) == 0);
  CHECK(std::memcmp(bytes + 24, &u64, 8) == 0);
  CHECK(std::memcmp(bytes + 32, &nan_bits, 4) == 0);
  CHECK(std::memcmp(bytes + 40, &f64, 8) == 0);
  CHECK(std::memcmp(bytes + 48, &flag, 1) == 0);
}

TEST(a_buffer_is_given_from_an_offset) {
  Shared<int> counts(100);
  Schedule schedule;
  schedule.add(range_kernel("count_1d"), {buffer_argument(counts.id, 40, 240)}, launch({10}));
  schedule.complete(stream);
  for (std::size_t i = 0; i < 100; ++i) CHECK_EQUAL(i >= 60 && i < 70 ? 1 : 0, counts.host[i]);
}

TEST(groups_have_local_memory_of_their_own) {
  constexpr std::size_t kGroups = 200, kItems = 50;
  Shared<int> in(kGroups * kItems), range(kGroups), plain(kGroups);
  for (std::size_t i = 0; i < in.host.size(); ++i) in.host[i] = static_cast<int>(i % 97);
  Schedule schedule;
  schedule.add(range_kernel("local_sum"), {local_memory(4), argument(in), argument(range)},
               launch({kGroups * kItems}, {kItems}));
  schedule.add(plain_kernel("local_sum"), {local_memory(4), argument(in), argument(plain)},
               launch({kGroups * kItems}, {kItems}, 4));
  schedule.complete(stream);
  for (std::size_t g = 0; g < kGroups; ++g) {
    int sum = 0;
    for (std::size_t i = 0; i < kItems; ++i) sum += in.host[g * kItems + i];
    CHECK_EQUAL(sum, range.host[g]);
    CHECK_EQUAL(sum * static_cast<int>(kItems), plain.host[g]);
  }
}

TEST(a_command_shows_the_size_that_the_backend_chose) {
  Shared<int> counts(1000 * 10);
  Schedule schedule;
  const nxs_id command =
      schedule.add(range_kernel("count_2d"), {argument(counts)}, launch({1000, 10}));
  const auto size = ints_property(table().GetCommandProperty, command, NP_GroupSize);
  const auto grid = ints_property(table().GetCommandProperty, command, NP_GridSize);
  const auto count = ints_property(table().GetCommandProperty, command, NP_GroupCount);
  CHECK(grid == (std::vector<int64_t>{1000, 10, 1}));
  for (std::size_t d = 0; d < 3; ++d) {
    CHECK(size[d] >= 1);
    CHECK_EQUAL((grid[d] + size[d] - 1) / size[d], count[d]);
  }
}

TEST(a_kernel_describes_its_arguments) {
  const nxs_id described = range_kernel("kinds");
  const std::string names = text_property(table().GetKernelProperty, described, NP_ArgumentNames);
  CHECK(names == std::string("input\0weights\0scratch\0output\0count\0", 35));
  const std::string types = text_property(table().GetKernelProperty, described, NP_ArgumentTypes);
  CHECK(types == std::string("float64\0float32\0int16\0uint64\0int64\0", 35));
  const std::string kinds = text_property(table().GetKernelProperty, described, NP_ArgumentKinds);
  CHECK(kinds == std::string("buffer\0buffer\0local\0buffer\0scalar\0", 34));
  CHECK_EQUAL(5, int_property(table().GetKernelProperty, described, NP_Count));
  CHECK_EQUAL("range", text_property(table().GetKernelProperty, described, NP_Convention));
  nxs_argument_info info{};
  info.struct_size = sizeof(info);
  must(table().GetKernelArgument(described, 4, &info));
  CHECK_EQUAL("count", std::string(info.name.data, info.name.size));
  CHECK_EQUAL(NXS_ArgumentKind_Scalar, info.kind);
  CHECK_EQUAL(NXS_DataType_I64, info.data_type);
  CHECK_EQUAL(8U, info.size);
}

TEST(a_plain_kernel_does_not_describe_itself) {
  const nxs_id plain = plain_kernel("add");
  CHECK_EQUAL("plain-c", text_property(table().GetKernelProperty, plain, NP_Convention));
  nxs_argument_info info{};
  info.struct_size = sizeof(info);
  CHECK_EQUAL(NXS_KernelArgInfoNotAvailable, table().GetKernelArgument(plain, 0, &info));
}

TEST(kernels_compiled_as_cxx_are_the_same) {
  static const nxs_id cxx = library("range_kernels_cxx.so");
  check_add(kernel(cxx, "add"), 1000, kChosen, true);
  const std::string types =
      text_property(table().GetKernelProperty, kernel(cxx, "kinds"), NP_ArgumentTypes);
  CHECK(types == std::string("float64\0float32\0int16\0uint64\0int64\0", 35));
}
