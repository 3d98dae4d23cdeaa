// SPDX-License-Identifier: Apache-2.0
#include "buffer.hpp"

#include "dtype.hpp"
#include "errors.hpp"
#include "gil.hpp"
#include "host_array.hpp"
#include "in_flight.hpp"
#include "launch.hpp"
#include "object.hpp"
#include "scalar.hpp"

namespace nexus::python {
namespace {

// The same dtype, unless either has none.
void checkSameType(const BufferObject &buffer, nxs_data_type other, const char *parameter) {
  const nxs_data_type type = buffer.getDataType();
  if (type != NXS_DataType_Undefined && other != NXS_DataType_Undefined && type != other) {
    throw py::type_error(std::string(parameter) + " has dtype " + dtypeName(other) +
                         ", but the buffer has " + dtypeName(type) +
                         ": pass an array of the buffer's dtype.");
  }
}

void checkFits(const BufferObject &buffer, const HostArray &array, const char *parameter) {
  checkSameType(buffer, array.dataType(), parameter);
  const std::uint64_t size = buffer.getSize();
  if (array.size() != size) {
    throw py::value_error(std::string(parameter) + " has " + std::to_string(array.size()) +
                          " bytes, but the buffer has " + std::to_string(size) +
                          ": they have to be equal.");
  }
}

// The stream that a copy without one goes to: the default stream, behind all work that uses the
// buffer.
Stream streamOf(const BufferObject &buffer, const Stream &stream) {
  return stream ? stream : buffer.getDevice().getDefaultStream();
}

void copyToHost(const BufferObject &self, py::handle host, py::handle streamObject, bool blocking) {
  const Stream stream = optionalStream(streamObject);
  auto array = std::make_unique<HostArray>(host, HostArray::Access::Write, "host");
  checkFits(self, *array, "host");
  const auto submit = [&, data = array->data(), size = array->size()] {
    self.copy(data, size, 0, stream, blocking);
  };
  if (blocking) {
    withoutGil(submit);
  } else {
    copyInFlight(streamOf(self, stream), std::move(array), submit);
  }
}

void copyFromHost(const BufferObject &self, py::handle source, py::handle streamObject,
                  bool blocking) {
  const Stream stream = optionalStream(streamObject);
  if (py::isinstance<BufferObject>(source)) {
    const auto &other = source.cast<const BufferObject &>();
    checkSameType(self, other.getDataType(), "array");
    withoutGil([&] { other.copyTo(self, stream, blocking); });
    return;
  }
  auto array = std::make_unique<HostArray>(source, HostArray::Access::Read, "array");
  checkFits(self, *array, "array");
  const auto submit = [&, data = array->data(), size = array->size()] {
    self.copyFrom(data, size, 0, stream, blocking);
  };
  if (blocking) {
    withoutGil(submit);
  } else {
    copyInFlight(streamOf(self, stream), std::move(array), submit);
  }
}

void fill(const BufferObject &self, py::handle value, py::handle streamObject, bool blocking) {
  const Stream stream = optionalStream(streamObject);
  const nxs_data_type type = self.getDataType();
  const Scalar pattern =
      packScalar(value, type == NXS_DataType_Undefined ? NXS_DataType_U8 : type, "value");
  withoutGil([&] {
    nexus::detail::check(nexus_buffer_fill(self.get(), pattern.bytes.data(), pattern.size,
                                           stream.get(), blocking ? 1 : 0));
  });
}

py::tuple shapeOf(const BufferObject &self) {
  const auto shape = self.getShape();
  py::tuple tuple(shape.size());
  for (std::size_t index = 0; index < shape.size(); ++index) {
    tuple[index] = shape[index];
  }
  return tuple;
}

void close(const BufferObject &self) {
  if (self.views > 0) {
    PyErr_Format(PyExc_BufferError,
                 "The buffer has %zd live views (arrays or memoryviews of its memory): delete them "
                 "before close().",
                 self.views);
    throw py::error_already_set();
  }
  withoutGil([&] { self.close(); });
}

std::string describe(const BufferObject &self) {
  return std::string(dtypeName(self.getDataType())) + " " +
         py::cast<std::string>(py::repr(shapeOf(self))) + " on " + self.getDevice().getSelector();
}

void bindCopies(py::class_<BufferObject> &cls) {
  cls.def("copy", &copyToHost, py::arg("host"), py::arg("stream") = py::none(),
          py::arg("blocking") = true,
          "copy(self, host: WritableArray, stream: Stream | None = None, blocking: bool = True) -> "
          "None\n\n"
          "Copies the buffer's contents into a host array of equal dtype and bytes.\n\n"
          "Without a stream the copy starts after all submitted work that uses the buffer. With\n"
          "blocking=False it returns at once; the array is kept, and holds the contents once the\n"
          "stream has passed the copy. Raises TypeError for another dtype, ValueError for another\n"
          "size or an array that is read-only or not C-contiguous.");
  cls.def(
      "copy_from", &copyFromHost, py::arg("array"), py::arg("stream") = py::none(),
      py::arg("blocking") = true,
      "copy_from(self, array: Array | Buffer, stream: Stream | None = None, blocking: bool = "
      "True) -> None\n\n"
      "Copies a host array, or another buffer, of equal dtype and bytes into the buffer.\n\n"
      "With blocking=False it returns at once; the array is kept, and must not change until the\n"
      "stream has passed the copy. Raises as copy does.");
  cls.def("fill", &fill, py::arg("value"), py::arg("stream") = py::none(),
          py::arg("blocking") = true,
          "fill(self, value: Number, stream: Stream | None = None, blocking: bool = True) -> "
          "None\n\n"
          "Sets every element to value; every byte where the buffer has no dtype.\n\n"
          "Raises ValueError where value does not fit the dtype.");
  cls.def(
      "numpy",
      [](const py::object &self) {
        return py::module_::import("nexus._arrays").attr("copy_to_numpy")(self);
      },
      "numpy(self) -> ndarray[Any, Any]\n\nA new numpy array with a copy of the contents.");
  cls.def(
      "__array__",
      [](const py::object &self, const py::object &dtype, const py::object &copy) {
        return py::module_::import("nexus._arrays").attr("to_array")(self, dtype, copy);
      },
      py::arg("dtype") = py::none(), py::arg("copy") = py::none(),
      "__array__(self, dtype: Any = None, copy: bool | None = None) -> ndarray[Any, Any]\n\nAn "
      "array that shares the memory where the host sees it, after waiting for pending work.");
}

}  // namespace

void registerBuffer(py::module_ &module) {
  const auto factory = madeBy("Device.create_buffer()");
  auto cls = makeClass<Buffer>(
      module, "Buffer",
      "Memory of a device, with a dtype and a shape.\n\nMade by Device.create_buffer(). "
      "numpy.asarray(buffer) and memoryview(buffer) share its memory where the host sees it.",
      py::custom_type_setup([factory](PyHeapTypeObject *type) {
        factory.value(type);
        setupBufferProtocol(type);
      }));
  bindObject<&describe>(cls);
  bindClose<&close>(
      cls,
      "close(self) -> None\n\nFrees the memory once the work that uses it is done. Raises "
      "BufferError while views of it live. Twice does nothing.");
  cls.def_property_readonly("device", &BufferObject::getDevice,
                            "device: Device\n\nThe buffer's device.");
  cls.def_property_readonly("nbytes", &BufferObject::getSize, "nbytes: int\n\nIts size in bytes.");
  cls.def_property_readonly(
      "shape", &shapeOf,
      "shape: tuple[int, ...]\n\nThe length of each dimension, outermost first.");
  cls.def_property_readonly(
      "dtype", [](const BufferObject &self) { return dtypeObject(self.getDataType()); },
      "dtype: str | None\n\nThe name of the elements' type, such as 'float32'; None for plain "
      "bytes.");
  bindCopies(cls);
  registerBufferBytes(module);
}

}  // namespace nexus::python
