// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nexus/device.hpp>
#include <nexus/schedule.hpp>

#include <memory>
#include <vector>

#include "arrays/buffer_views.hpp"
#include "arrays/host_array.hpp"
#include "python/bindings.hpp"
#include "python/shared_state.hpp"
#include "types/instance.hpp"
#include "values/strides.hpp"

namespace nexus::python {

/// Arrays that the views of the buffer protocol point to.
struct ViewLayout {
  std::vector<Py_ssize_t> shape;
  std::vector<Py_ssize_t> strides;
};

/// An exception's type and arguments; empty if there was none.
struct Interrupt {
  py::object type;
  py::object arguments;
};

/// nexus.Buffer: a buffer, and the state of its memory's views. Requires the GIL.
struct BufferObject : Held<Buffer> {
  using Held::Held;

  MadeOnce<std::shared_ptr<ViewCount>> views;  ///< From the first export; some outlive this.
  MadeOnce<ViewLayout> viewLayout;             ///< From the first export of the buffer protocol.
  StateMutex interruptMutex;
  /// The exception of a signal handler in the wait of the newest export of the buffer protocol.
  Interrupt interrupt;
};

const std::shared_ptr<ViewCount> &viewsOf(BufferObject &buffer);

/// Returns the dtype, the shape and the device for people: "float32 (4, 8) on cpu:0".
std::string describeBuffer(const BufferObject &buffer);

py::tuple shapeOf(const Buffer &buffer);

/// Returns the buffer of a copy command: a Buffer, or a system buffer over the memory of an array,
/// which it keeps as long as it is used.
Buffer copyOperand(py::handle object, HostArray::Access access, const std::string &parameter);

/// Adds what makes a buffer an array: size, strides, x[i], reshape() and so on.
void bindArray(py::class_<BufferObject> &cls);

/// Device.create_buffer(data, dtype, memory, shareable).
BufferObject createBuffer(const Device &device, py::handle data, py::handle dtype,
                          py::handle memory, py::handle shareable);

/// Schedule.create_buffer(shape, dtype).
BufferObject createScratchBuffer(const Schedule &schedule, py::handle shape, py::handle dtype);

/// Device.create_buffer_from_handle(handle, data, dtype, offset, owner).
BufferObject createBufferFromHandle(const Device &device, py::handle handle, py::handle data,
                                    py::handle dtype, py::handle offset, py::handle owner);

/// Device.copy_buffer(buffer).
BufferObject copyBuffer(const Device &device, py::handle buffer);

/// buffer[key]: a part that shares the memory.
BufferObject sliceBuffer(const BufferObject &buffer, py::handle key);

/// Buffer.T: the same memory with the dimensions in reverse order.
BufferObject transposeBuffer(const BufferObject &buffer);

/// Returns a part of a buffer's memory by its bytes.
BufferObject partOfMemory(py::handle buffer, py::handle offset, py::handle size, py::handle dtype,
                          py::handle shape);

/// Buffer.view(dtype): the same memory with elements of another data type.
BufferObject viewBuffer(const BufferObject &buffer, py::handle dtype);

/// Adds create_system_buffer(data, dtype), which nexus.create_buffer calls.
void registerSystemBuffer(py::module_ &module);

/// Adds buffer_bytes(buffer), for dtypes that the protocol has no format for.
void registerBufferBytes(py::module_ &module);

/// Adds the buffer protocol to the type: views that share the memory, if it is visible to the host.
void setupBufferProtocol(PyHeapTypeObject *heapType);

/// Returns the strides of an array interface: None for C order without gaps.
py::object stridesOrNone(const Buffer &buffer);

/// Adds numpy(), __array__ and related methods.
void bindBufferArrays(py::class_<BufferObject> &cls);

/// Adds __dlpack__ and __dlpack_device__.
void bindDlpackExport(py::class_<BufferObject> &cls);

/// Adds __cuda_array_interface__.
void bindCudaArray(py::class_<BufferObject> &cls);

/// Adds from_dlpack(x, device, stream), which nexus.from_dlpack calls.
void registerDlpackImport(py::module_ &module);

}  // namespace nexus::python
