// SPDX-License-Identifier: Apache-2.0
#include <nexus/kernel.hpp>
#include <optional>
#include <vector>

#include "python/gil.hpp"
#include "types/object.hpp"
#include "values/dtype.hpp"
#include "values/launch.hpp"

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

// Returns a number that the kernel may lack.
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

py::object sizeOrNone(const std::optional<std::vector<std::int64_t>> &size) {
  return size ? py::object(py::tuple(py::cast(*size))) : py::none();
}

py::object attributesOf(const Kernel &self) {
  const auto required = propertyOf<std::vector<std::int64_t>>(self, NP_RequiredGroupSize);
  const auto most = propertyOf<std::int64_t>(self, NP_MaxThreadsPerBlock);
  const auto local = propertyOf<std::int64_t>(self, NP_LocalMemorySize);
  return py::module_::import("nexus._collections")
      .attr("KernelAttributes")(
          sizeOrNone(required), most, local.value_or(0),
          propertyOf<std::int64_t>(self, NP_RegistersPerThread),
          propertyOf<std::int64_t>(self, NP_PrivateMemorySize),
          propertyOf<std::int64_t>(self, NP_ConstantMemorySize),
          sizeOrNone(propertyOf<std::vector<std::int64_t>>(self, NP_RequiredClusterSize)));
}

py::object occupancyOf(const Kernel &self, py::handle groupSize, py::handle localMemory,
                       py::handle clusterSize) {
  const Extent group = parseExtent(groupSize, "group_size");
  const std::uint64_t local = parseCount(localMemory, "local_memory");
  const Extent cluster = parseExtent(clusterSize, "cluster_size");
  const Occupancy told = withoutGil([&] { return self.getOccupancy(group, local, cluster); });
  return py::module_::import("nexus._collections")
      .attr("Occupancy")(told.activeGroups, told.maxGroups, told.bestGroupSize,
                         told.freeLocalMemory, told.maxClusterSize, told.activeClusters);
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
  bindNativeHandle(cls);
  property<[](const Kernel &self) { return self.getName(); }>(cls,
                                                              "name: str\n\nThe kernel's name.");
  property<&argumentsOf>(
      cls,
      "arguments: tuple[Argument, ...] | None\n\nWhat the kernel says of its arguments, in order: "
      "name, kind, dtype, type and size. None where it does not describe itself.");
  property<&attributesOf>(
      cls,
      "attributes: KernelAttributes\n\nThe group size that the kernel requires, the most work "
      "items of a group, the local memory that it takes, and what else the driver tells.");
  method<&occupancyOf>(
      cls,
      "get_occupancy(self, group_size: Size | None = None, local_memory: int = 0, *, cluster_size: "
      "Size | None = None) -> Occupancy\n\n"
      "How many groups of the kernel the device runs at the same time.\n\n"
      "group_size is the work items of a group, an int or up to three; None is the size that keeps "
      "the device busiest, which the result names. local_memory is the bytes of a group's memory "
      "beyond what the kernel declares, with that of arguments; cluster_size the groups of a "
      "cluster, None being no clusters, or those that the kernel was written for. Nothing is "
      "started.\n\n"
      "Raises NexusError: NXS_NotSupported where the backend does not tell, or has no clusters; "
      "NXS_OutOfResources for more local memory than the device has. ValueError for a group that "
      "the kernel can't have.");
}

}  // namespace nexus::python
