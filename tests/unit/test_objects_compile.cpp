// SPDX-License-Identifier: Apache-2.0
//
// Programs through the core, with the reference backend's compiler.
#include "backends.hpp"
#include "programs.hpp"

using namespace objects;

namespace {

const char *const kScale = "kernel scale_f32\nkernel add_i32\n";

TEST(a_program_becomes_object_code_and_a_library) {
  const OwnCache cache;
  const Object on = device("reference:0");
  ProgramText program(kScale);
  program.options = {"-a \"b\""};
  const Object code = compile(on, program);
  const nexus_object_code_info info = infoOf(code);
  CHECK_EQUAL("k.ref", stringOf(info.name));
  CHECK_EQUAL("reference", stringOf(info.runtime));
  CHECK_EQUAL("reference", stringOf(info.target));
  CHECK_EQUAL("nexus-reference", stringOf(info.format));
  CHECK_EQUAL("nexus-reference 1\nscale_f32\nadd_i32\n", stringOf(info.code));
  CHECK_EQUAL("", stringOf(info.log));
  CHECK_EQUAL("[\"-O3\",\"-a \\\"b\\\"\"]", stringOf(info.flags));
  Object library;
  Object kernel;
  CHECK_OK(nexus_device_load_object_code(on, code, library.out()));
  CHECK_OK(nexus_library_get_kernel(library, text("scale_f32"), kernel.out()));
  CHECK_EQUAL(NXS_ObjectType_ObjectCode, nexus_object_get_type(code));
}

TEST(object_code_describes_its_kernels) {
  const OwnCache cache;
  const Object code = compile(device("reference:0"), ProgramText("kernel fill_f32\nkernel fail\n"));
  CHECK_EQUAL(
      "[{\"name\":\"fail\",\"arguments\":[]},{\"name\":\"fill_f32\",\"arguments\":["
      "{\"name\":\"out\",\"kind\":\"Buffer\",\"dtype\":\"float32\",\"type\":\"\",\"size\":0},"
      "{\"name\":\"value\",\"kind\":\"Scalar\",\"dtype\":\"float32\",\"type\":\"\",\"size\":4}]}]",
      stringOf(infoOf(code).kernels));
  CHECK_EQUAL("value", propertyText(code, {"Kernels", 1, "arguments", 1, "name"}));
  CHECK_EQUAL("-O3", propertyText(code, {"Flags", 0}));
}

TEST(warnings_are_in_the_log_and_nowhere_else) {
  const OwnCache cache;
  const Object code = compile(device("reference:0"), ProgramText("warning odd\nkernel fail\n"));
  CHECK_EQUAL("k.ref:1: warning: odd\n", stringOf(infoOf(code).log));
}

TEST(a_refused_program_says_where_and_its_log_has_the_flags) {
  const OwnCache cache;
  ProgramText program("kernel fail\n\nerror bad thing\nkernel none\n");
  Object code;
  CHECK_FAILS(NXS_CompileProgramFailure,
              nexus_compile(device("reference:0"), text(""), program.get(), code.out()),
              "program 'k.ref'", "k.ref:3: error: bad thing", "k.ref:4: error: there is no kernel");
  nexus_error_info error{};
  error.struct_size = sizeof(error);
  nexus_get_last_error(&error);
  CHECK_EQUAL(
      "k.ref:3: error: bad thing\nk.ref:4: error: there is no kernel 'none'\n"
      "Flags: -O3\n",
      stringOf(error.log));
  CHECK_EQUAL("reference", stringOf(error.backend));
  CHECK_FAILS(NXS_InvalidValue,
              nexus_compile(nullptr, text("no target"), program.get(), code.out()),
              "target is 'no target'");
  nexus_get_last_error(&error);
  CHECK_EQUAL("", stringOf(error.log));
}

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
              "cpu:znver4");
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

