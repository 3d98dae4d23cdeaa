// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATOR_REGISTRY_HPP_
#define NEXUS_SIMULATOR_REGISTRY_HPP_

#include "failure.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

namespace simulator {

// A program's handle of an object: a number that is never used twice, so that stale and invented
// ones are detected. Using it as an address faults.
using Handle = void *;

// The live objects of a kind by their handles.
template <class Object>
class Registry {
 public:
  explicit Registry(uintptr_t kind) : next_(kind << 40) {}

  Handle add(std::shared_ptr<Object> object) {
    next_ += 64;
    const auto handle = reinterpret_cast<Handle>(next_);
    objects_.emplace(handle, std::move(object));
    return handle;
  }

  // Throws if there is no such object.
  const std::shared_ptr<Object> &get(Handle handle) const {
    const auto found = objects_.find(handle);
    if (found == objects_.end()) misused("a handle that is stale or invented");
    return found->second;
  }

  std::shared_ptr<Object> take(Handle handle) {
    std::shared_ptr<Object> object = get(handle);
    objects_.erase(handle);
    return object;
  }

  template <class Predicate>
  void remove_if(Predicate &&predicate) {
    std::erase_if(objects_, [&](const auto &each) { return predicate(*each.second); });
  }

  const std::map<Handle, std::shared_ptr<Object>> &all() const { return objects_; }
  std::size_t size() const { return objects_.size(); }

 private:
  uintptr_t next_;
  std::map<Handle, std::shared_ptr<Object>> objects_;
};

}  // namespace simulator

#endif  // NEXUS_SIMULATOR_REGISTRY_HPP_
