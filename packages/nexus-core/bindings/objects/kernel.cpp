// SPDX-License-Identifier: Apache-2.0
#include "objects/kernel.hpp"

#include <pybind11/gil_safe_call_once.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory_resource>
#include <nexus/device.hpp>
#include <span>

#include "arrays/buffer.hpp"
#include "objects/argument.hpp"
#include "python/errors.hpp"
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

// ---- Calls -----------------------------------------------------------------------

// The values of a call's arguments in order, borrowed; nullptr for one that is not given.
using CallValues = std::span<PyObject *const>;

using Described = std::optional<std::vector<Argument>>;

[[noreturn]] void refuseArguments(const Kernel &kernel, const std::vector<Argument> &described,
                                  const CallValues &values) {
  std::string names;
  std::string missing;
  for (std::size_t at = 0; at < described.size(); ++at) {
    names += (at == 0 ? "" : ", ") + described[at].name;
    if (at < values.size() && values[at] != nullptr) continue;
    missing += missing.empty() ? "; missing: " : ", ";
    missing += Parameter(static_cast<std::uint32_t>(at), &described[at]);
  }
  const auto given =
      std::ranges::count_if(values, [](PyObject *value) { return value != nullptr; });
  throw py::type_error(
      "The kernel '" + kernel.getName() + "' takes " + counted(described.size(), "argument") +
      (names.empty() ? "" : " (" + names + ")") + ", and " + std::to_string(given) +
      (given == 1 ? " was" : " were") + " given" + missing + ".");
}

// Returns the index of the argument of that name.
std::uint32_t indexOf(const Kernel &kernel, const Described &described, py::handle name) {
  for (std::uint32_t at = 0; described && at < described->size(); ++at) {
    if (PyUnicode_CompareWithASCIIString(name.ptr(), (*described)[at].name.c_str()) == 0) return at;
  }
  return argumentIndex(kernel, name, "a keyword");
}

// storage: for the result, if some arguments are named.
CallValues sortArguments(const Kernel &kernel, const Described &described, py::handle positional,
                         py::handle named, std::vector<PyObject *> &storage) {
  CallValues values(PySequence_Fast_ITEMS(positional.ptr()),
                    static_cast<std::size_t>(PyTuple_GET_SIZE(positional.ptr())));
  if (named) {
    storage.assign(values.begin(), values.end());
    if (described) storage.resize(std::max(storage.size(), described->size()));
    for (const auto &[name, value] : py::reinterpret_borrow<py::dict>(named)) {
      const std::uint32_t index = indexOf(kernel, described, name);
      if (storage[index] != nullptr) {
        throw py::type_error(Parameter(index, &(*described)[index]) +
                             " is given twice, by position and by its name.");
      }
      storage[index] = value.ptr();
    }
    values = storage;
  }
  if (described &&
      (values.size() != described->size() || std::ranges::find(values, nullptr) != values.end())) {
    refuseArguments(kernel, *described, values);
  }
  return values;
}

// Returns whether a value for an argument is an array, or nexus.In(array) and so on.
bool isArrayValue(const Argument *described, py::handle value) {
  if (described != nullptr && described->kind != NXS_ArgumentKind_Unknown) {
    return described->kind == NXS_ArgumentKind_Buffer;
  }
  if (PyLong_Check(value.ptr()) != 0 || PyFloat_Check(value.ptr()) != 0) return false;
  return hasAttribute(value, "_writes") || (hasAttribute(value, "__array_interface__") &&
                                            !isTypedScalar(value) && !isValueBytes(value));
}

const Argument *argumentAt(const Described &described, std::size_t index) {
  return described ? &(*described)[index] : nullptr;
}

// Returns whether kernels of the device can use the memory of arrays: the device is the host, since
// other processors' drivers may keep a copy of it, and does not look for accesses beyond buffers,
// since arrays have no guard pages.
bool usesHostMemory(const Device &device) {
  if (device.getBackend() != "cpu") return false;
  static const bool guards = [] {
    nxs_string value{};
    nexus::detail::check(
        nexus_get_config(nexus::detail::toString("cpu"), nexus::detail::toString("guard"), &value));
    return std::string_view(value.data, value.size) == "1";
  }();
  return !guards;
}

