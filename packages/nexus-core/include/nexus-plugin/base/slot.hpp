// SPDX-License-Identifier: Apache-2.0
// An object of a handle table with its count of owners, and Ref, an owner.
#ifndef NEXUS_PLUGIN_SLOT_HPP_
#define NEXUS_PLUGIN_SLOT_HPP_

#include <nexus-api/nxs.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace nexus_plugin NXS_HIDDEN {
namespace detail {

template <class T>
class Slot;

// The table of a slot. Has no virtual destructor: a table lives as long as the process.
template <class T>
class SlotOwner {
 public:
  virtual void give_back(Slot<T> &slot) noexcept = 0;
  virtual Slot<T> &slot_at(uint32_t index) const noexcept = 0;

 protected:
  constexpr SlotOwner() noexcept = default;
  ~SlotOwner() = default;
};

// Storage for one object. Its state is one word, so that a lookup checks the generation and adds an
// owner in one step:
//
//   bit 63       the id is valid
//   bits 62..32  generation
//   bits 31..0   owners: the valid id is one, each Ref is one
template <class T>
class Slot {
 public:
  void assign(SlotOwner<T> &owner, uint32_t index) noexcept {
    owner_ = &owner;
    index_ = index;
  }

  void *storage() noexcept { return storage_; }
  T *object() noexcept { return std::launder(reinterpret_cast<T *>(storage_)); }
  uint32_t index() const noexcept { return index_; }
  uint32_t generation() const noexcept {
    return static_cast<uint32_t>((state_.load(std::memory_order_relaxed) & ~kValid) >> 32);
  }

  bool valid() const noexcept { return (state_.load(std::memory_order_acquire) & kValid) != 0; }

  static Slot &of(T &object) noexcept {
    auto *bytes = reinterpret_cast<std::byte *>(&object);
    return *std::launder(reinterpret_cast<Slot *>(bytes - offsetof(Slot, storage_)));
  }

  // Makes the id valid, as the only owner of the object, which is constructed.
  void publish() noexcept {
    const uint64_t state = state_.load(std::memory_order_relaxed);
    state_.store(state | kValid | 1, std::memory_order_release);
  }

  // Adds an owner if the id with this generation is valid, and returns whether it is.
  bool try_pin(uint32_t generation) noexcept {
    uint64_t state = state_.load(std::memory_order_relaxed);
    while ((state >> 32) == (kValid >> 32 | generation)) {
      if (state_.compare_exchange_weak(state, state + 1, std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }

  // Invalidates the id with this generation, and makes the caller an owner in its place. Returns
  // false if the id is not valid.
  bool try_retire_id(uint32_t generation) noexcept {
    uint64_t state = state_.load(std::memory_order_relaxed);
    while ((state >> 32) == (kValid >> 32 | generation)) {
      if (state_.compare_exchange_weak(state, state & ~kValid, std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }

  void add_owner() noexcept { state_.fetch_add(1, std::memory_order_relaxed); }

  void remove_owner() noexcept {
    const uint64_t before = state_.fetch_sub(1, std::memory_order_acq_rel);
    if ((before & kOwners) != 1) return;
    object()->~T();
    owner_->give_back(*this);
  }

  // Advances to the next generation, before the slot is used again. Returns false if there is none
  // left.
  bool next_generation(uint32_t last) noexcept {
    const uint32_t now = generation();
    if (now == last) return false;
    state_.store(uint64_t{now + 1} << 32, std::memory_order_relaxed);
    return true;
  }

  // The next slot in the free list: its index plus one, 0 for none.
  uint32_t below() const noexcept { return below_.load(std::memory_order_relaxed); }
  void set_below(uint32_t below) noexcept { below_.store(below, std::memory_order_relaxed); }

 private:
  static constexpr uint64_t kValid = uint64_t{1} << 63;
  static constexpr uint64_t kOwners = 0xFFFFFFFF;

  std::atomic<uint64_t> state_{0};
  std::atomic<uint32_t> below_{0};
  uint32_t index_ = 0;
  SlotOwner<T> *owner_ = nullptr;
  alignas(T) std::byte storage_[sizeof(T)];
};

// A stack of free slots. The slot freed last is reused first, since it is in the cache. Slot memory
// is never freed, so reading a slot that another thread has just taken is harmless. The counter in
// the upper half of head_ solves the ABA problem: it detects a head that was taken and pushed
// again.
template <class T>
class FreeList {
 public:
  void push(Slot<T> &slot) noexcept {
    uint64_t head = head_.load(std::memory_order_relaxed);
    uint64_t next;
    do {
      slot.set_below(static_cast<uint32_t>(head));
      next = advance(head, slot.index() + 1);
    } while (!head_.compare_exchange_weak(head, next, std::memory_order_release,
                                          std::memory_order_relaxed));
  }

  Slot<T> *pop(const SlotOwner<T> &table) noexcept {
    uint64_t head = head_.load(std::memory_order_acquire);
    while (static_cast<uint32_t>(head) != 0) {
      Slot<T> &slot = table.slot_at(static_cast<uint32_t>(head) - 1);
      const uint64_t next = advance(head, slot.below());
      if (head_.compare_exchange_weak(head, next, std::memory_order_acquire)) return &slot;
    }
    return nullptr;
  }

 private:
  static uint64_t advance(uint64_t head, uint32_t top) noexcept {
    return (((head >> 32) + 1) << 32) | top;
  }

  std::atomic<uint64_t> head_{0};
};

}  // namespace detail

// An owner of an object of a handle table: the object lives as long as there is one, even if its id
// is stale. A copy costs one atomic increment. A Ref may be empty. Many threads may use Refs to one
// object, but only one thread at a time may use the same Ref.
template <class T>
class Ref {
 public:
  Ref() noexcept = default;
  // Takes the place of an owner that the caller has added.
  explicit Ref(detail::Slot<T> &slot) noexcept : slot_(&slot) {}
  Ref(const Ref &other) noexcept : slot_(other.slot_) {
    if (slot_ != nullptr) slot_->add_owner();
  }
  Ref(Ref &&other) noexcept : slot_(std::exchange(other.slot_, nullptr)) {}
  Ref &operator=(Ref other) noexcept {
    std::swap(slot_, other.slot_);
    return *this;
  }
  ~Ref() {
    if (slot_ != nullptr) slot_->remove_owner();
  }

  // Returns one more Ref to an object of a table, which the caller keeps alive.
  static Ref to(T &object) noexcept {
    detail::Slot<T> &slot = detail::Slot<T>::of(object);
    slot.add_owner();
    return Ref(slot);
  }

  T *get() const noexcept { return slot_ == nullptr ? nullptr : slot_->object(); }
  T *operator->() const noexcept { return slot_->object(); }
  T &operator*() const noexcept { return *slot_->object(); }
  explicit operator bool() const noexcept { return slot_ != nullptr; }
  friend bool operator==(const Ref &a, const Ref &b) noexcept { return a.slot_ == b.slot_; }

  // For the handle table.
  detail::Slot<T> *slot() const noexcept { return slot_; }

 private:
  detail::Slot<T> *slot_ = nullptr;
};

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_SLOT_HPP_
