// SPDX-License-Identifier: Apache-2.0
//
// The base of every object in the C-API, the checks of objects passed in by callers, the list of a
// device's live objects, and the ownership of a plug-in's object.
#pragma once

#include <nexus/nexus_c.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/ref.hpp"
#include "json/json.hpp"
#include "registry/plugin.hpp"

/// A reference-counted object of libnexus. Any thread may use it and drop the last reference.
///
/// In the child of a fork() an object made before refuses all use, and its destructor takes no lock
/// and calls no plug-in, since both may be in a state that only the parent's threads could resolve.
struct nexus_object {
 public:
  nexus_object(const nexus_object &) = delete;
  nexus_object &operator=(const nexus_object &) = delete;

  nxs_object_type type() const noexcept { return type_; }

  void retain() noexcept {
    if (owner_ != this) references_.fetch_add(1, std::memory_order_relaxed);
    owner_->references_.fetch_add(1, std::memory_order_relaxed);
  }
  /// Adds a reference, unless the last one was dropped already.
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
  /// Returns whether the object was made in this process, not before a fork().
  bool ofThisProcess() const noexcept { return generation_ == nexus::core::processGeneration(); }

  /// Closes the object; later calls do nothing.
  void close();

  /// The plug-in's id, or 0.
  virtual nxs_id nativeId() const noexcept { return 0; }

  /// Returns a property by name, and by number if it has one (else NXS_PROPERTY_INVALID); nothing
  /// if the object has no such property. NP_Keys is answered by readProperty().
  virtual std::optional<nexus::core::json::Value> property(std::string_view name,
                                                           nxs_property number) = 0;
  /// Returns the value of property() without a copy, for an object that stores a value that never
  /// changes; it lives as long as the object. NULL: none, or computed on request.
  virtual const nexus::core::json::Value *heldProperty(std::string_view) { return nullptr; }
  virtual std::vector<std::string> propertyKeys() = 0;

 protected:
  /// owner: the object whose reference count this one shares, and which deletes it; NULL for an
  /// object with its own count.
  explicit nexus_object(nxs_object_type type, nexus_object *owner = nullptr) noexcept
      : owner_(owner == nullptr ? this : owner),
        type_(type),
        references_(owner == nullptr ? 1 : 0) {}
  virtual ~nexus_object() = default;

  /// Of an object with an owner: returns whether nobody else refers to it.
  bool unreferenced() const noexcept { return references_.load(std::memory_order_acquire) == 0; }
  /// For an object that is closed by another one.
  void markClosed() noexcept { closed_.store(true, std::memory_order_release); }

 private:
  /// Returns whether close() is supported.
  virtual bool closable() const noexcept { return false; }
  /// Releases the object's resources. Called once, without locks.
  virtual void onClose() {}

  nexus_object *owner_;
  const uint64_t generation_ = nexus::core::processGeneration();
  const nxs_object_type type_;
  std::atomic<uint32_t> references_;
  std::atomic<bool> closed_{false};
};

namespace nexus::core {

using Object = ::nexus_object;

/// Returns "buffer" for NXS_ObjectType_Buffer; "properties object" for None.
const char *typeName(nxs_object_type type) noexcept;

/// Throws the reason why object can't be used as the parameter of the wanted type.
[[noreturn]] void refuseObject(const Object *object, nxs_object_type wanted, const char *parameter);

/// Returns the caller's object for parameter. Throws NXS_Invalid<Object> for NULL, another type or
/// a closed object, and NXS_InvalidOperation for one made before a fork().
template <typename T>
T &given(Object *object, const char *parameter) {
  if (object == nullptr || object->type() != T::kType || object->closed() ||
      !object->ofThisProcess()) [[unlikely]] {
    refuseObject(object, T::kType, parameter);
  }
  return static_cast<T &>(*object);
}

/// Checks an object of any type. Throws if it is NULL, closed, or made before a fork().
Object &anyObject(Object *object);

class ObjectList;

/// An object that is listed from ObjectList::add() until it is destroyed. In the child of a fork()
/// one made before stays linked, since the list's lock may be held forever; that list is not used
/// any more.
class ListedObject : public Object {
 protected:
  using Object::Object;
  ~ListedObject() override;

 private:
  friend class ObjectList;

  ObjectList *list_ = nullptr;  // set once, before other threads see the object
  ListedObject *before_ = nullptr;
  ListedObject *after_ = nullptr;
};

/// Objects in the order in which they were added. Outlives them. Any thread may use it; the lock is
/// held only to change or follow pointers.
class ObjectList {
 public:
  /// Call once for each object, when it is complete and the caller has its only reference.
  void add(ListedObject &object) noexcept;

  /// Returns the objects of a type that are not closed or being destroyed.
  std::vector<Ref<Object>> live(nxs_object_type type);

 private:
  friend class ListedObject;
  void remove(ListedObject &object) noexcept;

  std::mutex mutex_;
  std::size_t size_ = 0;  // under mutex_, as all below and the objects' links
  ListedObject *first_ = nullptr;
  ListedObject *last_ = nullptr;
};

using ReleaseFunction = nxs_status (*nxs_functions::*)(nxs_id);

/// Releases a plug-in's object; id 0 is ignored. For destructors: calls nothing in the child of a
/// fork(), and logs a failure as a warning. what completes "release a ...".
void releaseNative(const Plugin &plugin, ReleaseFunction function, nxs_id id,
                   const char *what) noexcept;

/// Releases a plug-in's object with its last reference, so that closing it does not wait for
/// another thread's call of the plug-in, which keeps a reference.
class Native final : public Counted {
 public:
  /// Takes over the id.
  Native(const Plugin &plugin, ReleaseFunction function, nxs_id id, const char *what) noexcept
      : plugin_(plugin), function_(function), id_(id), what_(what) {}
  ~Native() override { releaseNative(plugin_, function_, id_, what_); }

  nxs_id id() const noexcept { return id_; }

 private:
  const Plugin &plugin_;
  const ReleaseFunction function_;
  const nxs_id id_;
  const char *const what_;
};

}  // namespace nexus::core
