// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "language/directive.hpp"

using namespace nexus::core;

namespace {

// "include <x>; define X 1": the directives of a text.
std::string shown(std::string_view text) {
  std::string all;
  for (const Directive &each : directivesOf(text).list) {
    all += (all.empty() ? "" : "; ") + each.name + " " + each.rest;
  }
  return all;
}

TEST(directives_are_found_however_they_are_written) {
  CHECK_EQUAL("include <x>", shown("#include <x>\n"));
  CHECK_EQUAL("include \"x\"", shown("  #  include\t\"x\""));
  CHECK_EQUAL("include <x>", shown("/* a */ # /* b */ include /* c */ <x> // d\n"));
  CHECK_EQUAL("include <x>", shown("#inc\\\nlude <x>\n"));
  CHECK_EQUAL("include <x>", shown("#inc\\\r\nlude <x>\r\n"));
  CHECK_EQUAL("include <x>", shown("%:include <x>\n"));
  CHECK_EQUAL("include <a//b.h>", shown("#include <a//b.h>\n"));
  CHECK_EQUAL("define S \"/*\"; include <x>", shown("#define S \"/*\"\n#include <x>\n"));
  CHECK_EQUAL("define Q '\"'", shown("#define Q '\"' /*\n#include <x>\n*/\n"));
  CHECK_EQUAL("define Q '\\''", shown("#define Q '\\'' /*\n#include <x>\n*/\n"));
  CHECK_EQUAL("define A 1   2", shown("#define A 1 /* \n */ 2\n"));
  CHECK_EQUAL(" 12 \"f\"", shown("# 12 \"f\"\n"));
  CHECK_EQUAL("include MACRO", shown("#include MACRO\n"));
}

TEST(what_only_looks_like_a_directive_is_none) {
  for (const char *text : {
           "// #include <x>\n",
           "// a \\\n#include <x>\n",
           "/*\n#include <x>\n*/\n",
           "const char *s = \"\\\n#include <x>\";\n",
           "const char *s = R\"(\n#include <x>\n)\";\n",
           "auto s = u8R\"_a(\n)\"\n#include <x>\n)_a\";\n",
           "int a; #include <x>\n",
           "// a \\ \t\n#include <x>\n",
           "a = b /* \n */ #include <x>\n",
       }) {
    CHECK_EQUAL("", shown(text));
  }
}

TEST(quotes_that_are_no_strings_hide_nothing) {
  CHECK_EQUAL("include <x>", shown("char c = '\"';\n#include <x>\n"));
  CHECK_EQUAL("include <x>", shown("char c = '\\'';\n#include <x>\n"));
  CHECK_EQUAL("include <x>", shown("int million = 1'000'000;\n#include <x>\n"));
  CHECK_EQUAL("error don't; include <x>", shown("#error don't\n#include <x>\n"));
  CHECK_EQUAL("error don't /*; include <x>", shown("#error don't /*\n#include <x>\n"));
  CHECK_EQUAL("if A > 1'000", shown("#if A > 1'000 /*\n#include <x>\n*/\n"));
  CHECK_EQUAL("include <x>", shown("an unfinished \"string\n#include <x>\n"));
  CHECK_EQUAL("include <x>", shown("R\"no raw string\n#include <x>\n"));
}

TEST(a_directive_knows_its_lines) {
  const std::string text = "int a;\r\n\\\n#include <x> /* \n */\nint b;";
  const Directive only = directivesOf(text).list.at(0);
  CHECK_EQUAL(uint64_t{3}, only.line);
  CHECK_EQUAL(uint64_t{5}, only.next_line);
  CHECK_EQUAL("int b;", text.substr(only.end));
}

TEST(a_guard_is_one_only_around_the_whole_file) {
  const auto guarded = [](const char *text) { return hasIncludeGuard(directivesOf(text)); };
  CHECK(guarded("// x\n#ifndef A\n#define A\nint a;\n#endif // A\n"));
  CHECK(guarded("#if !defined(A)\n#define A 1\n#if B\n#else\n#endif\n#endif"));
  CHECK(!guarded("int b;\n#ifndef A\n#define A\n#endif\n"));
  CHECK(!guarded("#ifndef A\n#define A\n#endif\nint b;\n"));
  CHECK(!guarded("#ifndef A\n#define B\n#endif\n"));
  CHECK(!guarded("#ifndef A\n#define AB\n#endif\n"));
  CHECK(!guarded("#ifndef A\n#define A\n#else\nint b;\n#endif\n"));
  CHECK(!guarded("#ifndef A\n#define A\n#endif\n#ifndef B\n#endif\n"));
  CHECK(!guarded("#ifndef A\n#define A\n"));
  CHECK(!guarded("#if !defined(A) && !defined(B)\n#define A\n#endif\n"));
}

// Texts put together from what is special to the scanner: it ends, and its directives lie within
// the text, in order, each at the begin of a line's own part.
TEST(any_text_is_read_to_its_end) {
  const char *parts[] = {"#",  "include", "<x>",  "\"",  "'", "\\\n", "\\\r\n", "\n", "/*", "*/",
                         "//", " ",       "R\"(", ")\"", "a", "1'0",  "\\",     "\r", "%:", "\xC3"};
  uint32_t state = 12345;
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (uint32_t left = state % 40; left > 0; --left) {
      state = state * 1664525 + 1013904223;
      text += parts[(state >> 16) % std::size(parts)];
    }
    state = state * 1664525 + 1013904223;
    std::size_t before = 0;
    for (const Directive &each : directivesOf(text).list) {
      CHECK(each.begin >= before && each.end > each.begin && each.end <= text.size());
      CHECK(text[each.begin] == '#' || text[each.begin] == '%');
      before = each.end;
    }
  }
}

}  // namespace
