// SPDX-License-Identifier: Apache-2.0
#include "arrays/buffer.hpp"

#include "arrays/give_back.hpp"
#include "arrays/host_array.hpp"
#include "arrays/in_flight.hpp"
#include "python/errors.hpp"
#include "python/gil.hpp"
#include "types/object.hpp"
#include "types/signature.hpp"
#include "values/dtype.hpp"
#include "values/parse.hpp"
#include "values/scalar.hpp"

namespace nexus::python {
namespace {

class KeptArray final : public Kept {
 public:
  template <class... Arguments>
  explicit KeptArray(Arguments &&...given) : array(std::forward<Arguments>(given)...) {}

  const HostArray array;
};

// Requires the same dtype, unless either has none.
void checkSameType(const BufferObject &buffer, nxs_data_type other, const char *parameter) {
  const nxs_data_type type = buffer.getDataType();
  if (type != NXS_DataType_Undefined && other != NXS_DataType_Undefined && type != other) {
    throw py::type_error(std::string(parameter) + " has dtype " + dtypeName(other) +
                         ", but the buffer has " + dtypeName(type) +
                         ": pass an array of the buffer's dtype.");
  }
}

void checkFits(const BufferObject &buffer, const HostArray &array, const char *parameter) {
  checkSameType(buffer, array.dataType(), parameter);
  const std::uint64_t size = buffer.getSize();
  if (array.size() != size) {
    throw py::value_error(std::string(parameter) + " has " + std::to_string(array.size()) +
                          " bytes, but the buffer has " + std::to_string(size) +
                          ": pass an array of that size.");
  }
}

void checkBlocks(bool blocking, const char *parameter) {
  if (!blocking) {
    throw py::value_error(std::string(parameter) +
                          " is not C-contiguous, and blocking is False: pass "
                          "numpy.ascontiguousarray(...) of it, or let the copy block.");
  }
}

// Returns the stream of a copy that does not block: by default the device's default stream, after
// all work that uses the buffer.
Stream streamOf(const BufferObject &buffer, const Stream &stream) {
  if (stream) {
    return stream;
  }
  const Device device = buffer.getDevice();
  if (!device) {
    throw py::value_error(
        "blocking is False, and a system buffer has no stream of its own: give a stream, or let "
        "the copy block.");
  }
  return device.getDefaultStream();
}

void copyToHost(const BufferObject &self, py::handle host, py::handle streamObject,
                py::handle blockingObject) {
  const Stream stream = optionalStream(streamObject);
  const bool blocking = parseBool(blockingObject, "blocking");
  auto array = std::make_unique<HostArray>(host, HostArray::Access::Write, "host", std::string(),
                                           HostArray::Order::Any);
  checkFits(self, *array, "host");
  if (!array->contiguous()) {
    checkBlocks(blocking, "host");
    withoutGil([&] { self.copyTo(array->view(), stream); });
    return;
  }
  const auto submit = [&, data = array->data(), size = array->size()] {
    self.copy(data, size, 0, stream, blocking);
  };
  if (blocking) {
    withoutGil(submit);
  } else {
    copyInFlight(streamOf(self, stream), self, std::move(array), submit);
  }
}

// Without an array the copy is a new buffer.
py::object copyOut(py::handle self, py::handle host, py::handle stream, py::handle blocking) {
  if (!host.is(omitted())) {
    copyToHost(valueOf<BufferObject>(self.ptr()), host, stream, blocking);
    return py::none();
  }
  if (optionalStream(stream) || !parseBool(blocking, "blocking")) {
    throw py::value_error(
        "stream and blocking are for a copy into host: give host, or leave them out for a new "
        "buffer.");
  }
  return py::module_::import("nexus._arrays._values").attr("copied")(self);
}

void copyFromHost(const BufferObject &self, py::handle source, py::handle streamObject,
                  py::handle blockingObject) {
  const Stream stream = optionalStream(streamObject);
  const bool blocking = parseBool(blockingObject, "blocking");
  if (isA<Buffer>(source)) {
    const Buffer &other = valueOf<Buffer>(source.ptr());
    checkSameType(self, other.getDataType(), "array");
    withoutGil([&] { other.copyTo(self, stream, blocking); });
    return;
  }
  auto array = std::make_unique<HostArray>(source, HostArray::Access::Read, "array", std::string(),
                                           HostArray::Order::Any);
  checkFits(self, *array, "array");
  if (!array->contiguous()) {
    checkBlocks(blocking, "array");
    withoutGil([&] { array->view().copyTo(self, stream); });
    return;
  }
  const auto submit = [&, data = array->data(), size = array->size()] {
    self.copyFrom(data, size, 0, stream, blocking);
  };
  if (blocking) {
    withoutGil(submit);
  } else {
    copyInFlight(streamOf(self, stream), self, std::move(array), submit);
  }
}

void fill(const BufferObject &self, py::handle value, py::handle streamObject,
          py::handle blockingObject) {
  const Stream stream = optionalStream(streamObject);
  const bool blocking = parseBool(blockingObject, "blocking");
  const nxs_data_type type = self.getDataType();
  const Scalar pattern =
      packScalar(value, type == NXS_DataType_Undefined ? NXS_DataType_U8 : type, "value");
  withoutGil([&] {
    nexus::detail::check(nexus_buffer_fill(self.get(), pattern.bytes.data(), pattern.bytes.size(),
                                           stream.get(), blocking ? 1 : 0));
  });
}

void close(const BufferObject &self) {
  const Closing closing(self);
  withoutGil([&] { self.close(); });
  giveBackPending();
}

void bindCopies(py::class_<BufferObject> &cls) {
  method<&copyOut>(
      cls,
      "copy(self, host: WritableArray = ..., stream: Stream | None = None, blocking: bool = True) "
      "-> Buffer | None\n\nCopies the buffer's contents into a host array of equal dtype and "
      "bytes, which may have strides, and returns None. copy() returns a new buffer with the "
      "contents, on the same device.\n\nWithout a stream the copy starts after all submitted work "
      "that uses the buffer. With blocking=False it returns at once; the array is kept alive, and "
      "has the contents when the stream has done the copy. Raises TypeError for another dtype, "
      "ValueError for another size or an array that is read-only; with blocking=False also for one "
      "that is not C-contiguous.");
  method<&copyFromHost>(
      cls,
      "copy_from(self, array: Array | Buffer, stream: Stream | None = None, blocking: bool = True) "
      "-> None\n\nCopies a host array, or another buffer, of equal dtype and bytes into the "
      "buffer.\n\nWith blocking=False it returns at once; the array is kept alive, and must not "
      "change until the stream has done the copy. A buffer may be of another device: stream is "
      "then one of either device, and None uses the default streams of both. Raises the errors of "
      "copy.");
  method<&fill>(cls,
                "fill(self, value: Number, stream: Stream | None = None, blocking: bool = True) -> "
                "None\n\nSets every element to value; every byte if the buffer has no "
                "dtype.\n\nRaises ValueError if value does not fit the dtype.");
}

constexpr const char *kBufferRefusal =
    "nexus.Buffer objects can't be pickled or copied, since each belongs to this process. "
    "For another process create one with Device.create_buffer(data, shareable=True); for a copy "
    "use buffer.copy().";

// The pickle has the handle of the memory, not its contents.
py::tuple reduceBuffer(const BufferObject &self, py::handle) {
  if (!self.isContiguous()) {
    throw py::type_error(
        "A view that is not contiguous can't be pickled: pickle the whole buffer and take the view "
        "of that.");
  }
  try {
    const std::string handle = withoutGil([&] { return self.exportMemory(); });
    const auto offset = withoutGil([&] { return self.getProperty<std::int64_t>(NP_Offset); });
    const py::object record = recordDtype(self.getDataType());
    return py::make_tuple(
        py::module_::import("nexus._shared").attr("open_buffer"),
        py::make_tuple(
            wrap(self.getDevice()).attr("selector"), py::bytes(handle), offset, self.getSize(),
            record.is_none() ? py::object(py::int_(self.getDataType())) : record, shapeOf(self)));
  } catch (const Error &error) {
    const nxs_status status = error.status();
    if (status != NXS_InvalidOperation && status != NXS_NotSupported) throw;
    throw py::type_error(kBufferRefusal);
  }
}

[[noreturn]] py::object refuseBufferCopy(py::handle) {
  throw py::type_error(kBufferRefusal);
}

[[noreturn]] py::object refuseDeepBufferCopy(py::handle, py::handle) {
  throw py::type_error(kBufferRefusal);
}

BufferObject importBuffer(py::handle deviceObject, py::handle handle, py::handle offset,
                          py::handle nbytes, py::handle dataType, py::handle shape) {
  const auto &device = argumentOf<nexus::Device>(deviceObject, "device");
  if (PyBytes_Check(handle.ptr()) == 0) {
    throwTypeError("handle", "bytes", handle);
  }
  BufferDesc desc;
  desc.size = parseCount(nbytes, "nbytes");
  desc.dataType = isRecordDtype(dataType)
                      ? parseDtype(dataType, "data_type")
                      : static_cast<nxs_data_type>(parseCount(dataType, "data_type"));
  desc.shape = parseShape(shape, "shape");
  desc.scalar = desc.shape.empty();
  const std::uint64_t start = parseCount(offset, "offset");
  const auto text = py::cast<std::string>(handle);
  return BufferObject(withoutGil([&] { return device.importBuffer(text, desc, start); }));
}

// For buffers shared between processes; others raise the reason.
void bindBufferPickling(py::class_<BufferObject> &cls) {
  method<&reduceBuffer>(
      cls,
      "__reduce_ex__(self, protocol: int, /) -> tuple[Any, ...]\n\nPickles a buffer that was made "
      "with shareable=True, for another process. Raises TypeError for others.");
  method<&refuseBufferCopy>(
      cls, "__copy__(self) -> Never\n\nRaises TypeError: Device.copy_buffer(buffer) copies.");
  method<&refuseDeepBufferCopy>(cls,
                                "__deepcopy__(self, memo: object, /) -> Never\n\nRaises TypeError: "
                                "Device.copy_buffer(buffer) copies.");
}

}  // namespace

Buffer copyOperand(py::handle object, HostArray::Access access, const std::string &parameter) {
  if (isA<Buffer>(object)) {
    return valueOf<Buffer>(object.ptr());
  }
  auto kept = std::make_unique<KeptArray>(object, access, parameter, "a nexus.Buffer, or ");
  giveBackPending();
  auto desc = nexus::detail::sized<nexus_buffer_desc>();
  desc.size = kept->array.size();
  if (desc.size != 0) {  // an empty array has no memory to keep
    desc.settings = NXS_BufferSettings_Maintain;
    if (access == HostArray::Access::Read) desc.settings |= NXS_BufferSettings_ReadOnly;
    desc.host_data = kept->array.data();
    desc.host_release = &giveBackKept;
    desc.host_context = static_cast<Kept *>(kept.get());
  }
  Buffer buffer =
      withoutGil([&] { return nexus::detail::result<Buffer>(nexus_create_system_buffer, &desc); });
  if (desc.size != 0) static_cast<void>(kept.release());  // owned by the buffer
  return buffer;
}

py::tuple shapeOf(const Buffer &buffer) {
  const auto shape = buffer.getShape();
  py::tuple tuple(shape.size());
  for (std::size_t index = 0; index < shape.size(); ++index) {
    tuple[index] = shape[index];
  }
  return tuple;
}

std::string describeBuffer(const BufferObject &buffer) {
  const Device device = buffer.getDevice();
  return std::string(dtypeName(buffer.getDataType())) + " " +
         py::cast<std::string>(py::repr(shapeOf(buffer))) +
         (device ? " on " + device.getSelector() : " in system memory");
}

void registerBuffer(py::module_ &module) {
  const auto factory = madeBy("Device.create_buffer() or nexus.create_buffer()");
  auto cls =
      makeClass<Buffer>(module, "Buffer",
                        "Memory of a device, with a dtype and a shape.\n\nMade by "
                        "Device.create_buffer(), and as a system buffer by nexus.create_buffer(). "
                        "numpy.asarray(buffer), memoryview(buffer) and\nfrom_dlpack(buffer) of "
                        "numpy, torch and jax share its memory, if the host can access it.",
                        py::custom_type_setup([factory](PyHeapTypeObject *type) {
                          factory.value(type);
                          setupBufferProtocol(type);
                        }));
  bindObject<&describeBuffer>(cls);
  bindClose<&close>(cls,
                    "close(self) -> None\n\nCloses this buffer: any later use of it is an error. "
                    "Slices and schedules that use the memory keep it; it is freed after the last "
                    "of them and after all work that uses it. Raises BufferError while views of it "
                    "are alive. A second call does nothing.");
  property<[](const BufferObject &self) { return wrap(self.getDevice()); }>(
      cls, "device: Device | None\n\nThe buffer's device; None for a system buffer.");
  property<[](const BufferObject &self) { return py::bool_(self.isReadOnly()); }>(
      cls,
      "readonly: bool\n\nTrue if the buffer can't be written, such as the memory of a jax array "
      "from from_dlpack().\n\nKernels accept it for parameters that are pointers to const, such as "
      "'const float *'.");
  bindCopies(cls);
  bindArray(cls);
  bindBufferArrays(cls);
  bindDlpackExport(cls);
  bindCudaArray(cls);
  bindNativeHandle(cls);
  registerBufferBytes(module);
  registerSystemBuffer(module);
  registerDlpackImport(module);
  bindBufferPickling(cls);
  function<&importBuffer>(
      module,
      "import_buffer(device: Device, handle: bytes, offset: int, nbytes: int, data_type: int, "
      "shape: tuple[int, ...]) -> Buffer\n\nOpens a buffer that another process shares.");
  function<&partOfMemory>(
      module,
      "part_of_memory(buffer: Buffer, offset: int, size: int, dtype: str | None, shape: tuple[int, "
      "...]) -> Buffer\n\nReturns a part of a buffer's memory, given in bytes.");
}

}  // namespace nexus::python
