// SPDX-License-Identifier: Apache-2.0
#include <nexus/properties.hpp>

#include "object.hpp"

namespace nexus::python {
namespace {

py::object toPython(const detail::PropertyBytes &value) {
  switch (value.type()) {
    case NXS_ValueType_Int:
      return py::int_(value.number<std::int64_t>());
    case NXS_ValueType_Flt:
      return py::float_(value.number<double>());
    case NXS_ValueType_Str:
      return py::str(value.text());
    case NXS_ValueType_IntVec:
      return py::cast(value.numbers<std::int64_t>());
    case NXS_ValueType_FltVec:
      return py::cast(value.numbers<double>());
    case NXS_ValueType_StrVec:
      return py::cast(value.texts());
    case NXS_ValueType_Json:
      return py::module_::import("json").attr("loads")(value.text());
    default:
      return py::none();
  }
}

py::object readAny(const Properties &self, py::handle key) {
  const PropertyPath path(key);
  std::vector<nexus_key> steps;
  steps.reserve(path.keys().size());
  for (const Key &step : path.keys()) {
    steps.push_back(step.raw());
  }
  return toPython(detail::PropertyBytes([&](nxs_value *value) {
    return nexus_get_property(self.get(), steps.data(), steps.size(), NXS_ValueType_None, value);
  }));
}

}  // namespace

void registerProperties(py::module_ &module) {
  auto cls = makeClass<Properties>(
      module, "Properties", "Device.get_info()",
      "A tree of properties, such as what a device says of itself laid over its device file.\n\n"
      "Made by Device.get_info().");
  bindProperties(cls, "");
  cls.def(
      "get", &readAny, py::arg("key"),
      "get(self, key: PropertyKey) -> Any\n\nReads a property as what it is: int, float, str, a "
      "list of one of them, or the dict or list of a\nstructured one. Raises "
      "PropertyNotFoundError as the typed functions do.");
  bindIdentity(cls);
  bindRepr(cls, "Properties", [](const Properties &self) {
    return "of " + std::to_string(self.getPropertyKeys().size()) + " keys";
  });
}

}  // namespace nexus::python
