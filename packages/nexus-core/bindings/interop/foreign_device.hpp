// SPDX-License-Identifier: Apache-2.0
//
// DLPack's names of devices and of the places of buffers.
#pragma once

#include <optional>
#include <string>

#include "arrays/buffer.hpp"
#include "arrays/dlpack.hpp"

namespace nexus::python {

/// Returns DLPack's name of a device; nothing if its backend has none.
std::optional<dlpack::Device> dlpackNameOf(const nexus::Device &device);

/// Returns DLPack's name of a buffer's place; nothing if it is not visible to the host and its
/// backend has no name.
std::optional<dlpack::Device> dlpackPlaceOf(const BufferObject &buffer);

/// Returns the driver's handle of an object; nothing if its backend has none.
std::optional<std::uint64_t> nativeHandleOf(const Object &object);

/// Returns the device that can use memory there. wanted: the program's choice, or empty for the
/// first that can. BufferError, with the parameter's name, if none can.
nexus::Device deviceFor(dlpack::Device place, const nexus::Device &wanted,
                        const std::string &parameter);

/// Returns the devices of a DLPack type, such as all for CUDA.
std::vector<nexus::Device> devicesOfType(dlpack::DeviceType type);

}  // namespace nexus::python
