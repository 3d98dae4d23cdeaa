// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nexus/device.hpp>

#include <memory>
#include <vector>

#include "bindings.hpp"
#include "buffer_views.hpp"
#include "instance.hpp"

namespace nexus::python {

/// nexus.Buffer: a buffer, and what the views of its memory need. Used with the GIL held.
struct BufferObject : Held<Buffer> {
  using Held::Held;

  std::shared_ptr<ViewCount> views;  ///< Set at the first export, some of which outlive this.
  /// What the views point to; set at the first export of the buffer protocol, and constant from
  /// then on.
  std::vector<Py_ssize_t> viewShape;
  std::vector<Py_ssize_t> viewStrides;
  /// What a signal handler raised in the wait of the newest export of the buffer protocol: the
  /// type and the arguments.
  py::object interruptType;
  py::object interruptArguments;
};

/// The buffer's count of views.
const std::shared_ptr<ViewCount> &viewsOf(BufferObject &buffer);

/// The element's type, the shape and the device, for people: "float32 (4, 8) on cpu:0".
std::string describeBuffer(const BufferObject &buffer);

/// The shape as a tuple.
py::tuple shapeOf(const Buffer &buffer);

/// A shape as C functions take it, for which NULL is none.
inline const std::uint64_t *lengthsOf(const std::vector<std::uint64_t> &shape) noexcept {
  static constexpr std::uint64_t noLengths = 0;
  return shape.empty() ? &noLengths : shape.data();
}

/// Device.create_buffer(data, dtype, memory, shareable).
BufferObject createBuffer(const Device &device, py::handle data, py::handle dtype,
                          py::handle memory, py::handle shareable);

/// Device.create_buffer_from_handle(handle, data, dtype, offset, owner).
BufferObject createBufferFromHandle(const Device &device, py::handle handle, py::handle data,
                                    py::handle dtype, py::handle offset, py::handle owner);

/// Device.copy_buffer(buffer).
BufferObject copyBuffer(const Device &device, py::handle buffer);

/// buffer[key]: a part that shares the memory.
BufferObject sliceBuffer(const BufferObject &buffer, py::handle key);

/// Buffer.view(dtype): the same memory with elements of another data type.
BufferObject viewBuffer(const BufferObject &buffer, py::handle dtype);

/// Adds create_system_buffer(data, dtype), which nexus.create_buffer calls.
void registerSystemBuffer(py::module_ &module);

/// Adds buffer_bytes(buffer), for dtypes that the protocol has no format for.
void registerBufferBytes(py::module_ &module);

/// Gives the type the buffer protocol: views that share the memory where the host sees it.
void setupBufferProtocol(PyHeapTypeObject *heapType);

/// Adds numpy(), __array__ and its kin.
void bindBufferArrays(py::class_<BufferObject> &cls);

/// Adds __dlpack__ and __dlpack_device__.
void bindDlpackExport(py::class_<BufferObject> &cls);

/// Adds __cuda_array_interface__.
void bindCudaArray(py::class_<BufferObject> &cls);

/// Makes buffers that other processes share picklable; others say why not.
void setupBufferPickling(PyHeapTypeObject *heapType);

/// Adds import_buffer(...), which nexus._shared calls.
void registerBufferImport(py::module_ &module);

/// Adds from_dlpack(x, device, stream), which nexus.from_dlpack calls.
void registerDlpackImport(py::module_ &module);

}  // namespace nexus::python
