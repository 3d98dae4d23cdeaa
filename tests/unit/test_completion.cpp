// SPDX-License-Identifier: Apache-2.0
#include <nexus-plugin/stream/completion.hpp>

#include <thread>
#include <vector>

#include "check.hpp"

// Each completion wakes who waits for that ticket, however their waits and the completions mix. A
// lost wake-up would let a join wait for an hour.
TEST(everyWaitEndsWithItsTicket) {
  constexpr nxs_ticket kTickets = 2'000;
  constexpr nxs_ticket kThreads = 4;
  nexus_plugin::Completion completion;
  for (nxs_ticket i = 0; i < kTickets; ++i) completion.issue();
  std::vector<std::thread> threads;
  for (nxs_ticket first = 1; first <= kThreads; ++first) {
    threads.emplace_back([&completion, first] {
      for (nxs_ticket ticket = first; ticket <= kTickets; ticket += first) {
        completion.join(ticket);
        CHECK(completion.done(ticket));
      }
    });
  }
  for (nxs_ticket ticket = 1; ticket <= kTickets; ++ticket) {
    completion.complete(ticket);
    if (ticket % 3 == 0) std::this_thread::yield();
  }
  for (std::thread &thread : threads) thread.join();
}
