// SPDX-License-Identifier: Apache-2.0
#include "types/instance.hpp"

#include <pthread.h>

#include <unordered_map>
#include <utility>

namespace nexus::python {
namespace {

using Instances = std::unordered_map<const nexus_object *, PyObject *>;

// Borrowed references. Never destroyed: instances may outlive the module.
Instances &instances() {
  static auto *const table = new Instances;
  return *table;
}

StateMutex instancesMutex;

// Returns the instance, a new reference; nullptr if another thread is about to destroy it. Call it
// with the lock, which the destructor takes before the memory is freed.
PyObject *taken(PyObject *instance) noexcept {
  return py::detail::try_incref(instance) ? instance : nullptr;
}

// Counts the forks between the process that loaded the module and this one.
unsigned process = [] {
  pthread_atfork(nullptr, nullptr, [] { ++process; });
  return 0U;
}();

}  // namespace

PyObject *findInstance(const nexus_object *object) noexcept {
  const StateLock lock(instancesMutex);
  const auto found = instances().find(object);
  return found == instances().end() ? nullptr : taken(found->second);
}

PyObject *InstanceState::intern(const nexus_object *object, PyObject *instance) {
#ifdef Py_GIL_DISABLED
  py::detail::enable_try_inc_ref(instance);
#endif
  const StateLock lock(instancesMutex);
  const auto [entry, isNew] = instances().try_emplace(object, instance);
  if (!isNew) {
    if (PyObject *const live = taken(entry->second)) return live;
    entry->second = instance;
  }
  object_ = object;
  instance_ = instance;
  return nullptr;
}

InstanceState::~InstanceState() {
  if (object_ == nullptr) return;
  const StateLock lock(instancesMutex);
  const auto found = instances().find(object_);
  // Another thread may have registered the next instance while this one was being destroyed.
  if (found != instances().end() && found->second == instance_) instances().erase(found);
}

py::object ConstantValues::find(PyObject *key) const noexcept {
  py::object values;  // keeps the dict, which another thread may drop meanwhile
  {
    const StateLock lock(mutex_);
    if (process_ == process) values = values_;
  }
  if (!values) return {};
  PyObject *value = nullptr;
#if PY_VERSION_HEX >= 0x030D0000
  if (PyDict_GetItemRef(values.ptr(), key, &value) < 0) PyErr_Clear();
#else
  value = PyDict_GetItemWithError(values.ptr(), key);
  if (value == nullptr) PyErr_Clear();  // from the hash or equality of an int's subclass
  Py_XINCREF(value);
#endif
  return py::reinterpret_steal<py::object>(value);
}

void ConstantValues::add(PyObject *key, PyObject *value) {
  py::object spare = py::dict();  // made and, like the dict of the parent process, dropped unlocked
  py::object values;
  {
    const StateLock lock(mutex_);
    if (ended_) return;
    if (!values_ || process_ != process) {
      std::swap(values_, spare);
      process_ = process;
    }
    values = values_;
  }
  if (PyDict_SetItem(values.ptr(), key, value) != 0) {
    throw py::error_already_set();
  }
}

void ConstantValues::end() noexcept {
  py::object dropped;
  const StateLock lock(mutex_);
  ended_ = true;
  std::swap(dropped, values_);
}

}  // namespace nexus::python
