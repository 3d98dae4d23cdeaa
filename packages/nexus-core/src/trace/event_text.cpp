// SPDX-License-Identifier: Apache-2.0
#include "trace/event_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.hpp"
#include "json/json.hpp"

namespace nexus::core::trace {
namespace {

template <typename Number>
void putNumber(std::string &text, Number number) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text.append(digits.data(), end);
}

bool isPlain(char letter) {
  return letter >= ' ' && letter <= '~' && letter != '"' && letter != '\\';
}

void putText(std::string &text, std::string_view value) {
  if (std::all_of(value.begin(), value.end(), isPlain)) {  // the usual case
    text += '"';
    text += value;
    text += '"';
  } else {
    text += json::write(json::Value(asUtf8(value)));
  }
}

// Appends microseconds, the format's unit, with three decimals.
void putMicroseconds(std::string &text, int64_t nanoseconds) {
  if (nanoseconds < 0) {
    text += '-';
    nanoseconds = -nanoseconds;
  }
  putNumber(text, nanoseconds / 1000);
  const int64_t rest = nanoseconds % 1000;
  text += rest < 10 ? ".00" : rest < 100 ? ".0" : ".";
  putNumber(text, rest);
}

}  // namespace

void Details::addName(std::string_view name) {
  text_ += text_.empty() ? "" : ",";
  addText(name);
  text_ += ':';
}

void Details::addText(std::string_view text) {
  putText(text_, text);
}

Details &Details::add(std::string_view name, std::string_view text) {
  addName(name);
  addText(text);
  return *this;
}

Details &Details::add(std::string_view name, uint64_t number) {
  addName(name);
  putNumber(text_, number);
  return *this;
}

Details &Details::add(const Details &others) {
  text_ += text_.empty() || others.text_.empty() ? "" : ",";
  text_ += others.text_;
  return *this;
}

void EventText::begin(char phase, Track track) {
  text_ += ",\n{\"ph\":\"";
  text_ += phase;
  text_ += "\",\"pid\":";
  putNumber(text_, track.process);
  text_ += ",\"tid\":";
  putNumber(text_, track.thread);
}

void EventText::begin(char phase, Track track, std::string_view category, std::string_view name,
                      int64_t when, std::optional<uint64_t> id) {
  begin(phase, track);
  if (!category.empty()) member("cat", category);
  if (id) member("id", std::to_string(*id));
  member("name", name);
  time("ts", when);
}

void EventText::member(std::string_view name, std::string_view value) {
  text_ += ",\"";
  text_ += name;
  text_ += "\":";
  putText(text_, value);
}

void EventText::time(std::string_view name, int64_t nanoseconds) {
  text_ += ",\"";
  text_ += name;
  text_ += "\":";
  putMicroseconds(text_, nanoseconds);
}

void EventText::end(const Details &details) {
  if (!details.text().empty()) {
    text_ += ",\"args\":{";
    text_ += details.text();
    text_ += '}';
  }
  text_ += '}';
}

void EventText::slice(Track track, std::string_view category, std::string_view name, Interval when,
                      const Details &details) {
  begin('X', track, category, name, when.begin);
  time("dur", when.end - when.begin);
  end(details);
}

void EventText::instant(Track track, std::string_view category, std::string_view name, int64_t when,
                        const Details &details) {
  begin('i', track, category, name, when);
  member("s", "t");
  end(details);
}

void EventText::counter(int64_t process, std::string_view name, int64_t when, int64_t value) {
  begin('C', {process, 0}, "", name, when);
  text_ += ",\"args\":{\"value\":";
  putNumber(text_, value);
  text_ += "}}";
}

void EventText::asyncBegin(int64_t process, std::string_view category, uint64_t id,
                           std::string_view name, int64_t when, const Details &details) {
  begin('b', {process, 0}, category, name, when, id);
  end(details);
}

void EventText::asyncEnd(int64_t process, std::string_view category, uint64_t id,
                         std::string_view name, int64_t when) {
  begin('e', {process, 0}, category, name, when, id);
  end({});
}

void EventText::flowBegin(Track track, uint64_t id, int64_t when) {
  begin('s', track, "submission", "submission", when, id);
  end({});
}

void EventText::flowEnd(Track track, uint64_t id, int64_t when) {
  begin('f', track, "submission", "submission", when, id);
  member("bp", "e");  // binds to the enclosing slice, not to the next one
  end({});
}

void EventText::metadata(std::string_view name, Track track, const Details &details) {
  begin('M', track);
  member("name", name);
  end(details);
}

}  // namespace nexus::core::trace
