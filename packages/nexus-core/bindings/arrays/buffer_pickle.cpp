// SPDX-License-Identifier: Apache-2.0
//
// Pickling of buffers shared between processes: the pickle has the handle of the memory, not its
// contents.
#include <string>

#include "arrays/buffer.hpp"
#include "python/errors.hpp"
#include "python/gil.hpp"
#include "types/object.hpp"
#include "values/launch.hpp"

namespace nexus::python {
namespace {

constexpr const char *kRefusal =
    "nexus.Buffer objects can't be pickled or copied: each stands for one object of this process. "
    "For another process make one with Device.create_buffer(data, shareable=True); for a copy use "
    "Device.copy_buffer(buffer).";

// Returns the arguments of nexus._shared.open_buffer.
py::tuple sharedParts(const BufferObject &buffer) {
  const std::string handle = withoutGil([&] { return buffer.exportMemory(); });
  const auto offset = withoutGil([&] { return buffer.getProperty<std::int64_t>(NP_Offset); });
  return py::make_tuple(wrap(buffer.getDevice()).attr("selector"), py::bytes(handle), offset,
                        buffer.getSize(), static_cast<std::int64_t>(buffer.getDataType()),
                        shapeOf(buffer));
}

PyObject *reduceBuffer(PyObject *self, PyObject *) noexcept {
  try {
    const py::tuple parts = sharedParts(valueOf<Buffer>(self));
    return py::make_tuple(py::module_::import("nexus._shared").attr("open_buffer"), parts)
        .release()
        .ptr();
  } catch (py::error_already_set &error) {
    error.restore();
  } catch (const Error &error) {
    const bool cannot =
        error.status() == NXS_InvalidOperation || error.status() == NXS_NotSupported;
    if (cannot) {
      PyErr_SetString(PyExc_TypeError, kRefusal);
    } else {
      setPythonError(error);
    }
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

PyObject *refuseCopy(PyObject *, PyObject *) noexcept {
  PyErr_SetString(PyExc_TypeError, kRefusal);
  return nullptr;
}

PyMethodDef methods[] = {
    {"__reduce_ex__", reduceBuffer, METH_O,
     "__reduce_ex__(self, protocol: int, /) -> tuple[Any, ...]\n\nPickles a buffer that was made "
     "with shareable=True, for another process. Raises TypeError for others."},
    {"__copy__", refuseCopy, METH_NOARGS,
     "__copy__(self) -> Never\n\nRaises TypeError: Device.copy_buffer(buffer) copies."},
    {"__deepcopy__", refuseCopy, METH_O,
     "__deepcopy__(self, memo: object, /) -> Never\n\nRaises TypeError: "
     "Device.copy_buffer(buffer) copies."},
};

BufferObject importBuffer(py::handle deviceObject, py::handle handle, py::handle offset,
                          py::handle nbytes, py::handle dataType, py::handle shape) {
  const auto &device = argumentOf<nexus::Device>(deviceObject, "device");
  if (PyBytes_Check(handle.ptr()) == 0) {
    throwTypeError("handle", "bytes", handle);
  }
  BufferDesc desc;
  desc.size = parseCount(nbytes, "nbytes");
  desc.dataType = static_cast<nxs_data_type>(parseCount(dataType, "data_type"));
  desc.shape = parseShape(shape, "shape");
  desc.scalar = desc.shape.empty();
  const std::uint64_t start = parseCount(offset, "offset");
  const auto text = py::cast<std::string>(handle);
  return BufferObject(withoutGil([&] { return device.importBuffer(text, desc, start); }));
}

}  // namespace

void setupBufferPickling(PyHeapTypeObject *heapType) {
  PyTypeObject &type = heapType->ht_type;
  for (PyMethodDef &method : methods) {
    const auto made = py::reinterpret_steal<py::object>(PyDescr_NewMethod(&type, &method));
    if (!made || PyDict_SetItemString(type.tp_dict, method.ml_name, made.ptr()) != 0) {
      throw py::error_already_set();
    }
  }
}

void registerBufferImport(py::module_ &module) {
  function<&importBuffer>(
      module,
      "import_buffer(device: Device, handle: bytes, offset: int, nbytes: int, data_type: int, "
      "shape: tuple[int, ...]) -> Buffer\n\nOpens a buffer that another process shares.");
}

}  // namespace nexus::python
