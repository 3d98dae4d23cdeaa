// SPDX-License-Identifier: Apache-2.0
//
// The control functions of the simulated driver, for any thread at any time. simulated.py has them
// for Python.
#ifndef NEXUS_SIMULATED_CUDA_CONTROL_HPP_
#define NEXUS_SIMULATED_CUDA_CONTROL_HPP_

#include "call.hpp"

#include <cstdint>

// Before cuInit: what machine it is. 0 where key or value are not understood.
SIMULATED_EXPORT int simulated_cuda_set(const char *key, const char *value);

// The nth call of function from now on (1: the next) does nothing and returns result. "*" is any
// function. "kernel", "copy" and "fill" are work on the device, "kernel NAME" one kernel: their
// failure breaks the context.
SIMULATED_EXPORT void simulated_cuda_fail(const char *function, uint64_t nth, int32_t result);
// Forgets the failures that have not come about, and tells how many those were.
SIMULATED_EXPORT uint64_t simulated_cuda_clear_failures(void);

// From now on kernels with these letters in their name don't end, until they are released or their
// context breaks down.
SIMULATED_EXPORT void simulated_cuda_hold(const char *part_of_name);
SIMULATED_EXPORT void simulated_cuda_release(void);

// How many objects of a kind there are: "contexts", "streams", "events", "modules", "libraries",
// "graphs", "nodes", "execs", "pools", "device memory", "imported memory", "host memory",
// "registered memory", "managed memory". -1: no such kind.
SIMULATED_EXPORT int64_t simulated_cuda_live(const char *kind);
SIMULATED_EXPORT uint64_t simulated_cuda_memory_used(int32_t device);  // bytes

// Calls of a function since the beginning, or since simulated_cuda_forget.
SIMULATED_EXPORT uint64_t simulated_cuda_calls(const char *function);
// Lines of text, as much as out has room for; they return how long the whole is. The log has
// "function result" for each call, misuse what NVIDIA's driver may answer with a crash.
SIMULATED_EXPORT uint64_t simulated_cuda_log(char *out, uint64_t capacity);
SIMULATED_EXPORT uint64_t simulated_cuda_misuse(char *out, uint64_t capacity);
SIMULATED_EXPORT void simulated_cuda_forget(void);
// "name since symbol" of each function that is simulated.
SIMULATED_EXPORT uint64_t simulated_cuda_functions(char *out, uint64_t capacity);

#endif  // NEXUS_SIMULATED_CUDA_CONTROL_HPP_
