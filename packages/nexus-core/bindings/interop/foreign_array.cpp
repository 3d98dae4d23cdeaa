// SPDX-License-Identifier: Apache-2.0
#include "interop/foreign.hpp"

#include <algorithm>
#include <memory>

#include "arrays/dlpack.hpp"
#include "python/errors.hpp"
#include "python/gil.hpp"
#include "types/object.hpp"
#include "values/dtype.hpp"
#include "values/parse.hpp"

namespace nexus::python {
namespace {

// Refuses an array that does not report whether it is read-only.
[[noreturn]] void throwLegacy(const std::string &parameter) {
  throw py::value_error(parameter +
                        " comes from DLPack before 1.0, which does not report whether it is "
                        "read-only: pass writable=True if it is writable, or copy it with "
                        "Device.create_buffer(" +
                        parameter + ").");
}

// Changes the description to one of the bytes of an array's range, if it is not contiguous.
BufferDesc rangeOf(const BufferDesc &desc, const Strides &strides) {
  if (strides.contiguous()) return desc;
  BufferDesc range;
  range.size = strides.extent;
  range.settings = desc.settings;
  return range;
}

// Returns the array in its range.
BufferObject arrayIn(Buffer range, const BufferDesc &desc, const Strides &strides) {
  return BufferObject(strides.contiguous() ? std::move(range)
                                           : viewIn(range, desc.dataType, desc.shape, strides));
}

// If this returns, the buffer owns kept. offset is the offset of the element at index 0.
BufferObject makeBuffer(const nexus::Device &device, std::uint64_t handle, std::uint64_t offset,
                        const BufferDesc &desc, const Strides &strides,
                        std::unique_ptr<Kept> kept) {
  const std::uint64_t before = std::min(offset, strides.first);  // the rest is in an address
  const ForeignMemory memory{handle - (strides.first - before), offset - before, &giveBackKept,
                             kept.get()};
  Buffer range = withoutGil([&] { return device.createBuffer(memory, rangeOf(desc, strides)); });
  static_cast<void>(kept.release());
  return arrayIn(std::move(range), desc, strides);
}

BufferObject overDlpack(py::handle object, const ForeignUse &use, const std::string &parameter) {
  const dlpack::Device place = dlpackDeviceOf(object, parameter);
  const nexus::Device device = deviceFor(place, use.device, parameter);
  const Stream behind = use.stream ? use.stream : device.getDefaultStream();
  const auto number =
      dlpack::hasStreams(place.type) ? streamNumberOf(behind, place.type) : std::nullopt;
  const auto copies =
      use.shares ? ImportedTensor::Copies::Refused : ImportedTensor::Copies::Allowed;
  auto tensor = std::make_unique<ImportedTensor>(object, copies, parameter, place, number);
  if (tensor->isLegacy() && !use.legacy) {
    throwLegacy(parameter);
  }
  if (tensor->isCopy() && use.shares) {
    throw py::value_error(parameter +
                          " can't be shared, since its library copied it: copy it with "
                          "Device.create_buffer(" +
                          parameter + ").");
  }
  BufferDesc desc;
  desc.settings = tensor->readOnly() ? NXS_BufferSettings_ReadOnly : 0;
  desc.size = tensor->size();
  desc.dataType = tensor->dataType();
  desc.shape = tensor->shape();
  desc.scalar = desc.shape.empty();
  if (number && !use.stream) {
    withoutGil([&] { behind.record().wait(); });
  }
  const auto handle = reinterpret_cast<std::uintptr_t>(tensor->handle());
  const std::uint64_t offset = tensor->offset();
  const Strides strides = tensor->strides();
  return makeBuffer(device, handle, offset, desc, strides, std::move(tensor));
}

// The interface does not report the device of the memory; the driver does.
BufferObject overCudaArray(py::handle object, const ForeignUse &use, const std::string &parameter) {
  const CudaArray array = readCudaArray(object, parameter);
  BufferDesc desc;
  desc.settings = array.readOnly ? NXS_BufferSettings_ReadOnly : 0;
  desc.size = array.size();
  desc.dataType = array.dataType;
  desc.shape = array.shape;
  desc.scalar = desc.shape.empty();
  const auto devices = use.device
                           ? std::vector{deviceFor({dlpack::CudaHost, 0}, use.device, parameter)}
                           : devicesOfType(dlpack::Cuda);
  for (std::size_t index = 0; index < devices.size(); ++index) {
    try {
      auto kept = std::make_unique<KeptObject>(py::reinterpret_borrow<py::object>(object));
      BufferObject buffer =
          makeBuffer(devices[index], array.address, 0, desc, array.strides, std::move(kept));
      if (array.stream) {
        orderAfterProducer(devices[index], *array.stream, use.stream);
      }
      return buffer;
    } catch (const Error &error) {
      if (error.status() != NXS_InvalidHostPtr || index + 1 == devices.size()) {
        throw;
      }
    }
  }
  throw py::buffer_error(parameter +
                         " lies in the memory of a CUDA device, and no backend has one: copy it "
                         "to host memory first.");
}

// A producer without DLPack 1.0, such as an older numpy's array, may report it by the buffer
// protocol.
bool offersWriting(py::handle producer) {
  Py_buffer view;
  if (PyObject_CheckBuffer(producer.ptr()) == 0) {
    return false;
  }
  if (PyObject_GetBuffer(producer.ptr(), &view, PyBUF_STRIDES | PyBUF_WRITABLE) != 0) {
    PyErr_Clear();
    return false;
  }
  PyBuffer_Release(&view);
  return true;
}

void checkImport(const ImportedTensor &tensor) {
  const auto refuse = [](const std::string &what) {
    throw py::value_error("x " + what + ": copy it with Device.create_buffer(x).");
  };
  if (tensor.isCopy()) {
    refuse("can't be shared, since its library copied it");
  }
  const std::uint64_t bytes = dtypeBytes(tensor.dataType(), 1);
  if (tensor.size() != 0 && reinterpret_cast<std::uintptr_t>(tensor.data()) % bytes != 0) {
    refuse(std::string("does not begin at a multiple of the ") + std::to_string(bytes) +
           " bytes of " + dtypeName(tensor.dataType()));
  }
}

BufferObject overHostArray(py::handle producer, const nexus::Device &device, bool writable) {
  giveBackPending();
  auto tensor = std::make_unique<ImportedTensor>(producer, ImportedTensor::Copies::Refused, "x");
  checkImport(*tensor);
  if (tensor->isLegacy() && !writable && !offersWriting(producer)) {
    throwLegacy("x");
  }
  BufferDesc array;
  array.size = tensor->size();
  array.settings =
      NXS_BufferSettings_Maintain | (tensor->readOnly() ? NXS_BufferSettings_ReadOnly : 0);
  array.dataType = tensor->dataType();
  array.shape = tensor->shape();
  array.scalar = array.shape.empty();
  const Strides strides = tensor->strides();
  const BufferDesc range = rangeOf(array, strides);
  auto desc = nexus::detail::toDesc(range);
  desc.host_data = static_cast<std::byte *>(tensor->data()) - strides.first;
  desc.host_release = giveBackKept;
  desc.host_context = static_cast<Kept *>(tensor.get());
  nexus_buffer *buffer = nullptr;
  nexus::detail::check(
      withoutGil([&] { return nexus_device_create_buffer(device.get(), &desc, &buffer); }));
  static_cast<void>(tensor.release());  // owned by the buffer
  return arrayIn(Buffer(buffer), array, strides);
}

// Returns the default device for the use of host memory.
nexus::Device hostDevice() {
  const py::object device = py::module_::import("nexus").attr("_host_device")();
  return valueOf<nexus::Device>(device.ptr());
}

}  // namespace

bool isForeignArray(py::handle object, const std::string &parameter) {
  if (PyType_Check(object.ptr()) != 0) {
    return false;
  }
  // CuPy's arrays also have the buffer protocol, which only raises an error.
  const bool isHostArray = PyObject_CheckBuffer(object.ptr()) != 0 && !isA<Buffer>(object);
  if (isHostArray && !hasCudaArray(object)) {
    return false;
  }
  if (hasDlpack(object)) {
    return !dlpack::isHost(dlpackDeviceOf(object, parameter));
  }
  return hasCudaArray(object);
}

BufferObject overForeignArray(py::handle object, const ForeignUse &use,
                              const std::string &parameter) {
  giveBackPending();
  return hasDlpack(object) ? overDlpack(object, use, parameter)
                           : overCudaArray(object, use, parameter);
}

// nexus.from_dlpack: a buffer that uses another library's memory in place.
static BufferObject importArray(py::handle producer, py::handle deviceObject,
                                py::handle streamObject, py::handle writableObject) {
  const Stream stream = optionalStream(streamObject);
  ForeignUse use;
  use.legacy = parseBool(writableObject, "writable");
  if (!deviceObject.is_none()) {
    use.device = argumentOf<nexus::Device>(deviceObject, "device");
  } else if (stream) {
    use.device = stream.getDevice();
  }
  use.stream = stream;
  if (isForeignArray(producer, "x")) {
    return overForeignArray(producer, use, "x");
  }
  return overHostArray(producer, use.device ? use.device : hostDevice(), use.legacy);
}

void registerDlpackImport(py::module_ &module) {
  stopGivingBackAtExit();
  function<&importArray>(module,
                         "from_dlpack(x: Any, device: Device | None, stream: Stream | None, "
                         "writable: bool) -> Buffer\n\nSee nexus.from_dlpack.");
}

}  // namespace nexus::python
