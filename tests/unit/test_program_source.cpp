// SPDX-License-Identifier: Apache-2.0
//
// What a compiler gets of programs with includes. g++'s preprocessor is not asked: the texts say
// by #line where they are from, and shown() reads that.
#include "base/error.hpp"
#include "check.hpp"
#include "compile/program_source.hpp"
#include "folder.hpp"
#include "language/kernel_header.hpp"

using namespace nexus::core;

namespace {

Program programOfText(std::string_view source, std::string_view language = "c",
                      std::vector<std::string_view> folders = {}) {
  Program program;
  program.source = source;
  program.language = language;
  program.name = "k.c";
  program.include_paths = std::move(folders);
  return program;
}

// "k.c:1 int a;|": each line of code of a resolved text with the place that its #line gives it.
std::string placesOf(const std::string &text) {
  std::string all;
  std::string file;
  std::size_t line = 0;
  std::istringstream lines(text);
  for (std::string each; std::getline(lines, each);) {
    if (each.starts_with("#line ")) {
      const std::size_t quote = each.find('"');
      line = std::stoul(each.substr(6));
      if (quote != std::string::npos) file = each.substr(quote + 1, each.size() - quote - 2);
      continue;
    }
    if (!each.empty() && each != "\r") {
      const std::size_t slash = file.rfind('/');
      all += file.substr(slash + 1) + ":" + std::to_string(line) + " " + each + "|";
    }
    ++line;
  }
  return all;
}

std::string resolved(std::string_view source, std::vector<std::string_view> folders = {}) {
  return placesOf(resolveIncludes(programOfText(source, "c", std::move(folders)), "cpu").text);
}

std::string refusal(const Program &program) {
  try {
    resolveIncludes(program, "cpu");
  } catch (const Failure &failure) {
    CHECK_EQUAL(NXS_InvalidProgram, failure.status());
    return failure.text();
  }
  return "no refusal";
}

bool has(const std::string &text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(lines_after_an_include_keep_their_numbers) {
  const check::Folder folder;
  folder.write("x.h", "int x;\n");
  const std::string path = folder.path();
  CHECK_EQUAL("k.c:1 int a;|x.h:1 int x;|k.c:3 int b;|",
              resolved("int a;\n#include \"x.h\"\nint b;\n", {path}));
  CHECK_EQUAL("k.c:1 int a;\r|x.h:1 int x;|k.c:3 int b;\r|",
              resolved("int a;\r\n#include <x.h>\r\nint b;\r\n", {path}));
  CHECK_EQUAL("x.h:1 int x;|k.c:4 int b;|",
              resolved("#include \\\n \"x.h\" /* \n */\nint b;", {path}));
  CHECK_EQUAL("x.h:1 int x;|", resolved("#include \"x.h\"", {path}));
  CHECK_EQUAL("x.h:1 int x;|k.c:2 int b;|", resolved("\xEF\xBB\xBF#include <x.h>\nint b;", {path}));
}

TEST(a_file_without_a_last_newline_or_with_a_mark_does_not_touch_its_neighbours) {
  const check::Folder folder;
  folder.write("x.h", "\xEF\xBB\xBFint x;");
  const std::string path = folder.path();
  CHECK_EQUAL("x.h:1 int x;|k.c:2 int b;|", resolved("#include <x.h>\nint b;\n", {path}));
}

TEST(files_are_looked_for_beside_the_file_that_includes_and_then_in_the_folders_in_order) {
  const check::Folder folder;
  folder.write("one/x.h", "#include \"y.h\"\n#include <z.h>\n");
  folder.write("one/y.h", "int y_one;\n");
  folder.write("two/y.h", "int y_two;\n");
  folder.write("two/z.h", "int z_two;\n");
  folder.write("one/z.h", "int z_one;\n");
  const std::string one = folder.path("one/x.h");
  const std::string two = folder.path("two");
  const std::string both = folder.path("one");
  CHECK_EQUAL("y.h:1 int y_one;|z.h:1 int z_two;|",
              resolved("#include \"" + one + "\"\n", {two, both}));
}

TEST(a_program_whose_name_is_a_file_lies_beside_that_file) {
  const check::Folder folder;
  folder.write("x.h", "int x;\n");
  const std::string name = folder.write("k.c", "");
  Program program = programOfText("#include \"x.h\"\n");
  program.name = name;
  CHECK_EQUAL("x.h:1 int x;|", placesOf(resolveIncludes(program, "cpu").text));
  program.name = "k.c";
  CHECK_EQUAL("k.c:1 #include \"x.h\"|", placesOf(resolveIncludes(program, "cpu").text));
}

TEST(a_line_directive_of_the_program_goes_on_after_an_include) {
  const check::Folder folder;
  folder.write("x.h", "int x;\n");
  const std::string path = folder.path();
  CHECK_EQUAL("gen.py:10 int a;|x.h:1 int x;|gen.py:12 int b;|",
              resolved("#line 10 \"gen.py\"\nint a;\n#include <x.h>\nint b;\n", {path}));
}

TEST(names_in_line_directives_are_escaped) {
  Program program = programOfText("int a;\n");
  program.name = "a \"b\" \\c";
  CHECK(resolveIncludes(program, "cpu").text.starts_with("#line 1 \"a \\\"b\\\" \\\\c\"\n"));
}

TEST(a_guarded_file_is_put_in_once) {
  const check::Folder folder;
  folder.write("g.h", "#ifndef G\n#define G\nint g;\n#endif\n");
  folder.write("o.h", "#pragma once\nint o;\n");
  const std::string path = folder.path();
  CHECK_EQUAL("g.h:1 #ifndef G|g.h:2 #define G|g.h:3 int g;|g.h:4 #endif|k.c:3 int b;|",
              resolved("#include <g.h>\n#include \"g.h\"\nint b;\n", {path}));
  const std::string twice = resolved("#include <o.h>\n#include <o.h>\n", {path});
  CHECK(has(twice, "o.h:2 int o;"));
  CHECK_EQUAL(twice.find("int o;"), twice.rfind("int o;"));
  CHECK(!has(twice, "pragma"));
}

TEST(a_file_that_an_if_may_have_left_out_is_put_in_again_and_guarded_by_a_macro) {
  const check::Folder folder;
  folder.write("o.h", "#pragma once\nint o;\n");
  const std::string path = folder.path();
  const std::string text = resolved("#if A\n#include <o.h>\n#endif\n#include <o.h>\n", {path});
  CHECK(text.find("int o;") != text.rfind("int o;"));
  const std::size_t first = text.find("#ifndef NEXUS_ONCE_0");
  CHECK(first != std::string::npos && text.find("#ifndef NEXUS_ONCE_0", first + 1) < text.size());
  const std::string both =
      resolved("#if A\n#include <o.h>\n#else\n#include <o.h>\n#endif\n", {path});
  CHECK(both.find("int o;") != both.rfind("int o;"));
}

TEST(files_that_include_each_other_end_where_they_are_guarded) {
  const check::Folder folder;
  folder.write("a.h", "#pragma once\n#include \"b.h\"\nint a;\n");
  folder.write("b.h", "#ifndef B\n#define B\n#include \"a.h\"\nint b;\n#endif\n");
  const std::string path = folder.path();
  const std::string text = resolved("#include <a.h>\n", {path});
  CHECK_EQUAL(text.find("int a;"), text.rfind("int a;"));
  CHECK_EQUAL(text.find("int b;"), text.rfind("int b;"));
}

TEST(a_file_that_includes_itself_without_a_guard_is_refused) {
  const check::Folder folder;
  folder.write("a.h", "\n#include \"a.h\"\n");
  const std::string path = folder.path();
  const std::string text = refusal(programOfText("#include <a.h>\n", "c", {path}));
  CHECK(has(text, "a.h:2"));
  CHECK(has(text, "includes itself"));
}

TEST(includes_in_each_other_have_a_limit) {
  const check::Folder folder;
  for (int i = 0; i < 250; ++i) {
    folder.write("f" + std::to_string(i) + ".h", "#include \"f" + std::to_string(i + 1) + ".h\"\n");
  }
  const std::string path = folder.path();
  CHECK(has(refusal(programOfText("#include <f0.h>\n", "c", {path})), "nested more than 200 deep"));
}

TEST(what_doubles_with_each_file_is_refused_before_memory_ends) {
  const check::Folder folder;
  folder.write("f0.h", std::string(1000, 'x'));
  for (int i = 1; i < 40; ++i) {
    const std::string line = "#include \"f" + std::to_string(i - 1) + ".h\"\n";
    folder.write("f" + std::to_string(i) + ".h", line + line);
  }
  const std::string path = folder.path();
  CHECK(has(refusal(programOfText("#include <f39.h>\n", "c", {path})), "#pragma once"));
}

TEST(what_is_not_found_is_the_compilers_except_in_the_portable_language) {
  CHECK_EQUAL("k.c:1 #include <math.h>|k.c:2 #include \"x.h\"|",
              resolved("#include <math.h>\n#include \"x.h\"\n"));
  const check::Folder folder;
  const std::string path = folder.path();
  const std::string text = refusal(programOfText("\n#include <math.h>\n", "nexus", {path}));
  CHECK(has(text, "k.c:2:1: #include <math.h>"));
  CHECK(has(text, "no standard headers"));
  CHECK(has(text, "'" + path + "'"));
}

TEST(an_include_within_if_that_is_not_found_is_left_to_the_compiler) {
  const Program program = programOfText("#if 0\n#include <none.h>\n#endif\n", "nexus");
  CHECK(has(resolveIncludes(program, "cpu").text, "#include <none.h>"));
}

TEST(an_include_by_macro_is_left_to_the_compiler_except_in_the_portable_language) {
  CHECK_EQUAL("k.c:1 #include FILE_OF_MINE|", resolved("#include FILE_OF_MINE\n"));
  CHECK(has(refusal(programOfText("#include FILE_OF_MINE\n", "nexus")), "name a file"));
}

TEST(an_include_that_is_no_text_is_refused_by_its_name) {
  const check::Folder folder;
  folder.write("x.h", std::string("int\0x;", 6));
  folder.write("y.h", "\xFF\xFE");
  const std::string path = folder.path();
  CHECK(has(refusal(programOfText("#include <x.h>\n", "c", {path})), "x.h"));
  CHECK(has(refusal(programOfText("#include <y.h>\n", "c", {path})), "UTF-8"));
}

TEST(a_portable_program_begins_with_the_header_of_its_dialect) {
  const std::string text = resolveIncludes(programOfText("int mine;\n", "nexus"), "cpu").text;
  CHECK(has(text, "#line 1 \"nexus_kernel.h\""));
  CHECK(has(text, "#line 1 \"nexus-kernel/cpu.h\""));
  CHECK(!has(text, "#line 1 \"nexus-kernel/metal.h\""));
  CHECK(text.ends_with("#line 1 \"k.c\"\nint mine;\n"));
  const std::string again =
      resolveIncludes(programOfText("#include <nexus_kernel.h>\nint mine;\n", "nexus"), "cpu").text;
  CHECK_EQUAL(again.find("#define NEXUS_KERNEL_H_"), again.rfind("#define NEXUS_KERNEL_H_"));
}

TEST(a_backend_without_a_dialect_gets_all_of_them) {
  const std::string text = resolveIncludes(programOfText("int mine;\n", "nexus"), "other").text;
  CHECK(has(text, "#line 1 \"nexus-kernel/cpu.h\""));
  CHECK(has(text, "#line 1 \"nexus-kernel/metal.h\""));
}

TEST(other_languages_find_the_header_too_after_the_folders) {
  CHECK(has(resolveIncludes(programOfText("#include <nexus_kernel.h>\n"), "cpu").text,
            "#line 1 \"nexus-kernel/cpu.h\""));
  const check::Folder folder;
  folder.write("nexus_kernel.h", "int own;\n");
  const std::string path = folder.path();
  CHECK_EQUAL("nexus_kernel.h:1 int own;|", resolved("#include <nexus_kernel.h>\n", {path}));
}

TEST(the_header_in_the_library_is_the_one_of_the_include_folder) {
  const std::filesystem::path include =
      std::filesystem::path(__FILE__).parent_path() / "../../packages/nexus-core/include";
  std::size_t files = 0;
  for (const auto &entry :
       std::filesystem::recursive_directory_iterator(include / "nexus-kernel")) {
    if (entry.is_directory()) continue;
    const std::string name = entry.path().lexically_relative(include).generic_string();
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::string *embedded = kernelHeaderText(name);
    CHECK(embedded != nullptr && *embedded == text);
    ++files;
  }
  CHECK(files > 5);
  CHECK(kernelHeaderText(kKernelHeader) != nullptr);
}

// When its time is so long ago that a change will have another one.
FileState settledStateOf(const std::string &path) {
  FileState state = stateOf(path);
  while (!state.settled) state = stateOf(path);
  return state;
}

TEST(what_was_read_and_what_was_looked_for_in_vain_are_remembered) {
  const check::Folder folder;
  folder.write("two/x.h", "int x;\n");
  const std::string one = folder.path("one");
  const std::string two = folder.path("two");
  std::filesystem::create_directory(one);
  const ProgramSource source =
      resolveIncludes(programOfText("#include <x.h>\n", "c", {one, two}), "cpu");
  CHECK_EQUAL(std::size_t{2}, source.files.size());
  const std::string written = folder.path("two/x.h");
  for (FileState state : source.files) {
    if (state.present) state = settledStateOf(written);
    CHECK(isUnchanged(state));
  }
  folder.write("one/x.h", "int y;\n");
  CHECK(!isUnchanged(source.files[0]) || !isUnchanged(source.files[1]));
}

TEST(a_file_is_another_one_where_its_time_was_put_back_or_was_too_new_to_tell) {
  const check::Folder folder;
  folder.write("x.h", "int y;\n");
  FileState known = settledStateOf(folder.path("x.h"));
  CHECK(isUnchanged(known));
  const auto time = std::filesystem::last_write_time(folder.path("x.h"));
  folder.write("x.h", "int z;\n");
  std::filesystem::last_write_time(folder.path("x.h"), time);  // as an archive's tools do
  CHECK(!isUnchanged(known));
  known = settledStateOf(folder.path("x.h"));
  known.settled = false;
  CHECK(!isUnchanged(known));
}

#if defined(__linux__)
TEST(a_file_whose_reading_fails_is_named) {
  const std::string text = refusal(programOfText("#include </proc/self/mem>\n", "c"));
  CHECK(has(text, "/proc/self/mem"));
  CHECK(has(text, "can't be read"));
}
#endif

TEST(what_the_compiler_may_read_by_itself_is_told) {
  const auto unknown = [](const char *text) {
    return resolveIncludes(programOfText(text, "c", {}), "cpu").reads_unknown_files;
  };
  CHECK(unknown("#define H <x.h>\n#include H\n"));
  CHECK(unknown("#include_next <x.h>\n"));
  CHECK(unknown("char c[] = {\n#embed \"x\"\n};\n"));
  CHECK(unknown("__asm__(\".incbin \\\"x\\\"\");\n"));
  CHECK(!unknown("#include <math.h>\nint a;\n"));
  const Program program = programOfText("#include <math.h>\n#include \"x.h\"\n");
  CHECK(
      (resolveIncludes(program, "cpu").left_to_compiler == std::set<std::string>{"math.h", "x.h"}));
}

}  // namespace
