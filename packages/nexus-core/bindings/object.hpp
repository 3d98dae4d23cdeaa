// SPDX-License-Identifier: Apache-2.0
//
// What all classes of the module have: properties, equality, hash, and no construction by hand.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "bindings.hpp"
#include "errors.hpp"
#include "gil.hpp"
#include "key.hpp"

namespace nexus::python {

/// Makes Class(...) a TypeError that names what makes one, such as "Device.create_buffer()".
/// factory has to live as long as the process.
py::custom_type_setup madeBy(const char *factory);

/// The object in an instance of Class, which the caller has checked; without pybind11's lookup.
template <class Class>
Class &valueOf(PyObject *self) {
  auto *const instance = reinterpret_cast<py::detail::instance *>(self);
  return *static_cast<Class *>(instance->simple_value_holder[0]);
}

/// The object of Class that value is; TypeError with the parameter's name where it is none.
template <class Class>
const Class &argumentOf(py::handle value, const char *parameter) {
  if (!py::isinstance<Class>(value)) {
    const auto name = py::cast<std::string>(py::type::of<Class>().attr("__name__"));
    throwTypeError(parameter, "a nexus." + name, value);
  }
  return value.cast<const Class &>();
}

/// The stream that value is; an empty one for None.
inline Stream optionalStream(py::handle value) {
  if (value.is_none()) {
    return {};
  }
  if (!py::isinstance<Stream>(value)) {
    throwTypeError("stream", "a nexus.Stream or None", value);
  }
  return value.cast<const Stream &>();
}

/// A class of the module. Final, since libnexus makes the objects, not the program.
template <class Class>
py::class_<Class> makeClass(py::module_ &module, const char *name, const char *factory,
                            const char *doc) {
  return py::class_<Class>(module, name, py::is_final(), madeBy(factory), doc);
}

/// Adds get_<stem>str and its kin; stem is "property_" on objects, "" on Properties.
template <class Class>
void bindProperties(py::class_<Class> &cls, const std::string &stem) {
  const std::string any = stem.empty() ? "get" : "get_property";
  cls.def(
      any.c_str(),
      [](const Class &self, const py::handle key) { return readAnyProperty(self, key); },
      py::arg("key"),
      (any + "(self, key: PropertyKey) -> Any\n\nReads a property in the type that it has: str, "
             "int, float, a list of them, or for structured ones a dict or a list of dicts.")
          .c_str());
  const auto add = [&]<class Value>(const std::string &suffix, const std::string &type, Value *) {
    const std::string name = "get_" + stem + suffix;
    const std::string doc =
        name + "(self, key: PropertyKey) -> " + type + "\n\nReads a property as " + type +
        ".\n\nkey is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in "
        "which an\nint is an index where the value is a list. Raises PropertyNotFoundError, a "
        "RuntimeError, where\nthere is no such property; the text names near keys.";
    cls.def(
        name.c_str(),
        [](const Class &self, const py::handle key) { return readProperty<Value>(self, key); },
        py::arg("key"), doc.c_str());
  };
  add("str", "str", static_cast<std::string *>(nullptr));
  add("int", "int", static_cast<std::int64_t *>(nullptr));
  add("flt", "float", static_cast<double *>(nullptr));
  add("str_vec", "list[str]", static_cast<std::vector<std::string> *>(nullptr));
  add("int_vec", "list[int]", static_cast<std::vector<std::int64_t> *>(nullptr));
  add("flt_vec", "list[float]", static_cast<std::vector<double> *>(nullptr));
  cls.def(("get_" + stem + "keys").c_str(),
          [](const Class &self) { return self.getPropertyKeys(); },
          ("get_" + stem +
           "keys(self) -> list[str]\n\nThe names of the properties that the object "
           "answers.")
              .c_str());
}

/// Adds ==, != and hash, which go by the object that is shared.
template <class Class>
void bindIdentity(py::class_<Class> &cls) {
  cls.def(
      "__eq__",
      [](const Class &self, const py::handle other) -> py::object {
        if (!py::isinstance<Class>(other)) {
          return py::reinterpret_borrow<py::object>(Py_NotImplemented);
        }
        return py::bool_(self == other.cast<const Class &>());
      },
      "__eq__(self, other: object, /) -> bool\n\nWhether both are the same object of nexus.");
  cls.def(
      "__hash__",
      [](const Class &self) {
        return static_cast<Py_hash_t>(std::hash<const void *>{}(self.get()) >> 4);
      },
      "__hash__(self) -> int\n\nGoes by the object, as == does.");
}

/// Adds __repr__ from describe(self); an object that was closed says so instead.
template <class Class, class Describe>
void bindRepr(py::class_<Class> &cls, const char *name, Describe describe) {
  cls.def(
      "__repr__",
      [name, describe](const Class &self) {
        std::string text = std::string("<nexus.") + name + " ";
        try {
          text += describe(self);
        } catch (const Error &) {
          text += "closed";
        }
        return text + ">";
      },
      "__repr__(self) -> str\n\nWhat the object is, for people.");
}

/// Adds close() and the with statement, for classes whose objects own something. what tells what
/// close does, in whole sentences; close(self) does it.
template <class Class, class Close>
void bindClose(py::class_<Class> &cls, const char *what, Close close) {
  const std::string doc = std::string("close(self) -> None\n\n") + what + " Twice does nothing.";
  cls.def("close", [close](const Class &self) { close(self); }, doc.c_str());
  cls.def(
      "__enter__", [](py::object self) { return self; },
      "__enter__(self) -> Self\n\nReturns the object; the end of the with statement closes it.");
  cls.def(
      "__exit__", [close](const Class &self, const py::args &) { close(self); },
      "__exit__(self, *args: object) -> None\n\nCloses the object.");
}

template <class Class>
void bindClose(py::class_<Class> &cls, const char *what) {
  bindClose(cls, what, [](const Class &self) { withoutGil([&] { self.close(); }); });
}

/// All that an object with properties has.
template <class Class, class Describe>
void bindObject(py::class_<Class> &cls, const char *name, Describe describe) {
  bindProperties(cls, "property_");
  bindIdentity(cls);
  bindRepr(cls, name, describe);
}

/// nexus._collections.ObjectList of the values: a tuple with get(i) and size().
template <class Range>
py::object objectList(const Range &values) {
  py::list list;
  for (const auto &value : values) {
    list.append(py::cast(value));
  }
  return py::module_::import("nexus._collections").attr("ObjectList")(list);
}

}  // namespace nexus::python
