// SPDX-License-Identifier: Apache-2.0
#include "trace/trace_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>

#include "base/error.hpp"

namespace nexus::core::trace {
namespace {

constexpr std::string_view kEnd = "\n]\n";

int openFile(const std::string &path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    throw Failure(NXS_InvalidValue, "NEXUS_TRACE_FILE is '" + path +
                                        "', which can't be opened for writing (" +
                                        std::strerror(errno) + "); the process is not traced.");
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
    throw Failure(NXS_InvalidValue, "NEXUS_TRACE_FILE is '" + path_ +
                                        "', which is no ordinary file; the process is not traced.");
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
    if (!fits) stop("its size has come to NEXUS_TRACE_LIMIT");
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
  std::fprintf(stderr,
               "nexus: error: the trace '%s' ends here, since nothing more is written: %s\n",
               path_.c_str(), why);
  writeAt(end_, kEnd);
  if (::ftruncate(descriptor_, static_cast<off_t>(end_ + kEnd.size())) != 0) return;
}

}  // namespace nexus::core::trace
