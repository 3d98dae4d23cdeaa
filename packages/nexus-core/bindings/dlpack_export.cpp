// SPDX-License-Identifier: Apache-2.0
//
// Buffer.__dlpack__: other libraries use the memory in place.
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "buffer.hpp"
#include "dlpack.hpp"
#include "dtype.hpp"
#include "errors.hpp"
#include "gil.hpp"
#include "object.hpp"

namespace nexus::python {
namespace {

constexpr dlpack::Device kHost{dlpack::Cpu, 0};

struct FreeAligned {
  void operator()(void *memory) const noexcept { std::free(memory); }
};

// Host memory aligned as DLPack wishes.
std::unique_ptr<void, FreeAligned> allocateCopy(std::uint64_t size) {
  constexpr std::uint64_t alignment = 256;
  const std::uint64_t whole = (size + alignment - 1) / alignment * alignment;
  std::unique_ptr<void, FreeAligned> memory(std::aligned_alloc(alignment, whole));
  if (!memory) {
    throw std::bad_alloc();
  }
  return memory;
}

// What an exported tensor stands on. Destroyed by the consumer, on any thread, with or without the
// GIL, also while the interpreter ends: nothing here is Python's.
struct Export {
  Buffer buffer;                 // empty for a copy
  std::optional<LiveView> view;  // ends before the buffer goes
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
  bool versioned = false;
  bool toHost = false;  // dl_device names the host
  std::optional<bool> copy;
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

ExportArguments readExportArguments(py::handle stream, py::handle maxVersion, py::handle device,
                                    py::handle copy) {
  checkStream(stream);
  ExportArguments arguments;
  if (!maxVersion.is_none()) {
    arguments.versioned = parsePair(maxVersion, "max_version").first >= dlpack::kMajor;
  }
  if (!device.is_none()) {
    if (parsePair(device, "dl_device") != std::pair<std::int64_t, std::int64_t>(dlpack::Cpu, 0)) {
      throw py::buffer_error("dl_device is " + shortRepr(device) +
                             ": a buffer is exported to host memory, (1, 0), or where it lies.");
    }
    arguments.toHost = true;
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

// Fills the export; false where the memory was copied.
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

void describeDimensions(Export &exported, const std::vector<std::uint64_t> &shape) {
  const std::size_t rank = shape.size();
  exported.dimensions.resize(2 * rank);
  std::int64_t stride = 1;
  for (std::size_t dimension = rank; dimension-- > 0;) {
    const auto length = static_cast<std::int64_t>(shape[dimension]);
    exported.dimensions[dimension] = length;
    exported.dimensions[rank + dimension] = stride;
    stride *= length;
  }
}

void destroyCapsule(PyObject *capsule) {
  // A consumer renamed the capsule, and ends the tensor itself.
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
                       bool versioned, bool shared) {
  PyObject *capsule = nullptr;
  if (versioned) {
    exported->versioned = {{dlpack::kMajor, dlpack::kMinor},
                           exported.get(),
                           &deleteExport,
                           shared ? 0 : dlpack::kIsCopied,
                           tensor};
    capsule = PyCapsule_New(&exported->versioned, dlpack::kCapsuleVersioned, destroyCapsule);
  } else {
    exported->managed = {tensor, exported.get(), &deleteExport};
    capsule = PyCapsule_New(&exported->managed, dlpack::kCapsule, destroyCapsule);
  }
  if (capsule == nullptr) {
    throw py::error_already_set();
  }
  static_cast<void>(exported.release());  // the capsule's
  return py::reinterpret_steal<py::object>(capsule);
}

py::object exportBuffer(BufferObject &buffer, py::handle stream, py::handle maxVersion,
                        py::handle device, py::handle copy) {
  const ExportArguments arguments = readExportArguments(stream, maxVersion, device, copy);
  const nxs_data_type type = buffer.getDataType();
  const std::optional<dlpack::DataType> dtype = dlpack::fromDataType(type);
  if (!dtype) {
    throw py::buffer_error(std::string("DLPack has no form for dtype ") + dtypeName(type) +
                           ": copy the bytes with buffer.copy(bytearray(buffer.nbytes)).");
  }
  auto exported = std::make_unique<Export>();
  const std::vector<std::uint64_t> shape = buffer.getShape();
  describeDimensions(*exported, shape);
  dlpack::Tensor tensor{};
  tensor.device = kHost;
  tensor.rank = static_cast<std::int32_t>(shape.size());
  tensor.dtype = *dtype;
  tensor.shape = exported->dimensions.data();
  tensor.strides = exported->dimensions.data() + shape.size();
  const bool shared = takeMemory(*exported, buffer, arguments, tensor.data);
  return makeCapsule(std::move(exported), tensor, arguments.versioned, shared);
}

bool isHostVisible(const BufferObject &buffer) {
  const nexus::Device device = buffer.getDevice();
  return !device || (static_cast<std::uint64_t>(
                         device.getRuntime().getProperty<std::int64_t>("Capabilities")) &
                     NXS_Capability_HostVisibleMemory) != 0;
}

py::tuple dlpackDevice(const BufferObject &buffer) {
  if (!isHostVisible(buffer)) {
    throw py::buffer_error("The host does not see the memory of the device '" +
                           buffer.getDevice().getSelector() +
                           "', and DLPack has no name for it: use buffer.numpy() for a copy.");
  }
  return py::make_tuple(kHost.type, kHost.id);
}

}  // namespace

void bindDlpackExport(py::class_<BufferObject> &cls) {
  method<&exportBuffer>(
      cls,
      "__dlpack__(self, *, stream: Stream | None = None, max_version: tuple[int, int] | None = "
      "None, dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any\n\n"
      "Exports the memory as a DLPack capsule, for from_dlpack of numpy, torch, jax and others.\n\n"
      "The capsule shares the memory, after all submitted work that uses the buffer is done, and\n"
      "keeps it alive; it is versioned where max_version is (1, 0) or more. With copy=True it "
      "holds a\ncopy. dl_device is (1, 0), the host, or None. Raises BufferError for a dtype that "
      "DLPack has no\nform for, for another device, and where the host does not see the memory and "
      "no copy was\nallowed.");
  method<&dlpackDevice>(
      cls,
      "__dlpack_device__(self) -> tuple[int, int]\n\nDLPack's type and number of the device that "
      "the memory lies on: (1, 0), the host. Raises\nBufferError where the host does not see it.");
}

}  // namespace nexus::python
