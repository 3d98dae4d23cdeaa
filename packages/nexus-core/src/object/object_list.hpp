// SPDX-License-Identifier: Apache-2.0
//
// The live objects of a device. The list does not keep them alive.
#pragma once

#include <mutex>
#include <vector>

#include "object/object.hpp"

namespace nexus::core {

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

}  // namespace nexus::core
