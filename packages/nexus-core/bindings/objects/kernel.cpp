// SPDX-License-Identifier: Apache-2.0
#include <nexus/kernel.hpp>
#include <optional>
#include <vector>

#include "python/gil.hpp"
#include "types/object.hpp"
#include "values/dtype.hpp"
#include "values/parse.hpp"

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
  auto cls = makeClass<Kernel>(module, "Kernel",
                               "A function that runs on a device. Keeps its library alive.\n\nMade "
                               "by Library.get_kernel(name)\nand Library.get_kernels().",
                               madeBy("Library.get_kernel()"));
  bindObject<&describeKernel>(cls);
  bindNativeHandle(cls);
  property<[](const Kernel &self) { return self.getName(); }>(cls,
                                                              "name: str\n\nThe kernel's name.");
  property<&argumentsOf>(
      cls,
      "arguments: tuple[Argument, ...] | None\n\nThe kernel's arguments in order: name, kind, "
      "dtype, type and size. None if the code does not describe them.");
  property<&attributesOf>(
      cls,
      "attributes: KernelAttributes\n\nThe kernel's required and largest group size, its local "
      "memory, and its other resources as far as the driver tells.");
  method<&occupancyOf>(
      cls,
      "get_occupancy(self, group_size: Size | None = None, local_memory: int = 0, *, cluster_size: "
      "Size | None = None) -> Occupancy\n\nReturns how many groups of the kernel the device runs "
      "at the same time, without launching it.\n\ngroup_size is an int or up to three; None takes "
      "the size that keeps the device busiest, which the result has. local_memory is the bytes for "
      "each group beyond what the kernel declares, those of arguments included. cluster_size is in "
      "groups; None means no clusters, or the size that the kernel was compiled for.\n\nRaises "
      "NexusError: NXS_NotSupported if the backend can't tell, or has no clusters; "
      "NXS_OutOfResources for more local memory than the device has. Raises ValueError for a group "
      "size that the kernel does not allow.");
  function<[](py::handle object) {
    const Kernel &kernel = argumentOf<Kernel>(object, "kernel");
    return py::bytes(withoutGil([&] { return kernel.getCode(); }));
  }>(module,
     "kernel_code(kernel: Kernel) -> bytes\n\nReturns the code that the kernel's library was "
     "loaded "
     "from.");
}

}  // namespace nexus::python
