// SPDX-License-Identifier: Apache-2.0
//
// memoryview(buffer) and numpy.asarray(buffer): views that share the memory.
#include <algorithm>
#include <exception>
#include <utility>

#include "arrays/buffer.hpp"
#include "python/errors.hpp"
#include "python/gil.hpp"
#include "types/method.hpp"
#include "types/object.hpp"
#include "values/array_interface.hpp"
#include "values/dtype.hpp"
#include "values/parse.hpp"

namespace nexus::python {
namespace {

ViewLayout describeLayout(const BufferObject &buffer, Py_ssize_t itemsize) {
  std::vector<Py_ssize_t> shape;
  if (dataTypeBits(buffer.getDataType()) < 8) {
    shape.push_back(static_cast<Py_ssize_t>(buffer.getSize()));  // bytes: two elements share one
  } else {
    for (const std::uint64_t length : buffer.getShape()) {
      shape.push_back(static_cast<Py_ssize_t>(length));
    }
  }
  if (const Strides given = stridesOf(buffer); !given.contiguous()) {
    return {std::move(shape), {given.bytes.begin(), given.bytes.end()}};
  }
  std::vector<Py_ssize_t> strides(shape.size());
  Py_ssize_t stride = itemsize;
  for (std::size_t dimension = shape.size(); dimension-- > 0;) {
    strides[dimension] = stride;
    stride *= shape[dimension];
  }
  return {std::move(shape), std::move(strides)};
}

void fillView(PyObject *self, BufferObject &buffer, Py_buffer *view, int flags) {
  const nxs_data_type type = buffer.getDataType();
  const char *const format = dtypeFormat(type);
  // Without a format, plain bytes do for every type.
  if (format == nullptr && (flags & PyBUF_FORMAT) == PyBUF_FORMAT) {
    PyErr_Format(PyExc_BufferError,
                 "The buffer protocol does not support dtype %s: use buffer.numpy() for a copy, or "
                 "numpy.asarray(buffer), which shares the memory.",
                 dtypeName(type));
    throw py::error_already_set();
  }
  if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS &&
      (flags & PyBUF_C_CONTIGUOUS) != PyBUF_C_CONTIGUOUS && buffer.getShape().size() > 1) {
    PyErr_SetString(PyExc_BufferError,
                    "The buffer is in C order: ask for that order, not Fortran order.");
    throw py::error_already_set();
  }
  const bool contiguous = buffer.isContiguous();
  constexpr int anyOrder =
      (PyBUF_C_CONTIGUOUS | PyBUF_F_CONTIGUOUS | PyBUF_ANY_CONTIGUOUS) & ~PyBUF_STRIDES;
  if (!contiguous && ((flags & PyBUF_STRIDES) != PyBUF_STRIDES || (flags & anyOrder) != 0)) {
    throw py::buffer_error(
        "The buffer is a view that is not contiguous: use buffer.ascontiguous() or "
        "buffer.numpy().");
  }
  const bool readOnly = buffer.isReadOnly();
  if (readOnly && (flags & PyBUF_WRITABLE) == PyBUF_WRITABLE) {
    throw py::buffer_error("The buffer is read-only: write to a copy of it.");
  }
  const std::shared_ptr<ViewCount> &views = viewsOf(buffer);
  views->add();  // before the wait below, so that no other thread closes the buffer meanwhile
  try {
    void *const memory = withoutGil([&] { return buffer.getHostPointer(); });
    const auto itemsize = static_cast<Py_ssize_t>(std::max(dataTypeBits(type), 8U) / 8);
    const ViewLayout &layout =
        buffer.viewLayout.get([&] { return describeLayout(buffer, itemsize); });
    view->buf = memory;
    view->len = static_cast<Py_ssize_t>(buffer.getSize());
    view->itemsize = itemsize;
    view->readonly = readOnly ? 1 : 0;
    view->ndim = static_cast<int>(layout.shape.size());
    view->format = (flags & PyBUF_FORMAT) == PyBUF_FORMAT ? const_cast<char *>(format) : nullptr;
    view->shape =
        (flags & PyBUF_ND) == PyBUF_ND ? const_cast<Py_ssize_t *>(layout.shape.data()) : nullptr;
    view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES
                        ? const_cast<Py_ssize_t *>(layout.strides.data())
                        : nullptr;
    view->suboffsets = nullptr;
    view->internal = nullptr;
    view->obj = Py_NewRef(self);
  } catch (...) {
    views->remove();
    throw;
  }
}

// Returns what was kept, which the caller drops, since that may run Python code.
Interrupt exchangeInterrupt(BufferObject &buffer, Interrupt next) {
  const StateLock lock(buffer.interruptMutex);
  return std::exchange(buffer.interrupt, std::move(next));
}

// numpy swallows exceptions of the buffer protocol, even KeyboardInterrupt, and then asks for
// __array_struct__, which raises it again. Without the traceback, which would keep frames alive.
void keepInterrupt(BufferObject &buffer) {
  py::error_already_set raised;  // takes the exception
  exchangeInterrupt(buffer, {raised.type(), py::getattr(raised.value(), "args", py::tuple())});
  raised.restore();
}

int getBuffer(PyObject *self, Py_buffer *view, int flags) {
  view->obj = nullptr;
  auto &buffer = valueOf<BufferObject>(self);
  exchangeInterrupt(buffer, {});
  try {
    fillView(self, buffer, view, flags);
    return 0;
  } catch (py::error_already_set &error) {
    error.restore();
  } catch (const py::builtin_exception &error) {
    error.set_error();
  } catch (const Error &error) {
    if (PyErr_Occurred() != nullptr) {
      keepInterrupt(buffer);
      return -1;  // KeyboardInterrupt ended the wait, which callers must not treat as a BufferError
    }
    // Callers of the protocol expect this type; the cause has the details.
    setPythonError(error);
    py::raise_from(PyExc_BufferError, error.what());
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_BufferError, error.what());
  }
  return -1;
}

