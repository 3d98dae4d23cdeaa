// SPDX-License-Identifier: Apache-2.0
//
// Intrusive reference counting.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace nexus::core {

/// An object shared only within libnexus. Starts with one reference, which Ref::adopt() takes.
class Counted {
 public:
  Counted() = default;
  Counted(const Counted &) = delete;
  Counted &operator=(const Counted &) = delete;

  void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete this;
    }
  }

 protected:
  virtual ~Counted() = default;

 private:
  std::atomic<uint32_t> references_{1};
};

/// A reference to a T that counts itself with retain() and release().
template <typename T>
class Ref {
 public:
  Ref() = default;
  explicit Ref(T *object) noexcept : object_(object) {
    if (object_ != nullptr) object_->retain();
  }
  explicit Ref(T &object) noexcept : Ref(&object) {}
  Ref(const Ref &other) noexcept : Ref(other.object_) {}
  Ref(Ref &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref &operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr) object_->release();
  }

  /// Takes over a reference.
  static Ref adopt(T *object) noexcept {
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  /// Releases ownership of the reference to the caller.
  T *detach() noexcept { return std::exchange(object_, nullptr); }

  T *get() const noexcept { return object_; }
  T &operator*() const noexcept { return *object_; }
  T *operator->() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  bool operator==(const Ref &other) const noexcept { return object_ == other.object_; }

 private:
  T *object_ = nullptr;
};

/// Makes a T and takes its first reference.
template <typename T, typename... Arguments>
Ref<T> make(Arguments &&...arguments) {
  return Ref<T>::adopt(new T(std::forward<Arguments>(arguments)...));
}

}  // namespace nexus::core
