// SPDX-License-Identifier: Apache-2.0
// What the CPU backend refuses, and in which words.
#include "../unit/check.hpp"
#include "harness.hpp"

#include <fstream>
#include <iterator>

using namespace cpu;

static const nxs_id runtime = load();

namespace {

std::string read(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

nxs_status create_library(const std::string &bytes, nxs_id *out) {
  return table().CreateLibrary(device(), bytes.data(), bytes.size(), out);
}

// The status of setting one argument of a fresh command.
nxs_status set(nxs_id kernel, uint32_t index, const nxs_argument &argument) {
  Schedule schedule;
  nxs_id command = 0;
  must(table().CreateCommand(schedule.id, kernel, &command));
  return table().SetCommandArgument(command, index, &argument);
}

nxs_status finalize(nxs_id kernel, const nxs_launch &size) {
  Shared<int> counts(1);
  const nxs_argument given = argument(counts);
  Schedule schedule;
  nxs_id command = 0;
  must(table().CreateCommand(schedule.id, kernel, &command));
  must(table().SetCommandArgument(command, 0, &given));
  return table().FinalizeCommand(command, &size);
}

}  // namespace

TEST(a_missing_kernel_is_named_with_those_that_are_near) {
  nxs_id id = 0;
  const nxs_id from = library("range_kernels.so");
  CHECK_EQUAL(NXS_InvalidKernelName, table().GetKernel(from, text("add_bonded"), &id));
  CHECK(contains(latest(), "'add_bonded'"));
  CHECK(contains(latest(), "'add_bounded'"));
}

TEST(a_missing_kernel_without_near_names_gets_the_list) {
  nxs_id id = 0;
  CHECK_EQUAL(NXS_InvalidKernelName,
              table().GetKernel(library("plain_kernels.so"), text("xyzzyplugh"), &id));
  CHECK(contains(latest(), "'count_3d'"));
}

TEST(functions_of_the_c_library_are_no_kernels) {
  nxs_id id = 0;
  CHECK_EQUAL(NXS_InvalidKernelName,
              table().GetKernel(library("plain_kernels.so"), text("malloc"), &id));
}

TEST(strings_that_are_not_there_are_refused) {
  const nxs_id from = library("plain_kernels.so");
  const nxs_string no_data{nullptr, 4};
  nxs_id id = 0;
  for (const nxs_string *missing : {static_cast<const nxs_string *>(nullptr), &no_data}) {
    CHECK_EQUAL(NXS_InvalidValue, table().CreateLibraryFromFile(device(), missing, &id));
    CHECK(contains(latest(), "path"));
    CHECK_EQUAL(NXS_InvalidValue, table().GetKernel(from, missing, &id));
    CHECK(contains(latest(), "name"));
  }
}

TEST(what_is_no_library_is_refused) {
  nxs_id id = 0;
  CHECK_EQUAL(NXS_InvalidValue,
              table().CreateLibraryFromFile(device(), text("/no/such/kernels.so"), &id));
  CHECK(contains(latest(), "/no/such/kernels.so"));
  CHECK_EQUAL(NXS_InvalidValue, table().CreateLibraryFromFile(device(), text("/"), &id));
  CHECK_EQUAL(NXS_InvalidValue, table().CreateLibraryFromFile(device(), text(""), &id));
  CHECK_EQUAL(NXS_InvalidBinary, create_library("this is a text", &id));
  CHECK(contains(latest(), "not a shared library"));
  CHECK_EQUAL(NXS_InvalidBinary, create_library("", &id));
  CHECK_EQUAL(NXS_InvalidValue, table().CreateLibrary(device(), nullptr, 4, &id));
}

TEST(a_library_cut_short_anywhere_is_refused_or_works) {
  const std::string whole = read(kernel_folder() + "/range_kernels.so");
  CHECK(whole.size() > 1000);
  int refused = 0;
  for (std::size_t size = 0; size < whole.size(); size += whole.size() / 60) {
    nxs_id id = 0;
    const nxs_status status = create_library(whole.substr(0, size), &id);
    if (status == NXS_InvalidBinary) ++refused;
    if (status == NXS_Success) must(table().ReleaseLibrary(id));
    CHECK(status == NXS_InvalidBinary || status == NXS_Success);
  }
  CHECK(refused > 0);
}

TEST(a_library_for_another_processor_is_named) {
  std::string bytes = read(kernel_folder() + "/range_kernels.so");
  if (bytes.substr(0, 4) != "\177ELF") return;
  bytes[18] = 40;  // the machine: 32-bit ARM
  nxs_id id = 0;
  CHECK_EQUAL(NXS_InvalidBinary, create_library(bytes, &id));
  CHECK(contains(latest(), "32-bit ARM"));
}

TEST(a_scalar_of_another_size_names_kernel_and_size) {
  const int64_t wide = 1;
  CHECK_EQUAL(NXS_InvalidArgSize, set(range_kernel("add"), 3, scalar(wide)));
  CHECK(contains(latest(), "'add'"));
  CHECK(contains(latest(), "argument 3 has 8 bytes"));
}

TEST(an_argument_of_another_kind_is_refused) {
  const int number = 1;
  CHECK_EQUAL(NXS_InvalidArgValue, set(range_kernel("add"), 0, scalar(number)));
  Shared<int> buffer(1);
  CHECK_EQUAL(NXS_InvalidArgValue, set(range_kernel("add"), 3, argument(buffer)));
}

TEST(an_argument_index_beyond_the_kernels_is_refused) {
  const int number = 1;
  CHECK_EQUAL(NXS_InvalidArgIndex, set(range_kernel("add"), 4, scalar(number)));
  CHECK_EQUAL(NXS_InvalidArgIndex, set(plain_kernel("add"), 64, scalar(number)));
}

TEST(a_misaligned_slice_is_refused) {
  Shared<int> buffer(16);
  Schedule schedule;
  nxs_id command = 0;
  must(table().CreateCommand(schedule.id, range_kernel("count_1d"), &command));
  const nxs_argument slice = buffer_argument(buffer.id, 8, 2);
  const nxs_launch size = launch({2});
  nxs_status status = table().SetCommandArgument(command, 0, &slice);
  if (status == NXS_Success) status = table().FinalizeCommand(command, &size);
  CHECK_EQUAL(NXS_MisalignedSubBufferOffset, status);
  CHECK(contains(latest(), "(counts)"));
}

TEST(a_missing_argument_is_refused_when_finalized) {
  Schedule schedule;
  nxs_id command = 0;
  must(table().CreateCommand(schedule.id, range_kernel("add"), &command));
  const nxs_launch size = launch({4});
  CHECK_EQUAL(NXS_InvalidKernelArgs, table().FinalizeCommand(command, &size));
  CHECK(contains(latest(), "'add'"));
}

TEST(a_command_that_is_not_finalized_does_not_run) {
  Schedule schedule;
  nxs_id command = 0;
  nxs_ticket ticket = 0;
  must(table().CreateCommand(schedule.id, range_kernel("add"), &command));
  CHECK_EQUAL(NXS_InvalidCommand, table().RunSchedule(schedule.id, new_stream(), 0, &ticket));
}

TEST(a_command_released_before_it_is_finalized_leaves_its_schedule) {
  Shared<int> counts(4);
  Schedule schedule;
  schedule.add(range_kernel("count_1d"), {argument(counts)}, launch({4}));
  nxs_id dropped = 0;
  must(table().CreateCommand(schedule.id, range_kernel("add"), &dropped));
  const nxs_id kept = schedule.add(range_kernel("count_1d"), {argument(counts)}, launch({4}));
  must(table().ReleaseCommand(dropped));
  must(table().ReleaseCommand(kept));
  CHECK_EQUAL(NXS_InvalidCommand, table().ReleaseCommand(dropped));
  CHECK_EQUAL(2, int_property(table().GetScheduleProperty, schedule.id, NP_Size));
  CHECK_EQUAL(NXS_CompletionState_Completed, schedule.complete(new_stream()).state);
  CHECK_EQUAL(2, counts.host[0]);
}

TEST(a_finalize_that_fails_leaves_kinds_and_sizes_open) {
  Shared<int> counts(64), width(1, 4), height(1, 4);
  const int number = 4;
  const int64_t wide = 4;
  Schedule schedule;
  nxs_id command = 0;
  must(table().CreateCommand(schedule.id, plain_kernel("count_3d"), &command));
  const nxs_argument before[3] = {argument(counts), scalar(number), scalar(number)};
  for (uint32_t i = 0; i < 3; ++i) must(table().SetCommandArgument(command, i, &before[i]));
  const nxs_launch too_large = launch({1 << 20}, {4097});
  CHECK_EQUAL(NXS_InvalidWorkGroupSize, table().FinalizeCommand(command, &too_large));
  const nxs_argument size = scalar(wide);
  const nxs_argument kind = argument(height);
  const nxs_argument more = scalar(number);
  must(table().SetCommandArgument(command, 1, &size));
  must(table().SetCommandArgument(command, 2, &kind));
  must(table().SetCommandArgument(command, 3, &more));
}

TEST(a_finalize_that_fails_leaves_the_launch_of_before) {
  Shared<int> counts(4);
  Schedule schedule;
  const nxs_id command =
      schedule.add(range_kernel("count_1d"), {argument(counts)}, launch({4}, {2}));
  const nxs_launch too_large = launch({1 << 20}, {4097});
  CHECK_EQUAL(NXS_InvalidWorkGroupSize, table().FinalizeCommand(command, &too_large));
  CHECK_EQUAL(2, ints_property(table().GetCommandProperty, command, NP_GroupSize)[0]);
  CHECK_EQUAL(NXS_CompletionState_Completed, schedule.complete(new_stream()).state);
  CHECK_EQUAL(1, counts.host[3]);
}

TEST(sizes_beyond_the_limits_are_refused) {
  const nxs_id kernel = range_kernel("count_1d");
  CHECK_EQUAL(NXS_InvalidWorkGroupSize, finalize(kernel, launch({1 << 20}, {4097})));
  CHECK_EQUAL(NXS_InvalidWorkGroupSize, finalize(kernel, launch({64, 64, 64}, {64, 64, 2})));
  CHECK_EQUAL(NXS_InvalidGlobalWorkSize, finalize(kernel, launch({UINT64_C(1) << 31}, {64})));
  CHECK_EQUAL(NXS_InvalidGlobalWorkSize, finalize(kernel, launch({UINT64_C(1) << 40})));
  CHECK(contains(latest(), "2147483647"));
  CHECK_EQUAL(NXS_InvalidGlobalWorkSize,
              finalize(kernel, launch({UINT64_MAX, UINT64_MAX, UINT64_MAX})));
  const uint64_t most = 0x7fffffff;
  CHECK_EQUAL(NXS_InvalidGlobalWorkSize, finalize(kernel, launch({most, most, most}, {1, 1, 1})));
}

TEST(local_memory_beyond_the_limit_is_refused) {
  Shared<int> in(1), out(1);
  for (const uint64_t bytes : {UINT64_C(1) << 21, UINT64_MAX}) {
    Schedule schedule;
    nxs_id command = 0;
    must(table().CreateCommand(schedule.id, range_kernel("local_sum"), &command));
    const nxs_argument given[3] = {local_memory(bytes), argument(in), argument(out)};
    for (uint32_t i = 0; i < 3; ++i) must(table().SetCommandArgument(command, i, &given[i]));
    const nxs_launch size = launch({1});
    CHECK_EQUAL(NXS_OutOfResources, table().FinalizeCommand(command, &size));
  }
}

TEST(buffers_of_impossible_size_are_refused) {
  nxs_id id = 0;
  CHECK_EQUAL(NXS_InvalidBufferSize, table().CreateBuffer(device(), 0, 0, nullptr, &id));
  CHECK_EQUAL(NXS_InvalidBufferSize, table().CreateBuffer(device(), UINT64_MAX, 0, nullptr, &id));
  CHECK_EQUAL(NXS_InvalidHostPtr,
              table().CreateBuffer(device(), 8, NXS_BufferSettings_Maintain, nullptr, &id));
  CHECK_EQUAL(NXS_NotSupported, table().CreateBuffer(device(), 8, 1 << 20, nullptr, &id));
}

TEST(ids_that_are_stale_foreign_or_of_another_type_are_refused) {
  Schedule schedule;
  nxs_id command = 0;
  nxs_id made = 0;
  must(table().CreateBuffer(device(), 8, 0, nullptr, &made));
  must(table().ReleaseBuffer(made));
  CHECK_EQUAL(NXS_InvalidBuffer, table().ReleaseBuffer(made));
  CHECK_EQUAL(NXS_InvalidBuffer, table().ReleaseBuffer(schedule.id));
  CHECK_EQUAL(NXS_InvalidKernel, table().CreateCommand(schedule.id, made, &command));
  CHECK_EQUAL(NXS_InvalidDevice, table().CreateBuffer(-1, 8, 0, nullptr, &made));
}

TEST(the_commands_of_a_released_schedule_are_stale) {
  nxs_id schedule = 0;
  nxs_id command = 0;
  must(table().CreateSchedule(device(), &schedule));
  must(table().CreateCommand(schedule, range_kernel("add"), &command));
  must(table().ReleaseSchedule(schedule));
  CHECK_EQUAL(NXS_InvalidCommand, table().ReleaseCommand(command));
}

TEST(a_schedule_that_would_run_itself_is_refused) {
  Schedule outer, middle, inner;
  nxs_id command = 0;
  must(table().CreateScheduleCommand(outer.id, middle.id, &command));
  must(table().CreateScheduleCommand(middle.id, inner.id, &command));
  CHECK_EQUAL(NXS_InvalidOperation, table().CreateScheduleCommand(inner.id, outer.id, &command));
  CHECK_EQUAL(NXS_InvalidOperation, table().CreateScheduleCommand(inner.id, inner.id, &command));
}

TEST(only_kernel_commands_have_arguments) {
  Shared<int> buffer(4);
  nxs_buffer_range range{sizeof(range), buffer.id, 0, 16};
  const int zero = 0;
  Schedule schedule;
  nxs_id command = 0;
  must(table().CreateFillCommand(schedule.id, &range, &zero, 4, &command));
  const nxs_argument given = argument(buffer);
  CHECK_EQUAL(NXS_InvalidOperation, table().SetCommandArgument(command, 0, &given));
}
