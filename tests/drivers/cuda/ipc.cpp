// SPDX-License-Identifier: Apache-2.0
// Memory and events of other processes.
#include "context.hpp"
#include "device.hpp"
#include "event.hpp"
#include "foreign_file.hpp"
#include "memory.hpp"

#include <sys/mman.h>
#include <unistd.h>
#include <cstring>

namespace simulated_cuda {
namespace {

constexpr uint32_t kMemoryHandle = 0x4d454d48;
constexpr uint64_t kSharePage = 4096;

}  // namespace

CUdeviceptr map_foreign(int file, const ForeignFile &place, Call &call) {
  const uint64_t lead = place.offset % kSharePage;
  void *memory = mmap(nullptr, place.size + lead, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                      static_cast<off_t>(place.offset - lead));
  require(memory != MAP_FAILED, CUDA_ERROR_MAP_FAILED);
  Allocation made;
  made.begin = address(memory) + lead;
  made.size = place.size;
  made.kind = MemoryKind::kImported;
  made.context = call.context;
  made.device = &call.context->device();
  return world().allocations.add(made).begin;
}

}  // namespace simulated_cuda

using namespace simulated_cuda;

SIMULATED_EXPORT CUresult cuIpcGetMemHandle(CUipcMemHandle *out_handle, CUdeviceptr memory) {
  return call("cuIpcGetMemHandle", Needs::kContext, [&](Call &) {
    const Allocation &shared = device_range(memory, 1);
    require(out_handle != nullptr && shared.kind == MemoryKind::kDevice);
    const AddressSpace &space = shared.device->addresses();
    const ForeignFile place{kMemoryHandle,
                            getpid(),
                            space.file(),
                            shared.device->ordinal(),
                            space.offset_of(shared.begin),
                            shared.size};
    *out_handle = {};
    std::memcpy(out_handle->reserved, &place, sizeof(place));
  });
}

SIMULATED_EXPORT CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *out_memory, CUipcMemHandle handle,
                                                unsigned flags) {
  return call("cuIpcOpenMemHandle", Needs::kContext, [&](Call &call) {
    require(out_memory != nullptr && flags <= CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
    ForeignFile place;
    std::memcpy(&place, handle.reserved, sizeof(place));
    require(place.kind == kMemoryHandle);
    require(place.process != getpid(), CUDA_ERROR_INVALID_CONTEXT);
    const int file = place.open();
    require(file >= 0);
    try {
      *out_memory = map_foreign(file, place, call);
    } catch (const Failure &) {
      close(file);
      throw;
    }
    close(file);
  });
}

SIMULATED_EXPORT CUresult cuIpcCloseMemHandle(CUdeviceptr memory) {
  return call("cuIpcCloseMemHandle", Needs::kContext, [&](Call &call) {
    Allocation *opened = world().allocations.at(memory);
    require(opened != nullptr && opened->kind == MemoryKind::kImported);
    call.context->wait(call);
    release(*opened);
  });
}

SIMULATED_EXPORT CUresult cuIpcGetEventHandle(CUipcEventHandle *out_handle, CUevent event) {
  return call("cuIpcGetEventHandle", Needs::kContext, [&](Call &) {
    const auto &shared = world().events.get(event)->shared;
    require(shared != nullptr, CUDA_ERROR_INVALID_HANDLE);
    give(out_handle, shared->handle());
  });
}

SIMULATED_EXPORT CUresult cuIpcOpenEventHandle(CUevent *out_event, CUipcEventHandle handle) {
  return call("cuIpcOpenEventHandle", Needs::kContext, [&](Call &call) {
    require(out_event != nullptr);
    auto made =
        std::make_shared<Event>(*call.context, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS);
    made->shared = std::make_shared<SharedRecord>(handle);
    *out_event = world().events.add(std::move(made));
  });
}
