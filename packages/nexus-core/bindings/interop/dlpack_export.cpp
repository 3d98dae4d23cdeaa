// SPDX-License-Identifier: Apache-2.0
//
// Buffer.__dlpack__: other libraries use the memory in place.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "arrays/buffer.hpp"
#include "arrays/dlpack.hpp"
#include "interop/foreign.hpp"
#include "python/errors.hpp"
#include "python/gil.hpp"
#include "types/object.hpp"
#include "values/dtype.hpp"

namespace nexus::python {
namespace {

constexpr dlpack::Device kHost{dlpack::Cpu, 0};

struct FreeAligned {
  void operator()(void *memory) const noexcept { std::free(memory); }
};

// Allocates host memory with the alignment that DLPack recommends.
std::unique_ptr<void, FreeAligned> allocateCopy(std::uint64_t size) {
  constexpr std::uint64_t alignment = 256;
  const std::uint64_t whole =
      (std::max<std::uint64_t>(size, 1) + alignment - 1) / alignment * alignment;
  std::unique_ptr<void, FreeAligned> memory(std::aligned_alloc(alignment, whole));
  if (!memory) {
    throw std::bad_alloc();
  }
  return memory;
}

// The resources of an exported tensor. The consumer destroys it on any thread, with or without the
// GIL, even while the interpreter ends, so it has no Python objects.
struct Export {
  Buffer buffer;                 // empty for a copy
  std::optional<LiveView> view;  // destroyed before the buffer
  std::unique_ptr<void, FreeAligned> copy;
  std::vector<std::int64_t> dimensions;  // the shape, then the strides
  union {
    dlpack::Managed managed;
    dlpack::ManagedVersioned versioned;
  };
};

template <class Managed>
void deleteExport(Managed *managed) {
  delete static_cast<Export *>(managed->context);
}

struct ExportArguments {
  dlpack::Device place = kHost;  // where the buffer is
  bool versioned = false;
  bool toHost = false;  // dl_device is the host, and the buffer is elsewhere
  std::optional<bool> copy;
  py::handle stream;

