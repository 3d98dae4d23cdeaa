// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nexus/device.hpp>

#include <vector>

#include "bindings.hpp"
#include "instance.hpp"

namespace nexus::python {

/// nexus.Buffer: a buffer, and what the views of its memory need. Used with the GIL held. There is
/// one instance of a buffer at a time, so that its views are counted in one place.
struct BufferObject : Held<Buffer> {
  using Held::Held;

  Py_ssize_t views = 0;  ///< Exports of the buffer protocol that live.
  /// What the views point to; set at the first export, and constant from then on.
  std::vector<Py_ssize_t> viewShape;
  std::vector<Py_ssize_t> viewStrides;
};

/// Device.create_buffer(data, dtype, memory).
BufferObject createBuffer(const Device &device, py::handle data, py::handle dtype,
                          py::handle memory);

/// Device.copy_buffer(buffer).
BufferObject copyBuffer(const Device &device, py::handle buffer);

/// Adds buffer_bytes(buffer), for dtypes that the protocol has no format for.
void registerBufferBytes(py::module_ &module);

/// Gives the type the buffer protocol: views that share the memory where the host sees it.
void setupBufferProtocol(PyHeapTypeObject *heapType);

}  // namespace nexus::python
