// SPDX-License-Identifier: Apache-2.0
#include <nexus/kernel.hpp>

#include "dtype.hpp"
#include "object.hpp"

namespace nexus::python {
namespace {

const char *kindName(nxs_argument_kind kind) {
  switch (kind) {
    case NXS_ArgumentKind_Buffer:
      return "buffer";
    case NXS_ArgumentKind_Scalar:
      return "scalar";
    default:
      return "local_memory";
  }
}

py::object argumentsOf(const Kernel &self) {
  const auto described = self.getArguments();
  if (!described) {
    return py::none();
  }
  const py::object make = py::module_::import("nexus._collections").attr("Argument");
  py::list list;
  for (const Argument &argument : *described) {
    list.append(make(argument.name, kindName(argument.kind), dtypeObject(argument.dataType)));
  }
  return py::tuple(list);
}

std::string describeKernel(const Kernel &self) {
  return "'" + self.getName() + "'";
}

}  // namespace

void registerKernel(py::module_ &module) {
  auto cls = makeClass<Kernel>(
      module, "Kernel",
      "A function that runs on a device; keeps its library.\n\nMade by Library.get_kernel(name)\n"
      "and Library.get_kernels().",
      madeBy("Library.get_kernel()"));
  bindObject<&describeKernel>(cls);
  property<[](const Kernel &self) { return self.getName(); }>(cls,
                                                              "name: str\n\nThe kernel's name.");
  property<&argumentsOf>(
      cls,
      "arguments: tuple[Argument, ...] | None\n\nWhat the kernel says of its arguments, in order: "
      "name, kind and dtype. None where it does not describe itself.");
}

}  // namespace nexus::python
