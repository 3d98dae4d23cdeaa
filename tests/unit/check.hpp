// SPDX-License-Identifier: Apache-2.0
//
// The smallest test runner that does: TEST makes and registers a function, CHECK and
// CHECK_EQUAL note what is wrong and go on. Each file is a program; main runs its
// tests in order and tells how many failed.
#pragma once

#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

namespace check {

struct Test {
  const char *name;
  void (*body)();
};

inline std::vector<Test> &tests() {
  static std::vector<Test> all;
  return all;
}

inline int &failures() {
  static int count = 0;
  return count;
}

inline bool add(const char *name, void (*body)()) {
  tests().push_back({name, body});
  return true;
}

inline void fail(const char *file, int line, const std::string &text) {
  ++failures();
  std::fprintf(stderr, "%s:%d: %s\n", file, line, text.c_str());
}

template <typename Expected, typename Actual>
void equal(const Expected &expected, const Actual &actual, const char *file, int line) {
  if (!(expected == actual)) {
    std::ostringstream text;
    text << "expected " << expected << ", got " << actual;
    fail(file, line, text.str());
  }
}

inline int run() {
  int failed = 0;
  for (const Test &test : tests()) {
    const int before = failures();
    test.body();
    const bool passed = failures() == before;
    failed += passed ? 0 : 1;
    std::printf("%s %s\n", passed ? "ok    " : "FAILED", test.name);
  }
  return failed == 0 && !tests().empty() ? 0 : 1;
}

}  // namespace check

#define TEST(name)                                                           \
  static void name();                                                        \
  [[maybe_unused]] static const bool name##_added = check::add(#name, name); \
  static void name()

#define CHECK(condition)                                           \
  do {                                                             \
    if (!(condition)) check::fail(__FILE__, __LINE__, #condition); \
  } while (false)

#define CHECK_EQUAL(expected, actual) check::equal(expected, actual, __FILE__, __LINE__)

int main() {
  return check::run();
}