PyObject *numpyArrayType() {
  PYBIND11_CONSTINIT static py::gil_safe_call_once_and_store<py::object> type;
  return type
      .call_once_and_store_result(
          [] { return py::object(py::module_::import("numpy").attr("ndarray")); })
      .get_stored()
      .ptr();
}

bool pointsToConst(const Argument *described) {
  if (described == nullptr) return false;
  const std::size_t star = described->type.rfind('*');
  return star != std::string::npos && described->type.find("const") < star;
}

// Returns an argument that is a numpy array's memory, if the kernel can use that in place: the
// array is C-contiguous and aligned, and may be written if the kernel writes. array: gets the
// array, which has to live as long as the kernel runs.
std::optional<nexus::detail::CallArgument> hostArgument(const Argument *described, py::handle value,
                                                        py::object &array) {
  const bool constant = pointsToConst(described);
  bool writes = !constant;
  array = py::reinterpret_borrow<py::object>(value);
  if (hasAttribute(value, "_writes")) {  // nexus.In and so on
    writes = PyObject_IsTrue(py::object(value.attr("_writes")).ptr()) != 0;
    array = value.attr("array");
  }
  const bool changed = !writes && !constant;  // the kernel may write what has to stay
  if (changed || reinterpret_cast<PyObject *>(Py_TYPE(array.ptr())) != numpyArrayType()) {
    return std::nullopt;
  }
  const int wanted = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writes ? PyBUF_WRITABLE : 0);
  Py_buffer view;
  if (PyObject_GetBuffer(array.ptr(), &view, wanted) != 0) {
    PyErr_Clear();
    return std::nullopt;
  }
  const auto itemsize = static_cast<std::size_t>(view.itemsize);
  const auto type = dtypeFromFormat(view.format, itemsize);
  const auto size = static_cast<std::uint64_t>(view.len);
  const nexus::detail::CallArgument argument{
      .kind = NXS_ArgumentKind_Buffer,
      .data = view.buf,
      .size = size,
      .dataType = type.value_or(NXS_DataType_Undefined),
      .settings = writes ? nxs_buffer_settings{0} : NXS_BufferSettings_ReadOnly};
  PyBuffer_Release(&view);  // the array is kept instead
  const bool usable =
      type && size != 0 && reinterpret_cast<std::uintptr_t>(argument.data) % itemsize == 0;
  return usable ? std::optional(argument) : std::nullopt;
}

void callWithArrays(py::handle self, const Described &described, const CallValues &values,
                    py::handle grid, py::handle group, py::handle stream, py::handle blocking,
                    py::handle localMemory) {
  py::list all;
  py::list arrays;  // their indices
  for (std::size_t at = 0; at < values.size(); ++at) {
    if (!isA<Buffer>(values[at]) && isArrayValue(argumentAt(described, at), values[at])) {
      arrays.append(at);
    }
    all.append(py::handle(values[at]));
  }
  py::module_::import("nexus._schedule._call")
      .attr("run")(self, all, arrays, grid, group, stream, blocking, localMemory);
}

Extent parseGrid(py::handle grid) {
  if (grid.is_none()) throwTypeError("grid", "the number of work items", grid);
  return parseExtent(grid, "grid", 0);
}

