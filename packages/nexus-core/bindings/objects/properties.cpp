// SPDX-License-Identifier: Apache-2.0
#include <nexus/properties.hpp>

#include "python/gil.hpp"
#include "types/key.hpp"
#include "types/object.hpp"

namespace nexus::python {
namespace {

std::string describeProperties(const Properties &self) {
  const std::size_t count = withoutGil([&] { return self.getPropertyKeys().size(); });
  return "of " + std::to_string(count) + (count == 1 ? " key" : " keys");
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
      "__getitem__(self, key: PropertyKey, /) -> Any\n\nReads a property in the type that it has: "
      "str, int, float, a list of them, or for structured ones a dict or a list of dicts. Raises "
      "PropertyNotFoundError, which is a KeyError and a RuntimeError.");
  method<&contains>(cls,
                    "__contains__(self, key: object, /) -> bool\n\nWhether there is such a "
                    "property; a key may be a path.");
  method<[](py::handle self) { return mappingOf(self).attr("__iter__")(); }>(
      cls, "__iter__(self) -> Iterator[str]\n\nThe names at the top of the tree.");
  method<[](py::handle self) { return mappingOf(self).attr("__len__")(); }>(
      cls, "__len__(self) -> int\n\nHow many names there are at the top of the tree.");
  method<[](py::handle self) { return mappingOf(self).attr("keys")(); }>(
      cls, "keys(self) -> KeysView[PropertyKey]\n\nThe names at the top of the tree.");
  method<[](py::handle self) { return mappingOf(self).attr("values")(); }>(
      cls, "values(self) -> ValuesView[Any]\n\nThe values at the top of the tree.");
  method<[](py::handle self) { return mappingOf(self).attr("items")(); }>(
      cls, "items(self) -> ItemsView[PropertyKey, Any]\n\nThe names with their values.");
  method<&readOr>(cls,
                  "get(self, key: PropertyKey, default: Any = None) -> Any\n\nReads a property in "
                  "the type that it has, as properties[key] does; default where there is none.");
  method<[](py::handle self) { return mappingOf(self).attr("to_dict")(); }>(
      cls, "to_dict(self) -> dict[str, Any]\n\nThe whole tree, of Python's own types.");
  method<[](py::handle self, py::handle indent) {
    return mappingOf(self).attr("to_json")(indent ? indent : py::none());
  }>(cls,
     "to_json(self, indent: int | None = None) -> str\n\nThe whole tree as the text of a JSON "
     "object; indent as json.dumps has it.");
  method<[](py::handle self) { return mappingOf(self).attr("_ipython_key_completions_")(); }>(
      cls, "_ipython_key_completions_(self) -> list[str]\n\nThe keys that IPython offers.");
}

}  // namespace

void registerProperties(py::module_ &module) {
  auto cls = makeClass<Properties>(
      module, "Properties",
      "A tree of properties, such as what a device says of itself laid over its device file. It\n"
      "never changes. A mapping of names to values.\n\nMade by Device.get_info(), "
      "nexus.get_device_info() and\n"
      "nexus.lookup_device_info(name).",
      madeBy("Device.get_info() or nexus.get_device_info()"));
  bindTypedReads(cls, "get");
  bindMapping(cls);
  method<&sourceOf>(
      cls,
      "source(self, key: PropertyKey) -> PropertySource\n\nWhere a value comes from: the driver, "
      "a "
      "device file with the documents that it was read in, or other values.\n\nkey is as for "
      "get_str; a part of the tree has the sources of all its values. Raises "
      "PropertyNotFoundError where there is no such value.");
  // The class of collections.abc, which would take longer to import.
  py::module_::import("_collections_abc").attr("Mapping").attr("register")(cls);
  bindIdentity(cls);
  bindRepr<&describeProperties>(cls);
  bindHtml(cls);
}

}  // namespace nexus::python
