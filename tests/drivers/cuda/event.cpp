// SPDX-License-Identifier: Apache-2.0
#include "event.hpp"

#include "context.hpp"

#include <thread>

namespace simulated_cuda {
namespace {

thread_local bool in_host_function = false;

}  // namespace

void run_on_host(const std::function<void()> &function) {
  in_host_function = true;
  function();
  in_host_function = false;
}

bool on_host_function() {
  return in_host_function;
}

void Event::record(Stream &stream) {
  auto record = std::make_shared<Record>();
  record->context = stream.context();
  const uint64_t number = shared == nullptr ? 0 : shared->begin();
  record->point = stream.add([record, number, counts = shared] {
    const Lock lock(world().mutex);
    record->time = Clock::now();
    record->done = true;
    if (counts != nullptr) counts->end(number);
    return CUDA_SUCCESS;
  });
  record_ = std::move(record);
}

void Event::record_now(const std::shared_ptr<Event> &event) {
  const Lock lock(world().mutex);
  auto record = std::make_shared<Record>();
  record->context = event->context_;
  record->time = Clock::now();
  record->done = true;
  event->record_ = std::move(record);
  world().changed.notify_all();
}

CUresult Event::failure() const {
  return record_ == nullptr ? CUDA_SUCCESS : record_->context->failure();
}

bool Event::done() const {
  if (shared != nullptr) return shared->done(shared->latest());
  return record_ == nullptr || record_->done || record_->point.done();
}

void Event::wait(Lock &lock) const {
  if (shared != nullptr) {
    const auto counts = shared;
    const uint64_t number = counts->latest();
    while (!counts->done(number) && failure() == CUDA_SUCCESS) {
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

Work Event::wait_on_device() const {
  Work work;
  work.run = [](CUresult) { return CUDA_SUCCESS; };
  if (shared != nullptr) {
    work.ready = [counts = shared, number = shared->latest()] { return counts->done(number); };
  } else if (record_ != nullptr) {
    work.after.push_back(record_->point);
  }
  return work;
}

float Event::between(const Event &start, const Event &end) {
  for (const Event *event : {&start, &end}) {
    require((event->flags_ & CU_EVENT_DISABLE_TIMING) == 0 && event->record_ != nullptr,
            CUDA_ERROR_INVALID_HANDLE);
    require(event->failure() == CUDA_SUCCESS, event->failure());
    require(event->record_->done, CUDA_ERROR_NOT_READY);
  }
  return std::chrono::duration<float, std::milli>(end.record_->time - start.record_->time).count();
}

}  // namespace simulated_cuda

using namespace simulated_cuda;

SIMULATED_EXPORT CUresult cuEventCreate(CUevent *out_event, unsigned flags) {
  return call("cuEventCreate", Needs::kContext, [&](Call &call) {
    require(out_event != nullptr && flags < 8);
    const bool interprocess = (flags & CU_EVENT_INTERPROCESS) != 0;
    require(!interprocess || (flags & CU_EVENT_DISABLE_TIMING) != 0);
    auto made = std::make_shared<Event>(*call.context, flags);
    if (interprocess) made->shared = std::make_shared<SharedRecord>();
    *out_event = world().events.add(std::move(made));
  });
}

SIMULATED_EXPORT CUresult cuEventDestroy_v2(CUevent event) {
  return call("cuEventDestroy", Needs::kContext, [&](Call &) { world().events.take(event); });
}

SIMULATED_EXPORT CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
  return call("cuEventRecord", Needs::kContext, [&](Call &call) {
    require((flags & ~unsigned{CU_EVENT_RECORD_EXTERNAL}) == 0);
    const auto &recorded = world().events.get(event);
    const auto in = call.context->stream(stream);
    require(recorded->context() == in->context(), CUDA_ERROR_INVALID_HANDLE);
    recorded->record(*in);
  });
}

SIMULATED_EXPORT CUresult cuEventRecord(CUevent event, CUstream stream) {
  return cuEventRecordWithFlags(event, stream, 0);
}

SIMULATED_EXPORT CUresult cuEventQuery(CUevent event) {
  return call("cuEventQuery", Needs::kContext, [&](Call &) {
    const auto &asked = world().events.get(event);
    require(asked->failure() == CUDA_SUCCESS, asked->failure());
    require(asked->done(), CUDA_ERROR_NOT_READY);
  });
}

SIMULATED_EXPORT CUresult cuEventSynchronize(CUevent event) {
  return call("cuEventSynchronize", Needs::kContext, [&](Call &call) {
    const auto waited = world().events.get(event);
    waited->wait(call.lock);
    require(waited->failure() == CUDA_SUCCESS, waited->failure());
  });
}

SIMULATED_EXPORT CUresult cuEventElapsedTime_v2(float *out_milliseconds, CUevent start,
                                                CUevent end) {
  return call("cuEventElapsedTime", Needs::kContext, [&](Call &) {
    World &all = world();
    give(out_milliseconds, Event::between(*all.events.get(start), *all.events.get(end)));
  });
}

SIMULATED_EXPORT CUresult cuEventElapsedTime(float *out_milliseconds, CUevent start, CUevent end) {
  return cuEventElapsedTime_v2(out_milliseconds, start, end);
}
