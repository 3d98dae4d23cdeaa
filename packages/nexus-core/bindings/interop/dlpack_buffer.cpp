// SPDX-License-Identifier: Apache-2.0
//
// nexus.from_dlpack: a buffer that uses another library's memory in place.
#include <memory>
#include <string>

#include "arrays/buffer.hpp"
#include "arrays/dlpack_import.hpp"
#include "interop/foreign_array.hpp"
#include "python/errors.hpp"
#include "python/gil.hpp"
#include "types/object.hpp"
#include "values/dtype.hpp"
#include "values/launch.hpp"

namespace nexus::python {
namespace {

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
    refuse("can't be shared, its library made a copy");
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
  nexus_buffer_desc desc{};
  desc.struct_size = sizeof(desc);
  desc.size = tensor->size();
  desc.settings =
      NXS_BufferSettings_Maintain | (tensor->readOnly() ? NXS_BufferSettings_ReadOnly : 0);
  desc.data_type = tensor->dataType();
  desc.rank = static_cast<std::uint32_t>(tensor->shape().size());
  desc.shape = lengthsOf(tensor->shape());
  desc.host_data = tensor->data();
  desc.host_release = giveBackKept;
  desc.host_context = static_cast<Kept *>(tensor.get());
  nexus_buffer *buffer = nullptr;
  nexus::detail::check(
      withoutGil([&] { return nexus_device_create_buffer(device.get(), &desc, &buffer); }));
  static_cast<void>(tensor.release());  // owned by the buffer
  return BufferObject(Buffer(buffer));
}

// Returns the default device for the use of host memory.
nexus::Device hostDevice() {
  const py::object device = py::module_::import("nexus").attr("_host_device")();
  return valueOf<nexus::Device>(device.ptr());
}

BufferObject importArray(py::handle producer, py::handle deviceObject, py::handle streamObject,
                         py::handle writableObject) {
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

}  // namespace

void registerDlpackImport(py::module_ &module) {
  stopGivingBackAtExit();
  function<&importArray>(module,
                         "from_dlpack(x: Any, device: Device | None, stream: Stream | None, "
                         "writable: bool) -> Buffer\n\nSee nexus.from_dlpack.");
}

}  // namespace nexus::python
