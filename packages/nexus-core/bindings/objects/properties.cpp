// SPDX-License-Identifier: Apache-2.0
#include <nexus/properties.hpp>

#include "python/gil.hpp"
#include "types/object.hpp"

namespace nexus::python {
namespace {

std::string describeProperties(const Properties &self) {
  const std::size_t count = withoutGil([&] { return self.getPropertyKeys().size(); });
  return "of " + counted(count, "key");
}

// Returns the mapping in Python that has the methods of the tree.
py::object mappingOf(py::handle self) {
  return py::module_::import("nexus._property_view").attr("view_of_tree")(self);
}

bool contains(const Properties &self, py::handle key) {
  try {
    readAnyProperty(self, key);
    return true;
  } catch (const Error &error) {
    if (error.status() != NXS_InvalidProperty) throw;
  } catch (const py::builtin_exception &) {  // an invalid key is in no mapping
  }
  return false;
}

py::object readOr(const Properties &self, py::handle key, py::handle fallback) {
  try {
    return readAnyProperty(self, key);
  } catch (const Error &error) {
    if (error.status() != NXS_InvalidProperty) throw;
  }
  return fallback ? py::reinterpret_borrow<py::object>(fallback) : py::none();
}

py::object sourceOf(const Properties &self, py::handle key) {
  const PropertyPath steps(key);
  const std::string text = withoutGil([&] { return self.getSourceJson(steps.keys()); });
  return py::module_::import("nexus._device_info").attr("source")(text);
}

// Adds the methods of a mapping; it is registered with collections.abc.Mapping.
void bindMapping(py::class_<InstanceOf<Properties>::type> &cls) {
  method<[](const Properties &self, py::handle key) { return readAnyProperty(self, key); }>(
      cls,
      "__getitem__(self, key: PropertyKey, /) -> Any\n\nReads a property in its own type: str, "
      "int, float, a list of them, or a dict or list of dicts for structured ones. Raises "
      "PropertyNotFoundError, a KeyError and RuntimeError.");
  method<&contains>(cls,
                    "__contains__(self, key: object, /) -> bool\n\nReturns whether there is such a "
                    "property. A key may be a path.");
  method<[](py::handle self) { return mappingOf(self).attr("__iter__")(); }>(
      cls, "__iter__(self) -> Iterator[str]\n\nIterates over the names at the top of the tree.");
  method<[](py::handle self) { return mappingOf(self).attr("__len__")(); }>(
      cls, "__len__(self) -> int\n\nReturns the number of names at the top of the tree.");
  method<[](py::handle self) { return mappingOf(self).attr("keys")(); }>(
      cls, "keys(self) -> KeysView[PropertyKey]\n\nReturns the names at the top of the tree.");
  method<[](py::handle self) { return mappingOf(self).attr("values")(); }>(
      cls, "values(self) -> ValuesView[Any]\n\nReturns the values at the top of the tree.");
  method<[](py::handle self) { return mappingOf(self).attr("items")(); }>(
      cls, "items(self) -> ItemsView[PropertyKey, Any]\n\nReturns the names with their values.");
  method<&readOr>(cls,
                  "get(self, key: PropertyKey, default: Any = None) -> Any\n\nReads a property "
                  "like properties[key]; returns default if there is none.");
  method<[](py::handle self) { return mappingOf(self).attr("to_dict")(); }>(
      cls, "to_dict(self) -> dict[str, Any]\n\nReturns the whole tree in Python's own types.");
  method<[](py::handle self, py::handle indent) {
    return mappingOf(self).attr("to_json")(indent ? indent : py::none());
  }>(cls,
     "to_json(self, indent: int | None = None) -> str\n\nReturns the whole tree as the text of a "
     "JSON object; indent as in json.dumps.");
  method<[](py::handle self) { return mappingOf(self).attr("_ipython_key_completions_")(); }>(
      cls,
      "_ipython_key_completions_(self) -> list[str]\n\nReturns the keys for IPython to complete.");
}

}  // namespace

void registerProperties(py::module_ &module) {
  auto cls = makeClass<Properties>(
      module, "Properties",
      "An immutable tree of properties, and a mapping from names to values: the values of a "
      "device\nfile, overridden by those of the driver, or what a kernel catalog says about a "
      "library.\n\nMade by Device.get_info(), nexus.get_device_info(), "
      "nexus.lookup_device_info(name),\nLibrary.get_info() and Kernel.get_info().",
      madeBy("Device.get_info() or nexus.get_device_info()"));
  bindTypedReads(cls, "get");
  bindMapping(cls);
  method<&sourceOf>(
      cls,
      "source(self, key: PropertyKey) -> PropertySource\n\nReturns a value's source: the driver, a "
      "device file with the documents that it cites, or other values.\n\nkey is a name, a member "
      "of nexus.property, or a path of both. A subtree has the sources of all its values. Raises "
      "PropertyNotFoundError if there is no such value.");
  // The class of collections.abc, which would take longer to import.
  py::module_::import("_collections_abc").attr("Mapping").attr("register")(cls);
  bindIdentity(cls);
  bindRepr<&describeProperties>(cls);
  bindHtml(cls);
}

}  // namespace nexus::python
