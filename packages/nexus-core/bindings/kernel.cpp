// SPDX-License-Identifier: Apache-2.0
#include <nexus/kernel.hpp>
#include <optional>
#include <vector>

#include "dtype.hpp"
#include "gil.hpp"
#include "object.hpp"

namespace nexus::python {
namespace {

const char *kindName(nxs_argument_kind kind) {
  switch (kind) {
    case NXS_ArgumentKind_Buffer:
      return "buffer";
    case NXS_ArgumentKind_Scalar:
      return "scalar";
    case NXS_ArgumentKind_Unknown:
      return "unknown";
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
    list.append(make(argument.name, kindName(argument.kind), dtypeObject(argument.dataType),
                     argument.type, argument.size));
  }
  return py::tuple(list);
}

// A number that the kernel may lack.
template <class Value>
std::optional<Value> propertyOf(const Kernel &self, nxs_property key) {
  try {
    return withoutGil([&] { return self.getProperty<Value>(key); });
  } catch (const Error &error) {
    if (error.status() != NXS_InvalidProperty) {
      throw;
    }
    return std::nullopt;
  }
}

py::object attributesOf(const Kernel &self) {
  const auto required = propertyOf<std::vector<std::int64_t>>(self, NP_RequiredGroupSize);
  const auto most = propertyOf<std::int64_t>(self, NP_MaxThreadsPerBlock);
  const auto local = propertyOf<std::int64_t>(self, NP_LocalMemorySize);
  const py::object size = required ? py::object(py::tuple(py::cast(*required))) : py::none();
  return py::module_::import("nexus._collections")
      .attr("KernelAttributes")(size, most, local.value_or(0));
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
      "name, kind, dtype, type and size. None where it does not describe itself.");
  property<&attributesOf>(
      cls,
      "attributes: KernelAttributes\n\nThe group size that the kernel requires, the most work "
      "items of a group, and the local memory that it takes.");
}

}  // namespace nexus::python
