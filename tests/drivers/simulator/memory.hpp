// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATOR_MEMORY_HPP_
#define NEXUS_SIMULATOR_MEMORY_HPP_

#include "driver.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>

namespace simulator {

class Context;
class Device;
class Pool;
struct Call;
struct ForeignFile;

enum class MemoryKind {
  kDevice,
  kPool,        // of a device, in stream order
  kGlobal,      // a variable of a module
  kImported,    // of another process
  kHost,        // page-locked
  kRegistered,  // the program's own, page-locked
  kManaged,
};

// Memory that the driver knows.
struct Allocation {
  uintptr_t begin = 0;
  size_t size = 0;
  MemoryKind kind = MemoryKind::kDevice;
  Context *context = nullptr;
  Device *device = nullptr;
  std::shared_ptr<Pool> pool;
  bool freed = false;  // in stream order: work that was submitted before may still use it

  bool on_device() const { return kind <= MemoryKind::kImported; }
  bool pinned() const { return kind == MemoryKind::kHost || kind == MemoryKind::kRegistered; }
};

// By address. Under the world's lock.
class Allocations {
 public:
  Allocation &add(const Allocation &allocation);
  // Returns the allocation that contains the whole range, or NULL.
  Allocation *find(uintptr_t address, size_t size = 0);
  // Returns the allocation that begins there, or NULL.
  Allocation *at(uintptr_t begin);
  bool overlaps(uintptr_t begin, size_t size) const;
  void remove(uintptr_t begin) { by_begin_.erase(begin); }

  const std::map<uintptr_t, Allocation> &all() const { return by_begin_; }

 private:
  std::map<uintptr_t, Allocation> by_begin_;
};

inline uintptr_t address(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

// Allocate for the context of the call; throw if they can't.
Allocation &allocate_on_device(Call &call, size_t size);
Allocation &allocate_on_host(Call &call, size_t size, MemoryKind kind);
Allocation &register_memory(Call &call, const void *memory, size_t size);
void unregister_memory(Call &call, const char *function, const void *memory);

// Where other processes find device memory; throws kInvalidValue for memory of another kind.
ForeignFile place_of(uintptr_t memory);
// Throws kInvalidContext for memory of this process.
Allocation &import_memory(Call &call, const ForeignFile &place);

// Waits for all work of the context, and gives back what begins there. What is not of such a kind
// is misuse of the function.
void free_memory(Call &call, const char *function, uintptr_t begin,
                 std::initializer_list<MemoryKind> kinds);

// Returns the allocation that contains the range and that the device can access; throws
// kInvalidValue.
Allocation &device_range(uintptr_t begin, size_t size);

// Likewise during work; throws kIllegalAddress if the memory was freed.
Result check_running(uintptr_t begin, size_t size);

// Frees the allocation and forgets it.
void release(Allocation &allocation);
// Frees all allocations of the context.
void free_all(const Context &context);

}  // namespace simulator

#endif  // NEXUS_SIMULATOR_MEMORY_HPP_
