// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include "call.hpp"
#include "context.hpp"
#include "device.hpp"
#include "foreign_file.hpp"
#include "pool.hpp"

#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <iterator>
#include <vector>

namespace simulator {

Allocation &Allocations::add(const Allocation &allocation) {
  return by_begin_[allocation.begin] = allocation;
}

Allocation *Allocations::find(uintptr_t address, size_t size) {
  const auto after = by_begin_.upper_bound(address);
  if (after == by_begin_.begin()) return nullptr;
  Allocation &before = std::prev(after)->second;
  const size_t offset = address - before.begin;
  return offset < before.size && size <= before.size - offset ? &before : nullptr;
}

Allocation *Allocations::at(uintptr_t begin) {
  const auto found = by_begin_.find(begin);
  return found == by_begin_.end() ? nullptr : &found->second;
}

bool Allocations::overlaps(uintptr_t begin, size_t size) const {
  const auto after = by_begin_.lower_bound(begin + size);
  if (after == by_begin_.begin()) return false;
  const Allocation &before = std::prev(after)->second;
  return before.begin + before.size > begin;
}

namespace {

constexpr uintptr_t kHostPage = 4096;

Allocation &add_allocation(Call &call, MemoryKind kind, uintptr_t begin, size_t size) {
  Allocation made;
  made.begin = begin;
  made.size = size;
  made.kind = kind;
  made.context = call.context;
  made.device = &call.context->device();
  return world().allocations.add(made);
}

void unmap_host(uintptr_t begin, size_t size) {
  const uintptr_t lead = begin % kHostPage;
  munmap(reinterpret_cast<void *>(begin - lead), size + lead);
}

}  // namespace

Allocation &allocate_on_device(Call &call, size_t size) {
  require(size != 0);
  Device &device = call.context->device();
  device.take(size);
  try {
    return add_allocation(call, MemoryKind::kDevice, device.place(size), size);
  } catch (...) {
    device.give_back(size);
    throw;
  }
}

Allocation &allocate_on_host(Call &call, size_t size, MemoryKind kind) {
  require(size != 0);
  void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  require(memory != MAP_FAILED, kOutOfMemory);
  return add_allocation(call, kind, address(memory), size);
}

Allocation &register_memory(Call &call, const void *memory, size_t size) {
  require(memory != nullptr && size != 0);
  Allocations &all = world().allocations;
  const bool refused = kRefusesOverlaps && all.overlaps(address(memory), size);
  require(!refused, kHostMemoryAlreadyRegistered);
  if (Allocation *first = all.at(address(memory))) return *first;
  return add_allocation(call, MemoryKind::kRegistered, address(memory), size);
}

void unregister_memory(Call &call, const char *function, const void *memory) {
  const Allocation *known = world().allocations.at(address(memory));
  require(known != nullptr && known->kind == MemoryKind::kRegistered, kHostMemoryNotRegistered);
  free_memory(call, function, known->begin, {MemoryKind::kRegistered});
}

ForeignFile place_of(uintptr_t memory) {
  const Allocation &shared = device_range(memory, 1);
  require(shared.kind == MemoryKind::kDevice);
  const AddressSpace &space = shared.device->addresses();
  return {ForeignFile::kMemory, getpid(), space.file(), space.offset_of(shared.begin), shared.size};
}

Allocation &import_memory(Call &call, const ForeignFile &place) {
  require(place.process != getpid(), kInvalidContext);
  const uint64_t lead = place.offset % kHostPage;
  const int file = place.open();
  void *memory = mmap(nullptr, place.size + lead, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                      static_cast<off_t>(place.offset - lead));
  close(file);
  require(memory != MAP_FAILED, kOutOfMemory);
  return add_allocation(call, MemoryKind::kImported, address(memory) + lead, place.size);
}

void free_memory(Call &call, const char *function, uintptr_t begin,
                 std::initializer_list<MemoryKind> kinds) {
  Allocation *freed = world().allocations.at(begin);
  const bool known = freed != nullptr && !freed->freed &&
                     std::find(kinds.begin(), kinds.end(), freed->kind) != kinds.end();
  if (!known) misused(std::string(function) + " of what was not allocated", kInvalidValue);
  freed->freed = true;  // nobody frees it a second time while this one waits
  freed->context->wait(call);
  release(*freed);
}

Allocation &device_range(uintptr_t begin, size_t size) {
  Allocation *found = world().allocations.find(begin, size);
  require(found != nullptr);
  if (found->freed) misused("memory that was freed in stream order", kInvalidValue);
  return *found;
}

Result check_running(uintptr_t begin, size_t size) {
  const Lock lock(world().mutex);
  if (world().allocations.find(begin, size) != nullptr) return kSuccess;
  world().log.note_misuse("memory that was freed before the work that uses it ran");
  return kIllegalAddress;
}

void release(Allocation &allocation) {
  const Allocation old = allocation;
  world().allocations.remove(old.begin);
  switch (old.kind) {
    case MemoryKind::kDevice:
      old.device->addresses().free(old.begin, old.size);
      old.device->give_back(old.size);
      break;
    case MemoryKind::kPool:
      old.device->addresses().free(old.begin, old.size);
      old.pool->returned(old.size);
      break;
    case MemoryKind::kImported:
    case MemoryKind::kHost:
    case MemoryKind::kManaged:
      unmap_host(old.begin, old.size);
      break;
    case MemoryKind::kGlobal:
    case MemoryKind::kRegistered:
      break;
  }
}

void free_all(const Context &context) {
  std::vector<uintptr_t> mine;
  for (const auto &[begin, allocation] : world().allocations.all()) {
    // Memory of a pool outlives the context that asked for it.
    if (allocation.context == &context && allocation.kind != MemoryKind::kPool) {
      mine.push_back(begin);
    }
  }
  for (const uintptr_t begin : mine) release(*world().allocations.at(begin));
}

}  // namespace simulator