TEST(a_program_without_a_kernel_is_refused) {
  const OwnCache cache;
  const Object on = device("reference:0");
  Object code;
  for (const char *source : {"", " \n\t\n"}) {
    ProgramText program(source);
    CHECK_FAILS(NXS_InvalidProgram, nexus_compile(on, text(""), program.get(), code.out()),
                "'k.ref'", "empty");
  }
  ProgramText none("warning nothing here\n");
  CHECK_FAILS(NXS_InvalidProgram, nexus_compile(on, text(""), none.get(), code.out()),
              "has no kernel");
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

TEST(a_compiler_that_was_ended_says_so) {
  const OwnCache cache;
  ProgramText program("warning before\nhang\n");
  Object code;
  CHECK_FAILS(NXS_CompilerNotAvailable,
              nexus_compile(device("reference:0"), text(""), program.get(), code.out()),
              "reference", "took too long");
}

TEST(a_backend_that_compiles_nothing_says_so) {
  const Object on = deviceWithout(NXS_Capability_Compile);
  ProgramText program(kScale);
  Object code;
  CHECK_FAILS(NXS_NotSupported, nexus_compile(on, text(""), program.get(), code.out()), "'lacking'",
              "compiles nothing");
}

TEST(what_a_compiler_would_do_is_told_without_a_source) {
  ProgramText program("");
  program.defines = {"A=1"};
  Written told;
  CHECK_OK(nexus_describe_compile(device("reference:0"), text(""), program.get(), &told.sink));
  CHECK_EQUAL(
      "{\"Compiler\":\"reference compiler\",\"Identity\":\"reference 1\",\"Target\":\"reference\","
      "\"Flags\":[\"-O3\",\"-DA=1\"],\"Format\":\"nexus-reference\"}",
      told.bytes);
}

TEST(object_code_is_the_same_after_it_was_written_and_read) {
  const OwnCache cache;
  const Object on = device("reference:0");
  const Object code = compile(on, ProgramText("warning odd\nkernel fail\n"));
  Written written;
  CHECK_OK(nexus_object_code_write(code, &written.sink));
  Object read;
  CHECK_OK(nexus_object_code_read(written.bytes.data(), written.bytes.size(), read.out()));
  const nexus_object_code_info a = infoOf(code);
  const nexus_object_code_info b = infoOf(read);
  CHECK_EQUAL(NEXUS_CODE_READ, b.origin);
  CHECK_EQUAL(stringOf(a.name), stringOf(b.name));
  CHECK_EQUAL(stringOf(a.code), stringOf(b.code));
  CHECK_EQUAL(stringOf(a.log), stringOf(b.log));
  CHECK_EQUAL(stringOf(a.kernels), stringOf(b.kernels));
  CHECK_EQUAL(stringOf(a.flags), stringOf(b.flags));
  Object library;
  CHECK_OK(nexus_device_load_object_code(on, read, library.out()));
}

TEST(bytes_that_are_cut_short_or_changed_anywhere_are_refused) {
  const OwnCache cache;
  const Object code = compile(device("reference:0"), ProgramText(kScale));
  Written written;
  CHECK_OK(nexus_object_code_write(code, &written.sink));
  Object read;
  for (std::size_t size = 0; size < written.bytes.size(); ++size) {
    CHECK_FAILS(NXS_InvalidBinary, nexus_object_code_read(written.bytes.data(), size, read.out()),
                "no object code");
  }
  for (std::size_t at = 0; at < written.bytes.size(); ++at) {
    std::string changed = written.bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    CHECK_EQUAL(NXS_InvalidBinary,
                nexus_object_code_read(changed.data(), changed.size(), read.out()));
  }
  const std::string longer = written.bytes + "x";
  CHECK_EQUAL(NXS_InvalidBinary, nexus_object_code_read(longer.data(), longer.size(), read.out()));
}

TEST(code_of_another_backend_is_refused) {
  const OwnCache cache;
  const Object code = compile(device("reference:0"), ProgramText(kScale));
  Object library;
  CHECK_FAILS(NXS_InvalidBinary,
              nexus_device_load_object_code(device("cpu:0"), code, library.out()), "'reference'",
              "'cpu:0'");
}

TEST(what_is_no_object_code_is_named) {
  const Object on = device("reference:0");
  Object library;
  CHECK_FAILS(NXS_InvalidObject, nexus_device_load_object_code(on, on, library.out()),
              "code is a device; give object code.");
  CHECK_FAILS(NXS_InvalidObject, nexus_device_load_object_code(on, nullptr, library.out()),
              "code is NULL");
}

}  // namespace
