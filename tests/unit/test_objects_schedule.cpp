// SPDX-License-Identifier: Apache-2.0
#include "objects.hpp"

using namespace objects;

namespace {

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

}  // namespace
