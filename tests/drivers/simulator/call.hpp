// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATOR_CALL_HPP_
#define NEXUS_SIMULATOR_CALL_HPP_

#include "failure.hpp"
#include "world.hpp"

#include <new>

#define SIMULATED_EXPORT extern "C" __attribute__((visibility("default")))

namespace simulator {

enum class Needs {
  kNothing,
  kInit,     // the driver was started
  kContext,  // and the thread has a current context that has not failed
};

// One call of a function of the driver.
struct Call {
  Lock lock;
  Context *context = nullptr;  // the current one; only where it is needed

  // The call's beginning: counted, failed on demand, checked for what it needs.
  Result begin(const char *name, Needs needs);
  // The call is in that context; an error where there is none, or it has failed.
  Result enter(Context *wanted);
};

// Returns whether this is a forked child of a process that used the driver: nothing works there.
bool forked();

// name: of the function that is called, a literal.
template <class Body>
Result call(const char *name, Needs needs, Body &&body) noexcept {
  if (forked()) return kNotInitialized;
  Call current{Lock(world().mutex)};
  Result result = current.begin(name, needs);
  try {
    if (result == kSuccess) body(current);
  } catch (const Failure &failure) {
    result = failure.result;
  } catch (const std::bad_alloc &) {
    result = kOutOfMemory;
  }
  return result;
}

// For tests: copies as much of the lines as there is room for, and tells how long the whole is.
uint64_t tell(const std::vector<std::string> &lines, char *out, uint64_t capacity);

template <class T>
void give(T *out, const T &value) {
  require(out != nullptr);
  *out = value;
}
// A driver has a type for each kind of handle.
template <class T>
void give(T **out, Handle value) {
  require(out != nullptr);
  *out = static_cast<T *>(value);
}

}  // namespace simulator

#endif  // NEXUS_SIMULATOR_CALL_HPP_
