// SPDX-License-Identifier: Apache-2.0
#include "stream/work_log.hpp"

#include <string>

#include "check.hpp"

using namespace nexus::core;

namespace {

WorkName copy() {
  return {"a copy to the host", {}};
}

WorkName commands(std::size_t first, std::size_t last, uint64_t run = 3) {
  static const Ref<Recording> recording = make<Recording>(
      "schedule 12",
      std::vector<std::string>{"0 (signal)", "1 (kernel 'scale')", "2 (fill)", "3 (copy)"});
  return {nullptr, recording, run, first, last};
}

}  // namespace

TEST(what_was_not_submitted_is_named) {
  CHECK_EQUAL("Schedule 12, run 3: commands 1 (kernel 'scale') to 2 (fill) were not submitted.",
              commands(1, 2).notSubmitted());
  CHECK_EQUAL("A copy to the host was not submitted.", copy().notSubmitted());
}

TEST(the_first_submission_after_a_ticket_is_found) {
  WorkLog log;
  log.note(1, commands(1, 1, 1));
  log.note(2, copy());
  log.note(4, commands(1, 1, 2));
  CHECK_EQUAL(1u, log.firstAfter(0).name.run);
  CHECK(log.firstAfter(1).name.what != nullptr);
  CHECK_EQUAL(2u, log.firstAfter(2).name.run);
  CHECK_EQUAL(2u, log.firstAfter(3).name.run);
  CHECK(log.firstAfter(4).name.empty());
}

TEST(work_without_a_name_hides_no_name_and_is_hidden_by_none) {
  WorkLog log;
  log.note(1, {});
  log.note(2, copy());
  log.note(2, {});
  CHECK(log.firstAfter(0).name.empty());
  CHECK(!log.firstAfter(0).forgotten);
  CHECK(!log.firstAfter(1).name.empty());
}

TEST(what_was_overwritten_is_forgotten_and_said_to_be) {
  WorkLog log;
  for (nxs_ticket ticket = 1; ticket <= WorkLog::kSize + 3; ++ticket) {
    log.note(ticket, commands(1, 1, ticket));
  }
  CHECK(log.firstAfter(2).forgotten);
  CHECK(!log.firstAfter(3).forgotten);
  CHECK_EQUAL(4u, log.firstAfter(3).name.run);
}

TEST(two_threads_may_note_their_tickets_in_any_order) {
  WorkLog log;
  log.note(WorkLog::kSize + 1, commands(1, 1, 2));
  log.note(1, commands(1, 1, 1));
  CHECK(log.firstAfter(0).forgotten);
  CHECK_EQUAL(2u, log.firstAfter(1).name.run);
}
