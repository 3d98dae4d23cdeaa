// SPDX-License-Identifier: Apache-2.0
#include "interop/foreign.hpp"

#include <memory>
#include <string>

#include "arrays/give_back.hpp"
#include "python/errors.hpp"
#include "python/gil.hpp"
#include "types/object.hpp"
#include "values/parse.hpp"

namespace nexus::python {
namespace {

constexpr const char *kForeign =
    "a native handle (int) or an object with __cuda_stream__, such as a stream of CuPy, numba, "
    "torch or cuda.core";

bool isInt(py::handle value) {
  return PyLong_Check(value.ptr()) != 0 && !PyBool_Check(value.ptr());
}

bool isCuda(const nexus::Device &device) {
  const auto name = dlpackNameOf(device);
  return name && dlpack::familyOf(name->type) == dlpack::Cuda;
}

// Returns the handle of __cuda_stream__ of a foreign object, which is a version, 0, and the handle.
std::uint64_t handleOf(py::handle foreign) {
  const py::object protocol = foreign.attr("__cuda_stream__");
  const py::object told = PyCallable_Check(protocol.ptr()) != 0 ? protocol() : protocol;
  const bool isPair = PyTuple_Check(told.ptr()) != 0 && PyTuple_GET_SIZE(told.ptr()) == 2 &&
                      isInt(PyTuple_GET_ITEM(told.ptr(), 0)) &&
                      isInt(PyTuple_GET_ITEM(told.ptr(), 1));
  if (!isPair) {
    throwTypeError("__cuda_stream__ of foreign", "a tuple of a version and a handle", told);
  }
  const py::handle version = PyTuple_GET_ITEM(told.ptr(), 0);
  if (!version.equal(py::int_(0))) {
    throwValueError("The version in __cuda_stream__ of foreign", version,
                    "nexus knows version 0 of the protocol");
  }
  return parseCount(PyTuple_GET_ITEM(told.ptr(), 1), "the handle in __cuda_stream__ of foreign");
}

Stream streamOver(const nexus::Device &device, std::uint64_t handle, py::object owner) {
  std::unique_ptr<Kept> kept;
  if (owner) {
    kept = std::make_unique<KeptObject>(std::move(owner));
  }
  giveBackPending();
  Stream stream = withoutGil([&] {
    return device.createStreamFromHandle(handle, kept ? &giveBackKept : nullptr, kept.get());
  });
  static_cast<void>(kept.release());  // owned by the stream
  return stream;
}

// Returns the handle of a consumer's stream. None: the default stream of such libraries.
std::uint64_t consumerHandle(dlpack::Device place, py::handle consumer) {
  const bool rocm = dlpack::familyOf(place.type) == dlpack::Rocm;
  if (consumer.is_none()) {
    return rocm ? 0 : 1;
  }
  if (!isInt(consumer)) {
    throwTypeError("stream", "an int, a nexus.Stream or None", consumer);
  }
  const std::uint64_t number = parseCount(consumer, "stream");
  if (rocm && (number == 1 || number == 2)) {
    throwValueError("stream", consumer, "ROCm has no such streams; 0 is the default one");
  }
  if (!rocm && number == 0) {
    throwValueError("stream", consumer,
                    "that is ambiguous; 1 is CUDA's legacy default stream, 2 the per-thread one");
  }
  return number;
}

}  // namespace

Stream adoptStream(const nexus::Device &device, py::handle foreign) {
  if (isInt(foreign)) {
    return streamOver(device, parseCount(foreign, "foreign"), {});
  }
  if (PyType_Check(foreign.ptr()) != 0 || !hasAttribute(foreign, "__cuda_stream__")) {
    throwTypeError("foreign", kForeign, foreign);
  }
  if (!isCuda(device)) {
    throw py::value_error("foreign is a stream of CUDA, and the device '" + device.getSelector() +
                          "' is not a CUDA device: give the handle of one of its own streams.");
  }
  return streamOver(device, handleOf(foreign), py::reinterpret_borrow<py::object>(foreign));
}

py::tuple cudaStreamOf(const Stream &stream) {
  const nexus::Device device = stream.getDevice();
  const auto handle = isCuda(device) ? nativeHandleOf(stream) : std::nullopt;
  if (!handle) {
    throw py::type_error("The stream is on the device '" + device.getSelector() +
                         "', which is not a CUDA device, so it has no __cuda_stream__.");
  }
  return py::make_tuple(0, *handle);
}

std::optional<std::uint64_t> streamNumberOf(const Stream &stream, std::int32_t deviceType) {
  const auto handle = nativeHandleOf(stream);
  const bool legacy = handle == 0U && dlpack::familyOf(deviceType) == dlpack::Cuda;
  return legacy ? 1 : handle;
}

void waitForUses(const BufferObject &buffer) {
  withoutGil([&] {
    const Stream stream = buffer.getDevice().getDefaultStream();
    stream.wait(static_cast<const Buffer &>(buffer));
    stream.record().wait();
  });
}

void orderConsumer(const BufferObject &buffer, dlpack::Device place, py::handle consumer) {
  if (isA<Stream>(consumer)) {
    const Stream &stream = valueOf<Stream>(consumer.ptr());
    withoutGil([&] { stream.wait(static_cast<const Buffer &>(buffer)); });
    return;
  }
  if (isInt(consumer) && consumer.equal(py::int_(-1))) {
    return;  // the consumer orders its work itself
  }
  // The host may read managed memory, which belongs to no stream.
  if (!dlpack::hasStreams(place.type) ||
      (consumer.is_none() && place.type == dlpack::CudaManaged)) {
    waitForUses(buffer);
    return;
  }
  const std::uint64_t handle = consumerHandle(place, consumer);
  try {
    withoutGil([&] {
      const Stream consuming = buffer.getDevice().createStreamFromHandle(handle);
      consuming.wait(static_cast<const Buffer &>(buffer));
    });
  } catch (const Error &error) {
    if (error.status() != NXS_NotSupported) {
      throw;
    }
    waitForUses(buffer);
  }
}

void orderAfterProducer(const nexus::Device &device, std::uint64_t number, const Stream &stream) {
  withoutGil([&] {
    const Event passed = device.createStreamFromHandle(number).record();
    if (stream) {
      stream.wait(passed);
    } else {
      passed.wait();
    }
  });
}

}  // namespace nexus::python
