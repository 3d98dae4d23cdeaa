// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_CUDA_ALLOCATIONS_HPP_
#define NEXUS_SIMULATED_CUDA_ALLOCATIONS_HPP_

#include "types.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

namespace simulated_cuda {

class Context;
class Device;
class Pool;

enum class MemoryKind {
  kDevice,      // cuMemAlloc
  kPool,        // cuMemAllocAsync
  kGlobal,      // a variable of a module
  kImported,    // of another process
  kHost,        // cuMemHostAlloc
  kRegistered,  // cuMemHostRegister
  kManaged,     // cuMemAllocManaged
};

// Memory that the driver knows.
struct Allocation {
  uintptr_t begin = 0;
  size_t size = 0;
  MemoryKind kind = MemoryKind::kDevice;
  Context *context = nullptr;
  Device *device = nullptr;
  std::shared_ptr<Pool> pool;
  unsigned flags = 0;
  uint64_t id = 0;           // never used twice
  bool freed = false;        // in stream order: work that was submitted before may still use it
  bool read_mostly = false;  // advice
  int preferred_location = 0;
  int prefetched_to = 0;

  bool on_device() const {
    return kind == MemoryKind::kDevice || kind == MemoryKind::kPool ||
           kind == MemoryKind::kGlobal || kind == MemoryKind::kImported;
  }
  bool pinned() const { return kind == MemoryKind::kHost || kind == MemoryKind::kRegistered; }
};

// By address. Under the world's lock.
class Allocations {
 public:
  Allocation &add(const Allocation &allocation);
  // What the address lies in, or NULL.
  Allocation *find(uintptr_t address);
  // What the whole range lies in, or NULL.
  Allocation *find(uintptr_t address, size_t size);
  // What begins there, or NULL.
  Allocation *at(uintptr_t begin);
  bool overlaps(uintptr_t begin, size_t size) const;
  void remove(uintptr_t begin) { by_begin_.erase(begin); }

  const std::map<uintptr_t, Allocation> &all() const { return by_begin_; }

 private:
  std::map<uintptr_t, Allocation> by_begin_;
  uint64_t next_id_ = 0;
};

}  // namespace simulated_cuda

#endif  // NEXUS_SIMULATED_CUDA_ALLOCATIONS_HPP_
