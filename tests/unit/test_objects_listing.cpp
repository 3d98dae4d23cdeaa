// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

#include "child.hpp"
#include "objects.hpp"

using namespace objects;

namespace {

uint64_t countOf(nexus_device *device, nxs_object_type type) {
  uint64_t count = 0;
  CHECK_OK(nexus_device_get_objects(device, type, 0, nullptr, &count));
  return count;
}

std::vector<Object> listOf(nexus_device *device, nxs_object_type type) {
  std::vector<nexus_object *> found(countOf(device, type));
  uint64_t count = 0;
  CHECK_OK(nexus_device_get_objects(device, type, found.size(), found.data(), &count));
  found.resize(std::min<std::size_t>(found.size(), count));
  std::vector<Object> owned(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) *owned[i].out() = found[i];
  return owned;
}

TEST(what_libnexus_makes_for_itself_is_not_listed) {
  const Object on = device("reference:0");
  const Object in = stream(on);
  const Object a = floats(on, std::vector<float>(64, 1));
  const Object b = floats(on, std::vector<float>(64, 0));
  const Object once = schedule(on);
  const Object command = scaleCommand(once, on, a, 2, b, 64);
  for (int i = 0; i < 8; ++i) {  // which orders the default stream after the other one
    CHECK_OK(run(once, in, kNonBlocking));
    CHECK_OK(nexus_buffer_fill(b, "x", 1, nullptr, 0));
    CHECK_OK(nexus_device_synchronize(on, NEXUS_FOREVER));  // the next run is not ordered by itself
  }
  CHECK_EQUAL(uint64_t{0}, countOf(on, NXS_ObjectType_Event));
  CHECK_EQUAL(uint64_t{1}, countOf(on, NXS_ObjectType_Stream));
}

TEST(a_list_that_is_too_short_gets_the_first_ones_and_the_count) {
  const Object on = device("reference:0");
  const Object first = event(on);
  const Object second = event(on);
  nexus_object *one = nullptr;
  uint64_t count = 0;
  CHECK_OK(nexus_device_get_objects(on, NXS_ObjectType_Event, 1, &one, &count));
  CHECK_EQUAL(uint64_t{2}, count);
  CHECK(one == first.get());
  nexus_release(one);
}

// The last reference of each ends on one thread while another lists: what it gets is whole,
// or it does not get it.
TEST(an_object_at_its_end_is_not_brought_back) {
  const Object on = device("reference:0");
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};
  std::thread lister([&] {
    while (!done) {
      for (const Object &event : listOf(on, NXS_ObjectType_Event)) {
        uint64_t value = 1;
        if (nexus_event_get_value(event, &value) != NXS_Success || value != 0) ++wrong;
      }
    }
  });
  std::vector<std::thread> makers;
  for (int i = 0; i < 2; ++i) {
    makers.emplace_back([&] {
      for (int round = 0; round < 3000; ++round) const Object one = event(on);
    });
  }
  for (std::thread &maker : makers) maker.join();
  done = true;
  lister.join();
  CHECK_EQUAL(0, wrong.load());
  CHECK_EQUAL(uint64_t{0}, countOf(on, NXS_ObjectType_Event));
}

// A thread of the parent may hold the list's lock at the fork.
TEST(a_child_process_lets_go_of_listed_objects) {
  const Object on = device("reference:0");
  std::atomic<bool> done{false};
  std::thread maker([&] {
    while (!done) const Object one = event(on);
  });
  for (int i = 0; i < 20; ++i) {
    Object kept = event(on);
    CHECK_EQUAL(0, check::statusOfChild([&] {
                  kept.reset();
                  uint64_t count = 0;
                  const nxs_status refused =
                      nexus_device_get_objects(on, NXS_ObjectType_Event, 0, nullptr, &count);
                  const Object anew = device("reference:0");
                  const Object fresh = event(anew);
                  return refused == NXS_InvalidOperation &&
                         countOf(anew, NXS_ObjectType_Event) == 1;
                }));
  }
  done = true;
  maker.join();
}

}  // namespace
