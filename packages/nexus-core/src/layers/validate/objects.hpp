// SPDX-License-Identifier: Apache-2.0
//
// The live objects of all plug-ins, as the layer `validate` knows them, by their ids.
#pragma once

#include <nexus-api/nxs_functions.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "checks/launch.hpp"
#include "layers/validate/order.hpp"

namespace nexus::core::layers::validation {

/// Facts about an object of any type.
struct Facts {
  nxs_id device = 0;
  uint64_t size = 0;  // bytes of a buffer
  std::string name;
  Place place;           // where it was made
  bool of_core = false;  // made by libnexus for itself: no leak
};

/// Facts about an object of one type.
template <nxs_object_type Type>
struct FactsOf : Facts {
  static constexpr nxs_object_type kType = Type;
};

struct DeviceFacts : FactsOf<NXS_ObjectType_Device> {  // 0: the device does not state it
  uint64_t alignment = 0, max_group = 0, max_local = 0, max_buffer = 0;
};

struct BufferFacts : FactsOf<NXS_ObjectType_Buffer> {
  nxs_id space = 0;   // of its Use: its own id, or 0 for host memory
  uint64_t base = 0;  // where it begins in the space
  std::multiset<void *> mappings;
};

using LibraryFacts = FactsOf<NXS_ObjectType_Library>;

struct KernelFacts : FactsOf<NXS_ObjectType_Kernel> {
  KernelInfo info;
  std::vector<Access> accesses;  // to the arguments, if the kernel describes them
};

struct StreamFacts : FactsOf<NXS_ObjectType_Stream> {
  nxs_ticket newest = 0;     // the newest ticket that the layer has seen
  nxs_ticket completed = 0;  // the newest ticket that the plug-in called complete
  uint32_t submitting = 0;   // number of calls that submit and have not returned
  bool failure_told = false;
};

struct EventFacts : FactsOf<NXS_ObjectType_Event> {
  bool timed = false;
  bool imported = false;  // other processes may signal it
  bool signalled = false;
  nxs_id stream = 0;  // of the newest signal, as all below
  nxs_ticket ticket = 0;
  Clock clock;
  bool happened = false;
};

struct ScheduleFacts;

/// The present argument of a command.
struct GivenArgument {
  nxs_argument_kind kind;
  uint64_t size;
  Use use;  // of a buffer
};

struct CommandFacts : FactsOf<NXS_ObjectType_Command> {
  nxs_id id = 0;
  nxs_id schedule = 0;
  std::shared_ptr<KernelFacts> kernel;  // NULL: a copy, a fill or a nested schedule
  std::map<uint32_t, GivenArgument> arguments;
  bool finalized = false;
  std::vector<Use> uses;                               // of a copy or fill
  std::vector<std::shared_ptr<ScheduleFacts>> nested;  // that it runs
};

struct ScheduleFacts : FactsOf<NXS_ObjectType_Schedule> {
  std::vector<std::shared_ptr<CommandFacts>> commands;
  Clock last_run;          // the next run follows it
  bool recording = false;  // a call that records has not returned
};

/// Under the lock of Locked. Its holder calls no plug-in and takes no lock but those for the log
/// and error records.
struct Objects {
  std::mutex mutex;
  std::unordered_map<nxs_id, std::shared_ptr<Facts>> all;  // of the type that the id says
  Order order;
  std::array<uint64_t, 1U << NXS_ID_TAG_BITS> capabilities{};  // of the plug-ins, by their tags
  // The properties that were looked up in NP_Keys, once for each type of object and plug-in.
  std::set<std::tuple<uint32_t, nxs_object_type, nxs_property>> in_keys;

  /// Returns what is known of a live object; NULL if it is not of that type, or not known.
  template <typename T>
  std::shared_ptr<T> find(nxs_id id) const {
    if (NXS_ID_TYPE(id) != T::kType) return nullptr;
    const auto found = all.find(id);
    return found == all.end() ? nullptr : std::static_pointer_cast<T>(found->second);
  }
  /// Of a runtime only the type and the tag are known.
  bool lives(nxs_id id) const {
    return NXS_ID_TYPE(id) == NXS_ObjectType_Runtime || all.contains(id);
  }
  /// Returns 0 if the device is not known.
  nxs_id deviceOf(nxs_id id) const { return all.contains(id) ? all.at(id)->device : 0; }
};

/// The objects of this process, locked.
class Locked {
 public:
  Locked();
  Objects *operator->() const noexcept { return &objects_; }
  Objects &operator*() const noexcept { return objects_; }

 private:
  Objects &objects_;
  std::lock_guard<std::mutex> lock_;
};

/// Objects of one type that were made at one place and not released.
struct Leak {
  uint32_t tag;
  std::string text;
};

/// Returns the live objects that are not libnexus's own.
std::vector<Leak> leaks();

/// While one exists, the objects that its thread makes are libnexus's own, which are not leaks.
class OwnObjects {
 public:
  OwnObjects() noexcept { ++count_; }
  ~OwnObjects() { --count_; }
  OwnObjects(const OwnObjects &) = delete;
  OwnObjects &operator=(const OwnObjects &) = delete;

  static bool present() noexcept { return count_ != 0; }

 private:
  static inline thread_local int count_ = 0;
};

}  // namespace nexus::core::layers::validation
