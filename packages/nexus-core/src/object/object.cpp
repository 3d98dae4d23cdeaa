// SPDX-License-Identifier: Apache-2.0
#include "object/object.hpp"

#include <nexus-plugin/base/object_type.hpp>

#include <exception>

#include "base/log.hpp"

namespace nexus::core {

namespace {

// "a buffer", "an event", "object code"
std::string withArticle(std::string_view name) {
  const char *article = name == "object code" ? "" : name.front() == 'e' ? "an " : "a ";
  return article + std::string(name);
}

}  // namespace

Object &anyObject(Object *object) {
  if (object == nullptr) {
    failWith(NXS_InvalidObject, "object is NULL; give an object.");
  }
  if (object->closed() || !object->ofThisProcess()) {
    refuseObject(object, object->type(), "object");
  }
  return *object;
}

const char *typeName(nxs_object_type type) noexcept {
  return type == NXS_ObjectType_ObjectCode ? "object code"
         : type == NXS_ObjectType_None     ? "properties object"
                                           : nexus_plugin::object_name(type);
}

void refuseObject(const Object *object, nxs_object_type wanted, const char *parameter) {
  const nxs_status invalid = nexus_plugin::invalid_status(wanted);
  const std::string what = parameter;
  const std::string expected = withArticle(typeName(wanted));
  if (object == nullptr) {
    failWith(invalid, what, " is NULL; give ", expected, ".");
  }
  if (object->type() != wanted) {
    failWith(invalid, what, " is ", withArticle(typeName(object->type())), "; give ", expected,
             ".");
  }
  if (!object->ofThisProcess()) {
    failWith(NXS_InvalidOperation, what, " is ", expected,
             " created before a fork(), which the child process can't use; create it here, or "
             "start the process with the method 'spawn'.");
  }
  failWith(invalid, what, " is closed; create ",
           wanted == NXS_ObjectType_ObjectCode ? "new " : "a new ", typeName(wanted), ".");
}

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

void releaseNative(const Plugin &plugin, ReleaseFunction function, nxs_id id,
                   const char *what) noexcept {
  if (id == 0 || plugin.generation != processGeneration()) return;
  try {
    plugin.call(function, [&] { return std::string("release a ") + what; }, id);
  } catch (const std::exception &failure) {
    logLine(NXS_LogLevel_Warning, plugin.name, failure.what());
  }
}

}  // namespace nexus::core

void nexus_object::close() {
  using namespace nexus::core;
  if (!ofThisProcess()) return;
  if (!closable()) {
    failWith(NXS_InvalidOperation, "object is a ", typeName(type()),
             ", which can't be closed; its last reference releases it.");
  }
  if (!closed_.exchange(true, std::memory_order_acq_rel)) {
    onClose();
  }
}

using namespace nexus::core;

void nexus_retain(nexus_object *object) {
  if (object != nullptr) {
    object->retain();
  }
}

void nexus_release(nexus_object *object) {
  if (object != nullptr) {
    object->release();
  }
}

nxs_object_type nexus_object_get_type(nexus_object *object) {
  return object == nullptr ? NXS_ObjectType_None : object->type();
}

nxs_id nexus_object_get_id(nexus_object *object) {
  return object == nullptr ? 0 : object->nativeId();
}

nxs_status nexus_close(nexus_object *object) {
  return guarded([&] {
    if (object == nullptr) {
      failWith(NXS_InvalidObject, "object is NULL; give an object.");
    }
    object->close();
  });
}