void callKernel(py::handle self, py::handle positional, py::handle grid, py::handle group,
                py::handle stream, py::handle blocking, py::handle localMemory, py::handle named) {
  auto &kernel = valueOf<Kernel>(self.ptr());
  const Launch launch{.groupSize = parseExtent(group, "group"),
                      .gridSize = parseGrid(grid),
                      .localMemory = parseCount(localMemory, "local_memory")};
  const Stream in = optionalStream(stream);
  const bool waits = parseBool(blocking, "blocking");
  const Described &described = kernel.described();
  std::vector<PyObject *> storage;
  const CallValues values = sortArguments(kernel, described, positional, named, storage);
  std::array<std::byte, 2048> room;  // enough for the usual call, without an allocation
  std::pmr::monotonic_buffer_resource memory(room.data(), room.size());
  std::pmr::vector<nexus::detail::CallArgument> arguments(&memory);
  std::pmr::vector<Scalar> scalars(&memory);  // whose bytes the arguments borrow
  std::vector<py::object> arrays;             // whose memory the arguments borrow
  std::optional<bool> inPlace;                // known when the first array is met
  arguments.reserve(values.size());
  scalars.reserve(values.size());
  for (PyObject *const value : values) {
    if (isA<Buffer>(value)) {
      arguments.push_back(nexus::detail::callArgument(valueOf<Buffer>(value)));
      continue;
    }
    const Argument *const argument = argumentAt(described, arguments.size());
    const Parameter parameter(static_cast<std::uint32_t>(arguments.size()), argument);
    if (isArrayValue(argument, value)) {
      if (!inPlace) inPlace = waits && usesHostMemory(kernel.getDevice());
      std::optional<nexus::detail::CallArgument> host;
      if (*inPlace) host = hostArgument(argument, value, arrays.emplace_back());
      if (host) {
        arguments.push_back(*host);
        continue;
      }
      callWithArrays(self, described, values, grid, group, stream, blocking, localMemory);
      return;
    }
    if (argument != nullptr && argument->kind == NXS_ArgumentKind_LocalMemory) {
      arguments.push_back(
          nexus::detail::callArgument(LocalMemory{parseCount(value, parameter, 1)}));
      continue;
    }
    const Scalar &scalar =
        scalars.emplace_back(packArgument(argument, parameter, value, py::none()));
    arguments.push_back({.kind = NXS_ArgumentKind_Scalar,
                         .data = scalar.bytes.data(),
                         .size = scalar.bytes.size(),
                         .dataType = scalar.type});
  }
  try {
    withoutGil([&] { kernel.run(in.get(), launch, waits, arguments); });
  } catch (const Error &error) {
    // After Ctrl-C the kernel goes on, so its arrays stay for good.
    if (error.status() == NXS_Cancelled) {
      for (py::object &array : arrays) array.release();
    }
    throw;
  }
}

py::object kernelOfSizes(py::handle self, py::handle sizes) {
  py::object grid = py::reinterpret_borrow<py::object>(sizes);
  py::object group = py::none();
  if (PyTuple_Check(sizes.ptr()) != 0) {
    const py::tuple both = py::reinterpret_borrow<py::tuple>(sizes);
    if (both.size() != 2) {
      throwValueError("kernel[...]", sizes,
                      "give kernel[grid] or kernel[grid, group]; several lengths are a tuple of "
                      "their own, kernel[(64, 64), (8, 8)]");
    }
    grid = both[0];
    group = both[1];
  }
  static_cast<void>(parseGrid(grid));
  static_cast<void>(parseExtent(group, "group"));
  return py::module_::import("functools")
      .attr("partial")(self, py::arg("grid") = grid, py::arg("group") = group);
}

std::string describeKernel(const Kernel &self) {
  return "'" + self.getName() + "'";
}

using Call = calls::Call<&callKernel, true>;

// Returns whether the names of a vector call's keyword arguments, or nullptr, have grid.
bool namesGrid(PyObject *keywords) {
  const Py_ssize_t count = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
  for (Py_ssize_t at = 0; at < count; ++at) {
    if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(keywords, at), "grid") == 0) return true;
  }
  return false;
}

}  // namespace

PyObject *KernelObject::vectorcall(PyObject *self, PyObject *const *arguments, std::size_t count,
                                   PyObject *keywords) {
  PyObject *const result = Call::vectorcall(self, arguments, count, keywords);
  if (result == nullptr && !namesGrid(keywords)) {
    PyErr_SetString(PyExc_TypeError,
                    "The call has no grid: pass the number of work items by name, as in "
                    "kernel(x, y, grid=1024).");
  }
  return result;
}

