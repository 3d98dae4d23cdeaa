// SPDX-License-Identifier: Apache-2.0
//
// Functions of nexus.trace.
#include <nexus/trace.hpp>
#include <string>

#include "python/text.hpp"
#include "types/method.hpp"

namespace nexus::python {
namespace {

// With the GIL, since neither waits.
void traceRange(py::handle name, py::handle begin) {
  const std::string text = parseText(name, "name");
  const std::int64_t since = PyLong_AsLongLong(begin.ptr());
  if (since == -1 && PyErr_Occurred() != nullptr) {
    throw py::error_already_set();
  }
  nexus::detail::check(nexus_trace_range(nexus::detail::toString(text), since));
}

void markTrace(py::handle name) {
  traceMark(parseText(name, "name"));
}

}  // namespace

void registerTrace(py::module_ &module) {
  function<[] { return nexus_trace_is_on() != 0; }>(
      module, "trace_is_on() -> bool\n\nReturns whether this process is traced.");
  function<[] { return nexus_trace_time(); }>(
      module, "trace_time() -> int\n\nReturns the time of the trace's clock in nanoseconds.");
  function<&traceRange>(module,
                        "trace_range(name: str, begin: int) -> None\n\nAdds a range of this "
                        "thread, from begin until now.");
  function<&markTrace>(module, "trace_mark(name: str) -> None\n\nAdds a mark of this thread.");
}

}  // namespace nexus::python
