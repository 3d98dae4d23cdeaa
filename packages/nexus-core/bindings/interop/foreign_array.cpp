// SPDX-License-Identifier: Apache-2.0
#include "interop/foreign_array.hpp"

#include <memory>

#include "arrays/dlpack_import.hpp"
#include "interop/cuda_array.hpp"
#include "interop/foreign_device.hpp"
#include "interop/foreign_stream.hpp"
#include "python/errors.hpp"
#include "python/gil.hpp"
#include "values/dtype.hpp"

namespace nexus::python {
namespace {

// The buffer owns kept if this returns.
BufferObject makeBuffer(const nexus::Device &device, std::uint64_t handle, std::uint64_t offset,
                        const BufferDesc &desc, std::unique_ptr<Kept> kept) {
  const ForeignMemory memory{handle, offset, &giveBackKept, kept.get()};
  BufferObject buffer(withoutGil([&] { return device.createBuffer(memory, desc); }));
  static_cast<void>(kept.release());
  return buffer;
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
    throw py::value_error(parameter + " can't be shared, its library made a copy.");
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
  return makeBuffer(device, handle, offset, desc, std::move(tensor));
}

// The interface does not tell the device of the memory; the driver does.
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
      BufferObject buffer = makeBuffer(devices[index], array.address, 0, desc, std::move(kept));
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

}  // namespace

void throwLegacy(const std::string &parameter) {
  throw py::value_error(parameter +
                        " comes by a DLPack before 1.0, which does not say whether it is "
                        "read-only: pass writable=True if it may be written, or copy it with "
                        "Device.create_buffer(" +
                        parameter + ").");
}

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

}  // namespace nexus::python
