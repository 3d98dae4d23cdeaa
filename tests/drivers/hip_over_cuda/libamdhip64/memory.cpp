// SPDX-License-Identifier: Apache-2.0
// Memory of devices, the host and other processes, copies and fills, and what HIP says of a
// pointer.
#include "cuda.hpp"

#include <cstring>
#include <iterator>

using namespace hip_over_cuda;

namespace {

// Calls allocate; gives NULL where nothing is asked for.
template <class Allocate>
hipError_t give_memory(void **out_memory, size_t size, Allocate &&allocate) {
  *out_memory = nullptr;
  return size == 0 ? hipSuccess : on_device(allocate);
}

// Writes an attribute of memory in HIP's form, or zeros and an error where CUDA does not know it.
CUresult tell(void *out, hipPointer_attribute which, hipDeviceptr_t memory) {
  const auto ask = [&](int attribute, auto &told) {
    return cuda.PointerGetAttribute(&told, static_cast<nexus_cuda::CUpointer_attribute>(attribute),
                                    as<CUdeviceptr>(memory));
  };
  uint32_t managed = 0;  // CUDA writes a byte or four
  uint64_t told = 0;     // up to eight bytes
  const CUresult result = ask(which, told);
  size_t size = sizeof(told);
  if (which == HIP_POINTER_ATTRIBUTE_MEMORY_TYPE) {
    (void)ask(HIP_POINTER_ATTRIBUTE_IS_MANAGED, managed);
    if (managed != 0) told = nexus_cuda::CU_MEMORYTYPE_HOST;
    size = sizeof(uint32_t);
  } else if (which == HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL ||
             which == HIP_POINTER_ATTRIBUTE_RANGE_SIZE) {
    size = sizeof(uint32_t);
  } else if (which == HIP_POINTER_ATTRIBUTE_IS_MANAGED) {
    size = sizeof(bool);
  }
  std::memcpy(out, &told, size);
  return result;
}

}  // namespace

// ---- Memory ----

HIP_FORWARD(hipMemGetInfo, (size_t *out_free, size_t *out_total), MemGetInfo, out_free, out_total)

HIP_EXPORT hipError_t hipMalloc(void **out_memory, size_t size) {
  return give_memory(out_memory, size,
                     [&] { return cuda.MemAlloc(as<CUdeviceptr *>(out_memory), size); });
}

HIP_FORWARD(hipFree, (void *memory), MemFree, memory)

// Never more than is free: touching it could stop the whole GPU.
HIP_EXPORT hipError_t hipMallocManaged(void **out_memory, size_t size, unsigned flags) {
  return give_memory(out_memory, size, [&] {
    size_t free = 0, total = 0;
    const CUresult asked = cuda.MemGetInfo(&free, &total);
    if (asked != CUDA_SUCCESS) return asked;
    return size > free ? int{hipErrorOutOfMemory}
                       : cuda.MemAllocManaged(as<CUdeviceptr *>(out_memory), size, flags);
  });
}

// HIP maps all of it; its coherence has no meaning here.
HIP_EXPORT hipError_t hipHostMalloc(void **out_memory, size_t size, unsigned) {
  constexpr unsigned kFlags =
      nexus_cuda::CU_MEMHOSTALLOC_PORTABLE | nexus_cuda::CU_MEMHOSTALLOC_DEVICEMAP;
  return give_memory(out_memory, size, [&] { return cuda.MemHostAlloc(out_memory, size, kFlags); });
}

HIP_FORWARD(hipHostFree, (void *memory), MemFreeHost, memory)
HIP_FORWARD(hipHostRegister, (void *memory, size_t size, unsigned flags), MemHostRegister, memory,
            size, flags)
HIP_FORWARD(hipHostUnregister, (void *memory), MemHostUnregister, memory)
HIP_FORWARD(hipHostGetDevicePointer, (void **out_device, void *memory, unsigned flags),
            MemHostGetDevicePointer, out_device, memory, flags)

HIP_EXPORT hipError_t hipPointerGetAttribute(void *out, hipPointer_attribute attribute,
                                             hipDeviceptr_t memory) {
  return on_device([&] { return tell(out, attribute, memory); });
}

