// SPDX-License-Identifier: Apache-2.0
// The texts of events, and the file that holds them, which is whole after each write.
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "folder.hpp"
#include "json/json.hpp"
#include "trace/event_text.hpp"
#include "trace/trace_file.hpp"
#include "trace/work_text.hpp"

using namespace nexus::core;
using check::Folder;
using trace::Details;
using trace::EventText;
using trace::Track;

namespace {

constexpr Track kTrack{12, 3};

json::Value read(const EventText &text) {
  return json::parse(text.text().substr(2));  // behind ",\n"
}

std::string textOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string mark(std::string_view name) {
  EventText text;
  text.instant(kTrack, "mark", name, 0, {});
  return text.text();
}

std::size_t eventsIn(const std::string &path) {
  return json::parse(textOf(path)).array()->size();
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

constexpr uint64_t kNoLimit = UINT64_MAX;

TEST(a_file_is_whole_after_each_write) {
  const Folder folder;
  const std::string path = folder.path("trace.json");
  trace::TraceFile file(path, mark("first").substr(2), kNoLimit);
  CHECK_EQUAL(1U, eventsIn(path));
  file.append(mark("second") + mark("third"));
  CHECK_EQUAL(3U, eventsIn(path));
  file.append(mark("fourth"));
  CHECK_EQUAL(4U, eventsIn(path));
}

TEST(a_file_ends_whole_at_its_limit) {
  const Folder folder;
  const std::string path = folder.path("trace.json");
  const std::string first = mark("first").substr(2);
  trace::TraceFile file(path, first, 3 * first.size());
  for (int i = 0; i < 10; ++i) file.append(mark("again"));
  CHECK_EQUAL(2U, eventsIn(path));
}

TEST(a_name_that_is_in_use_gets_the_number_of_the_process) {
  const Folder folder;
  const std::string path = folder.path("trace.json");
  const trace::TraceFile file(path, mark("first").substr(2), kNoLimit);
  const trace::TraceFile other(path, mark("first").substr(2), kNoLimit);
  CHECK_EQUAL(folder.path("trace." + std::to_string(::getpid()) + ".json"), other.path());
  CHECK_EQUAL(1U, eventsIn(other.path()));
}

TEST(a_file_that_cannot_be_written_is_refused) {
  for (const char *path : {"/", "/absent/trace.json", "/dev/null"}) {
    try {
      const trace::TraceFile file(path, mark("first").substr(2), kNoLimit);
      CHECK(false);
    } catch (const Failure &failure) {
      CHECK_EQUAL(NXS_InvalidValue, failure.status());
      CHECK(failure.text().find("NEXUS_TRACE_FILE is '" + std::string(path)) == 0);
    }
  }
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
