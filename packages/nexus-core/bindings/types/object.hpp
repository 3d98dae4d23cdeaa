// SPDX-License-Identifier: Apache-2.0
//
// Common parts of all classes of the module: properties, equality, hash, and no constructor.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "python/bindings.hpp"
#include "python/errors.hpp"
#include "python/gil.hpp"
#include "types/instance.hpp"
#include "types/method.hpp"
#include "types/property_read.hpp"

namespace nexus::python {

/// Makes Class(...) a TypeError that names the function to use, such as "Device.create_buffer()",
/// and pickling and copying a TypeError with the reason. factory must live as long as the process.
/// setup() gets the type before it is ready.
py::custom_type_setup madeBy(const char *factory, void (*setup)(PyTypeObject &) = nullptr);

/// A setup() for a class with a function vectorcall, which is the call of its instances.
void setVectorcall(PyTypeObject &type);

/// Returns the repr's text for an object that can't be described: "closed", or the status.
std::string whyNoRepr(const Error &error);
/// Returns "<nexus.Class text>"; bytes of text that are not UTF-8 are replaced.
py::object reprOf(py::handle self, const std::string &text);

/// Returns the value in an instance of the class for Value; TypeError with the parameter's name for
/// others.
template <class Value>
auto &argumentOf(py::handle value, const char *parameter) {
  if (!isA<Value>(value)) {
    const py::handle cls(reinterpret_cast<PyObject *>(classOf<Value>));
    throwTypeError(parameter, "a nexus." + py::cast<std::string>(cls.attr("__name__")), value);
  }
  return valueOf<Value>(value.ptr());
}

/// Returns the stream in value; an empty one for None.
inline Stream optionalStream(py::handle value) {
  if (value.is_none()) {
    return {};
  }
  if (!isA<Stream>(value)) {
    throwTypeError("stream", "a nexus.Stream or None", value);
  }
  return valueOf<Stream>(value.ptr());
}

/// Adds a class to the module. Final, since libnexus makes the objects, not the program.
template <class Class, class... Extra>
auto makeClass(py::module_ &module, const char *name, const char *doc, const Extra &...extra) {
  using Instance = typename InstanceOf<Class>::type;
  py::class_<Instance> cls(module, name, py::is_final(), extra..., doc);
  classOf<Instance> = reinterpret_cast<PyTypeObject *>(cls.ptr());
  classOf<Class> = classOf<Instance>;
  return cls;
}

/// ==, != and hash compare the shared object of libnexus.
template <class Class>
py::object isEqual(const Class &self, py::handle other) {
  if (!isA<Class>(other)) {
    return py::reinterpret_borrow<py::object>(Py_NotImplemented);
  }
  return py::bool_(self == valueOf<Class>(other.ptr()));
}

template <class Class>
Py_hash_t hashOf(const Class &self) {
  return static_cast<Py_hash_t>(std::hash<const void *>{}(self.get()) >> 4U);
}

template <class Class>
void bindIdentity(py::class_<Class> &cls) {
  method<&isEqual<Class>>(cls,
                          "__eq__(self, other: object, /) -> bool\n\nReturns whether both are the "
                          "same object of Nexus.");
  method<&hashOf<Class>>(cls, "__hash__(self) -> int\n\nReturns a hash that fits ==.");
}

/// Returns "<nexus.Buffer float32 (4,) on cpu:0>" from a class and the text of describe(); if that
/// throws, the failure, or "closed" for a closed object. Throws only Python's MemoryError.
template <class Describe>
py::object safeRepr(py::handle self, Describe describe) {
  std::string text;
  try {
    text = describe();
  } catch (const Error &error) {
    text = whyNoRepr(error);
  } catch (py::error_already_set &error) {
    text = "whose description fails";
    error.discard_as_unraisable("repr() of an object of nexus");
  }
  return reprOf(self, text);
}

template <auto Describe, class Class>
void bindRepr(py::class_<Class> &cls) {
  method<[](py::handle self) {
    return safeRepr(self, [self] { return Describe(valueOf<Class>(self.ptr())); });
  }>(cls, "__repr__(self) -> str\n\nReturns a short description.");
}

/// Adds _repr_html_, which notebooks show: nexus._html.<name>(self).
template <class Class>
void bindHtml(py::class_<Class> &cls) {
  method<[](py::handle self) -> py::object {
    const py::object name = py::type::handle_of(self).attr("__name__").attr("lower")();
    return py::getattr(py::module_::import("nexus._html"), name)(self);
  }>(cls, "_repr_html_(self) -> str\n\nReturns what notebooks show.");
}

/// Adds close() and the with statement, for classes whose objects own resources. Close(self)
/// closes; doc begins with "close(self) -> None".
template <auto Close, class Class>
void bindClose(py::class_<Class> &cls, const char *doc) {
  static constexpr auto close = [](py::handle self) {
    auto &value = valueOf<Class>(self.ptr());
    Close(value);
    value.constants.end();  // a closed object has no properties
  };
  method<[](py::handle self) { close(self); }>(cls, doc);
  method<[](py::handle self) { return py::reinterpret_borrow<py::object>(self); }>(
      cls,
      "__enter__(self) -> Self\n\nReturns the object, which the end of the with statement closes.");
  method<[](py::handle self, py::handle, py::handle, py::handle) { close(self); }>(
      cls,
      "__exit__(self, exc_type: object = None, exc: object = None, traceback: object = None, /) -> "
      "None\n\nCloses the object.");
}

/// close() of classes that only need the core's.
template <class Class>
void closeWithoutGil(const Class &self) {
  withoutGil([&] { self.close(); });
}

/// Returns the driver's handle of an object. NexusError with NXS_NotSupported if its backend has
/// none.
std::int64_t requireNativeHandle(const Object &object);

template <class Class>
void bindNativeHandle(py::class_<Class> &cls) {
  property<[](const Class &self) {
    return py::int_(requireNativeHandle(self));
  }>(cls,
     "native_handle: int\n\nThe driver's own handle, for other libraries: an address or a number, "
     "valid while the object lives. Raises NexusError (NXS_NotSupported) if the backend has none.");
}

/// The name of the capsules through which extensions get and return objects. The contract is in
/// <nexus/python.hpp>.
inline constexpr const char *kCapsule = "nexus_object";

/// Returns a capsule that shares the object.
py::object capsuleOf(const Object &object);

/// Adds the common parts of objects with properties.
template <auto Describe, class Class>
void bindObject(py::class_<Class> &cls) {
  method<[](const Class &self) { return capsuleOf(self); }>(
      cls,
      "__nexus_object__(self) -> object\n\nReturns a capsule with the object of libnexus, for "
      "extensions that use <nexus/python.hpp>.");
  bindProperties<Class>(cls);
  bindIdentity(cls);
  bindRepr<Describe>(cls);
  bindHtml(cls);
}

}  // namespace nexus::python