// Unlike the above it succeeds for memory that is not known.
HIP_EXPORT hipError_t hipDrvPointerGetAttributes(unsigned count, hipPointer_attribute *attributes,
                                                 void **out, hipDeviceptr_t memory) {
  return on_device([&] {
    for (unsigned i = 0; i < count; ++i) {
      const CUresult result = tell(out[i], attributes[i], memory);
      const bool known_or_not =
          result == CUDA_SUCCESS || result == nexus_cuda::CUDA_ERROR_INVALID_VALUE;
      if (!known_or_not) return result;
    }
    return CUDA_SUCCESS;
  });
}

HIP_EXPORT hipError_t hipMemGetAddressRange(hipDeviceptr_t *out_begin, size_t *out_size,
                                            hipDeviceptr_t memory) {
  return on_device([&] {
    nexus_cuda::CUpointer_attribute asked[] = {nexus_cuda::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                               nexus_cuda::CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    void *told[] = {out_begin, out_size};
    *out_begin = nullptr;
    const CUresult result =
        cuda.PointerGetAttributes(std::size(asked), asked, told, as<CUdeviceptr>(memory));
    const bool unknown = result == CUDA_SUCCESS && *out_begin == nullptr;
    return unknown ? nexus_cuda::CUDA_ERROR_NOT_FOUND : result;
  });
}

// ---- Of other processes ----

HIP_FORWARD(hipIpcGetMemHandle, (hipIpcMemHandle_t * out_handle, void *memory), IpcGetMemHandle,
            out_handle, memory)
HIP_FORWARD(hipIpcOpenMemHandle, (void **out_memory, hipIpcMemHandle_t handle, unsigned flags),
            IpcOpenMemHandle, out_memory, handle, flags)
HIP_FORWARD(hipIpcCloseMemHandle, (void *memory), IpcCloseMemHandle, memory)
HIP_FORWARD(hipIpcGetEventHandle, (hipIpcEventHandle_t * out_handle, hipEvent_t event),
            IpcGetEventHandle, out_handle, event)
HIP_FORWARD(hipIpcOpenEventHandle, (hipEvent_t * out_event, hipIpcEventHandle_t handle),
            IpcOpenEventHandle, out_event, handle)

// ---- Copies and fills ----

// CUDA finds out the kind itself.
HIP_FORWARD(hipMemcpyAsync,
            (void *to, const void *from, size_t size, hipMemcpyKind, hipStream_t stream),
            MemcpyAsync, to, from, size, stream)

HIP_EXPORT hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms *what, hipStream_t stream) {
  return on_device([&] {
    nexus_cuda::CUDA_MEMCPY3D copy{};
    copy.srcMemoryType = copy.dstMemoryType = nexus_cuda::CU_MEMORYTYPE_UNIFIED;
    copy.srcDevice = as<CUdeviceptr>(what->srcPtr.ptr);
    copy.srcPitch = what->srcPtr.pitch;
    copy.srcHeight = what->srcPtr.ysize;
    copy.dstDevice = as<CUdeviceptr>(what->dstPtr.ptr);
    copy.dstPitch = what->dstPtr.pitch;
    copy.dstHeight = what->dstPtr.ysize;
    copy.WidthInBytes = what->extent.width;
    copy.Height = what->extent.height;
    copy.Depth = what->extent.depth;
    return cuda.Memcpy3DAsync(&copy, as<CUstream>(stream));
  });
}

#define HIP_FILL(name, cuda_name, Value)                                                           \
  HIP_FORWARD(name, (hipDeviceptr_t to, Value value, size_t count, hipStream_t stream), cuda_name, \
              to, value, count, stream)
HIP_FILL(hipMemsetD8Async, MemsetD8Async, unsigned char)
HIP_FILL(hipMemsetD16Async, MemsetD16Async, unsigned short)
HIP_FILL(hipMemsetD32Async, MemsetD32Async, int)

#define HIP_FILL_ROWS(name, cuda_name, Value)                                             \
  HIP_FORWARD(name,                                                                       \
              (hipDeviceptr_t to, size_t pitch, Value value, size_t width, size_t height, \
               hipStream_t stream),                                                       \
              cuda_name, to, pitch, value, width, height, stream)
HIP_FILL_ROWS(hipMemset2DAsync, MemsetD2D8Async, int)
HIP_FILL_ROWS(hipMemsetD2D16Async, MemsetD2D16Async, unsigned short)
HIP_FILL_ROWS(hipMemsetD2D32Async, MemsetD2D32Async, unsigned)
