// SPDX-License-Identifier: Apache-2.0
//
// Events of the Trace Event Format (JSON), which Perfetto and chrome://tracing read, as text. Times
// are nanoseconds since the trace began.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nexus::core::trace {

/// The track that shows an event: a thread of a process, in the format's words. A device is shown
/// as a process and its streams as threads.
struct Track {
  int64_t process = 0;
  int64_t thread = 0;
};

struct Interval {
  int64_t begin = 0;
  int64_t end = 0;
};

/// Details of an event: members of its "args".
class Details {
 public:
  Details &add(std::string_view name, std::string_view text);
  Details &add(std::string_view name, uint64_t number);
  template <typename Texts>
  Details &addList(std::string_view name, const Texts &texts) {
    addName(name);
    char before = '[';
    if (texts.empty()) text_ += before;
    for (const std::string &text : texts) {
      text_ += before;
      addText(text);
      before = ',';
    }
    text_ += ']';
    return *this;
  }
  Details &add(const Details &others);

  const std::string &text() const noexcept { return text_; }  // members with commas in between

 private:
  void addName(std::string_view name);
  void addText(std::string_view text);

  std::string text_;
};

/// A text of events, each preceded by ",\n".
class EventText {
 public:
  void slice(Track track, std::string_view category, std::string_view name, Interval when,
             const Details &details);
  void instant(Track track, std::string_view category, std::string_view name, int64_t time,
               const Details &details);
  void counter(int64_t process, std::string_view name, int64_t time, int64_t value);
  /// Slices that may overlap others of their name: begin and end have the same id.
  void asyncBegin(int64_t process, std::string_view category, uint64_t id, std::string_view name,
                  int64_t time, const Details &details);
  void asyncEnd(int64_t process, std::string_view category, uint64_t id, std::string_view name,
                int64_t time);
  /// An arrow from the slice at that time on one track to the slice on another.
  void flowBegin(Track track, uint64_t id, int64_t time);
  void flowEnd(Track track, uint64_t id, int64_t time);

  void processName(int64_t process, std::string_view name) {
    metadata("process_name", {process, 0}, Details().add("name", name));
  }
  void processLabel(int64_t process, std::string_view label) {
    metadata("process_labels", {process, 0}, Details().add("labels", label));
  }
  /// Sorts the processes by these numbers.
  void processOrder(int64_t process, int64_t number) {
    metadata("process_sort_index", {process, 0},
             Details().add("sort_index", static_cast<uint64_t>(number)));
  }
  void threadName(Track track, std::string_view name) {
    metadata("thread_name", track, Details().add("name", name));
  }

  const std::string &text() const noexcept { return text_; }

 private:
  void begin(char phase, Track track);
  void begin(char phase, Track track, std::string_view category, std::string_view name,
             int64_t when, std::optional<uint64_t> id = std::nullopt);
  void member(std::string_view name, std::string_view value);
  void time(std::string_view name, int64_t nanoseconds);
  void end(const Details &details);
  void metadata(std::string_view name, Track track, const Details &details);

  std::string text_;
};

}  // namespace nexus::core::trace