void releaseBuffer(PyObject *self, Py_buffer *) {
  viewsOf(valueOf<BufferObject>(self))->remove();
}

// Exports a buffer's memory as bytes, for any dtype. The views count as the buffer's.
struct BufferBytes {
  py::object buffer;
};

int getBytes(PyObject *self, Py_buffer *view, int flags) {
  const py::object &buffer = valueOf<BufferBytes>(self).buffer;
  if (getBuffer(buffer.ptr(), view, PyBUF_STRIDES) != 0) {
    return -1;
  }
  // The bytes from the lowest to the highest element.
  const Strides strides = stridesOf(valueOf<BufferObject>(buffer.ptr()));
  view->buf = static_cast<std::byte *>(view->buf) - strides.first;
  view->len = static_cast<Py_ssize_t>(strides.extent);
  view->itemsize = 1;
  view->ndim = 1;
  view->format = (flags & PyBUF_FORMAT) == PyBUF_FORMAT ? const_cast<char *>("B") : nullptr;
  view->shape = (flags & PyBUF_ND) == PyBUF_ND ? &view->len : nullptr;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? &view->itemsize : nullptr;
  return 0;
}

// AttributeError if there is no such interface: numpy then tries __array__.
py::dict arrayInterface(const BufferObject &buffer) {
  const nxs_data_type type = buffer.getDataType();
  const std::string typestr = typestrOf(type);
  if (typestr.empty()) {
    throw py::attribute_error(std::string("The array interface does not support dtype ") +
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
  interface["strides"] = stridesOrNone(buffer);
  interface["data"] = py::make_tuple(reinterpret_cast<std::uintptr_t>(memory), buffer.isReadOnly());
  return interface;
}

// Only raises the exception that numpy swallowed before: see keepInterrupt.
[[noreturn]] py::object arrayStruct(BufferObject &buffer) {
  const Interrupt kept = exchangeInterrupt(buffer, {});
  if (!kept.type) {
    throw py::attribute_error("nexus.Buffer has no __array_struct__: use __array_interface__.");
  }
  PyErr_SetObject(kept.type.ptr(), kept.arguments.ptr());
  throw py::error_already_set();
}

}  // namespace

py::object stridesOrNone(const Buffer &buffer) {
  const Strides strides = stridesOf(buffer);
  if (strides.contiguous()) {
    return py::none();
  }
  py::tuple tuple(strides.bytes.size());
  for (std::size_t dimension = 0; dimension < strides.bytes.size(); ++dimension) {
    tuple[dimension] = strides.bytes[dimension];
  }
  return tuple;
}

const std::shared_ptr<ViewCount> &viewsOf(BufferObject &buffer) {
  return buffer.views.get([&] { return ViewCount::of(buffer); });
}

void registerBufferBytes(py::module_ &module) {
  const auto factory = madeBy("buffer_bytes()");
  const py::class_<BufferBytes> cls(module, "_BufferBytes", py::is_final(),
                                    py::custom_type_setup([factory](PyHeapTypeObject *type) {
                                      factory.value(type);
                                      type->as_buffer.bf_getbuffer = getBytes;
                                      type->ht_type.tp_as_buffer = &type->as_buffer;
                                    }));
  function<[](py::handle buffer) {
    argumentOf<Buffer>(buffer, "buffer");
    return py::memoryview(py::cast(BufferBytes{py::reinterpret_borrow<py::object>(buffer)}));
  }>(module,
     "buffer_bytes(buffer: Buffer) -> memoryview\n\nReturns a view of the memory as plain bytes, "
     "from the lowest to the highest element, for dtypes that the buffer protocol lacks.");
  function<[](py::handle buffer) { return stridesOf(argumentOf<Buffer>(buffer, "buffer")).first; }>(
      module,
      "first_byte(buffer: Buffer) -> int\n\nReturns the offset in bytes of the element at index 0 "
      "from the lowest element.");
  function<[](py::handle dtype, py::handle parameter) -> py::object {
    const nxs_data_type type = parseDtype(dtype, parseText(parameter, "parameter"));
    const py::object record = recordDtype(type);
    return record.is_none() ? py::object(py::str(dtypeName(type))) : record;
  }>(module,
     "dtype_name(dtype: DTypeLike, parameter: str) -> Any\n\nReturns a dtype's name, such as "
     "'float32'; numpy's dtype if it is structured. Raises TypeError or ValueError with the "
     "parameter's name.");
}

void setupBufferProtocol(PyHeapTypeObject *heapType) {
  heapType->as_buffer.bf_getbuffer = getBuffer;
  heapType->as_buffer.bf_releasebuffer = releaseBuffer;
  heapType->ht_type.tp_as_buffer = &heapType->as_buffer;
}

void bindBufferArrays(py::class_<BufferObject> &cls) {
  method<[](py::handle self) -> py::object {
    return py::module_::import("nexus._arrays._values").attr("copy_to_numpy")(self);
  }>(cls,
     "numpy(self) -> ndarray[Any, Any]\n\nReturns a new numpy array with the contents, after all "
     "submitted work that uses the buffer.");
  method<[](py::handle self, py::handle dtype, py::handle copy) -> py::object {
    return py::module_::import("nexus._arrays._values").attr("to_array")(self, dtype, copy);
  }>(cls,
     "__array__(self, dtype: Any = None, copy: bool | None = None) -> ndarray[Any, Any]\n\nWaits "
     "for pending work and returns an array that shares the memory, if the host can access it.");
  method<[](py::handle self) -> py::object {
    return py::module_::import("nexus._arrays._values").attr("to_jax")(self);
  }>(cls,
     "__jax_array__(self) -> Any\n\nImplements jax.numpy.asarray(buffer): an array that shares the "
     "memory if jax can, else a copy.");
  property<&arrayInterface>(
      cls,
      "__array_interface__: dict[str, Any]\n\nThe array interface, version 3, after waiting for "
      "pending work. Its pointer is valid while the buffer is alive and not closed. Raises "
      "AttributeError for a dtype that the interface lacks, such as bfloat16, and if the host "
      "can't access the memory.");
  property<&arrayStruct>(cls, "__array_struct__: Any\n\nNot supported: raises AttributeError.");
}

}  // namespace nexus::python
