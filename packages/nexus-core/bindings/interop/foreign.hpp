// SPDX-License-Identifier: Apache-2.0
//
// Devices, streams and arrays of other libraries.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arrays/buffer.hpp"
#include "arrays/dlpack.hpp"
#include "types/property_read.hpp"

namespace nexus::python {

/// Returns DLPack's name of a device; nothing if its backend has none.
std::optional<dlpack::Device> dlpackNameOf(const nexus::Device &device);

/// Returns DLPack's name of a buffer's place; nothing if it is not visible to the host and its
/// backend has no name.
std::optional<dlpack::Device> dlpackPlaceOf(const BufferObject &buffer);

/// Returns the driver's handle of an object; nothing if its backend has none.
inline std::optional<std::uint64_t> nativeHandleOf(const Object &object) {
  return findProperty<std::int64_t>(object, NP_NativeHandle);
}

/// Returns the device that can use memory there. wanted: the program's choice, or empty for the
/// first that can. BufferError, with the parameter's name, if none can.
nexus::Device deviceFor(dlpack::Device place, const nexus::Device &wanted,
                        const std::string &parameter);

/// Returns the devices of a DLPack type, such as all for CUDA.
std::vector<nexus::Device> devicesOfType(dlpack::DeviceType type);

/// Device.create_stream(foreign=...): an int, or an object with __cuda_stream__, which is kept.
Stream adoptStream(const nexus::Device &device, py::handle foreign);

/// Stream.__cuda_stream__().
py::tuple cudaStreamOf(const Stream &stream);

/// Returns a stream's number in DLPack and in __cuda_array_interface__, which is never 0; nothing
/// if its backend has no handle.
std::optional<std::uint64_t> streamNumberOf(const Stream &stream, std::int32_t deviceType);

/// Makes a consumer's later work in its stream wait until all work that uses the buffer is done.
/// consumer is the argument stream of __dlpack__; its values depend on the device type in place. If
/// the backend can't do that, the host waits.
void orderConsumer(const BufferObject &buffer, dlpack::Device place, py::handle consumer);

/// Waits on the host for all submitted work that uses the buffer.
void waitForUses(const BufferObject &buffer);

/// Orders later work after a producer's work in its stream so far: work in stream or, if that is
/// empty, all work, since the host waits. number: as in __cuda_array_interface__.
void orderAfterProducer(const nexus::Device &device, std::uint64_t number, const Stream &stream);

/// The interface's description of an array.
struct CudaArray {
  std::uint64_t address = 0;
  bool readOnly = false;
  nxs_data_type dataType = NXS_DataType_Undefined;
  std::vector<std::uint64_t> shape;
  Strides strides;
  std::optional<std::uint64_t> stream;  ///< The number of the stream that its work is in.

  std::uint64_t size() const;  ///< Bytes.
};

bool hasCudaArray(py::handle object);

/// Reads it. TypeError and ValueError with the parameter's name: for a mask, elements without a
/// data type, and an invalid interface.
CudaArray readCudaArray(py::handle object, const std::string &parameter);

/// Returns whether an object is an array in a device's memory, by DLPack or by
/// __cuda_array_interface__.
bool isForeignArray(py::handle object, const std::string &parameter);

struct ForeignUse {
  nexus::Device device;  ///< The device that is to use it; empty: the one that it lies on.
  Stream stream;         ///< What is to come after its library's work; empty: all, the host waits.
  bool legacy = true;    ///< An array that can't say whether it is read-only is taken for writable.
  bool shares = true;    ///< A copy that its library made is refused.
};

/// Makes a buffer over the memory of an array for which isForeignArray is true, and keeps the
/// array. Errors name the parameter.
BufferObject overForeignArray(py::handle object, const ForeignUse &use,
                              const std::string &parameter);

}  // namespace nexus::python
