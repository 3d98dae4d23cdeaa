// SPDX-License-Identifier: Apache-2.0
#include "python/interrupt.hpp"

#include <nexus/nexus_c.h>
#include <pybind11/pybind11.h>

#include "python/gil.hpp"
#include "python/log.hpp"

namespace nexus::python {
namespace {

// Called on the waiting thread, which has released the GIL. Python runs signal handlers on its main
// thread only; on others PyErr_CheckSignals does nothing.
std::int32_t checkSignals(void *) {
  const PyGILState_STATE state = ensureGil();
  writePendingLog();
  const int raised = PyErr_CheckSignals();  // the error stays set for the waiting call
  PyGILState_Release(state);
  return raised;
}

}  // namespace

void installInterruptCheck() {
  nexus_set_interrupt_check(checkSignals, nullptr);
}

void removeInterruptCheck() noexcept {
  nexus_set_interrupt_check(nullptr, nullptr);
}

}  // namespace nexus::python
