// SPDX-License-Identifier: Apache-2.0
// Ids that are not valid are refused in words, objects live as long as they are used, and memory
// does not grow with the number of objects made. nexus.conformance.capi.test_ids has the rest.
#include <nexus-plugin/base/handle_table.hpp>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "../unit/check.hpp"
#include "fake_host.hpp"

using namespace nexus_plugin;

namespace {

std::atomic<int> alive{0};

struct Thing {
  explicit Thing(int given = 0) : value(given) { ++alive; }
  Thing(const Thing &) = delete;
  Thing &operator=(const Thing &) = delete;
  ~Thing() {
    value = -1;
    --alive;
  }
  int value;
};

struct Throws {
  explicit Throws(bool now) {
    if (now) throw Error(NXS_OutOfResources, "no");
  }
};

const bool bound = (bind_host(&FakeHost<0>::get()), true);

template <class Table>
nxs_status pin_status(const Table &table, nxs_id id) {
  return guarded([&] { table.pin(id); });
}

TEST(an_object_that_is_kept_is_named_by_its_id_until_that_is_stale) {
  static constinit HandleTable<Thing, NXS_ObjectType_Buffer> table;
  const nxs_id id = table.create(1);
  const nxs_id other = table.create(2);
  const Ref<Thing> kept = table.pin(id);
  CHECK(table.names(id, kept));
  CHECK(!table.names(other, kept));
  CHECK(!table.names(id, Ref<Thing>()));
  table.release(id);
  CHECK(!table.names(id, kept));
  table.release(other);
}

TEST(an_id_of_a_place_that_was_never_used_is_refused) {
  static constinit HandleTable<Thing, NXS_ObjectType_Kernel> table;
  const nxs_id id = table.create();
  for (const int index : {1, 2, 5000}) {
    CHECK_EQUAL(NXS_InvalidKernel,
                pin_status(table, NXS_ID_MAKE(NXS_ObjectType_Kernel, FakeHost<0>::kTag, 0, index)));
  }
  table.release(id);
}

TEST(the_refusal_says_what_is_wrong_with_the_id) {
  static constinit HandleTable<Thing, NXS_ObjectType_Buffer> table;
  const nxs_id id = table.create();
  const auto refusal = [&](nxs_id wrong) {
    pin_status(table, wrong);
    return FakeHost<0>::last_error();
  };
  CHECK_EQUAL("the buffer is 0, which is never an id", refusal(0));
  CHECK_EQUAL("the buffer is -5; a negative number is never an id", refusal(-5));
  CHECK(refusal(NXS_ID_MAKE(NXS_ObjectType_Kernel, FakeHost<0>::kTag, 0, 0))
            .ends_with("names a kernel, not a buffer"));
  CHECK(refusal(NXS_ID_MAKE(NXS_ObjectType_Buffer, 99, 0, 0))
            .ends_with("belongs to another backend; use one that this backend made"));
  table.release(id);
  CHECK(refusal(id).ends_with("was released or never made"));
}

TEST(an_object_lives_until_its_last_ref_goes) {
  static constinit HandleTable<Thing, NXS_ObjectType_Library> table;
  const int before = alive;
  const nxs_id id = table.create(5);
  Ref<Thing> first = table.pin(id);
  Ref<Thing> second = Ref<Thing>::to(*first);
  table.release(id);
  CHECK_EQUAL(5, second->value);
  first = Ref<Thing>();
  CHECK_EQUAL(before + 1, alive.load());
  second = Ref<Thing>();
  CHECK_EQUAL(before, alive.load());
}

TEST(a_constructor_that_throws_leaves_the_table_as_it_was) {
  static constinit HandleTable<Throws, NXS_ObjectType_Buffer> table;
  CHECK_EQUAL(NXS_OutOfResources, guarded([&] { table.create(true); }));
  const nxs_id id = table.create(false);
  CHECK_EQUAL(1u, table.slot_count());
  table.release(id);
}

TEST(a_million_objects_one_after_the_other_need_one_place) {
  static constinit HandleTable<Thing, NXS_ObjectType_Event> table;
  for (int i = 0; i < 1000000; ++i) table.release(table.create(i));
  CHECK_EQUAL(1u, table.slot_count());
}

TEST(a_place_whose_generations_are_used_up_is_never_used_again) {
  static constinit HandleTable<Thing, NXS_ObjectType_Buffer, 2> table;
  std::array<nxs_id, 5> ids{};
  for (nxs_id &id : ids) {
    id = table.create();
    table.release(id);
  }
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK_EQUAL(0u, NXS_ID_INDEX(ids[i]));
    CHECK_EQUAL(i, std::size_t{NXS_ID_GENERATION(ids[i])});
  }
  CHECK_EQUAL(1u, NXS_ID_INDEX(ids[4]));
  for (const nxs_id id : ids) CHECK_EQUAL(NXS_InvalidBuffer, pin_status(table, id));
}

TEST(ids_stay_apart_through_many_chunks) {
  static constinit HandleTable<Thing, NXS_ObjectType_Buffer> table;
  std::vector<nxs_id> ids;
  for (int i = 0; i < 5000; ++i) ids.push_back(table.create(i));
  for (int i = 0; i < 5000; ++i) CHECK_EQUAL(i, table.pin(ids[static_cast<std::size_t>(i)])->value);
  for (const nxs_id id : ids) table.release(id);
  CHECK_EQUAL(5000u, table.slot_count());
}

// Moving all elements for each new one would make recording slower than linear.
TEST(room_for_one_more_moves_the_elements_seldom) {
  std::vector<int> list;
  int moves = 0;
  for (int i = 0; i < 100000; ++i) {
    const int *before = list.data();
    nexus_plugin::make_room_for_one(list);
    if (list.data() != before) ++moves;
    CHECK(list.size() < list.capacity());
    list.push_back(i);
  }
  CHECK(moves < 20);
}

TEST(threads_that_make_find_and_release_never_see_an_object_that_is_gone) {
  static constinit HandleTable<Thing, NXS_ObjectType_Buffer> table;
  static std::array<std::atomic<nxs_id>, 4> shared{};
  const int before = alive;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (unsigned i = 0; i < 20000; ++i) {
        std::atomic<nxs_id> &place = shared[(i + t) % shared.size()];
        const nxs_id old = place.exchange(table.create(7));
        try {
          if (table.pin(place.load())->value != 7) ++wrong;
        } catch (const Error &error) {
          if (error.status() != NXS_InvalidBuffer) ++wrong;
        }
        if (old != 0) table.release(old);
      }
    });
  }
  for (std::thread &thread : threads) thread.join();
  for (std::atomic<nxs_id> &place : shared) table.release(place.exchange(0));
  CHECK_EQUAL(0, wrong.load());
  CHECK_EQUAL(before, alive.load());
  CHECK(table.slot_count() <= 16);
}

}  // namespace
