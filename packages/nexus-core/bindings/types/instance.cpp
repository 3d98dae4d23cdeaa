// SPDX-License-Identifier: Apache-2.0
#include "types/instance.hpp"

#include <pthread.h>

#include <unordered_map>

namespace nexus::python {
namespace {

using Instances = std::unordered_map<const nexus_object *, PyObject *>;

// Guarded by the GIL; borrowed references. Never destroyed: instances may outlive the module.
Instances &instances() {
  static auto *const table = new Instances;
  return *table;
}

// Counts the forks between the process that loaded the module and this one.
unsigned process = [] {
  pthread_atfork(nullptr, nullptr, [] { ++process; });
  return 0U;
}();

}  // namespace

PyObject *findInstance(const nexus_object *object) noexcept {
  const auto found = instances().find(object);
  return found == instances().end() ? nullptr : found->second;
}

void InstanceState::intern(const nexus_object *object, PyObject *instance) {
  instances().emplace(object, instance);
  object_ = object;
}

InstanceState::~InstanceState() {
  if (object_ != nullptr) {
    instances().erase(object_);
  }
}

PyObject *ConstantValues::find(PyObject *key) const noexcept {
  if (values_ == nullptr || process_ != process) {
    return nullptr;
  }
  PyObject *const value = PyDict_GetItemWithError(values_, key);
  if (value == nullptr) {
    PyErr_Clear();  // from the hash or equality of a str's subclass
  }
  return value;
}

void ConstantValues::add(PyObject *key, PyObject *value) {
  if (ended_) {
    return;
  }
  if (process_ != process) {
    clear();
    process_ = process;
  }
  if (values_ == nullptr) {
    values_ = PyDict_New();
  }
  if (values_ == nullptr || PyDict_SetItem(values_, key, value) != 0) {
    throw py::error_already_set();
  }
}

void ConstantValues::end() noexcept {
  ended_ = true;
  clear();
}

void ConstantValues::clear() noexcept {
  Py_CLEAR(values_);
}

}  // namespace nexus::python
