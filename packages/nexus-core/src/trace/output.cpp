// SPDX-License-Identifier: Apache-2.0
#include "trace/output.hpp"

#include <new>
#include <utility>

#include "trace/device_clock.hpp"
#include "trace/host_names.hpp"

namespace nexus::core::trace {
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
