// SPDX-License-Identifier: Apache-2.0
#include "in_flight.hpp"

#include <utility>
#include <vector>

namespace nexus::python {
namespace {

struct Copy {
  Event done;
  std::unique_ptr<HostArray> array;
};

// Guarded by the GIL. Never destroyed: at the interpreter's end a copy may still be running.
std::vector<Copy> &copies() {
  static auto *const list = new std::vector<Copy>;
  return *list;
}

// Whether nothing reaches the memory any more: the copy is done, or failed or was lost with its
// stream, or this is a child process, where the event is refused.
bool isOver(const Event &done) {
  try {
    return done.isDone();
  } catch (const Error &) {
    return true;
  }
}

}  // namespace

void releaseFinishedCopies() {
  std::vector<Copy> running;
  std::vector<Copy> over;  // freed last: Python code may run then, and come back here
  std::vector<Copy> all = std::exchange(copies(), {});
  for (Copy &copy : all) {
    (isOver(copy.done) ? over : running).push_back(std::move(copy));
  }
  for (Copy &copy : running) {
    copies().push_back(std::move(copy));
  }
}

void keepUntil(Event event, std::unique_ptr<HostArray> array) {
  copies().push_back({std::move(event), std::move(array)});
}

}  // namespace nexus::python
