// SPDX-License-Identifier: Apache-2.0
#include "python/log.hpp"
#include "python/errors.hpp"

#include <nexus.h>
#include <pthread.h>
#include <pybind11/pybind11.h>

#include <exception>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace nexus::python {
namespace {

struct Line {
  nxs_log_level level;
  std::string backend;
  std::string text;
};

// Never destroyed: backends' threads may log until the process exits.
struct Pending {
  std::mutex mutex;
  std::vector<Line> lines;
  bool scheduled = false;
};

Pending &pending() {
  static auto *const instance = new Pending;
  return *instance;
}

// Locks the queue during a fork, since a lock held by another thread would never be released in the
// child. The child starts without lines: the parent writes the deferred ones.
void installForkHandlers() {
  pthread_atfork([] { pending().mutex.lock(); }, [] { pending().mutex.unlock(); },
                 [] {
                   pending().lines.clear();
                   pending().scheduled = false;
                   pending().mutex.unlock();
                 });
}

int writeFromMainThread(void *) {
  writePendingLog();
  return 0;
}

void takeLine(void *, nxs_log_level level, nxs_string backend, nxs_string text) {
  Pending &queue = pending();
  bool schedule = false;
  {
    const std::lock_guard lock(queue.mutex);
    queue.lines.push_back(
        {level, std::string(detail::toView(backend)), std::string(detail::toView(text))});
    schedule = !std::exchange(queue.scheduled, true);
  }
  // Python's own queue may be full: the next line, or the next wait, then tries again.
  if (schedule && Py_AddPendingCall(writeFromMainThread, nullptr) != 0) {
    const std::lock_guard lock(queue.mutex);
    queue.scheduled = false;
  }
}

int pythonLevel(nxs_log_level level) {
  switch (level) {
    case NXS_LogLevel_Debug:
      return 10;
    case NXS_LogLevel_Info:
      return 20;
    case NXS_LogLevel_Warning:
      return 30;
    default:
      return 40;
  }
}

void writeLines(const std::vector<Line> &lines) {
  // Not through the builtin __import__, which the interrupted frame may lack.
  const py::object logging =
      owned(PyImport_ImportModuleLevel("logging", nullptr, nullptr, nullptr, 0));
  const py::object getLogger = logging.attr("getLogger");
  for (const Line &line : lines) {
    const std::string name = line.backend.empty() ? "nexus" : "nexus." + line.backend;
    getLogger(name).attr("log")(pythonLevel(line.level), "%s", line.text);
  }
}

}  // namespace

void writePendingLog() noexcept {
  std::vector<Line> lines;
  {
    Pending &queue = pending();
    const std::lock_guard lock(queue.mutex);
    queue.scheduled = false;
    lines.swap(queue.lines);
  }
  if (lines.empty()) {
    return;
  }
  const py::error_scope keep;
  try {
    writeLines(lines);
  } catch (py::error_already_set &error) {
    error.discard_as_unraisable("writing the log of nexus");
  } catch (const std::exception &error) {
    PySys_WriteStderr("nexus: could not write the log: %s\n", error.what());
  }
}

void installLog() {
  static const bool installed = (installForkHandlers(), true);
  static_cast<void>(installed);
  nexus_set_log(takeLine, nullptr);
}

void removeLog() noexcept {
  nexus_set_log(nullptr, nullptr);
}

}  // namespace nexus::python
