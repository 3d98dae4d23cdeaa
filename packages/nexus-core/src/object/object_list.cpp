// SPDX-License-Identifier: Apache-2.0
#include "object/object_list.hpp"

namespace nexus::core {

// The derived parts are destroyed already. live() may look at it meanwhile, but only at its type
// and at its reference count, which is 0.
ListedObject::~ListedObject() {
  if (list_ != nullptr && ofThisProcess()) {
    list_->remove(*this);
  }
}

void ObjectList::add(ListedObject &object) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  object.list_ = this;
  object.before_ = last_;
  (last_ == nullptr ? first_ : last_->after_) = &object;
  last_ = &object;
  ++size_;
}

void ObjectList::remove(ListedObject &object) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  (object.before_ == nullptr ? first_ : object.before_->after_) = object.after_;
  (object.after_ == nullptr ? last_ : object.after_->before_) = object.before_;
  --size_;
}

std::vector<Ref<Object>> ObjectList::live(nxs_object_type type) {
  std::vector<Ref<Object>> found;
  const std::lock_guard<std::mutex> lock(mutex_);
  found.reserve(size_);  // so that no exception drops references under the lock
  for (ListedObject *object = first_; object != nullptr; object = object->after_) {
    if (object->type() == type && !object->closed() && object->retainUnlessEnding()) {
      found.push_back(Ref<Object>::adopt(object));
    }
  }
  return found;
}

}  // namespace nexus::core
