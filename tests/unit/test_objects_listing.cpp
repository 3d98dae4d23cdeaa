// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

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

TEST(a_device_lists_what_is_alive_in_the_order_of_making) {
  const Object on = device("reference:0");
  const Object first = floats(on, {1});
  Object second = floats(on, {2});
  const Object third = floats(on, {3, 4});
  CHECK_EQUAL(uint64_t{3}, countOf(on, NXS_ObjectType_Buffer));
  second.reset();
  const std::vector<Object> listed = listOf(on, NXS_ObjectType_Buffer);
  CHECK_EQUAL(std::size_t{2}, listed.size());
  CHECK(listed[0].get() == first.get());
  CHECK(listed[1].get() == third.get());
}

TEST(a_slice_is_listed_as_a_buffer) {
  const Object on = device("reference:0");
  const Object whole = floats(on, {1, 2});
  const nexus_buffer_desc desc = describe(4, NXS_DataType_F32);
  Object slice;
  CHECK_OK(nexus_buffer_slice(whole, 4, &desc, slice.out()));
  CHECK_EQUAL(uint64_t{2}, countOf(on, NXS_ObjectType_Buffer));
}

TEST(closed_objects_are_not_listed) {
  const Object on = device("reference:0");
  const Object buffer = floats(on, {1});
  const Object in = stream(on);
  CHECK_EQUAL(uint64_t{1}, countOf(on, NXS_ObjectType_Stream));
  CHECK_OK(nexus_close(buffer));
  CHECK_OK(nexus_close(in));
  CHECK_EQUAL(uint64_t{0}, countOf(on, NXS_ObjectType_Buffer));
  CHECK_EQUAL(uint64_t{0}, countOf(on, NXS_ObjectType_Stream));
}

TEST(each_type_has_its_list_and_each_device_its_own) {
  const Object on = device("reference:0");
  const Object other = device("cpu:0");
  const Object once = schedule(on);
  const Object counter = event(on);
  const std::string source = "nexus-reference 1\nadd_f32\n";
  Object library;
  CHECK_OK(nexus_device_load_library(on, source.data(), source.size(), library.out()));
  CHECK(listOf(on, NXS_ObjectType_Schedule).at(0).get() == once.get());
  CHECK(listOf(on, NXS_ObjectType_Event).at(0).get() == counter.get());
  CHECK(listOf(on, NXS_ObjectType_Library).at(0).get() == library.get());
  CHECK_EQUAL(uint64_t{1}, countOf(on, NXS_ObjectType_Library));
  CHECK_EQUAL(uint64_t{0}, countOf(other, NXS_ObjectType_Schedule));
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

TEST(only_what_is_made_on_a_device_can_be_listed) {
  const Object on = device("reference:0");
  uint64_t count = 0;
  for (const nxs_object_type type :
       {NXS_ObjectType_Kernel, NXS_ObjectType_Command, NXS_ObjectType_Device,
        NXS_ObjectType_Runtime, NXS_ObjectType_None}) {
    CHECK_FAILS(NXS_InvalidValue, nexus_device_get_objects(on, type, 0, nullptr, &count),
                "type is ", "streams");
  }
  CHECK_FAILS(NXS_InvalidValue,
              nexus_device_get_objects(on, NXS_ObjectType_Event, 1, nullptr, &count),
              "out_objects");
}

TEST(a_library_tells_its_device) {
  const Object on = device("reference:0");
  const std::string source = "nexus-reference 1\nadd_f32\n";
  Object library;
  CHECK_OK(nexus_device_load_library(on, source.data(), source.size(), library.out()));
  Object found;
  CHECK_OK(nexus_library_get_device(library, found.out()));
  CHECK(found.get() == on.get());
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
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);  // instead of a hang
      kept.reset();
      uint64_t count = 0;
      const nxs_status refused =
          nexus_device_get_objects(on, NXS_ObjectType_Event, 0, nullptr, &count);
      const Object anew = device("reference:0");
      const Object fresh = event(anew);
      _exit(refused == NXS_InvalidOperation && countOf(anew, NXS_ObjectType_Event) == 1 ? 0 : 1);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK_EQUAL(0, status);
  }
  done = true;
  maker.join();
}

}  // namespace
