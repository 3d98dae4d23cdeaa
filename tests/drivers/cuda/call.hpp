// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_CUDA_CALL_HPP_
#define NEXUS_SIMULATED_CUDA_CALL_HPP_

#include "failure.hpp"
#include "world.hpp"

#include <new>

#define SIMULATED_EXPORT extern "C" __attribute__((visibility("default")))

namespace simulated_cuda {

enum class Needs {
  kNothing,
  kInit,     // cuInit was called
  kContext,  // and the thread has a current context that has not failed
};

// One call of a function of the driver.
struct Call {
  Lock lock;
  Context *context = nullptr;  // the current one; only where it is needed

  // The call's beginning: counted, failed on demand, checked for what it needs.
  CUresult begin(const char *name, Needs needs);
  // The call is in that context; an error where there is none, or it has failed.
  CUresult enter(Context *wanted);
};

// Whether this is the child of a fork() of a process that has used the driver: nothing works there.
bool forked();

template <class Body>
CUresult call(const char *name, Needs needs, Body &&body) noexcept {
  if (forked()) return CUDA_ERROR_NOT_INITIALIZED;
  Call current{Lock(world().mutex)};
  CUresult result = current.begin(name, needs);
  try {
    if (result == CUDA_SUCCESS) body(current);
  } catch (const Failure &failure) {
    result = failure.result;
  } catch (const std::bad_alloc &) {
    result = CUDA_ERROR_OUT_OF_MEMORY;
  }
  if (!current.lock.owns_lock()) current.lock.lock();
  world().faults.log(name, result);
  return result;
}

template <class T>
void give(T *out, const T &value) {
  require(out != nullptr);
  *out = value;
}

}  // namespace simulated_cuda

#endif  // NEXUS_SIMULATED_CUDA_CALL_HPP_
