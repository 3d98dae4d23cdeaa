// SPDX-License-Identifier: Apache-2.0
//
// What the layer `validate` knows of each object that lives, by its id.
#pragma once

#include <nexus-api/nxs_functions.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "checks/kernel_info.hpp"
#include "layers/validate/order.hpp"

namespace nexus::core::layers::validation {

/// Of every object.
struct Facts {
  nxs_id device = 0;
  uint64_t size = 0;  // bytes of a buffer
  std::string name;
  Place place;           // where it was made
  bool of_core = false;  // made by libnexus for itself: no leak
};

struct DeviceFacts : Facts {
  // 0: the device does not say
  uint64_t alignment = 0;
  uint64_t max_group = 0;
  uint64_t max_local = 0;
  uint64_t max_buffer = 0;
};

struct BufferFacts : Facts {
  nxs_id space = 0;   // where its bytes are, for Use: its own id, or 0 for memory of the host
  uint64_t base = 0;  // where it begins there
  std::multiset<void *> mappings;
};

struct KernelFacts : Facts {
  KernelInfo info;
  std::vector<Access> accesses;  // of the arguments, where the kernel describes them
};

struct StreamFacts : Facts {
  nxs_ticket newest = 0;     // of the tickets that the layer has seen
  nxs_ticket completed = 0;  // of those that the plug-in said to be complete
  uint32_t submitting = 0;   // calls that give work and have not returned
  bool failure_told = false;
};

struct EventFacts : Facts {
  bool timed = false;
  bool imported = false;  // other processes signal it
  bool signalled = false;
  nxs_id stream = 0;  // of the newest signal, as the rest
  nxs_ticket ticket = 0;
  Clock clock;
  bool happened = false;
};

struct ScheduleFacts;

/// An argument that a command has now.
struct GivenArgument {
  nxs_argument_kind kind;
  uint64_t size;
  Use use;  // of a buffer
};

struct CommandFacts : Facts {
  nxs_id id = 0;
  nxs_id schedule = 0;
  std::shared_ptr<KernelFacts> kernel;  // NULL: a copy, a fill or a schedule
  std::map<uint32_t, GivenArgument> arguments;
  bool finalized = false;
  std::vector<Use> uses;                  // of a copy or fill
  std::shared_ptr<ScheduleFacts> nested;  // of a schedule's
};

struct ScheduleFacts : Facts {
  std::vector<std::shared_ptr<CommandFacts>> commands;
  Clock last_run;          // what the next run follows
  bool recording = false;  // a call that records has not returned
};

template <typename T>
class Table {
 public:
  std::shared_ptr<T> find(nxs_id id) const {
    const auto found = objects_.find(id);
    return found == objects_.end() ? nullptr : found->second;
  }
  bool has(nxs_id id) const { return objects_.count(id) != 0; }
  T &add(nxs_id id, std::shared_ptr<T> facts = std::make_shared<T>()) {
    return *(objects_[id] = std::move(facts));
  }
  void remove(nxs_id id) { objects_.erase(id); }
  const auto &all() const { return objects_; }

 private:
  std::unordered_map<nxs_id, std::shared_ptr<T>> objects_;
};

/// All of this process. Its lock is the innermost but for the log's and the records': a plug-in is
/// never called under it.
struct Objects {
  std::mutex mutex;
  Table<DeviceFacts> devices;
  Table<BufferFacts> buffers;
  Table<Facts> libraries;
  Table<KernelFacts> kernels;
  Table<StreamFacts> streams;
  Table<EventFacts> events;
  Table<ScheduleFacts> schedules;
  Table<CommandFacts> commands;
  Order order;
  std::array<uint64_t, 1U << NXS_ID_TAG_BITS> capabilities{};

  bool lives(nxs_id id) const;
  nxs_id deviceOf(nxs_id id) const;  // 0 where it is not known
  void remove(nxs_id id);
};

/// The objects under their lock.
class Locked {
 public:
  Locked();
  Objects *operator->() const noexcept { return &objects_; }
  Objects &operator*() const noexcept { return objects_; }

 private:
  Objects &objects_;
  std::lock_guard<std::mutex> lock_;
};

}  // namespace nexus::core::layers::validation
