// SPDX-License-Identifier: Apache-2.0
#include "arrays/give_back.hpp"

#include <atomic>

namespace nexus::python {
namespace {

// Objects released by threads without the GIL, the newest first. Lock-free, since a fork() could
// leave a lock taken.
std::atomic<Kept *> returned{nullptr};
std::atomic<bool> returnScheduled{false};
std::atomic<bool> interpreterEnded{false};  // then nothing is deleted any more

int giveBackOnMainThread(void *) {
  giveBackPending();
  return 0;
}

}  // namespace

void giveBack(Kept *kept) noexcept {
  if (interpreterEnded) {
    return;
  }
  if (PyGILState_Check() != 0) {
    const py::error_scope keep;  // the destructor may run Python code
    delete kept;
    return;
  }
  kept->next_ = returned;
  while (!returned.compare_exchange_weak(kept->next_, kept)) {
  }
  // Python's own queue may be full: the next object, or the next import, then tries again.
  if (!returnScheduled.exchange(true) && Py_AddPendingCall(giveBackOnMainThread, nullptr) != 0) {
    returnScheduled = false;
  }
}

void giveBackPending() noexcept {
  returnScheduled = false;
  Kept *kept = returned.exchange(nullptr);
  while (kept != nullptr) {
    delete std::exchange(kept, kept->next_);
  }
}

void stopGivingBackAtExit() {
  py::module_::import("atexit").attr("register")(py::cpp_function([] { interpreterEnded = true; }));
}

}  // namespace nexus::python
