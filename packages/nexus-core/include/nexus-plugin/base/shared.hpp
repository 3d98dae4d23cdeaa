// SPDX-License-Identifier: Apache-2.0
// Shared ownership of objects that are in no handle table.
//
// Why not std::shared_ptr: g++ makes members of std:: classes that construct and destroy an object
// of the kit visible, although the object's class is hidden. Two plug-ins built with default flags
// would share these members, and so use one host.
#ifndef NEXUS_PLUGIN_SHARED_HPP_
#define NEXUS_PLUGIN_SHARED_HPP_

#include <nexus-api/nxs.h>

#include <atomic>
#include <cstdint>
#include <utility>

namespace nexus_plugin NXS_HIDDEN {

// An owner of an object, which is destroyed with its last owner; may be empty. Many threads may use
// owners of one object, but only one thread at a time may use the same owner.
template <class T>
class Shared {
 public:
  Shared() noexcept = default;
  Shared(const Shared &other) noexcept : box_(other.box_) {
    if (box_ != nullptr) box_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  Shared(Shared &&other) noexcept : box_(std::exchange(other.box_, nullptr)) {}
  Shared &operator=(Shared other) noexcept {
    std::swap(box_, other.box_);
    return *this;
  }
  ~Shared() {
    if (box_ != nullptr && box_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete box_;
  }

  template <class... Args>
  static Shared make(Args &&...args) {
    Shared made;
    made.box_ = new Box(std::forward<Args>(args)...);
    return made;
  }

  T *get() const noexcept { return box_ == nullptr ? nullptr : &box_->object; }
  T *operator->() const noexcept { return &box_->object; }
  T &operator*() const noexcept { return box_->object; }
  explicit operator bool() const noexcept { return box_ != nullptr; }

 private:
  struct Box {
    template <class... Args>
    explicit Box(Args &&...args) : object(std::forward<Args>(args)...) {}
    std::atomic<uint32_t> owners{1};
    T object;
  };

  Box *box_ = nullptr;
};

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_SHARED_HPP_
