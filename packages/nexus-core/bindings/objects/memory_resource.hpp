// SPDX-License-Identifier: Apache-2.0
//
// Allocators for the buffers of a device, also ones that are written in Python.
#pragma once

#include <memory>

#include "arrays/give_back.hpp"
#include "python/bindings.hpp"
#include "python/gil.hpp"
#include "types/instance.hpp"

namespace nexus::python {

/// nexus.DeviceMemoryResource and nexus.MemoryPool.
template <class Resource>
struct ResourceObject {
  Device device;
  std::shared_ptr<Resource> resource;
};

/// While it lives, an allocator in Python that this thread calls leaves its exception here.
class AllocatorError {
 public:
  AllocatorError() noexcept;
  AllocatorError(const AllocatorError &) = delete;
  AllocatorError &operator=(const AllocatorError &) = delete;
  ~AllocatorError();

  static void set(py::object exception);
  /// Raises error with the exception as its cause, if there is one.
  void raiseFrom(const Error &error) const;

 private:
  py::object exception_;
  AllocatorError *const outer_;
};

/// Calls function, which may allocate, without the GIL. Raises its Error with the exception of an
/// allocator in Python as its cause.
template <class Function>
auto allocating(Function &&function) {
  const AllocatorError cause;
  try {
    return withoutGil(function);
  } catch (const Error &error) {
    giveBackPending();  // memory that could not be used
    cause.raiseFrom(error);
    throw;
  }
}

/// Device.memory_resource.
py::object memoryResourceOf(const Device &device);
void setMemoryResource(const Device &device, py::handle resource);

/// Device.create_memory_pool(resource, max_size, release_threshold).
ResourceObject<MemoryPool> createMemoryPool(const Device &device, py::handle resource,
                                            py::handle maxSize, py::handle releaseThreshold);

}  // namespace nexus::python
