// SPDX-License-Identifier: Apache-2.0
#include "trace/output.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <utility>

#if defined(__APPLE__)
#include <cstdlib>
#else
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include "base/error.hpp"

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

int64_t now() noexcept {
  using Clock = std::chrono::steady_clock;
  static const Clock::time_point begin = Clock::now();
  return std::chrono::nanoseconds(Clock::now() - begin).count();
}

int64_t processNumber() noexcept {
  return ::getpid();
}

// Returns the command line, cut if it is long.
static std::string processName() {
  std::string name = commandLine();
  if (name.size() > kLongestName) name = name.substr(0, kLongestName) + "...";
  return name.empty() ? "process" : name;
}

static int64_t threadNumber() noexcept {
#if defined(__APPLE__)
  uint64_t number = 0;
  pthread_threadid_np(nullptr, &number);
  return static_cast<int64_t>(number);
#else
  return ::syscall(SYS_gettid);
#endif
}

// Returns "main", the system's name of the thread, or "thread".
static std::string threadName() {
#if defined(__APPLE__)
  if (pthread_main_np() != 0) return "main";
  std::array<char, 64> name{};
  const bool known = pthread_getname_np(pthread_self(), name.data(), name.size()) == 0;
#else
  if (threadNumber() == processNumber()) return "main";
  std::array<char, 16> name{};  // musl has pthread_getname_np from 1.2.3 on
  const bool known = ::prctl(PR_GET_NAME, name.data()) == 0;
#endif
  return known && name[0] != '\0' ? name.data() : "thread";
}

namespace {

constexpr std::string_view kEnd = "\n]\n";

int openFile(const std::string &path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    failWith(NXS_InvalidValue, "NEXUS_TRACE_FILE is '", path,
             "', which can't be opened for writing (", std::strerror(errno),
             "); the process is not traced.");
  }
  return descriptor;
}

// Makes "out.1234.json" of "out.json".
std::string numbered(const std::string &path) {
  const std::filesystem::path name(path);
  std::filesystem::path own = name.parent_path() / name.stem();
  own += "." + std::to_string(::getpid()) + name.extension().string();
  return own.string();
}

// Returns the size of the events that fit in room bytes. Each begins with ",\n", which does not
// occur within an event.
std::size_t wholeEventsWithin(std::string_view events, uint64_t room) {
  const std::size_t next = events.rfind(",\n", static_cast<std::size_t>(room));
  return next == std::string_view::npos ? 0 : next;
}

}  // namespace

TraceFile::TraceFile(const std::string &path, std::string_view first_event, uint64_t limit)
    : path_(path), descriptor_(openFile(path)), limit_(limit) {
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(descriptor_);  // in use by another process, usually the parent
    path_ = numbered(path);
    descriptor_ = openFile(path_);
    ::flock(descriptor_, LOCK_EX | LOCK_NB);
  }
  // Fails for a pipe and the like, which can't be truncated.
  if (::ftruncate(descriptor_, 0) != 0) {
    ::close(descriptor_);
    failWith(NXS_InvalidValue, "NEXUS_TRACE_FILE is '", path_,
             "', which is not a regular file; the process is not traced.");
  }
  append("[\n" + std::string(first_event));
}

void TraceFile::append(std::string events) noexcept {
  if (stopped_) return;
  try {
    const bool fits = end_ + events.size() + kEnd.size() <= limit_;
    if (!fits)
      events.resize(wholeEventsWithin(events, limit_ - std::min(limit_, end_ + kEnd.size())));
    const std::size_t size = events.size();
    events += kEnd;  // one write, so that the list is complete if the process ends meanwhile
    if (!writeAt(end_, events)) {
      stop(std::strerror(errno));
      return;
    }
    end_ += size;
    if (!fits) stop("its size has reached NEXUS_TRACE_LIMIT");
  } catch (const std::bad_alloc &) {
    stop("there is no memory");
  }
}

bool TraceFile::writeAt(uint64_t offset, std::string_view text) const noexcept {
  while (!text.empty()) {
    const ssize_t written =
        ::pwrite(descriptor_, text.data(), text.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    offset += static_cast<uint64_t>(written);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Not to the log, whose function may need a lock whose holder waits for this thread.
void TraceFile::stop(const char *why) noexcept {
  stopped_ = true;
  std::fprintf(stderr, "nexus: error: the trace '%s' is cut off here: %s\n", path_.c_str(), why);
  writeAt(end_, kEnd);
  if (::ftruncate(descriptor_, static_cast<off_t>(end_ + kEnd.size())) != 0) return;
}

namespace {

constexpr std::size_t kMostTraceBytes = std::size_t{64} << 20;
constexpr std::size_t kManyBytes = std::size_t{1} << 20;

// Returns it without ",\n", since it is the first.
std::string firstEvent(int64_t process) {
  EventText text;
  text.processName(process, processName());
  return text.text().substr(2);
}

}  // namespace

Output::Output(const std::string &path, uint64_t limit)
    : process_(processNumber()), file_(path, firstEvent(process_), limit) {
  EventText text;
  text.processOrder(process_, 0);
  add(text);
}

Track Output::thisThread() {
  // Cached, since asking the system is a system call; a child of fork() has new numbers.
  thread_local struct {
    int64_t process = 0;
    int64_t thread = 0;
  } known;
  if (known.process != process_) {
    known = {process_, threadNumber()};
  }
  const Track track{process_, known.thread};
  bool is_new = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_new = named_.insert(track.thread).second;
  }
  if (is_new) {
    EventText text;
    text.threadName(track, threadName());
    add(text);
  }
  return track;
}

bool Output::add(const EventText &events) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  try {
    if (text_.size() + events.text().size() > kMostTraceBytes) {
      ++lost_;
      return false;
    }
    const bool first = text_.empty();
    text_ += events.text();
    return first;
  } catch (const std::bad_alloc &) {
    ++lost_;
    return false;
  }
}

void Output::lose() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++lost_;
}

bool Output::empty() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return text_.empty();
}

bool Output::full() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return text_.size() > kManyBytes;
}

std::string Output::take() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::string text = std::exchange(text_, {});
  try {
    if (lost_ != 0) {
      EventText lost;
      lost.instant({process_, process_}, "lost", "events were lost here", now(),
                   Details().add("lost", lost_));
      text += lost.text();
      lost_ = 0;
    }
  } catch (const std::bad_alloc &) {
    return text;  // the count is reported the next time
  }
  return text;
}

void Output::flush() noexcept {
  const std::lock_guard<std::mutex> lock(file_mutex_);
  std::string text = take();
  if (!text.empty()) file_.append(std::move(text));
}

}  // namespace nexus::core::trace
