// SPDX-License-Identifier: Apache-2.0
//
// The live objects of a device, listed without being kept alive.
#pragma once

#include <mutex>
#include <vector>

#include "object/object.hpp"

namespace nexus::core {

class ObjectList;

/// An object that a list may hold, from ObjectList::add until its last reference ends. In
/// the child of a fork() one of before stays linked, since the list's lock may be held for ever;
/// nobody asks that list any more.
class ListedObject : public Object {
 protected:
  using Object::Object;
  ~ListedObject() override;

 private:
  friend class ObjectList;

  ObjectList *list_ = nullptr;  // set once, before others see the object
  ListedObject *before_ = nullptr;
  ListedObject *after_ = nullptr;
};

/// Objects in the order in which they were added. Outlives them. Any thread may use it; adding,
/// ending and listing each hold its lock for a few pointers.
class ObjectList {
 public:
  /// Once for each object, when it is whole and the caller still has its only reference.
  void add(ListedObject &object) noexcept;

  /// Those of a type that are not closed. An object whose last reference is just ending on another
  /// thread is not among them: it can't be brought back.
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