  bool onDevice() const noexcept { return !dlpack::isHost(place) && !toHost; }
};

std::pair<std::int64_t, std::int64_t> parsePair(py::handle value, const char *parameter) {
  if (PyTuple_Check(value.ptr()) != 0 && PyTuple_GET_SIZE(value.ptr()) == 2) {
    const std::int64_t first = PyLong_AsLongLong(PyTuple_GET_ITEM(value.ptr(), 0));
    const std::int64_t second = PyLong_AsLongLong(PyTuple_GET_ITEM(value.ptr(), 1));
    if (PyErr_Occurred() == nullptr) {
      return {first, second};
    }
    PyErr_Clear();
  }
  throwTypeError(parameter, "a tuple of two ints or None", value);
}

void checkStream(py::handle stream) {
  if (stream.is_none() || isA<Stream>(stream)) {
    return;
  }
  if (PyLong_Check(stream.ptr()) != 0 && !PyBool_Check(stream.ptr())) {
    throwValueError("stream", stream,
                    "host memory has no such streams; give None or a "
                    "nexus.Stream");
  }
  throwTypeError("stream", "a nexus.Stream or None", stream);
}

void readTarget(py::handle device, ExportArguments &arguments) {
  const auto [type, id] = parsePair(device, "dl_device");
  if (type == arguments.place.type && id == arguments.place.id) {
    return;
  }
  if (type != kHost.type || id != kHost.id) {
    throw py::buffer_error("dl_device is " + shortRepr(device) +
                           ": give (1, 0) for host memory, the buffer's own device, or None.");
  }
  arguments.toHost = true;
}

ExportArguments readExportArguments(const BufferObject &buffer, py::handle stream,
                                    py::handle maxVersion, py::handle device, py::handle copy) {
  const auto place = dlpackPlaceOf(buffer);
  ExportArguments arguments;
  arguments.stream = stream;
  arguments.place = place.value_or(kHost);
  if (dlpack::isHost(arguments.place)) {
    checkStream(stream);
  }
  if (!maxVersion.is_none()) {
    arguments.versioned = parsePair(maxVersion, "max_version").first >= dlpack::kMajor;
  }
  if (!device.is_none()) {
    readTarget(device, arguments);
    arguments.toHost = arguments.toHost || !place;
  }
  if (!copy.is_none()) {
    if (!PyBool_Check(copy.ptr())) {
      throwTypeError("copy", "True, False or None", copy);
    }
    arguments.copy = copy.ptr() == Py_True;
  }
  return arguments;
}

void shareMemory(Export &exported, BufferObject &buffer) {
  exported.view.emplace(viewsOf(buffer));  // first, so that nobody closes the buffer meanwhile
  exported.buffer = buffer;
}

void copyMemory(Export &exported, const BufferObject &buffer, std::uint64_t size) {
  exported.copy = allocateCopy(size);
  withoutGil([&] { buffer.copy(exported.copy.get(), size); });
}

// Fills the export; returns false if the memory was copied.
bool takeMemory(Export &exported, BufferObject &buffer, const ExportArguments &arguments,
                void *&data) {
  if (!arguments.copy.value_or(false)) {
    shareMemory(exported, buffer);
    try {
      data = withoutGil([&] { return buffer.getHostPointer(); });
      return true;
    } catch (const Error &error) {
      if (error.status() != NXS_NotSupported) {
        throw;
      }
      if (!arguments.toHost || arguments.copy) {
        throw py::buffer_error(error.what());
      }
    }
    exported.view.reset();
    exported.buffer = {};
  }
  copyMemory(exported, buffer, buffer.getSize());
  data = exported.copy.get();
  return false;
}

// Like takeMemory(), for memory that stays on a device: sets the tensor's data and byte offset.
bool takeDeviceMemory(Export &exported, BufferObject &buffer, const ExportArguments &arguments,
                      dlpack::Tensor &tensor) {
  const bool copies = arguments.copy.value_or(false);
  if (copies) {
    const py::object made = py::cast(buffer).attr("device").attr("copy_buffer")(py::cast(buffer));
    exported.buffer = valueOf<Buffer>(made.ptr());
  } else {
    shareMemory(exported, buffer);
    orderConsumer(buffer, arguments.place, arguments.stream);
  }
  const auto handle = nativeHandleOf(exported.buffer);
  if (!handle) {
    throw py::buffer_error(
        "The backend has no handle of the buffer's memory: use buffer.numpy() for a copy.");
  }
  tensor.data = reinterpret_cast<void *>(static_cast<std::uintptr_t>(*handle));
  if (!dlpack::isAddress(arguments.place.type)) {
    tensor.byteOffset = static_cast<std::uint64_t>(withoutGil(
                            [&] { return exported.buffer.getProperty<std::int64_t>(NP_Offset); })) +
                        stridesOf(exported.buffer).first;
  }
  return !copies;
}

void describeDimensions(Export &exported, const std::vector<std::uint64_t> &shape) {
  const std::size_t rank = shape.size();
  exported.dimensions.resize(2 * rank);
  std::int64_t stride = 1;
  for (std::size_t dimension = rank; dimension-- > 0;) {
    const auto length = static_cast<std::int64_t>(shape[dimension]);
    exported.dimensions[dimension] = length;
    exported.dimensions[rank + dimension] = stride;
    stride *= std::max<std::int64_t>(length, 1);
  }
}

// DLPack's strides count elements.
void describeStrides(Export &exported, const std::vector<std::int64_t> &bytes,
                     std::int64_t itemsize) {
  const std::size_t rank = bytes.size();
  for (std::size_t dimension = 0; dimension < rank; ++dimension) {
    if (exported.dimensions[dimension] > 1 && bytes[dimension] % itemsize != 0) {
      throw py::buffer_error(
          "DLPack can't express strides that are not multiples of the element size: use "
          "buffer.ascontiguous().");
    }
    exported.dimensions[rank + dimension] = bytes[dimension] / itemsize;
  }
}

void destroyCapsule(PyObject *capsule) {
  // A consumer that renamed the capsule deletes the tensor itself.
  if (PyCapsule_IsValid(capsule, dlpack::kCapsule) != 0) {
    auto *const managed =
        static_cast<dlpack::Managed *>(PyCapsule_GetPointer(capsule, dlpack::kCapsule));
    managed->deleter(managed);
  } else if (PyCapsule_IsValid(capsule, dlpack::kCapsuleVersioned) != 0) {
    auto *const managed = static_cast<dlpack::ManagedVersioned *>(
        PyCapsule_GetPointer(capsule, dlpack::kCapsuleVersioned));
    managed->deleter(managed);
  }
}

py::object makeCapsule(std::unique_ptr<Export> exported, const dlpack::Tensor &tensor,
                       bool versioned, std::uint64_t flags) {
  PyObject *capsule = nullptr;
  if (versioned) {
    exported->versioned = {
        {dlpack::kMajor, dlpack::kMinor}, exported.get(), &deleteExport, flags, tensor};
    capsule = PyCapsule_New(&exported->versioned, dlpack::kCapsuleVersioned, destroyCapsule);
  } else {
    exported->managed = {tensor, exported.get(), &deleteExport};
    capsule = PyCapsule_New(&exported->managed, dlpack::kCapsule, destroyCapsule);
  }
  if (capsule == nullptr) {
    throw py::error_already_set();
  }
  static_cast<void>(exported.release());  // owned by the capsule
  return py::reinterpret_steal<py::object>(capsule);
}

py::object exportBuffer(BufferObject &buffer, py::handle stream, py::handle maxVersion,
                        py::handle device, py::handle copy) {
  const ExportArguments arguments = readExportArguments(buffer, stream, maxVersion, device, copy);
  const nxs_data_type type = buffer.getDataType();
  const std::optional<dlpack::DataType> dtype = dlpack::fromDataType(type);
  if (!dtype) {
    throw py::buffer_error(std::string("DLPack does not support dtype ") + dtypeName(type) +
                           ": copy the bytes with buffer.copy(bytearray(buffer.nbytes)).");
  }
  const bool readOnly = buffer.isReadOnly();
  if (readOnly && !arguments.versioned && !arguments.copy.value_or(false)) {
    throw py::buffer_error(
        "The buffer is read-only, which DLPack before 1.0 can't express: pass copy=True or "
        "max_version=(1, 0).");
  }
  auto exported = std::make_unique<Export>();
  const std::vector<std::uint64_t> shape = buffer.getShape();
  describeDimensions(*exported, shape);
  dlpack::Tensor tensor{};
  tensor.device = arguments.toHost ? kHost : arguments.place;
  tensor.rank = static_cast<std::int32_t>(shape.size());
  tensor.dtype = *dtype;
  tensor.shape = exported->dimensions.data();
  tensor.strides = exported->dimensions.data() + shape.size();
  const bool shared = arguments.onDevice() ? takeDeviceMemory(*exported, buffer, arguments, tensor)
                                           : takeMemory(*exported, buffer, arguments, tensor.data);
  if (const Strides strides = stridesOf(buffer); shared && !strides.contiguous()) {
    describeStrides(*exported, strides.bytes, dataTypeBits(type) / 8);
  }
  const std::uint64_t flags = !shared ? dlpack::kIsCopied : readOnly ? dlpack::kReadOnly : 0;
  return makeCapsule(std::move(exported), tensor, arguments.versioned, flags);
}

py::tuple dlpackDevice(const BufferObject &buffer) {
  const auto place = dlpackPlaceOf(buffer);
  if (!place) {
    throw py::buffer_error("The host can't access the memory of the device '" +
                           buffer.getDevice().getSelector() +
                           "', and DLPack has no name for it: use buffer.numpy() for a copy.");
  }
  return py::make_tuple(place->type, place->id);
}

}  // namespace

void bindDlpackExport(py::class_<BufferObject> &cls) {
  method<&exportBuffer>(
      cls,
      "__dlpack__(self, *, stream: Stream | int | None = None, max_version: tuple[int, int] | None "
      "= None, dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> "
      "Any\n\nExports the memory as a DLPack capsule, for from_dlpack of numpy, cupy, torch, jax "
      "and others.\n\nThe capsule shares the memory and keeps it alive; it is versioned if "
      "max_version is at least (1, 0). For host memory the call waits until all submitted work "
      "that uses it is done. For a device's memory, stream is the consumer's stream as a number, "
      "as DLPack defines it (None means the default stream, -1 no ordering): its later work waits "
      "for that work. copy=True exports a copy. dl_device is (1, 0) for the host, the buffer's own "
      "device, or None. Raises BufferError for a dtype that DLPack lacks, for another device, and "
      "if the host can't access the memory and copy is False.");
  method<&dlpackDevice>(cls,
                        "__dlpack_device__(self) -> tuple[int, int]\n\nReturns DLPack's type and "
                        "number of the memory's device: (1, 0) for the host, (2, n) for CUDA "
                        "device n, and so on. Raises BufferError if DLPack has no type for it.");
}

}  // namespace nexus::python
