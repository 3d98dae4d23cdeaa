// SPDX-License-Identifier: Apache-2.0
#include "event.hpp"

#include "context.hpp"

#include <sys/mman.h>
#include <unistd.h>
#include <thread>

namespace simulator {
namespace {

constexpr size_t kRecordPage = 4096;

thread_local bool in_host_function = false;

}  // namespace

SharedRecord::SharedRecord() : file_(memfd_create("simulated-event", MFD_CLOEXEC)) {
  require(file_ >= 0 && ftruncate(file_, kRecordPage) == 0, kOperatingSystem);
  map();
}

SharedRecord::SharedRecord(const ForeignFile &other) : file_(other.open()) {
  map();
}

SharedRecord::~SharedRecord() {
  if (numbers_ != nullptr) munmap(numbers_, kRecordPage);
  if (file_ >= 0) close(file_);
}

void SharedRecord::map() {
  void *page = mmap(nullptr, kRecordPage, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  require(page != MAP_FAILED, kOperatingSystem);
  numbers_ = static_cast<Numbers *>(page);
}

ForeignFile SharedRecord::place() const {
  return {ForeignFile::kEvent, getpid(), file_, 0, kRecordPage};
}

void SharedRecord::end(uint64_t number) {
  uint64_t before = numbers_->done;
  while (before < number && !numbers_->done.compare_exchange_weak(before, number)) {
  }
}

void Event::record(Stream &stream) {
  require(context_ == stream.context(), kInvalidHandle);
  auto record = std::make_shared<Record>();
  record->context = stream.context();
  const uint64_t number = shared_ == nullptr ? 0 : shared_->begin();
  record->point = stream.add([record, number, counts = shared_] {
    const Lock lock(world().mutex);
    record->time = Clock::now();
    record->done = true;
    if (counts != nullptr) counts->end(number);
    return kSuccess;
  });
  record_ = std::move(record);
}

Result Event::failure() const {
  return record_ == nullptr ? kSuccess : record_->context->failure();
}

bool Event::done() const {
  if (shared_ != nullptr) return shared_->done(shared_->latest());
  return record_ == nullptr || record_->done || record_->point.done();
}

void Event::wait(Lock &lock) const {
  if (shared_ != nullptr) {
    const auto counts = shared_;
    const uint64_t number = counts->latest();
    while (!counts->done(number) && failure() == kSuccess) {
      lock.unlock();
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      lock.lock();
    }
    return;
  }
  const auto record = record_;
  if (record == nullptr) return;
  world().changed.wait(lock, [&] { return record->done || record->point.done(); });
}

void Event::query() const {
  require(failure() == kSuccess, failure());
  require(done(), kNotReady);
}

void Event::synchronize(Lock &lock) const {
  wait(lock);
  require(failure() == kSuccess, failure());
}

Work Event::wait_on_device() const {
  Work work{[] { return kSuccess; }};
  if (shared_ != nullptr) {
    work.ready = [counts = shared_, number = shared_->latest()] { return counts->done(number); };
  } else if (record_ != nullptr) {
    work.after.push_back(record_->point);
  }
  return work;
}

float Event::between(const Event &start, const Event &end) {
  for (const Event *event : {&start, &end}) {
    require(event->has_time_ && event->record_ != nullptr, kInvalidHandle);
    require(event->failure() == kSuccess, event->failure());
    require(event->record_->done, kNotReady);
  }
  return std::chrono::duration<float, std::milli>(end.record_->time - start.record_->time).count();
}

Handle make_event(Context &context, bool has_time, bool shared) {
  auto record = shared ? std::make_shared<SharedRecord>() : nullptr;
  return world().events.add(std::make_shared<Event>(context, has_time, std::move(record)));
}

Handle import_event(Context &context, const ForeignFile &place) {
  auto record = std::make_shared<SharedRecord>(place);
  return world().events.add(std::make_shared<Event>(context, false, std::move(record)));
}

void add_host_function(Stream &stream, std::function<void()> function) {
  stream.add([function = std::move(function)] {
    in_host_function = true;
    function();
    in_host_function = false;
    return kSuccess;
  });
}

bool on_host_function() {
  return in_host_function;
}

}  // namespace simulator
