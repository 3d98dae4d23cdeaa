// SPDX-License-Identifier: Apache-2.0
//
// Buffers over memory allocated by other libraries or other processes.
#include "memory/buffer.hpp"

namespace nexus::core {
namespace {

// Refuses settings and host_data, which do not apply to memory that exists already.
const nexus_buffer_desc &descOfPart(const nexus_buffer_desc *desc) {
  const nexus_buffer_desc &wanted = givenDesc(desc);
  if ((wanted.settings & ~NXS_BufferSettings_ReadOnly) != 0 || wanted.host_data != nullptr) {
    throw Failure(NXS_InvalidValue,
                  "desc has settings or host_data; the memory is there already, so give neither, "
                  "or ReadOnly.");
  }
  return wanted;
}

void requireWithin(uint64_t offset, const Layout &layout, const Memory &memory) {
  if (offset > memory.size() || layout.size > memory.size() - offset) {
    throw Failure(NXS_InvalidValue, "offset is " + std::to_string(offset) + " and size is " +
                                        std::to_string(layout.size) + ", and the memory has " +
                                        std::to_string(memory.size()) +
                                        " bytes; give a part of it.");
  }
}

}  // namespace
}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_device_create_buffer_from_handle(nexus_device *device, uint64_t handle,
                                                  uint64_t offset, const nexus_buffer_desc *desc,
                                                  nexus_buffer **out_buffer) {
  return guarded([&] {
    requirePointer(out_buffer, "out_buffer");
    Device &on = given<Device>(device, "device");
    const nexus_buffer_desc &wanted = descOfPart(desc);
    Layout layout = layoutOf(wanted);
    Ref<Memory> memory = make<Memory>(on, layout.size, ForeignMemory{handle, offset},
                                      HostStorage{wanted.host_release, wanted.host_context});
    giveOutBuffer(make<Buffer>(std::move(memory), uint64_t{0}, std::move(layout)), out_buffer);
  });
}

nxs_status nexus_buffer_export(nexus_buffer *buffer, const nxs_sink *handle) {
  return guarded([&] {
    requirePointer(handle, "handle");
    const std::string bytes = given<Buffer>(buffer, "buffer").memory()->exported();
    handle->write(handle->context, bytes.data(), bytes.size());
  });
}

nxs_status nexus_device_import_buffer(nexus_device *device, const void *handle,
                                      uint64_t handle_size, uint64_t offset,
                                      const nexus_buffer_desc *desc, nexus_buffer **out_buffer) {
  return guarded([&] {
    requirePointer(out_buffer, "out_buffer");
    requirePointer(handle, "handle");
    Device &on = given<Device>(device, "device");
    const nexus_buffer_desc &wanted = descOfPart(desc);
    if (wanted.host_release != nullptr) {
      throw Failure(NXS_InvalidValue,
                    "desc has host_release; the memory is another process's, so give none.");
    }
    Layout layout = layoutOf(wanted);
    Ref<Memory> memory =
        make<Memory>(on, std::string_view(static_cast<const char *>(handle), handle_size));
    requireWithin(offset, layout, *memory);
    giveOutBuffer(make<Buffer>(std::move(memory), offset, std::move(layout)), out_buffer);
  });
}
