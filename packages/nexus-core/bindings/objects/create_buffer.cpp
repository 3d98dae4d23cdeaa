// SPDX-License-Identifier: Apache-2.0
//
// Device.create_buffer and nexus.create_buffer: from bytes, from a shape, from an array.
#include <nexus/schedule.hpp>
#include <nexus/system.hpp>

#include "arrays/buffer.hpp"
#include "arrays/give_back.hpp"
#include "arrays/host_array.hpp"
#include "interop/foreign.hpp"
#include "objects/memory_resource.hpp"
#include "python/errors.hpp"
#include "python/gil.hpp"
#include "types/object.hpp"
#include "values/array_interface.hpp"
#include "values/dtype.hpp"
#include "values/parse.hpp"

namespace nexus::python {
namespace {

nxs_buffer_settings parseMemory(py::handle memory) {
  if (memory.is_none()) {
    return 0;
  }
  if (!PyUnicode_Check(memory.ptr())) {
    throwTypeError("memory", "'device', 'host' or 'managed'", memory);
  }
  const std::string name = parseText(memory, "memory");
  if (name == "device") {
    return NXS_BufferSettings_OnDevice;
  }
  if (name == "host") {
    return NXS_BufferSettings_OnHost;
  }
  if (name == "managed") {
    return NXS_BufferSettings_OnHost | NXS_BufferSettings_OnDevice;
  }
  throwValueError("memory", memory, "it has to be 'device', 'host' or 'managed'");
}

// Without a device: a system buffer.
BufferObject create(const Device &device, const BufferDesc &desc) {
  return BufferObject(allocating(
      [&] { return device ? device.createBuffer(desc) : getSystem().createBuffer(desc); }));
}

// Makes a buffer with a copy of another's contents, data type and shape.
BufferObject copyTo(const Device &device, const BufferObject &source, BufferDesc desc) {
  desc.size = source.getSize();
  desc.dataType = source.getDataType();
  desc.shape = source.getShape();
  desc.scalar = desc.shape.empty();
  BufferObject copy = create(device, desc);
  withoutGil([&] { source.copyTo(copy); });
  return copy;
}

// An int is a number of bytes; with a dtype it is a one-dimensional shape.
BufferDesc descOfSizes(py::handle data, py::handle dtype, BufferDesc desc,
                       const char *parameter = "data") {
  const bool isShape = py::isinstance<py::tuple>(data);
  if (!isShape && dtype.is_none()) {
    desc.size = parseCount(data, parameter);
    return desc;
  }
  desc.shape = isShape ? parseShape(data, parameter)
                       : std::vector<std::uint64_t>{parseCount(data, parameter)};
  desc.scalar = desc.shape.empty();
  desc.dataType = dtype.is_none() ? NXS_DataType_F32 : parseDtype(dtype);
  const auto count = countElements(desc.shape);
  if (!count) {
    throwValueError(parameter, data, "it has more elements than any memory holds");
  }
  desc.size = dtypeBytes(desc.dataType, *count);
  return desc;
}

void checkDtype(py::handle dtype, nxs_data_type type) {
  if (!dtype.is_none() && parseDtype(dtype) != type) {
    throwTypeError("dtype",
                   std::string("that of the array, ") + dtypeName(type) +
                       " (convert the array with astype first)",
                   dtype);
  }
}

// Copies an array in the memory of this or another device.
BufferObject fromForeignArray(const Device &device, py::handle data, py::handle dtype,
                              BufferDesc desc) {
  ForeignUse use;
  use.shares = false;
  const BufferObject source = overForeignArray(data, use, "data");
  checkDtype(dtype, source.getDataType());
  return copyTo(device, source, std::move(desc));
}

// Numbers such as numpy's scalars. An array of shape () is not a number: its type has __len__.
bool isNumber(py::handle data) {
  return py::getattr(data, "shape", py::tuple()).equal(py::tuple()) &&
         !hasAttribute(data, "__len__");
}

BufferObject fromArray(const Device &device, py::handle data, py::handle dtype, BufferDesc desc) {
  const HostArray array(data, HostArray::Access::Read, "data", {}, HostArray::Order::Any);
  if (array.shape().empty() && isNumber(data)) {
    throwTypeError("data", "an array, a size or a shape", data);
  }
  desc.size = array.size();
  desc.dataType = array.dataType();
  desc.data = array.contiguous() ? array.data() : nullptr;
  if (desc.dataType != NXS_DataType_Undefined) {
    desc.shape = array.shape();
    desc.scalar = desc.shape.empty();
  }
  checkDtype(dtype, desc.dataType);
  BufferObject made = create(device, desc);
  if (!array.contiguous()) {
    withoutGil([&] { array.view().copyTo(made); });
  }
  return made;
}

// A number that is not an array, although numpy's integers have the buffer protocol, too.
bool isCount(py::handle data) {
  if (PyLong_Check(data.ptr())) {
    return !PyBool_Check(data.ptr());
  }
  return PyIndex_Check(data.ptr()) != 0 && isNumber(data);
}

BufferObject createFrom(const Device &device, py::handle data, py::handle dtype,
                        const BufferDesc &desc) {
  if (isA<Buffer>(data)) {
    throw py::type_error("data is a nexus.Buffer: use Device.copy_buffer(buffer).");
  }
  if (py::isinstance<py::tuple>(data) || isCount(data)) {
    return create(device, descOfSizes(data, dtype, desc));
  }
  if (py::isinstance<py::list>(data) || PyBool_Check(data.ptr()) || PyFloat_Check(data.ptr()) ||
      data.is_none()) {
    throwTypeError("data",
                   "a number of bytes (int; with a dtype, of elements), a shape (tuple) or an "
                   "array (for a list, "
                   "numpy.array(...) of it)",
                   data);
  }
  if (isForeignArray(data, "data")) {
    return fromForeignArray(device, data, dtype, desc);
  }
  return fromArray(device, data, dtype, desc);
}

}  // namespace

BufferObject createBuffer(const Device &device, py::handle data, py::handle dtype,
                          py::handle memory, py::handle shareable) {
  BufferDesc desc;
  desc.settings = parseMemory(memory);
  if (parseBool(shareable, "shareable")) {
    desc.settings |= NXS_BufferSettings_Shareable;
  }
  return createFrom(device, data, dtype, desc);
}

BufferObject createScratchBuffer(const Schedule &schedule, py::handle shape, py::handle dtype) {
  const BufferDesc desc = descOfSizes(shape, dtype, {}, "shape");
  return BufferObject(withoutGil([&] { return schedule.createBuffer(desc); }));
}

BufferObject createBufferFromHandle(const Device &device, py::handle handle, py::handle data,
                                    py::handle dtype, py::handle offset, py::handle owner) {
  const std::uint64_t name = parseCount(handle, "handle", 1);
  const BufferDesc desc = descOfSizes(data, dtype, {});
  auto kept = std::make_unique<KeptObject>(py::reinterpret_borrow<py::object>(owner));
  ForeignMemory memory;
  memory.handle = name;
  memory.offset = parseCount(offset, "offset");
  memory.release = &giveBackKept;
  memory.context = static_cast<Kept *>(kept.get());
  giveBackPending();
  BufferObject buffer(withoutGil([&] { return device.createBuffer(memory, desc); }));
  static_cast<void>(kept.release());  // owned by the buffer
  return buffer;
}

BufferObject copyBuffer(const Device &device, py::handle buffer) {
  return copyTo(device, argumentOf<BufferObject>(buffer, "buffer"), {});
}

void registerSystemBuffer(py::module_ &module) {
  function<[](py::handle data, py::handle dtype) { return createFrom({}, data, dtype, {}); }>(
      module,
      "create_system_buffer(data: BufferSource, dtype: DTypeLike | None = None) -> Buffer\n\nSee "
      "nexus.create_buffer.");
}

}  // namespace nexus::python
