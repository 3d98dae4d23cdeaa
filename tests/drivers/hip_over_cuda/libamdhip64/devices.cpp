// SPDX-License-Identifier: Apache-2.0
// How programs start HIP, and what it tells of devices: NVIDIA's own limits, and where AMD's name
// is needed that of a GPU with waves of 32.
#include "cuda.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>

using namespace hip_over_cuda;

namespace {

// CUDA's numbers of HIP's attributes.
const std::map<int, int> kAttributes = {
    {0, 32},  {2, 40},  {5, 13},  {6, 20},   {8, 31},   {9, 89},     {10, 95},
    {16, 18}, {18, 17}, {19, 38}, {24, 83},  {25, 106}, {26, 2},     {27, 3},
    {28, 4},  {29, 5},  {30, 6},  {31, 7},   {56, 1},   {57, 39},    {59, 37},
    {60, 36}, {63, 16}, {65, 88}, {71, 12},  {72, 82},  {74, 8},     {78, 78},
    {83, 9},  {85, 41}, {87, 10}, {88, 115}, {92, 134}, {10002, 81}, {10015, 16}};
constexpr int kSharedOfMultiprocessor = 10002;  // HIP's number; the others are CUDA's
constexpr int kPciBus = 33, kPciDevice = 34, kPciDomain = 50, kWarpSize = 10;
constexpr int kMaxBlocksOfMultiprocessor = 106, kReservedSharedOfBlock = 111;

template <class Properties>
hipError_t tell_properties(Properties *out, int device) {
  *out = {};
  std::snprintf(out->gcnArchName, sizeof(out->gcnArchName), "gfx1100");
  const CUresult result = cuda.DeviceGetAttribute(&out->warpSize, kWarpSize, device);
  return answer(result == CUDA_SUCCESS
                    ? cuda.DeviceGetName(out->name, int{sizeof(out->name)}, device)
                    : result);
}

}  // namespace

HIP_EXPORT hipError_t hipInit(unsigned) {
  return answer(start());
}

// As AMD's 7.1, since every function is there.
HIP_EXPORT hipError_t hipRuntimeGetVersion(int *out_version) {
  *out_version = 70151831;
  return hipSuccess;
}

HIP_EXPORT const char *hipGetErrorName(hipError_t error) {
  switch (error) {
#define HIP_RESULT(name, number) \
  case name:                     \
    return #name;
#include "../../hip/results.def"
  }
  return "hipErrorUnknown";
}

HIP_EXPORT hipError_t hipGetLastError() {
  return std::exchange(this_thread().last_error, hipSuccess);
}

HIP_EXPORT hipError_t hipGetDeviceCount(int *out_count) {
  return answer(cuda.DeviceGetCount(out_count));
}

HIP_EXPORT hipError_t hipSetDevice(int device) {
  CUcontext context = nullptr;
  const CUresult result = find_context(device, context);
  if (result == CUDA_SUCCESS) this_thread().device = device;
  return answer(result);
}

HIP_EXPORT hipError_t hipGetDevice(int *out_device) {
  *out_device = this_thread().device;
  return hipSuccess;
}

HIP_EXPORT hipError_t hipDeviceGetName(char *out_name, int capacity, int device) {
  return answer(cuda.DeviceGetName(out_name, capacity, device));
}

HIP_EXPORT hipError_t hipDeviceTotalMem(size_t *out_bytes, int device) {
  return answer(cuda.DeviceTotalMem(out_bytes, device));
}

// HIP's has 16 digits, which are half of CUDA's.
HIP_EXPORT hipError_t hipDeviceGetUuid(hipUUID *out_uuid, int device) {
  nexus_cuda::CUuuid uuid{};
  const CUresult result = cuda.DeviceGetUuid(&uuid, device);
  constexpr char kDigits[] = "0123456789abcdef";
  for (size_t i = 0; i < sizeof(out_uuid->bytes); ++i) {
    const auto byte = static_cast<unsigned char>(uuid.bytes[i / 2]);
    out_uuid->bytes[i] = kDigits[i % 2 == 0 ? byte / 16 : byte % 16];
  }
  return answer(result);
}

HIP_EXPORT hipError_t hipDeviceGetPCIBusId(char *out_address, int capacity, int device) {
  int domain = 0, bus = 0, number = 0;
  const CUresult results[] = {cuda.DeviceGetAttribute(&domain, kPciDomain, device),
                              cuda.DeviceGetAttribute(&bus, kPciBus, device),
                              cuda.DeviceGetAttribute(&number, kPciDevice, device)};
  std::snprintf(out_address, static_cast<size_t>(capacity), "%04x:%02x:%02x.0", unsigned(domain),
                unsigned(bus), unsigned(number));
  return answer(*std::max_element(std::begin(results), std::end(results)));
}

HIP_EXPORT hipError_t hipDeviceGetAttribute(int *out_value, hipDeviceAttribute_t attribute,
                                            int device) {
  const auto found = kAttributes.find(attribute);
  if (found == kAttributes.end()) return answer(nexus_cuda::CUDA_ERROR_INVALID_VALUE);
  const CUresult result = cuda.DeviceGetAttribute(out_value, found->second, device);
  if (result == CUDA_SUCCESS && attribute == kSharedOfMultiprocessor) {
    int blocks = 0, reserved = 0;  // CUDA's own part of each block's, of which HIP has none
    (void)cuda.DeviceGetAttribute(&blocks, kMaxBlocksOfMultiprocessor, device);
    (void)cuda.DeviceGetAttribute(&reserved, kReservedSharedOfBlock, device);
    *out_value -= blocks * reserved;
  }
  return answer(result);
}

HIP_EXPORT hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600 *out, int device) {
  return tell_properties(out, device);
}

HIP_EXPORT hipError_t hipGetDeviceProperties(hipDeviceProp_tR0000 *out, int device) {
  return tell_properties(out, device);
}

HIP_FORWARD(hipDeviceGetStreamPriorityRange, (int *out_least, int *out_greatest),
            CtxGetStreamPriorityRange, out_least, out_greatest)

HIP_EXPORT hipError_t hipDeviceCanAccessPeer(int *out_can, int device, int peer) {
  return answer(cuda.DeviceCanAccessPeer(out_can, device, peer));
}

HIP_EXPORT hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags) {
  CUcontext context = nullptr;
  const CUresult found = find_context(peer, context);
  return on_device(
      [&] { return found == CUDA_SUCCESS ? cuda.CtxEnablePeerAccess(context, flags) : found; });
}
