// SPDX-License-Identifier: Apache-2.0
// What the driver says of a pointer.
#include "context.hpp"
#include "device.hpp"
#include "memory.hpp"
#include "pool.hpp"

#include <cstring>

namespace simulated_cuda {
namespace {

template <class T>
void put(void *out, T value) {
  std::memcpy(out, &value, sizeof(value));
}

size_t size_of(CUpointer_attribute which) {
  switch (which) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return 8;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
      return 1;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return 4;
  }
  fail(CUDA_ERROR_INVALID_VALUE);
}

CUmemoryPool handle_of(const Pool *pool) {
  for (const auto &[handle, each] : world().pools.all()) {
    if (each.get() == pool) return handle;
  }
  return nullptr;
}

void tell(void *out, CUpointer_attribute which, const Allocation &known, CUdeviceptr memory) {
  const bool on_host = known.pinned() || known.kind == MemoryKind::kManaged;
  switch (which) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return put(out, known.kind == MemoryKind::kPool ? nullptr : known.context->handle);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return put(out, known.pinned() ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return put(out, memory);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      require(on_host);
      return put(out, memory);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
      return put(out, char{0});
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return put(out, known.id);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return put(out, static_cast<char>(known.kind == MemoryKind::kManaged));
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return put(out, known.device->ordinal());
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      return put(out, static_cast<char>(known.kind == MemoryKind::kDevice));
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return put(out, static_cast<CUdeviceptr>(known.begin));
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return put(out, known.size);
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return put(out, char{1});
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      return put(out, uint64_t{known.pool != nullptr && known.pool->shareable()});
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
      return put(out, static_cast<char>(known.on_device()));
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return put(out, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return put(out, handle_of(known.pool.get()));
  }
}

}  // namespace
}  // namespace simulated_cuda

using namespace simulated_cuda;

SIMULATED_EXPORT CUresult cuPointerGetAttribute(void *out, CUpointer_attribute attribute,
                                                CUdeviceptr memory) {
  return call("cuPointerGetAttribute", Needs::kContext, [&](Call &) {
    require(out != nullptr);
    (void)size_of(attribute);
    const Allocation *known = world().allocations.find(memory);
    require(known != nullptr && !known->freed);
    tell(out, attribute, *known, memory);
  });
}

// Unlike the above it answers 0 for memory that the driver doesn't know.
SIMULATED_EXPORT CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes,
                                                 void **out, CUdeviceptr memory) {
  return call("cuPointerGetAttributes", Needs::kContext, [&](Call &) {
    require(count != 0 && attributes != nullptr && out != nullptr);
    const Allocation *known = world().allocations.find(memory);
    for (unsigned i = 0; i < count; ++i) {
      std::memset(out[i], 0, size_of(attributes[i]));
      if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) put(out[i], -2);
      if (known == nullptr || known->freed) continue;
      const bool no_host_pointer =
          attributes[i] == CU_POINTER_ATTRIBUTE_HOST_POINTER && known->on_device();
      if (!no_host_pointer) tell(out[i], attributes[i], *known, memory);
    }
  });
}

SIMULATED_EXPORT CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute,
                                                CUdeviceptr memory) {
  return call("cuPointerSetAttribute", Needs::kContext, [&](Call &) {
    require(value != nullptr && attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS);
    (void)device_range(memory, 1);
  });
}
