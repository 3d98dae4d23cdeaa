// SPDX-License-Identifier: Apache-2.0
#include "object/object.hpp"

namespace nexus::core {
namespace {

struct TypeWords {
  const char *name;
  nxs_status invalid;
};

TypeWords wordsOf(nxs_object_type type) noexcept {
  switch (type) {
    case NXS_ObjectType_Runtime:
      return {"runtime", NXS_InvalidRuntime};
    case NXS_ObjectType_Device:
      return {"device", NXS_InvalidDevice};
    case NXS_ObjectType_Buffer:
      return {"buffer", NXS_InvalidBuffer};
    case NXS_ObjectType_Library:
      return {"library", NXS_InvalidLibrary};
    case NXS_ObjectType_Kernel:
      return {"kernel", NXS_InvalidKernel};
    case NXS_ObjectType_Stream:
      return {"stream", NXS_InvalidStream};
    case NXS_ObjectType_Event:
      return {"event", NXS_InvalidEvent};
    case NXS_ObjectType_Schedule:
      return {"schedule", NXS_InvalidSchedule};
    case NXS_ObjectType_Command:
      return {"command", NXS_InvalidCommand};
    case NXS_ObjectType_ObjectCode:
      return {"object code", NXS_InvalidObject};
    default:
      return {"properties object", NXS_InvalidObject};
  }
}

// "a buffer", "an event", "object code"
std::string withArticle(std::string_view name) {
  const char *article = name == "object code" ? "" : name.front() == 'e' ? "an " : "a ";
  return article + std::string(name);
}

}  // namespace

Object &anyObject(Object *object) {
  if (object == nullptr) {
    throw Failure(NXS_InvalidObject, "object is NULL; give an object of Nexus.");
  }
  if (object->closed()) {
    refuseObject(object, object->type(), "object");
  }
  if (!object->ofThisProcess()) {
    refuseObject(object, object->type(), "object");
  }
  return *object;
}

const char *typeName(nxs_object_type type) noexcept {
  return wordsOf(type).name;
}

void refuseObject(const Object *object, nxs_object_type wanted, const char *parameter) {
  const TypeWords words = wordsOf(wanted);
  const std::string what = parameter;
  const std::string expected = withArticle(words.name);
  if (object == nullptr) {
    throw Failure(words.invalid, what + " is NULL; give " + expected + ".");
  }
  if (object->type() != wanted) {
    throw Failure(words.invalid, what + " is " + withArticle(typeName(object->type())) + "; give " +
                                     expected + ".");
  }
  if (!object->ofThisProcess()) {
    throw Failure(NXS_InvalidOperation,
                  what + " is " + expected +
                      " that was made before a fork() and can't be used in the child process; "
                      "make a new one here, or start the process with the method 'spawn'.");
  }
  throw Failure(words.invalid, what + " is " + expected + " that was closed; make a new one.");
}

}  // namespace nexus::core

void nexus_object::close() {
  using namespace nexus::core;
  if (!ofThisProcess()) {
    return;
  }
  if (!closable()) {
    throw Failure(NXS_InvalidOperation, std::string("object is a ") + typeName(type()) +
                                            " that can't be closed; it ends with its last "
                                            "reference, or with the process.");
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
      throw Failure(NXS_InvalidObject, "object is NULL; give an object of Nexus.");
    }
    object->close();
  });
}
