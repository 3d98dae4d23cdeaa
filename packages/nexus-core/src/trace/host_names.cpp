// SPDX-License-Identifier: Apache-2.0
#include "trace/host_names.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

#if defined(__APPLE__)
#include <cstdlib>
#else
#include <sys/syscall.h>
#endif

namespace nexus::core::trace {
namespace {

constexpr std::size_t kLongestName = 120;  // bytes

#if defined(__APPLE__)
std::string commandLine() {
  const char *name = getprogname();
  return name == nullptr ? "" : name;
}
#else
std::string commandLine() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  while (!text.empty() && text.back() == '\0') text.pop_back();
  std::replace_if(text.begin(), text.end(), [](unsigned char letter) { return letter < ' '; }, ' ');
  return text;
}
#endif

}  // namespace

int64_t processNumber() noexcept {
  return ::getpid();
}

std::string processName() {
  std::string name = commandLine();
  if (name.size() > kLongestName) name = name.substr(0, kLongestName) + "...";
  return name.empty() ? "process" : name;
}

int64_t threadNumber() noexcept {
#if defined(__APPLE__)
  uint64_t number = 0;
  pthread_threadid_np(nullptr, &number);
  return static_cast<int64_t>(number);
#else
  return ::syscall(SYS_gettid);
#endif
}

std::string threadName() {
#if defined(__APPLE__)
  if (pthread_main_np() != 0) return "main";
#else
  if (threadNumber() == processNumber()) return "main";
#endif
  std::array<char, 64> name{};
  const bool known = pthread_getname_np(pthread_self(), name.data(), name.size()) == 0;
  return known && name[0] != '\0' ? name.data() : "thread";
}

}  // namespace nexus::core::trace
