// SPDX-License-Identifier: Apache-2.0
//
// Buffers as numpy arrays.
#include <utility>

#include "arrays/buffer.hpp"
#include "python/errors.hpp"
#include "python/gil.hpp"
#include "types/method.hpp"
#include "values/array_interface.hpp"
#include "values/dtype.hpp"

namespace nexus::python {
namespace {

// AttributeError if there is no such interface: numpy then tries __array__.
py::dict arrayInterface(const BufferObject &buffer) {
  const nxs_data_type type = buffer.getDataType();
  const std::string typestr = typestrOf(type);
  if (typestr.empty()) {
    throw py::attribute_error(std::string("The array interface has no form for dtype ") +
                              dtypeName(type) +
                              ": use numpy.asarray(buffer), which shares the memory, or "
                              "buffer.numpy() for a copy.");
  }
  void *memory = nullptr;
  try {
    memory = withoutGil([&] { return buffer.getHostPointer(); });
  } catch (const Error &error) {
    if (error.status() == NXS_NotSupported) {
      throw py::attribute_error(error.what());
    }
    throw;
  }
  py::dict interface;
  interface["version"] = 3;
  interface["typestr"] = typestr;
  interface["shape"] = shapeOf(buffer);
  interface["strides"] = py::none();
  interface["data"] = py::make_tuple(reinterpret_cast<std::uintptr_t>(memory), buffer.isReadOnly());
  return interface;
}

// Only raises the exception that numpy swallowed before: see keepInterrupt.
[[noreturn]] py::object arrayStruct(BufferObject &buffer) {
  const py::object type = std::exchange(buffer.interruptType, {});
  const py::object arguments = std::exchange(buffer.interruptArguments, {});
  if (!type) {
    throw py::attribute_error("nexus.Buffer has no __array_struct__: use __array_interface__.");
  }
  PyErr_SetObject(type.ptr(), arguments.ptr());
  throw py::error_already_set();
}

}  // namespace

void bindBufferArrays(py::class_<BufferObject> &cls) {
  method<[](py::handle self) -> py::object {
    return py::module_::import("nexus._arrays").attr("copy_to_numpy")(self);
  }>(cls,
     "numpy(self) -> ndarray[Any, Any]\n\nReturns a new numpy array with the contents, after all "
     "submitted work that uses the buffer.");
  method<[](py::handle self, py::handle dtype, py::handle copy) -> py::object {
    return py::module_::import("nexus._arrays").attr("to_array")(self, dtype, copy);
  }>(cls,
     "__array__(self, dtype: Any = None, copy: bool | None = None) -> ndarray[Any, Any]\n\nWaits "
     "for pending work and returns an array that shares the memory, if the host can access it.");
  property<&arrayInterface>(
      cls,
      "__array_interface__: dict[str, Any]\n\nThe array interface, version 3, after waiting for "
      "pending work. Its pointer is valid while the buffer is alive and not closed. Raises "
      "AttributeError for a dtype that the interface lacks, such as bfloat16, and if the host "
      "can't access the memory.");
  property<&arrayStruct>(cls, "__array_struct__: Any\n\nNot supported: raises AttributeError.");
}

}  // namespace nexus::python
