// SPDX-License-Identifier: Apache-2.0
//
// The base of every object that the C functions give out, and the check of what
// a caller gives back.
#pragma once

#include <nexus/nexus_c.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/ref.hpp"
#include "json/json.hpp"

/// An object of libnexus, counted by its holders. Any thread may use it, and the
/// last reference may end on any thread.
///
/// In the child of a fork() an object from before refuses all use, and its
/// destructor takes no lock and calls no plug-in: both may be in a state that
/// only the parent's threads could have resolved.
struct nexus_object {
 public:
  nexus_object(const nexus_object &) = delete;
  nexus_object &operator=(const nexus_object &) = delete;

  nxs_object_type type() const noexcept { return type_; }

  void retain() noexcept {
    if (owner_ != this) references_.fetch_add(1, std::memory_order_relaxed);
    owner_->references_.fetch_add(1, std::memory_order_relaxed);
  }
  /// One more reference, unless the last one has ended and the object is about to.
  bool retainUnlessEnding() noexcept {
    uint32_t count = owner_->references_.load(std::memory_order_relaxed);
    while (count != 0 && !owner_->references_.compare_exchange_weak(count, count + 1,
                                                                    std::memory_order_relaxed)) {
    }
    if (count != 0 && owner_ != this) references_.fetch_add(1, std::memory_order_relaxed);
    return count != 0;
  }
  void release() noexcept {
    nexus_object *const owner = owner_;  // which may delete this once it has no references
    if (owner != this) references_.fetch_sub(1, std::memory_order_release);
    if (owner->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete owner;
    }
  }

  bool closed() const noexcept { return closed_.load(std::memory_order_acquire); }
  /// Whether the object is of this process, not of before a fork().
  bool ofThisProcess() const noexcept { return generation_ == nexus::core::processGeneration(); }

  /// Ends the object now. The first call ends it; later ones do nothing.
  void close();

  /// The plug-in's id, or 0.
  virtual nxs_id nativeId() const noexcept { return 0; }

  /// A property by name, and by number where it has one (else NXS_PROPERTY_INVALID);
  /// nothing where the object does not answer it.
  virtual std::optional<nexus::core::json::Value> property(std::string_view name,
                                                           nxs_property number) = 0;
  /// The value of property() without a copy, of an object that holds it and never changes; lives as
  /// long as the object. NULL: none, or the object makes its values when it is asked.
  virtual const nexus::core::json::Value *heldProperty(std::string_view) { return nullptr; }
  /// The names that property() answers.
  virtual std::vector<std::string> propertyKeys() = 0;

 protected:
  /// owner: the object whose references count for this one too, and which deletes
  /// it; NULL for an object that counts its own.
  explicit nexus_object(nxs_object_type type, nexus_object *owner = nullptr) noexcept
      : owner_(owner == nullptr ? this : owner),
        type_(type),
        references_(owner == nullptr ? 1 : 0) {}
  virtual ~nexus_object() = default;

  /// Whether only the owner refers to this object, which has one.
  bool unreferenced() const noexcept { return references_.load(std::memory_order_acquire) == 0; }
  /// For an object that another one ends.
  void markClosed() noexcept { closed_.store(true, std::memory_order_release); }

 private:
  /// Whether there is an end before the last reference's.
  virtual bool closable() const noexcept { return false; }
  /// Lets go of what the object holds. Called once, holding nothing.
  virtual void onClose() {}

  nexus_object *owner_;
  const uint64_t generation_ = nexus::core::processGeneration();
  const nxs_object_type type_;
  std::atomic<uint32_t> references_;
  std::atomic<bool> closed_{false};
};

namespace nexus::core {

using Object = ::nexus_object;

/// "buffer" for NXS_ObjectType_Buffer; "properties" for None.
const char *typeName(nxs_object_type type) noexcept;

/// Throws what is wrong with an object that was given where a usable one of the
/// wanted type is needed.
[[noreturn]] void refuseObject(const Object *object, nxs_object_type wanted, const char *parameter);

/// The object that a caller gave as parameter. Throws NXS_Invalid<Object> for NULL,
/// another kind or a closed one, NXS_InvalidOperation for one of before a fork().
template <typename T>
T &given(Object *object, const char *parameter) {
  if (object == nullptr || object->type() != T::kType || object->closed() ||
      !object->ofThisProcess()) [[unlikely]] {
    refuseObject(object, T::kType, parameter);
  }
  return static_cast<T &>(*object);
}

/// Gives a reference to the caller of a C function.
template <typename T>
void giveOut(Ref<T> object, Object **out) {
  *out = object.detach();
}

/// The object of a function that takes any kind. Throws where it is NULL, closed, or predates a
/// fork().
Object &anyObject(Object *object);

}  // namespace nexus::core
