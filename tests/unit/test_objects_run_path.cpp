// SPDX-License-Identifier: Apache-2.0
//
// What a run costs beside its kernel, on the CPU backend: no allocation on any thread, and
// no wait for a lock while nobody contends.
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <thread>

#include "counted.hpp"
#include "objects.hpp"

#ifdef NEXUS_TESTS_COUNT

using counted::allocations;
using counted::counting;

static std::atomic<int> lock_waits{0};

extern "C" int pthread_mutex_lock(pthread_mutex_t *mutex) {
  if (pthread_mutex_trylock(mutex) == 0) {
    return 0;
  }
  counted::note(lock_waits);
  static const auto lock =
      reinterpret_cast<int (*)(pthread_mutex_t *)>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  return lock(mutex);
}

using namespace objects;

namespace {

constexpr int kRuns = 200;

// A schedule that adds two arrays of so many numbers on the CPU.
struct Addition {
  explicit Addition(int32_t count) : on(device("cpu:0")), stream(objects::stream(on)) {
    const std::vector<float> ones(static_cast<std::size_t>(count), 1.0F);
    for (Object &buffer : buffers) buffer = floats(on, ones);
    Object library;
    CHECK_OK(nexus_device_load_library_file(on, text(NEXUS_CPU_KERNELS), library.out()));
    CHECK_OK(nexus_library_get_kernel(library, text("add_vectors"), kernel.out()));
    schedule = objects::schedule(on);
    CHECK_OK(nexus_schedule_create_command(schedule, kernel, command.out()));
    for (uint32_t i = 0; i < 3; ++i) {
      CHECK_OK(nexus_command_set_buffer(command, i, buffers[i]));
    }
    CHECK_OK(nexus_command_set_scalar(command, 3, &count, sizeof(count), NXS_DataType_I32));
    const nexus_launch_desc desc = launch(static_cast<uint64_t>(count));
    CHECK_OK(nexus_command_finalize(command, &desc));
  }

  Object on;
  Object stream;
  Object buffers[3];
  Object kernel;
  Object schedule;
  Object command;
};

// Counts over all threads while body runs, once it has run before and the threads that it
// started are at work.
template <class Body>
void countDuring(const Body &body) {
  body();
  body();
  allocations = lock_waits = 0;
  counting = true;
  body();
  counting = false;
}

TEST(the_counters_count) {
  const Object on = device("cpu:0");
  pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
  countDuring([&] {
    schedule(on);
    pthread_mutex_trylock(&held);
    std::thread other([&] {
      pthread_mutex_lock(&held);
      pthread_mutex_unlock(&held);
    });
    while (lock_waits == 0 && counting) std::this_thread::yield();
    pthread_mutex_unlock(&held);
    other.join();
  });
  CHECK(allocations > 0);
  CHECK_EQUAL(1, lock_waits.load());
}

TEST(a_blocking_run_allocates_nothing_and_waits_for_no_lock) {
  const Addition addition(1024);
  countDuring([&] {
    for (int i = 0; i < kRuns; ++i) CHECK_OK(run(addition.schedule));
  });
  CHECK_EQUAL(0, allocations.load());
  CHECK_EQUAL(0, lock_waits.load());
}

TEST(a_run_that_does_not_block_allocates_nothing) {
  const Addition addition(1 << 16);
  // Long enough that all runs of the first round wait behind it, so that a round after it has no
  // more work in flight.
  const Object large = floats(addition.on, std::vector<float>(1 << 26));
  fill(large, 1, addition.stream);
  countDuring([&] {
    for (int i = 0; i < kRuns; ++i) CHECK_OK(run(addition.schedule, addition.stream, kNonBlocking));
    CHECK_OK(nexus_stream_synchronize(addition.stream, NEXUS_FOREVER));
  });
  CHECK_EQUAL(0, allocations.load());
}

}  // namespace

#else

TEST(this_build_leaves_allocation_to_its_sanitizer) {}

#endif
