// SPDX-License-Identifier: Apache-2.0
//
// What DLPack calls devices, and the memory of buffers.
#pragma once

#include <optional>
#include <string>

#include "buffer.hpp"
#include "dlpack.hpp"

namespace nexus::python {

/// DLPack's name of a device; nothing where its backend tells none.
std::optional<dlpack::Device> dlpackNameOf(const nexus::Device &device);

/// DLPack's name of where a buffer lies; nothing where the host does not see it and its backend
/// tells none.
std::optional<dlpack::Device> dlpackPlaceOf(const BufferObject &buffer);

/// What the driver calls the object; nothing where its backend does not tell.
std::optional<std::uint64_t> nativeHandleOf(const Object &object);

/// The device that memory there is used on. wanted is the one that the program chose, or empty:
/// then the first that fits. BufferError, which names the parameter, where none does.
nexus::Device deviceFor(dlpack::Device place, const nexus::Device &wanted,
                        const std::string &parameter);

/// The devices of a kind of DLPack's, such as all for CUDA.
std::vector<nexus::Device> devicesOfType(dlpack::DeviceType type);

}  // namespace nexus::python
