// SPDX-License-Identifier: Apache-2.0
// The texts of events.
#include <string>
#include <vector>

#include "check.hpp"
#include "json/json.hpp"
#include "trace/event_text.hpp"
#include "trace/object_texts.hpp"

using namespace nexus::core;
using trace::Details;
using trace::EventText;
using trace::Track;

namespace {

constexpr Track kTrack{12, 3};

json::Value read(const EventText &text) {
  return json::parse(text.text().substr(2));  // behind ",\n"
}

}  // namespace

TEST(a_slice_has_its_times_in_microseconds) {
  EventText text;
  text.slice(kTrack, "kernel", "add", {1'002'003, 1'002'010}, Details().add("ticket", 7));
  const json::Value event = read(text);
  CHECK_EQUAL("X", *event.find("ph")->string());
  CHECK_EQUAL(12, *event.find("pid")->integer());
  CHECK_EQUAL(3, *event.find("tid")->integer());
  CHECK_EQUAL(1002.003, *event.find("ts")->real());
  CHECK_EQUAL(0.007, *event.find("dur")->real());
  CHECK_EQUAL(7, *event.find("args")->find("ticket")->integer());
}

TEST(any_text_is_written_as_json) {
  const std::vector<std::string> texts = {"",
                                          "plain",
                                          "a \"b\" \\ c",
                                          "line\nline",
                                          "\x01\t",
                                          "\xc3\xa9t\xc3\xa9",
                                          std::string(1, '\0')};
  for (const std::string &each : texts) {
    EventText text;
    text.instant(kTrack, "mark", each, 5, Details().add(each, each));
    const json::Value event = read(text);
    CHECK_EQUAL(each, *event.find("name")->string());
    CHECK_EQUAL(each, *event.find("args")->find(each)->string());
  }
}

TEST(what_is_no_utf8_is_replaced) {
  EventText text;
  text.instant(kTrack, "mark", "a\xff", 5, {});
  CHECK_EQUAL("a\xef\xbf\xbd", *read(text).find("name")->string());
}

TEST(details_hold_lists_and_other_details) {
  Details details;
  details.add("a", "b").addList("list", std::vector<std::string>{"x", "y"});
  details.addList("none", std::vector<std::string>{}).add(Details().add("c", 1)).add(Details());
  EventText text;
  text.instant(kTrack, "mark", "name", 5, details);
  CHECK_EQUAL(R"({"a":"b","list":["x","y"],"none":[],"c":1})",
              json::write(*read(text).find("args")));
}

TEST(a_run_is_named_by_its_commands) {
  const trace::CommandText add{"add", "kernel", "grid 4", 0};
  const trace::CommandText copy{"copy on the device", "copy", "8 bytes", 8};
  const auto one = trace::runText("schedule#1.1", {&add});
  CHECK_EQUAL("add", one->name);
  CHECK_EQUAL("kernel", one->category);
  const auto many = trace::runText("schedule#1.1", {&add, &copy, &add, &copy});
  CHECK_EQUAL("4 commands: add, copy on the device, add, ...", many->name);
  CHECK_EQUAL(16U, many->copied);
  const std::vector<const trace::CommandText *> hundred(100, &add);
  const auto text = trace::runText("schedule#1.1", hundred);
  CHECK(text->details.text().find("\"and 36 more\"") != std::string::npos);
}

TEST(lengths_are_shown_as_far_as_they_go) {
  CHECK_EQUAL("4", trace::lengthsText({4, 1, 1}));
  CHECK_EQUAL("4 x 2", trace::lengthsText({4, 2, 1}));
  CHECK_EQUAL("4 x 1 x 2", trace::lengthsText({4, 1, 2}));
}
