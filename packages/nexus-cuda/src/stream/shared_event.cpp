// SPDX-License-Identifier: Apache-2.0
#include "stream/shared_event.hpp"

#include "device/device.hpp"

#include <signal.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <nexus-plugin/error.hpp>
#include <nexus-plugin/text.hpp>
#include <thread>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::Error;
using nexus_plugin::ProcessMemory;

// All zeros at first. Read and written by several processes.
struct SharedEvent::Page {
  static constexpr uint64_t kLives = 0, kDone = 1, kGone = 2;

  std::atomic<uint64_t> recorded;  // how often
  std::atomic<uint64_t> end;       // what became of it in the end
};

namespace {

using SharedClock = std::chrono::steady_clock;

constexpr std::string_view kEventHead = "nexus-cuda-event 1 ";
constexpr std::chrono::microseconds kFirstPause{20}, kLastPause{1000};

struct ToldEvent {
  Exported from;
  CUipcEventHandle handle{};
  std::string_view page;
};

ToldEvent parse_event(std::string_view text) {
  ToldEvent told;
  ExportedText parts(text);
  if (parts.take(kEventHead) && told.from.take_from(parts) &&
      parts.take_bytes(told.handle.reserved) && parts.take(" ") && parts.rest().ends_with('\n')) {
    told.page = parts.rest();
    return told;
  }
  throw Error(NXS_InvalidValue,
              "handle is none of an event that a process exported from a GPU; give what "
              "nxsExportEvent wrote, whole");
}

[[noreturn]] void throw_event_gone(uint64_t process) {
  throw Error(NXS_InvalidOperation, "the event is of process ", process,
              ", which has released it or ended, or is another user's; it has to keep the event "
              "while others wait for it");
}

}  // namespace

SharedEvent::Page &SharedEvent::page() const noexcept {
  return *reinterpret_cast<Page *>(page_.data());
}

SharedEvent::SharedEvent(Device &device)
    : device_(&device),
      page_(ProcessMemory::make(sizeof(Page))),
      exporter_(static_cast<uint64_t>(getpid())) {
  device.check(cu.EventCreate(&event_, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS),
               "making an event that processes share");
}

SharedEvent::SharedEvent(Device &device, std::string_view handle) : device_(&device) {
  const ToldEvent told = parse_event(handle);
  told.from.check_device(device, "an event");
  exporter_ = told.from.process;
  try {
    page_ = ProcessMemory::open(told.page);
  } catch (const Error &error) {
    if (error.status() == NXS_InvalidOperation) throw_event_gone(exporter_);
    throw;
  }
  if (page_.size() < sizeof(Page)) throw_event_gone(exporter_);
  const CUresult opened = cu.IpcOpenEventHandle(&event_, told.handle);
  if (opened == CUDA_SUCCESS) return;
  if (is_fatal(opened)) device.check(opened, "opening an event of another process");
  if (opened == CUDA_ERROR_OUT_OF_MEMORY) {
    throw_error(opened, NXS_OutOfResources, "opening an event of another process");
  }
  throw Error::with_native_code(opened, NXS_InvalidOperation,
                                "the event that handle names is gone, or the driver does not give "
                                "it to this process (",
                                error_name(opened), "): process ", exporter_,
                                " has to keep the event that it exported, as the same user");
}

SharedEvent::~SharedEvent() {
  try {
    const CurrentContext current(*device_);
    if (made_here()) {
      const bool is_done = cu.EventQuery(event_) == CUDA_SUCCESS;
      page().end.store(is_done ? Page::kDone : Page::kGone);
    }
    log_unreleased(cu.EventDestroy(event_), "ending an event that processes share");
  } catch (const std::exception &) {
    // Of the device, which ends its events.
  }
}

std::string SharedEvent::handle(nxs_id event) const {
  const CurrentContext current(*device_);
  CUipcEventHandle told{};
  device_->check(cu.IpcGetEventHandle(&told, event_), "giving an event to other processes");
  return nexus_plugin::join(kEventHead, Exported::here(*device_, event).text(),
                            nexus_plugin::hexadecimal({told.reserved, sizeof(told.reserved)}), " ",
                            page_.handle());
}

void SharedEvent::record(Enqueuing &work) {
  work.check(cu.EventRecord(event_, work.stream), "recording an event that processes share");
  page().recorded.fetch_add(1);
}

bool SharedEvent::was_recorded() const noexcept {
  return page().recorded.load() != 0;
}

bool SharedEvent::has_ended() const {
  switch (page().end.load()) {
    case Page::kLives:
      if (kill(static_cast<pid_t>(exporter_), 0) != 0 && errno == ESRCH) break;
      return false;
    case Page::kDone:
      if (was_recorded()) return true;
      break;
    default:
      break;
  }
  throw_event_gone(exporter_);
}

bool SharedEvent::done() const {
  if (has_ended()) return true;
  if (!was_recorded()) return false;
  const CurrentContext current(*device_);
  const CUresult result = cu.EventQuery(event_);
  if (result == CUDA_ERROR_NOT_READY) return false;
  device_->check(result, "asking an event of another process");
  return true;
}

bool SharedEvent::wait(uint64_t timeout) const {
  constexpr auto longest = static_cast<uint64_t>(std::chrono::nanoseconds::max().count()) / 2;
  const auto end = SharedClock::now() + std::chrono::nanoseconds(std::min(timeout, longest));
  auto pause = kFirstPause;
  while (!done()) {
    const auto left = end - SharedClock::now();
    if (left <= left.zero()) return false;
    std::this_thread::sleep_for(std::min<SharedClock::duration>(left, pause));
    pause = std::min(pause * 2, kLastPause);
  }
  return true;
}

void SharedEvent::enqueue_wait(Enqueuing &work) const {
  if (has_ended()) return;
  if (!was_recorded()) {
    throw Error(NXS_InvalidOperation, "the event was never signalled by process ", exporter_,
                ", which made it; wait for it on the host first, or let that process tell when it "
                "has signalled it");
  }
  work.check(cu.StreamWaitEvent(work.stream, event_, 0),
             "enqueuing a wait for an event of another process");
}

nxs_id own_event(Device &device, std::string_view handle) {
  const ToldEvent told = parse_event(handle);
  if (!told.from.of_this_process()) return 0;
  told.from.check_device(device, "an event");
  return told.from.object;
}

}  // namespace nexus_cuda
