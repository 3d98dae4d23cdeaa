// SPDX-License-Identifier: Apache-2.0
#include "interop/foreign.hpp"

#include "python/errors.hpp"
#include "types/object.hpp"
#include "values/array_interface.hpp"
#include "values/dtype.hpp"
#include "values/parse.hpp"

namespace nexus::python {
namespace {

constexpr const char *kInterface = "__cuda_array_interface__";

std::optional<std::uint64_t> streamIn(const ArrayInterface &interface) {
  const py::object stream = interface.entry("stream");
  if (stream.is_none()) {
    return std::nullopt;
  }
  // 0 is forbidden, since it is ambiguous
  return parseCount(stream, interface.nameOf("stream"), 1);
}

// Returns the number of the stream whose later work runs after the buffer's work; None if that work
// is done.
py::object streamFor(const BufferObject &self, std::int32_t deviceType) {
  const Stream stream = self.getDevice().getDefaultStream();
  const auto number = streamNumberOf(stream, deviceType);
  if (!number) {
    waitForUses(self);
    return py::none();
  }
  withoutGil([&] { stream.wait(static_cast<const Buffer &>(self)); });
  return py::int_(*number);
}

py::dict describeBufferMemory(const BufferObject &self) {
  const auto place = dlpackPlaceOf(self);
  if (!place || dlpack::familyOf(place->type) != dlpack::Cuda) {
    throw py::attribute_error(std::string(kInterface) +
                              " needs a buffer on a CUDA device: use DLPack, or buffer.numpy() for "
                              "a copy.");
  }
  const auto address = nativeHandleOf(self);
  const std::string typestr = typestrOf(self.getDataType());
  if (!address || typestr.empty()) {
    throw py::attribute_error(std::string(kInterface) + " does not support dtype " +
                              dtypeName(self.getDataType()) + ": use DLPack.");
  }
  py::dict interface;
  interface["shape"] = shapeOf(self);
  interface["typestr"] = typestr;
  const std::uint64_t given =
      self.getSize() == 0 ? 0 : *address;  // as the protocol requires for empty arrays
  interface["data"] = py::make_tuple(given, self.isReadOnly());
  interface["version"] = 3;
  interface["strides"] = stridesOrNone(self);
  interface["stream"] = streamFor(self, place->type);
  return interface;
}

}  // namespace

std::uint64_t CudaArray::size() const {
  std::uint64_t count = 1;
  for (const std::uint64_t length : shape) {
    count *= length;
  }
  return dtypeBytes(dataType, count);
}

bool hasCudaArray(py::handle object) {
  return PyType_Check(object.ptr()) == 0 && hasAttribute(object, kInterface);
}

CudaArray readCudaArray(py::handle object, const std::string &parameter) {
  const ArrayInterface interface(object, kInterface, parameter);
  CudaArray array;
  const py::tuple data = interface.tuple("data");
  if (data.size() != 2) {
    throwTypeError(interface.nameOf("data"), "an address and a bool", data);
  }
  array.address = parseCount(data[0], "the address of " + parameter);
  array.readOnly = PyObject_IsTrue(py::object(data[1]).ptr()) != 0;
  array.dataType = interface.dataType();
  array.shape = interface.shape();
  interface.refuseMask();
  array.strides = interface.strides(array.shape, array.dataType);
  array.stream = streamIn(interface);
  return array;
}

void bindCudaArray(py::class_<BufferObject> &cls) {
  property<&describeBufferMemory>(
      cls,
      "__cuda_array_interface__: dict[str, Any]\n\nThe CUDA array interface, version 3, for "
      "libraries such as numba. Its stream waits for all submitted work on the buffer. Raises "
      "AttributeError on other devices.");
}

}  // namespace nexus::python