void registerKernel(py::module_ &module) {
  auto cls = makeClass<Kernel>(module, "Kernel",
                               "A function that runs on a device. Keeps its library alive.\n\nMade "
                               "by Library.get_kernel(name)\nand Library.get_kernels().",
                               madeBy("Library.get_kernel()", setVectorcall));
  bindObject<&describeKernel>(cls);
  bindNativeHandle(cls);
  property<[](const Kernel &self) { return self.getName(); }>(cls,
                                                              "name: str\n\nThe kernel's name.");
  calls::addCall(
      cls,
      Call::define(
          "__call__(self, *args: KernelArgument, grid: Size, group: Size | None = None, stream: "
          "Stream | None = None, blocking: bool = True, local_memory: int = 0, **named: "
          "KernelArgument) -> None\n\nRuns the kernel: kernel(x, y, 2.0, n, grid=n), or with names "
          "kernel(x, y, n=n, a=2.0, grid=n).\n\ngrid is the number of work items, not of groups. "
          "group is the number of work items in a group; None leaves it to the backend. Each is an "
          "int or up to three ints, x first. local_memory is the number of bytes for each group, "
          "in addition to local memory arguments. stream and blocking are as in Schedule.run(). If "
          "an argument of the kernel has one of these names, pass it by position.\n\nBuffers and "
          "numbers are passed as by Command.set_arg(); for a local memory argument, pass the "
          "number of bytes for each group. An array in host memory is copied to the device before "
          "and, unless the kernel's parameter points to const, back after: nexus.In(array), "
          "nexus.Out(array) and nexus.InOut(array) say which. A device that uses host memory in "
          "place, such as the CPU, needs no copies. With blocking=False the array is in use until "
          "you have waited for the stream.\n\nA call records a schedule, and later calls with the "
          "same stream, sizes and kinds of arguments reuse it. The kernel keeps up to 16 of these "
          "schedules; they do not keep the memory of buffers alive. Any thread may call. Raises "
          "TypeError for missing, surplus and duplicate arguments, ValueError for an unknown name, "
          "and the errors of Command.set_arg(), Command.finalize() and Schedule.run().",
          cls));
  method<&kernelOfSizes>(cls,
                         "__getitem__(self, sizes: Size | tuple[Size, Size | None], /) -> "
                         "Callable[..., None]\n\nReturns a callable with this grid and group: "
                         "kernel[grid, group](x, y) is kernel(x, y, grid=grid, group=group), and "
                         "kernel[grid](x, y) leaves the group to the backend.");
  property<[](const Kernel &self) { return self.getDevice(); }>(
      cls, "device: Device\n\nThe kernel's device.");
  method<[](const Kernel &self) { return self.getInfo(); }>(
      cls,
      "get_info(self) -> Properties\n\nReturns what a kernel catalog says about the kernel: "
      "arguments, group size and tuning parameters. Empty if its library is not from a catalog.");
  property<&argumentsOf>(
      cls,
      "arguments: tuple[Argument, ...] | None\n\nThe kernel's arguments in order: name, kind, "
      "dtype, type and size. None if the code does not describe them.");
  property<&attributesOf>(
      cls,
      "attributes: KernelAttributes\n\nThe kernel's required and largest group size, its local "
      "memory, and the other resources that the driver reports.");
  method<&occupancyOf>(
      cls,
      "get_occupancy(self, group_size: Size | None = None, local_memory: int = 0, *, cluster_size: "
      "Size | None = None) -> Occupancy\n\nReturns how many groups of the kernel the device runs "
      "at the same time, without launching it.\n\ngroup_size is an int or up to three ints; None "
      "takes the size that keeps the device busiest, which the result contains. local_memory is "
      "the number of bytes for each group in addition to what the kernel declares, including local "
      "memory arguments. cluster_size is in groups; None means no clusters, or the size that the "
      "kernel was compiled for.\n\nRaises NexusError: NXS_NotSupported if the backend does not "
      "report occupancy or has no clusters; NXS_OutOfResources for more local memory than the "
      "device has. Raises ValueError for a group size that the kernel does not allow.");
  function<[](py::handle object) {
    const Kernel &kernel = argumentOf<Kernel>(object, "kernel");
    return py::bytes(withoutGil([&] { return kernel.getCode(); }));
  }>(module,
     "kernel_code(kernel: Kernel) -> bytes\n\nReturns the code that the kernel's library was "
     "loaded "
     "from.");
  function<[](py::handle device) {
    return py::bool_(usesHostMemory(argumentOf<Device>(device, "device")));
  }>(module,
     "uses_host_memory(device: Device) -> bool\n\nReturns whether calls of kernels use the memory "
     "of contiguous arrays, instead of copies.");
}

}  // namespace nexus::python
