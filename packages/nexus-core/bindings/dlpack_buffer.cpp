// SPDX-License-Identifier: Apache-2.0
//
// nexus.from_dlpack: a buffer that uses another library's memory in place.
#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "buffer.hpp"
#include "dlpack_import.hpp"
#include "dtype.hpp"
#include "errors.hpp"
#include "gil.hpp"
#include "object.hpp"

namespace nexus::python {
namespace {

// Tensors that were let go by threads without the GIL, the newest first. Without a lock, which a
// fork() could leave taken.
std::atomic<ImportedTensor *> returned{nullptr};
std::atomic<bool> returnScheduled{false};
std::atomic<bool> interpreterEnded{false};  // nothing is given back any more

int giveBackOnMainThread(void *) {
  giveBackPending();
  return 0;
}

void releaseTensor(void *context) {
  giveBack(static_cast<ImportedTensor *>(context));
}

void checkImport(const ImportedTensor &tensor, py::handle producer) {
  const auto refuse = [](const std::string &what) {
    throw py::value_error("x " + what + ": copy it with Device.create_buffer(x).");
  };
  if (tensor.readOnly()) {
    refuse("is read-only, and kernels write to buffers");
  }
  if (tensor.isCopy()) {
    refuse("can't be shared, its library made a copy");
  }
  if (tensor.shape().empty()) {
    throwValueError("x", producer, "it has no dimensions; pass it as an array of shape (1,)");
  }
  if (tensor.size() == 0) {
    throw py::value_error("x is an array without elements: a buffer has at least one byte.");
  }
  const std::uint64_t bytes = dtypeBytes(tensor.dataType(), 1);
  if (reinterpret_cast<std::uintptr_t>(tensor.data()) % bytes != 0) {
    refuse(std::string("does not begin at a multiple of the ") + std::to_string(bytes) +
           " bytes of " + dtypeName(tensor.dataType()));
  }
}

BufferObject importBuffer(py::handle producer, py::handle deviceObject) {
  const auto &device = argumentOf<Device>(deviceObject, "device");
  giveBackPending();
  auto tensor = std::make_unique<ImportedTensor>(producer, ImportedTensor::Copies::Refused, "x");
  checkImport(*tensor, producer);
  nexus_buffer_desc desc{};
  desc.struct_size = sizeof(desc);
  desc.size = tensor->size();
  desc.settings = NXS_BufferSettings_Maintain;
  desc.data_type = tensor->dataType();
  desc.rank = static_cast<std::uint32_t>(tensor->shape().size());
  desc.shape = tensor->shape().data();
  desc.host_data = tensor->data();
  desc.host_release = releaseTensor;
  desc.host_context = tensor.get();
  nexus_buffer *buffer = nullptr;
  nexus::detail::check(
      withoutGil([&] { return nexus_device_create_buffer(device.get(), &desc, &buffer); }));
  static_cast<void>(tensor.release());  // the buffer's
  return BufferObject(Buffer(buffer));
}

}  // namespace

void giveBack(ImportedTensor *tensor) noexcept {
  if (interpreterEnded) {
    return;
  }
  if (PyGILState_Check() != 0) {
    delete tensor;
    return;
  }
  tensor->next = returned;
  while (!returned.compare_exchange_weak(tensor->next, tensor)) {
  }
  // Python's own queue may be full: then the next tensor, or the next import, tries again.
  if (!returnScheduled.exchange(true) && Py_AddPendingCall(giveBackOnMainThread, nullptr) != 0) {
    returnScheduled = false;
  }
}

void giveBackPending() noexcept {
  returnScheduled = false;
  ImportedTensor *tensor = returned.exchange(nullptr);
  while (tensor != nullptr) {
    delete std::exchange(tensor, tensor->next);
  }
}

void registerDlpackImport(py::module_ &module) {
  py::module_::import("atexit").attr("register")(py::cpp_function([] { interpreterEnded = true; }));
  function<&importBuffer>(
      module,
      "from_dlpack(x: Any, device: Device) -> Buffer\n\nA buffer that uses the memory of "
      "another library's array in place.");
}

}  // namespace nexus::python
