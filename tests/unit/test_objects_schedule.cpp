// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>

#include "objects.hpp"

using namespace objects;

namespace {

using Floats = std::vector<float>;
using Ids = std::vector<int64_t>;

constexpr uint64_t kMany = 64;

TEST(commands_run_in_order) {
  const Object on = device("reference:0");
  const Object a = floats(on, {1, 2, 3, 4});
  const Object b = floats(on, {0, 0, 0, 0});
  const Object c = floats(on, {0, 0, 0, 0});
  const Object both = schedule(on);
  const Object first = scaleCommand(both, on, a, 2, b, 4);
  Object copy;
  CHECK_OK(nexus_schedule_create_copy_command(both, c, b, copy.out()));
  const Object second = scaleCommand(both, on, c, 5, c, 4);
  CHECK_OK(run(both));
  CHECK_EQUAL((Floats{2, 4, 6, 8}), contents(b));
  CHECK_EQUAL((Floats{10, 20, 30, 40}), contents(c));
  uint64_t count = 0;
  CHECK_OK(nexus_schedule_command_count(both, &count));
  CHECK_EQUAL(uint64_t{3}, count);
  Object found;
  CHECK_OK(nexus_schedule_get_command(both, 2, found.out()));
  CHECK(found.get() == second.get());
  CHECK_FAILS(NXS_InvalidCommand, nexus_schedule_get_command(both, 3, found.out()), "3");
}

TEST(a_fill_command_fills) {
  const Object on = device("reference:0");
  const Object a = floats(on, {1, 2});
  const Object filled = schedule(on);
  const float value = 4;
  Object command;
  CHECK_OK(nexus_schedule_create_fill_command(filled, a, &value, sizeof(value), command.out()));
  CHECK_OK(run(filled));
  CHECK_EQUAL((Floats{4, 4}), contents(a));
  nxs_command_type type = -1;
  CHECK_OK(nexus_command_get_command_type(command, &type));
  CHECK_EQUAL(nxs_command_type{NXS_CommandType_Fill}, type);
  CHECK_FAILS(NXS_InvalidOperation, nexus_command_set_buffer(command, 0, a), "Fill");
}

// (0, 1, 1) is an empty grid; all 0 is none.
void finalizeFor(nexus_command *command, uint64_t items) {
  nexus_launch_desc desc{};
  desc.struct_size = sizeof(desc);
  desc.grid_size[0] = items;
  desc.grid_size[1] = desc.grid_size[2] = 1;
  CHECK_OK(nexus_command_finalize(command, &desc));
}

TEST(a_command_that_becomes_empty_does_nothing_and_keeps_its_place) {
  const Object on = device("reference:0");
  const Object a = floats(on, {1, 1});
  const Object recorded = schedule(on);
  const Object first = scaleCommand(recorded, on, a, 2, a, 2);
  const Object second = scaleCommand(recorded, on, a, 3, a, 2);
  for (const uint64_t items : {0, 2, 0}) {
    const float one = 1;
    CHECK_OK(nexus_buffer_fill(a, &one, sizeof(one), nullptr, 1));
    finalizeFor(first, items);
    CHECK_OK(run(recorded));
    CHECK_EQUAL((items == 0 ? Floats{3, 3} : Floats{6, 6}), contents(a));
  }
  finalizeFor(second, 0);
  CHECK_OK(run(recorded));
  CHECK_EQUAL((Floats{3, 3}), contents(a));
  CHECK_EQUAL((std::vector<int64_t>{0, 1, 1}), propertyNumbers(second, {"GridSize"}));
}

TEST(arguments_set_after_finalize_are_for_later_runs) {
  const Object on = device("reference:0");
  const Object a = floats(on, {1, 2});
  const Object b = floats(on, {0, 0});
  const Object c = floats(on, {0, 0});
  const Object once = schedule(on);
  const Object command = scaleCommand(once, on, a, 2, b, 2);
  CHECK_OK(run(once, nullptr, kNonBlocking));
  const float three = 3;
  CHECK_OK(nexus_command_set_buffer(command, 2, c));
  CHECK_OK(nexus_command_set_scalar(command, 1, &three, sizeof(three), NXS_DataType_F32));
  CHECK_OK(run(once));
  CHECK_EQUAL((Floats{2, 4}), contents(b));
  CHECK_EQUAL((Floats{3, 6}), contents(c));
}

TEST(a_buffer_that_was_replaced_still_knows_the_runs_that_used_it) {
  const Object on = device("reference:0");
  const Object in = stream(on);
  const Object a = floats(on, Floats(1 << 16, 1));
  const Object b = floats(on, Floats(1 << 16, 0));
  const Object c = floats(on, Floats(1 << 16, 0));
  const Object once = schedule(on);
  const Object command = scaleCommand(once, on, a, 2, b, 1 << 16);
  for (int i = 0; i < 20; ++i) {
    CHECK_OK(nexus_command_set_buffer(command, 2, i % 2 == 0 ? c : b));
    CHECK_OK(run(once, in, kNonBlocking));
    CHECK_EQUAL(Floats(1 << 16, 2), contents(i % 2 == 0 ? c : b));
  }
}

TEST(an_argument_that_does_not_fit_the_kernel_is_named) {
  const Object on = device("reference:0");
  const Object a = floats(on, {1, 2});
  const Object kernel = referenceKernel(on, "scale_f32");
  const Object once = schedule(on);
  const nexus_launch_desc desc = launch(2);
  const float factor = 2;
  const int32_t whole = 2;
  const double wide = 2;
  Object command;
  CHECK_OK(nexus_schedule_create_command(once, kernel, command.out()));
  CHECK_FAILS(NXS_InvalidKernelArgs, nexus_command_finalize(command, &desc), "scale_f32",
              "argument 0, 'x'", "not given");
  CHECK_FAILS(NXS_InvalidCommand, run(once), "scale_f32", "finalize");
  CHECK_OK(nexus_command_set_buffer(command, 0, a));
  CHECK_OK(nexus_command_set_buffer(command, 2, a));
  CHECK_FAILS(NXS_InvalidArgValue, nexus_command_set_buffer(command, 1, a), "scale_f32",
              "argument 1, 'factor'", "is a scalar", "a buffer was given");
  CHECK_FAILS(NXS_InvalidArgSize,
              nexus_command_set_scalar(command, 1, &wide, sizeof(wide), NXS_DataType_F64),
              "argument 1, 'factor'", "4 bytes of float32", "8 bytes of float64");
  CHECK_FAILS(NXS_InvalidArgValue,
              nexus_command_set_scalar(command, 1, &whole, sizeof(whole), NXS_DataType_I32),
              "float32", "int32");
  CHECK_FAILS(NXS_InvalidArgSize,
              nexus_command_set_scalar(command, 1, &factor, 2, NXS_DataType_F16), "float16");
  CHECK_OK(nexus_command_set_scalar(command, 1, &factor, sizeof(factor), NXS_DataType_Undefined));
  CHECK_OK(nexus_command_finalize(command, &desc));
  CHECK_FAILS(NXS_InvalidArgValue, nexus_command_set_buffer(command, 1, a), "factor");
  CHECK_FAILS(NXS_InvalidArgIndex, nexus_command_set_buffer(command, 3, a), "index is 3",
              "3 arguments");
  CHECK_FAILS(NXS_InvalidArgIndex, nexus_command_set_buffer(command, 64, a), "64", "63");
  CHECK_OK(run(once));
  CHECK_EQUAL((Floats{2, 4}), contents(a));
}

TEST(the_elements_of_a_buffer_are_of_the_parameters_type) {
  const Object on = device("reference:0");
  const Object a = floats(on, {1, 2});
  const Object kernel = referenceKernel(on, "scale_f32");
  const Object once = schedule(on);
  Object command;
  CHECK_OK(nexus_schedule_create_command(once, kernel, command.out()));
  const auto view = [&](nxs_data_type type) {
    nexus_buffer_desc desc{};
    desc.struct_size = sizeof(desc);
    desc.data_type = type;
    desc.size = 8;
    Object part;
    CHECK_OK(nexus_buffer_slice(a, 0, &desc, part.out()));
    return part;
  };
  CHECK_FAILS(NXS_InvalidArgValue, nexus_command_set_buffer(command, 0, view(NXS_DataType_F64)),
              "argument 0, 'x'", "scale_f32", "points to float32", "float64", "view('float32')");
  CHECK_FAILS(NXS_InvalidArgValue, nexus_command_set_buffer(command, 0, view(NXS_DataType_I32)),
              "int32");
  CHECK_OK(nexus_command_set_buffer(command, 0, view(NXS_DataType_F32)));
  CHECK_OK(nexus_command_set_buffer(command, 0, view(NXS_DataType_Undefined)));
}

TEST(an_integer_of_the_other_signedness_has_to_be_in_range) {
  const Object on = device("reference:0");
  const Object once = schedule(on);
  Object command;
  CHECK_OK(nexus_schedule_create_command(once, referenceKernel(on, "fill_i32"), command.out()));
  const uint32_t small = 0x7fffffff;
  const uint32_t large = 0xffffffff;
  CHECK_OK(nexus_command_set_scalar(command, 1, &small, sizeof(small), NXS_DataType_U32));
  CHECK_OK(nexus_command_set_scalar(command, 1, &large, sizeof(large), NXS_DataType_I32));
  CHECK_FAILS(NXS_InvalidArgValue,
              nexus_command_set_scalar(command, 1, &large, sizeof(large), NXS_DataType_U32),
              "argument 1, 'value'", "fill_i32", "int32", "4294967295", "range");
  const float one = 1;
  CHECK_FAILS(NXS_InvalidArgValue,
              nexus_command_set_scalar(command, 1, &one, sizeof(one), NXS_DataType_F32), "int32",
              "float32", "convert");
  const int16_t narrow = 1;
  CHECK_FAILS(NXS_InvalidArgSize,
              nexus_command_set_scalar(command, 1, &narrow, sizeof(narrow), NXS_DataType_I16),
              "4 bytes of int32", "2 bytes of int16");
}

TEST(an_argument_too_many_is_refused_at_once) {
  const Object on = device("reference:0");
  const Object a = floats(on, {1, 2});
  const Object kernel = referenceKernel(on, "fill_f32");
  const Object once = schedule(on);
  const nexus_launch_desc desc = launch(2);
  const float value = 2;
  Object command;
  CHECK_OK(nexus_schedule_create_command(once, kernel, command.out()));
  CHECK_OK(nexus_command_set_buffer(command, 0, a));
  CHECK_OK(nexus_command_set_scalar(command, 1, &value, sizeof(value), NXS_DataType_F32));
  CHECK_FAILS(NXS_InvalidArgIndex,
              nexus_command_set_scalar(command, 2, &value, sizeof(value), NXS_DataType_F32),
              "index is 2", "fill_f32", "2 arguments");
  CHECK_OK(nexus_command_finalize(command, &desc));  // what was refused is not in the way
  CHECK_OK(run(once));
  CHECK_EQUAL((Floats{2, 2}), contents(a));
}

TEST(launches_are_completed_and_shown) {
  const Object on = device("reference:0");
  const Object a = floats(on, Floats(100, 1));
  const Object once = schedule(on);
  const Object command = scaleCommand(once, on, a, 2, a, 100);
  CHECK_EQUAL((Ids{100, 1, 1}), propertyNumbers(command, {"GridSize"}));
  CHECK_EQUAL((Ids{64, 1, 1}), propertyNumbers(command, {"GroupSize"}));
  CHECK_EQUAL((Ids{2, 1, 1}), propertyNumbers(command, {"GroupCount"}));
  nexus_launch_desc desc = launch(100, 32);
  CHECK_OK(nexus_command_finalize(command, &desc));
  CHECK_EQUAL((Ids{32, 1, 1}), propertyNumbers(command, {"GroupSize"}));
  CHECK_EQUAL((Ids{4, 1, 1}), propertyNumbers(command, {"GroupCount"}));
  desc = launch(0, 10);
  desc.grid_size[1] = desc.grid_size[2] = 0;
  desc.group_count[0] = 5;
  desc.group_count[1] = desc.group_count[2] = 1;
  CHECK_OK(nexus_command_finalize(command, &desc));
  CHECK_EQUAL((Ids{50, 1, 1}), propertyNumbers(command, {"GridSize"}));
  CHECK_OK(run(once));
  Floats expected(100, 1);
  std::fill_n(expected.begin(), 50, 2.0F);
  CHECK_EQUAL(expected, contents(a));
}

TEST(launches_that_can_not_be_are_refused) {
  const Object on = device("reference:0");
  const Object a = floats(on, {1, 2});
  const Object once = schedule(on);
  const Object command = scaleCommand(once, on, a, 2, a, 2);
  const auto refused = [&](nexus_launch_desc desc) {
    return nexus_command_finalize(command, &desc);
  };
  CHECK_FAILS(NXS_InvalidWorkGroupSize, refused(launch(2048, 2048)), "2048", "1024", "scale_f32",
              "reference:0");
  nexus_launch_desc desc = launch(0);
  desc.grid_size[1] = desc.grid_size[2] = 0;
  CHECK_FAILS(NXS_InvalidGlobalWorkSize, refused(desc), "grid_size", "group_count");
  desc.group_count[0] = desc.group_count[1] = desc.group_count[2] = 1;
  CHECK_FAILS(NXS_InvalidWorkGroupSize, refused(desc), "group_size");
  desc = launch(2, 2);
  desc.group_count[0] = desc.group_count[1] = desc.group_count[2] = 1;
  CHECK_FAILS(NXS_InvalidGlobalWorkSize, refused(desc), "both");
  desc = launch(UINT64_MAX, 1);
  desc.grid_size[1] = 2;
  CHECK_FAILS(NXS_InvalidGlobalWorkSize, refused(desc), "64 bits");
  desc = launch(UINT64_MAX, 0);
  desc.grid_size[0] = 0;
  desc.grid_size[1] = desc.grid_size[2] = 0;
  desc.group_size[0] = desc.group_size[1] = desc.group_size[2] = 2;
  desc.group_count[0] = UINT64_MAX;
  desc.group_count[1] = desc.group_count[2] = 1;
  CHECK_FAILS(NXS_InvalidGlobalWorkSize, refused(desc), "64 bits");
  desc = launch(2, 2);
  desc.struct_size = 8;
  CHECK_FAILS(NXS_InvalidValue, refused(desc), "struct_size");
}

TEST(things_of_another_device_are_refused_with_both_names) {
  const Object here = device("reference:0");
  const Object there = device("cpu:0");
  const Object kernel = referenceKernel(here, "fill_f32");
  const Object mine = schedule(here);
  const Object theirs = schedule(there);
  const Object foreign = floats(there, {1, 2});
  const Object own = floats(here, {1, 2});
  const Object elsewhere = stream(there);
  Object command;
  CHECK_FAILS(NXS_InvalidDevice, nexus_schedule_create_command(theirs, kernel, command.out()),
              "kernel", "reference:0", "cpu:0");
  CHECK_OK(nexus_schedule_create_command(mine, kernel, command.out()));
  CHECK_FAILS(NXS_InvalidDevice, nexus_command_set_buffer(command, 0, foreign), "buffer", "cpu:0",
              "reference:0");
  CHECK_FAILS(NXS_InvalidDevice,
              nexus_schedule_create_copy_command(theirs, own, own, command.out()), "destination",
              "reference:0", "cpu:0");
  CHECK_FAILS(NXS_InvalidDevice, run(mine, elsewhere), "stream", "cpu:0", "reference:0");
}

TEST(a_misaligned_slice_is_no_argument) {
  const Object on = device("cpu:0");
  const std::vector<int64_t> alignment = propertyNumbers(on, {"BufferOffsetAlignment"});
  CHECK_EQUAL(std::size_t{1}, alignment.size());
  if (alignment.front() == 1) {
    return;
  }
  const Object buffer = bufferOf(on, std::vector<uint8_t>(256), NXS_DataType_U8);
  nexus_buffer_desc desc = describe(16);
  Object slice;
  CHECK_OK(nexus_buffer_slice(buffer, 1, &desc, slice.out()));
  Object library;
  Object kernel;
  Object command;
  const Object once = schedule(on);
  CHECK_OK(nexus_device_load_library_file(on, text(NEXUS_CPU_KERNELS), library.out()));
  CHECK_OK(nexus_library_get_kernel(library, text("saxpy"), kernel.out()));
  CHECK_OK(nexus_schedule_create_command(once, kernel, command.out()));
  CHECK_FAILS(NXS_MisalignedSubBufferOffset, nexus_command_set_buffer(command, 0, slice),
              "BufferOffsetAlignment", "cpu:0");
}

TEST(a_schedule_keeps_alive_what_it_uses) {
  const Object on = device("reference:0");
  Object a = floats(on, {1, 2});
  const Object b = floats(on, {0, 0});
  Object once = schedule(on);
  Object command = scaleCommand(once, on, a, 3, b, 2);  // its kernel and library are let go
  const float four = 4;
  CHECK_OK(nexus_buffer_fill(a, &four, sizeof(four), nullptr, 0));
  a.reset();
  CHECK_OK(run(once));
  CHECK_EQUAL((Floats{12, 12}), contents(b));
  once.reset();  // the command keeps it
  Object same;
  CHECK_OK(nexus_command_get_kernel(command, same.out()));
  CHECK_EQUAL(std::string("scale_f32"), propertyText(same, {"Name"}));
  CHECK_OK(nexus_command_set_buffer(command, 2, b));
}

TEST(objects_may_be_let_go_in_any_order_while_work_runs) {
  const Object on = device("reference:0");
  std::vector<int> order{0, 1, 2, 3, 4};
  do {
    Object things[5];
    things[0] = floats(on, Floats(kMany, 2));
    things[1] = floats(on, Floats(kMany, 0));
    things[2] = stream(on);
    things[3] = schedule(on);
    things[4] = scaleCommand(things[3], on, things[0], 2, things[1], kMany);
    CHECK_OK(run(things[3], things[2], kNonBlocking));
    for (const int i : order) {
      things[i].reset();
    }
  } while (std::next_permutation(order.begin(), order.end()));
  CHECK_OK(nexus_device_synchronize(on, NEXUS_FOREVER));
}

TEST(what_was_closed_refuses_use) {
  const Object on = device("reference:0");
  const Object a = floats(on, {1, 2});
  const Object once = schedule(on);
  const Object command = scaleCommand(once, on, a, 2, a, 2);
  const Object in = stream(on);
  CHECK_OK(run(once, in, kNonBlocking));
  CHECK_OK(nexus_close(in));
  CHECK_FAILS(NXS_InvalidStream, run(once, in), "closed");
  CHECK_OK(nexus_close(once));
  CHECK_FAILS(NXS_InvalidSchedule, run(once), "closed");
  CHECK_FAILS(NXS_InvalidSchedule, nexus_command_set_buffer(command, 0, a), "closed");
  CHECK_OK(nexus_device_synchronize(on, NEXUS_FOREVER));
  CHECK_EQUAL((Floats{2, 4}), contents(a));
}

TEST(an_empty_schedule_runs) {
  const Object on = device("reference:0");
  const Object nothing = schedule(on);
  CHECK_OK(run(nothing));
  CHECK_EQUAL(std::vector<int64_t>{0}, propertyNumbers(nothing, {"Size"}));
}

TEST(commands_and_schedules_tell_their_properties) {
  const Object on = device("reference:0");
  const Object a = floats(on, {1, 2});
  const Object b = floats(on, {1, 2});
  const Object once = schedule(on);
  CHECK_EQUAL(std::string("Submitted"), propertyText(once, {"Status"}));
  const Object command = scaleCommand(once, on, a, 2, b, 2);
  const int64_t a_id = propertyNumbers(a, {"ID"}).front();
  const int64_t b_id = propertyNumbers(b, {"ID"}).front();
  CHECK_EQUAL(nexus_object_get_id(a), a_id);
  CHECK_EQUAL((Ids{a_id, 0, b_id}), propertyNumbers(command, {"Arguments"}));
  CHECK_EQUAL(std::string("Dispatch"), propertyText(command, {"Type"}));
  CHECK_EQUAL(std::string("scale_f32"), propertyText(command, {"Name"}));
  CHECK_OK(run(once));
  CHECK_EQUAL(std::string("Complete"), propertyText(once, {"Status"}));
  CHECK_EQUAL(std::string("Complete"), propertyText(command, {"Status"}));
  CHECK_EQUAL(Ids{1}, propertyNumbers(once, {"Size"}));
}

TEST(the_cpu_runs_a_kernel_with_what_it_says_of_itself) {
  const Object on = device("cpu:0");
  Object library;
  Object kernel;
  Object command;
  CHECK_OK(nexus_device_load_library_file(on, text(NEXUS_CPU_KERNELS), library.out()));
  CHECK_OK(nexus_library_get_kernel(library, text("add_vectors"), kernel.out()));
  uint32_t count = 0;
  CHECK_OK(nexus_kernel_get_argument_count(kernel, &count));
  CHECK_EQUAL(uint32_t{4}, count);
  nxs_argument_info info{};
  info.struct_size = sizeof(info);
  CHECK_OK(nexus_kernel_get_argument(kernel, 3, &info));
  CHECK_EQUAL(std::string("n"), std::string(info.name.data, info.name.size));
  CHECK_EQUAL(nxs_data_type{NXS_DataType_I32}, info.data_type);
  CHECK_EQUAL(std::string("int"), std::string(info.type.data, info.type.size));
  info.type = {};
  info.struct_size = offsetof(nxs_argument_info, type);  // a caller of before the field
  CHECK_OK(nexus_kernel_get_argument(kernel, 0, &info));
  CHECK_EQUAL(std::string("a"), std::string(info.name.data, info.name.size));
  CHECK(info.type.data == nullptr);
  const Object a = floats(on, Floats(1000, 1));
  const Object b = floats(on, Floats(1000, 2));
  const Object c = floats(on, Floats(1000, 0));
  const Object once = schedule(on);
  const int32_t n = 1000;
  const nexus_launch_desc desc = launch(1000);
  CHECK_OK(nexus_schedule_create_command(once, kernel, command.out()));
  CHECK_OK(nexus_command_set_buffer(command, 0, a));
  CHECK_OK(nexus_command_set_buffer(command, 1, b));
  CHECK_OK(nexus_command_set_buffer(command, 2, c));
  CHECK_OK(nexus_command_set_scalar(command, 3, &n, sizeof(n), NXS_DataType_I32));
  CHECK_OK(nexus_command_finalize(command, &desc));
  CHECK_OK(run(once));
  CHECK_EQUAL(Floats(1000, 3), contents(c));
  CHECK_FAILS(NXS_InvalidKernelName,
              nexus_library_get_kernel(library, text("nothing"), kernel.out()), "nothing");
}

}  // namespace
