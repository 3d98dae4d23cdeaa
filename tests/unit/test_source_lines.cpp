// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "language/diagnostic.hpp"

using namespace nexus::core;

namespace {

// A log about a text whose first line is that of mine.c.
std::string shown(const std::string &text, std::string_view log) {
  return withSourceLines(log, "#line 1 \"mine.c\"\n" + text);
}

TEST(a_message_without_its_line_gets_it) {
  CHECK_EQUAL("mine.c:2:5: error: what\n    2 |   b c\n      |     ^\nother words\n",
              shown("a\n  b c\n", "mine.c:2:5: error: what\nother words\n"));
  CHECK_EQUAL("mine.c:1:1: error: x\n    1 | abc\n      | ^\n",
              shown("abc\n", "mine.c:1:1: error: x"));
}

TEST(a_message_with_its_line_stays_as_it_is) {
  for (const char *log : {"mine.c:1:1: error: x\nabc\n^\n",
                          "mine.c:1:2: error: x\nabc\n~^~\n"
                          "mine.c:1:1: note: y\n    1 | abc\n      | ^~~\n",
                          "mine.c:1:1: error: x\nin two lines\nabc\n^\n"}) {
    CHECK_EQUAL(log, shown("abc\n", log));
  }
}

TEST(a_line_is_found_in_its_own_file) {
  const std::string text = "#line 1 \"folder/x.h\"\nfirst\nsecond\n#line 2 \"mine.c\"\nafter\n";
  CHECK_EQUAL("folder/x.h:2:1: error: x\n    2 | second\n      | ^\n",
              shown(text, "folder/x.h:2:1: error: x\n"));
  CHECK_EQUAL("mine.c:2:1: error: x\n    2 | after\n      | ^\n",
              shown(text, "mine.c:2:1: error: x\n"));
  CHECK_EQUAL("a \"b\"\\c:1:2.h:7:1: error: x\n    7 | here\n      | ^\n",
              shown("# 7 \"a \\\"b\\\"\\\\c:1:2.h\"\nhere\n", "a \"b\"\\c:1:2.h:7:1: error: x\n"));
}

TEST(the_caret_is_below_the_column) {
  CHECK_EQUAL("mine.c:1:3: error: x\n    1 | \tab\n      | \t ^\n",
              shown("\tab\n", "mine.c:1:3: error: x\n"));
  CHECK_EQUAL("mine.c:1:6: error: x\n    1 | äö x\n      |    ^\n",
              shown("äö x\n", "mine.c:1:6: error: x\n"));
  CHECK_EQUAL("mine.c:1:50: error: x\n    1 | abc\n      |    ^\n",
              shown("abc\n", "mine.c:1:50: error: x\n"));
}

TEST(what_is_not_in_the_text_is_left_alone) {
  for (const char *log : {"mine.c:9:1: error: x\n", "other.c:1:1: error: x\n", "mine.c:1: x\n",
                          ":::\n", "a:1:99999999999:", "", "\n"}) {
    CHECK_EQUAL(log, shown("abc\n", log));
  }
}

}  // namespace
