// SPDX-License-Identifier: Apache-2.0
// The pool of threads, beyond the tests of the C-API for any backend: many streams,
// and copies and fills that are large enough for several threads.
#include "harness.hpp"

#include <memory>
#include <numeric>

using namespace cpu;

static const nxs_id runtime = load();
static const nxs_id stream = new_stream();

namespace {

nxs_buffer_range range(nxs_id buffer, uint64_t offset, uint64_t size) {
  return {sizeof(nxs_buffer_range), buffer, offset, size};
}

nxs_id new_buffer(uint64_t size) {
  nxs_id id = 0;
  must(table().CreateBuffer(device(), size, 0, nullptr, &id));
  return id;
}

std::vector<unsigned char> contents(nxs_id buffer, uint64_t size) {
  std::vector<unsigned char> bytes(size);
  nxs_ticket ticket = 0;
  must(table().CopyBuffer(buffer, 0, bytes.data(), size, stream, &ticket));
  CHECK_EQUAL(NXS_CompletionState_Completed, wait(stream, ticket).state);
  return bytes;
}

}  // namespace

TEST(many_waiting_streams_hold_no_thread) {
  constexpr int kStreams = 100;
  const nxs_id held = new_stream();
  nxs_id event = 0;
  nxs_ticket ticket = 0;
  must(table().CreateEvent(device(), 0, &event));
  Shared<int> counts(16);
  Schedule schedule;
  schedule.add(range_kernel("count_1d"), {argument(counts)}, launch({16}));
  std::vector<nxs_id> streams;
  Gate gate(held);
  must(table().SignalEvent(event, held, &ticket));
  for (int i = 0; i < kStreams; ++i) {
    streams.push_back(new_stream());
    must(table().WaitEvent(event, streams.back(), &ticket));
    schedule.start(streams.back());
  }
  const GetProperty get = table().GetScheduleProperty;
  CHECK_EQUAL("Running", text_property(get, schedule.id, NP_Status));
  Schedule other;
  other.add(range_kernel("no_arguments"), {}, launch({16}));
  CHECK_EQUAL(NXS_CompletionState_Completed, other.complete(new_stream()).state);
  gate.open();
  for (const nxs_id stream : streams)
    CHECK_EQUAL(NXS_CompletionState_Completed, wait(stream).state);
  for (const int count : counts.host) CHECK_EQUAL(kStreams, count);
  CHECK_EQUAL("Complete", text_property(get, schedule.id, NP_Status));
}

TEST(more_jobs_than_the_pool_has_places_are_all_done) {
  constexpr int kStreams = 80;
  std::vector<nxs_id> streams;
  std::vector<std::unique_ptr<Shared<int>>> counts;
  std::vector<std::unique_ptr<Schedule>> schedules;
  for (int i = 0; i < kStreams; ++i) {
    streams.push_back(new_stream());
    counts.push_back(std::make_unique<Shared<int>>(1000));
    schedules.push_back(std::make_unique<Schedule>());
    schedules.back()->add(range_kernel("count_1d"), {argument(*counts.back())},
                          launch({1000}, {10}));
  }
  for (int run = 0; run < 20; ++run) {
    for (std::size_t i = 0; i < kStreams; ++i) schedules[i]->start(streams[i]);
  }
  for (const nxs_id stream : streams) wait(stream);
  for (const auto &buffer : counts) CHECK_EQUAL(20, buffer->host[999]);
}

TEST(buffers_are_aligned) {
  void *pointer = nullptr;
  nxs_ticket ticket = 0;
  for (const uint64_t size : {1UL, 4096UL, 8UL << 20}) {
    const nxs_id buffer = new_buffer(size);
    const nxs_buffer_range all = range(buffer, 0, size);
    must(table().MapBuffer(stream, &all, NXS_MapAccess_Read, &pointer, &ticket));
    CHECK_EQUAL(0U, reinterpret_cast<uintptr_t>(pointer) % (size >= 4096 ? 4096 : 64));
    must(table().UnmapBuffer(stream, buffer, pointer, &ticket));
    must(table().ReleaseBuffer(buffer));
  }
}

TEST(copies_are_ordered_with_the_streams_other_work) {
  for (const std::size_t count : {10UL, 3000000UL}) {  // within the caller, and on the pool
    const nxs_id own = new_stream();
    std::vector<int> in(count), out(count);
    std::iota(in.begin(), in.end(), 0);
    const nxs_id buffer = new_buffer(count * 4);
    const int factor = 2, term = 1;
    Schedule schedule;
    schedule.add(range_kernel("scale_and_add"),
                 {buffer_argument(buffer, count * 4), scalar(factor), scalar(term)},
                 launch({count}));
    nxs_ticket ticket = 0;
    {
      Gate gate(own);
      must(table().WriteBuffer(buffer, 0, in.data(), count * 4, own, &ticket));
      schedule.start(own);
      must(table().CopyBuffer(buffer, 0, out.data(), count * 4, own, &ticket));
    }
    wait(own, ticket);
    int wrong = 0;
    for (std::size_t i = 0; i < count; ++i) wrong += out[i] != 2 * static_cast<int>(i) + 1;
    CHECK_EQUAL(0, wrong);
  }
}

TEST(fills_repeat_patterns_of_each_size) {
  for (const uint64_t pattern_size : {1UL, 2UL, 4UL, 8UL, 16UL}) {
    for (const uint64_t size : {16UL, 4096UL * 3 + 48, 5UL << 20}) {
      const nxs_id buffer = new_buffer(size + 32);
      const unsigned char pattern[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
      const unsigned char zero = 0;
      const nxs_buffer_range all = range(buffer, 0, size + 32), middle = range(buffer, 16, size);
      nxs_ticket ticket = 0;
      must(table().FillBuffer(stream, &all, &zero, 1, &ticket));
      must(table().FillBuffer(stream, &middle, pattern, pattern_size, &ticket));
      const auto bytes = contents(buffer, size + 32);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        const bool inside = i >= 16 && i < size + 16;
        wrong += bytes[i] != (inside ? pattern[(i - 16) % pattern_size] : 0);
      }
      CHECK_EQUAL(0U, wrong);
      must(table().ReleaseBuffer(buffer));
    }
  }
}

TEST(functions_of_the_c_library_are_no_kernels) {
  nxs_id id = 0;
  const nxs_id from = library("plain_kernels.so");
  CHECK_EQUAL(NXS_InvalidKernelName, table().GetKernel(from, text("malloc"), &id));
}
