// SPDX-License-Identifier: Apache-2.0
//
// The child of a fork() while threads of its parent wait, which it does not have.
#include <chrono>
#include <thread>

#include "child.hpp"
#include "objects.hpp"

using namespace objects;

namespace {

TEST(an_event_that_a_thread_of_the_parent_waits_for_ends_in_the_child) {
  const Object on = device("reference:0");
  Object awaited = event(on);
  std::thread waits([&] { CHECK_OK(nexus_event_wait(awaited, 1, NEXUS_FOREVER)); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK_EQUAL(0, check::statusOfChild([&] {
                awaited.reset();
                return true;
              }));
  CHECK_OK(nexus_event_signal(awaited, 1));
  waits.join();
}

TEST(a_stream_that_a_thread_of_the_parent_waits_for_ends_in_the_child) {
  const Object on = device("reference:0");
  const Object gate = event(on);
  Object awaited = stream(on);
  CHECK_OK(nexus_stream_wait(awaited, gate, 1));
  std::thread waits([&] { CHECK_OK(nexus_stream_synchronize(awaited, NEXUS_FOREVER)); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK_EQUAL(0, check::statusOfChild([&] {
                awaited.reset();
                return true;
              }));
  CHECK_OK(nexus_event_signal(gate, 1));
  waits.join();
}

}  // namespace
