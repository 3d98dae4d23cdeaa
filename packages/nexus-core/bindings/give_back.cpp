// SPDX-License-Identifier: Apache-2.0
#include "give_back.hpp"

#include <atomic>

namespace nexus::python {
namespace {

// What was let go by threads without the GIL, the newest first. Without a lock, which a fork()
// could leave taken.
std::atomic<Kept *> returned{nullptr};
std::atomic<bool> returnScheduled{false};
std::atomic<bool> interpreterEnded{false};  // nothing is given back any more

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
    const py::error_scope keep;  // what ends may run Python code
    delete kept;
    return;
  }
  kept->next_ = returned;
  while (!returned.compare_exchange_weak(kept->next_, kept)) {
  }
  // Python's own queue may be full: then the next one, or the next import, tries again.
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
