// SPDX-License-Identifier: Apache-2.0
// Kernels of both conventions: that each work item runs once, with the right ids
// and the right arguments.
#include "harness.hpp"

#include <algorithm>

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

TEST(a_kernel_tells_its_convention_and_arguments) {
  const GetProperty get = table().GetKernelProperty;
  const nxs_id range = range_kernel("kinds"), plain = plain_kernel("add");
  CHECK_EQUAL("range", text_property(get, range, NP_Convention));
  CHECK(text_property(get, range, NP_ArgumentNames) ==
        std::string("input\0weights\0scratch\0output\0count\0", 35));
  CHECK(text_property(get, range, NP_ArgumentKinds) ==
        std::string("buffer\0buffer\0local\0buffer\0scalar\0", 34));
  CHECK_EQUAL("plain-c", text_property(get, plain, NP_Convention));
  nxs_argument_info info{};
  info.struct_size = sizeof(info);
  CHECK_EQUAL(NXS_KernelArgInfoNotAvailable, table().GetKernelArgument(plain, 0, &info));
}

TEST(plain_functions_are_kernels_where_no_kernel_describes_itself) {
  const GetProperty get = table().GetLibraryProperty;
  const nxs_id plain = library("plain_kernels.so");
  const std::string names("add\0count_3d\0count_runs\0local_sum\0no_arguments\0sum_64\0tell_ids\0",
                          63);
  CHECK(text_property(get, plain, NP_SubUnits) == names);
  CHECK(text_property(get, plain, NP_KernelNames) == names);
  CHECK_EQUAL("plain_kernels.so", text_property(get, plain, NP_Name));
}

TEST(libraries_of_one_file_have_variables_of_their_own) {
  Shared<int> runs(1);
  const auto count = [&](nxs_id from) {
    Schedule schedule;
    schedule.add(kernel(from, "count_runs"), {argument(runs)}, launch({1}, {1}));
    schedule.complete(stream);
    return runs.host[0];
  };
  const nxs_id first = library("plain_kernels.so"), second = library("plain_kernels.so");
  CHECK_EQUAL(1, count(first));
  CHECK_EQUAL(2, count(first));
  CHECK_EQUAL(1, count(second));
}

TEST(a_finalize_that_fails_leaves_kinds_and_sizes_open) {
  Shared<int> buffer(1);
  const int number = 4;
  const int64_t wide = 4;
  Schedule schedule;
  nxs_id command = 0;
  must(table().CreateCommand(schedule.id, plain_kernel("count_3d"), &command));
  const auto set = [&](uint32_t index, const nxs_argument &given) {
    return table().SetCommandArgument(command, index, &given);
  };
  must(set(0, argument(buffer)));
  must(set(1, scalar(number)));
  const nxs_launch too_large = launch({1 << 20}, {4097}), small = launch({1});
  CHECK_EQUAL(NXS_InvalidWorkGroupSize, table().FinalizeCommand(command, &too_large));
  CHECK_EQUAL(NXS_Success, set(0, scalar(number)));
  CHECK_EQUAL(NXS_Success, set(1, scalar(wide)));
  CHECK_EQUAL(NXS_Success, set(2, argument(buffer)));
  CHECK_EQUAL(NXS_Success, table().FinalizeCommand(command, &small));
  CHECK_EQUAL(NXS_InvalidArgSize, set(1, scalar(number)));
}
