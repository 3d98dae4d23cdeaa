// SPDX-License-Identifier: Apache-2.0
//
// Programs through the core, with the reference backend's compiler.
#include "backends.hpp"
#include "programs.hpp"

using namespace objects;

namespace {

const char *const kScale = "kernel scale_f32\nkernel add_i32\n";

TEST(a_log_of_megabytes_is_whole_and_its_sentence_short) {
  const OwnCache cache;
  std::string lines;
  for (int i = 0; i < 20000; ++i) lines += "error " + std::string(100, 'x') + "\n";
  ProgramText program(lines);
  Object code;
  CHECK_FAILS(NXS_CompileProgramFailure,
              nexus_compile(device("reference:0"), text(""), program.get(), code.out()),
              "the log has all of it");
  nexus_error_info error{};
  error.struct_size = sizeof(error);
  nexus_get_last_error(&error);
  CHECK(error.text.size < 20000);
  CHECK(error.log.size > 2000000);
  CHECK_FAILS(NXS_InvalidValue,
              nexus_compile(nullptr, text("no target"), program.get(), code.out()),
              "target is 'no target'");
  nexus_get_last_error(&error);
  CHECK_EQUAL("", stringOf(error.log));
}

TEST(targets_are_selectors_or_architectures) {
  const OwnCache cache;
  const Object on = device("reference:0");
  ProgramText program(kScale);
  for (const char *target : {"reference", "reference:0", "reference:reference"}) {
    CHECK_EQUAL("reference", stringOf(infoOf(compile(nullptr, program, target)).target));
  }
  Object code;
  CHECK_FAILS(NXS_DeviceNotFound,
              nexus_compile(nullptr, text("reference:7"), program.get(), code.out()), "7");
  CHECK_FAILS(NXS_DeviceNotFound,
              nexus_compile(nullptr, text("nobody:x"), program.get(), code.out()), "nobody");
  CHECK_FAILS(NXS_InvalidValue,
              nexus_compile(nullptr, text("reference:"), program.get(), code.out()), "'reference:'",
              "cpu:x86-64-v3");
  CHECK_FAILS(NXS_InvalidValue, nexus_compile(on, text("z80"), program.get(), code.out()), "z80");
}

TEST(code_for_another_machine_has_no_descriptions) {
  const OwnCache cache;
  const Object on = device("reference:0");
  const Object code = compile(on, ProgramText(kScale), "old");
  CHECK_EQUAL("", stringOf(infoOf(code).kernels));
  CHECK_EQUAL(NXS_InvalidProperty, property(code, {"KernelNames"}).status);
  Object library;
  CHECK_FAILS(NXS_InvalidBinary, nexus_device_load_object_code(on, code, library.out()), "'k.ref'",
              "old");
}

TEST(a_source_that_is_no_text_names_the_line) {
  const OwnCache cache;
  const Object on = device("reference:0");
  Object code;
  ProgramText zero(std::string_view("a\nb\0", 4));
  CHECK_FAILS(NXS_InvalidProgram, nexus_compile(on, text(""), zero.get(), code.out()), "zero byte",
              "line 2");
  ProgramText latin("a\n\nb\xE4\n");
  CHECK_FAILS(NXS_InvalidProgram, nexus_compile(on, text(""), latin.get(), code.out()), "UTF-8",
              "line 3");
}

TEST(each_field_that_is_wrong_is_named) {
  const OwnCache cache;
  const Object on = device("reference:0");
  Object code;
  const auto refused = [&](nxs_status status, auto change, const char *field, const char *value) {
    ProgramText program(kScale);
    change(program);
    CHECK_FAILS(status, nexus_compile(on, text(""), program.get(), code.out()), field, value);
  };
  refused(
      NXS_NotSupported, [](auto &p) { p.language = "basic"; }, "language is 'basic'",
      "it compiles reference");
  refused(NXS_InvalidValue, [](auto &p) { p.name = "a\nb"; }, "name", "control character");
  refused(NXS_InvalidValue, [](auto &p) { p.flags = 1 << 20; }, "flags", "1048576");
  refused(NXS_InvalidValue, [](auto &p) { p.optimization = 4; }, "optimization is 4", "0 to 3");
  refused(NXS_InvalidCompilerOptions, [](auto &p) { p.defines = {"2X=1"}; }, "defines", "'2X=1'");
  refused(NXS_InvalidCompilerOptions, [](auto &p) { p.defines = {"A=1\n#x"}; }, "defines", "line");
  refused(
      NXS_InvalidValue, [](auto &p) { p.include_paths = {"/nowhere/at all"}; }, "include_paths",
      "'/nowhere/at all'");
  refused(
      NXS_InvalidCompilerOptions, [](auto &p) { p.options = {"no flag"}; }, "options", "'no flag'");
  CHECK_FAILS(NXS_InvalidValue, nexus_compile(on, text(""), nullptr, code.out()), "info is NULL");
}

TEST(a_backend_that_compiles_nothing_says_so) {
  const Object on = deviceWithout(NXS_Capability_Compile);
  ProgramText program(kScale);
  Object code;
  CHECK_FAILS(NXS_NotSupported, nexus_compile(on, text(""), program.get(), code.out()), "'lacking'",
              "has no compiler");
}

TEST(code_of_another_backend_is_refused) {
  const OwnCache cache;
  const Object code = compile(device("reference:0"), ProgramText(kScale));
  Object library;
  CHECK_FAILS(NXS_InvalidBinary,
              nexus_device_load_object_code(device("cpu:0"), code, library.out()), "'reference'",
              "'cpu:0'");
}

}  // namespace
