// SPDX-License-Identifier: Apache-2.0
// nxsExportBuffer and nxsImportBuffer: a device's memory by the driver's handles for processes, the
// host's by the system's shared memory.
#include "device/device.hpp"
#include "memory/buffer.hpp"
#include "memory/known_memory.hpp"
#include "stream/exported.hpp"

#include <nexus-plugin/functions.hpp>
#include <nexus-plugin/text.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::Error;
using nexus_plugin::ProcessMemory;
using nexus_plugin::Ref;

namespace {

// The description of memory that a process exports.
struct SharedMemory {
  Exported from;      // object: the buffer
  uint64_t size = 0;  // bytes
  CUipcMemHandle handle{};

  std::string text() const;
  // Throws NXS_InvalidValue.
  static SharedMemory parse(std::string_view text);
};

constexpr std::string_view kMemoryHead = "nexus-cuda-memory 1 ";

std::string SharedMemory::text() const {
  return nexus_plugin::join(kMemoryHead, from.text(), size, " ",
                            nexus_plugin::hexadecimal({handle.reserved, sizeof(handle.reserved)}),
                            "\n");
}

SharedMemory SharedMemory::parse(std::string_view text) {
  SharedMemory told;
  ExportedText parts(text);
  const bool good = parts.take(kMemoryHead) && told.from.take_from(parts) &&
                    parts.take_number(told.size) && parts.take_bytes(told.handle.reserved) &&
                    parts.rest() == "\n" && told.size != 0;
  if (good) return told;
  throw Error(NXS_InvalidValue,
              "handle is none of memory that a process exported from a GPU; give "
              "what nxsExportBuffer wrote, whole");
}

std::string exported(const Buffer &buffer, nxs_id id) {
  Device &device = buffer.device();
  device.refuse_lost();
  const CurrentContext current(device);
  SharedMemory told;
  told.from = Exported::here(device, id);
  told.size = buffer.size();
  device.check(cu.IpcGetMemHandle(&told.handle, buffer.address()),
               "giving a buffer to other processes");
  return told.text();
}

void export_buffer(const Buffer &buffer, nxs_id id, const nxs_sink &handle) {
  switch (buffer.kind()) {
    case MemoryKind::kShared:
      return nexus_plugin::write_to(handle, exported(buffer, id));
    case MemoryKind::kSharedHost:
      return nexus_plugin::export_memory(buffer.pages(), handle);
    case MemoryKind::kImported:
    case MemoryKind::kBorrowed:
      throw Error(NXS_InvalidOperation,
                  "the buffer was imported; the process that made it can export it");
    default:
      return nexus_plugin::export_memory(ProcessMemory(), handle);  // says how to make one
  }
}

[[noreturn]] void throw_gone(uint64_t process) {
  throw Error(NXS_InvalidOperation,
              "the memory that handle names is gone, or is another user's: ", "process ", process,
              " has to keep the buffer that it exported");
}

// The driver gives no process its own memory a second time.
FoundMemory find_own(Device &device, const SharedMemory &told) {
  Ref<Buffer> owner;
  try {
    owner = buffers.pin(told.from.object);
  } catch (const Error &) {
    throw_gone(told.from.process);
  }
  if (owner->kind() != MemoryKind::kShared || owner->size() != told.size)
    throw_gone(told.from.process);
  check_same_device("memory that handle names", owner->device(), device);
  FoundMemory found{MemoryKind::kBorrowed, MemoryPlace::kDevice, told.size, owner->address()};
  found.owner = std::move(owner);
  return found;
}

CUdeviceptr open_memory(Device &device, const SharedMemory &told) {
  CUdeviceptr address = 0;
  const CUresult opened =
      cu.IpcOpenMemHandle(&address, told.handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
  if (opened == CUDA_SUCCESS) return address;
  if (is_fatal(opened)) device.check(opened, "opening memory of another process");
  if (opened == CUDA_ERROR_OUT_OF_MEMORY) {
    throw_error(opened, NXS_OutOfResources, "opening memory of another process");
  }
  throw Error::with_native_code(opened, NXS_InvalidOperation,
                                "the memory that handle names is gone, or the driver does not give "
                                "it to this process (",
                                error_name(opened), "): process ", told.from.process,
                                " has to keep the buffer that it exported, as the same user");
}

void check_size(Device &device, const SharedMemory &told, CUdeviceptr address) {
  const KnownMemory known = ask_of_memory(device, address);
  if (known.size == 0 || bytes_from(device, address, known, told.size) >= told.size) return;
  throw Error(NXS_InvalidValue, "handle says ", told.size,
              " bytes, and the memory that it names has fewer; give what nxsExportBuffer wrote");
}

FoundMemory find_other(Device &device, const SharedMemory &told) {
  const CUdeviceptr address = open_memory(device, told);
  try {
    check_size(device, told, address);
  } catch (...) {
    (void)cu.IpcCloseMemHandle(address);
    throw;
  }
  return {MemoryKind::kImported, MemoryPlace::kDevice, told.size, address};
}

FoundMemory find_shared(Device &device, std::string_view text) {
  if (!text.starts_with("nexus-cuda")) {
    ProcessMemory pages = ProcessMemory::open(text);
    FoundMemory found{MemoryKind::kSharedHost, MemoryPlace::kHost, pages.size()};
    found.pages = std::move(pages);
    return found;
  }
  const SharedMemory told = SharedMemory::parse(text);
  told.from.check_device(device, "memory");
  return told.from.of_this_process() ? find_own(device, told) : find_other(device, told);
}

nxs_id import_buffer(Device &device, std::string_view text) {
  device.refuse_lost();
  const CurrentContext current(device);
  FoundMemory found = find_shared(device, text);
  const CUdeviceptr opened = found.kind == MemoryKind::kImported ? found.address : 0;
  try {
    return buffers.create(device, std::move(found));
  } catch (...) {
    if (opened != 0) (void)cu.IpcCloseMemHandle(opened);
    throw;
  }
}

}  // namespace
}  // namespace nexus_cuda

using namespace nexus_cuda;

NEXUS_PLUGIN_SHARED(Buffer, devices, buffers, export_buffer(*object, id, sink),
                    import_buffer(*owner, text))
