// SPDX-License-Identifier: Apache-2.0
#include "copy.hpp"

#include "context.hpp"
#include "memory.hpp"
#include "stream.hpp"

#include <cstring>
#include <memory>
#include <vector>

namespace simulated_cuda {
namespace {

bool known(const Place &place) {
  return world().allocations.find(place.begin) != nullptr;
}

void check_place(const Place &place, size_t extent) {
  require(place.begin != 0);
  if (place.side == Side::kDevice || (place.side == Side::kUnified && known(place))) {
    (void)device_range(place.begin, extent);
    return;
  }
  const Allocation *found = world().allocations.find(place.begin);
  require(found == nullptr || !found->on_device());
}

bool pageable(const Place &place) {
  return place.side != Side::kDevice && !known(place);
}

CUresult check_place_running(const Place &place, size_t extent) {
  return place.side == Side::kDevice ? check_running(place.begin, extent) : CUDA_SUCCESS;
}

}  // namespace

CUresult planned_fault(const char *kind) {
  const Lock lock(world().mutex);
  return world().faults.begin(kind);
}

void Copy::check() const {
  require(rows <= 1 || (to_pitch >= size && from_pitch >= size));
  check_place(to, to_extent());
  check_place(from, from_extent());
}

CUresult Copy::run() const {
  if (const CUresult planned = planned_fault("copy"); planned != CUDA_SUCCESS) return planned;
  if (empty()) return CUDA_SUCCESS;
  CUresult result = check_place_running(to, to_extent());
  if (result == CUDA_SUCCESS) result = check_place_running(from, from_extent());
  if (result != CUDA_SUCCESS) return result;
  for (size_t layer = 0; layer < layers; ++layer) {
    for (size_t row = 0; row < rows; ++row) {
      auto *target = reinterpret_cast<char *>(to.begin) + layer * to_layer + row * to_pitch;
      const auto *source =
          reinterpret_cast<const char *>(from.begin) + layer * from_layer + row * from_pitch;
      std::memmove(target, source, size);
    }
  }
  return CUDA_SUCCESS;
}

void copy_async(Call &call, CUstream stream, const Copy &copy) {
  const auto in = stream_of(call, stream);
  if (copy.empty()) return;
  copy.check();
  if (pageable(copy.from)) {
    auto staged = std::make_shared<std::vector<char>>(copy.from_extent());
    std::memcpy(staged->data(), reinterpret_cast<const char *>(copy.from.begin), staged->size());
    Copy later = copy;
    later.from = host(staged->data());
    const Point end = in->add([later, staged] { return later.run(); });
    if (pageable(copy.to)) wait_for(call.lock, end);
    return;
  }
  const Point end = in->add([copy] { return copy.run(); });
  if (!pageable(copy.to)) return;
  wait_for(call.lock, end);
  require(call.context->failure() == CUDA_SUCCESS, call.context->failure());
}

void copy_now(Call &call, const Copy &copy) {
  if (copy.empty()) return;
  copy.check();
  wait_for(call.lock, call.context->legacy()->add([copy] { return copy.run(); }));
  require(call.context->failure() == CUDA_SUCCESS, call.context->failure());
}

namespace {

Place place_of(CUmemorytype type, const void *on_host, CUdeviceptr on_device) {
  switch (type) {
    case CU_MEMORYTYPE_HOST:
      return host(on_host);
    case CU_MEMORYTYPE_DEVICE:
      return device(on_device);
    case CU_MEMORYTYPE_UNIFIED:
      return unified(on_device);
    case CU_MEMORYTYPE_ARRAY:
      break;  // not simulated
  }
  fail(CUDA_ERROR_INVALID_VALUE);
}

}  // namespace

Copy copy_of(const CUDA_MEMCPY3D &what) {
  Copy copy{place_of(what.dstMemoryType, what.dstHost, what.dstDevice),
            place_of(what.srcMemoryType, what.srcHost, what.srcDevice), what.WidthInBytes};
  copy.rows = what.Height;
  copy.layers = what.Depth;
  copy.to_pitch = what.dstPitch == 0 ? what.dstXInBytes + what.WidthInBytes : what.dstPitch;
  copy.from_pitch = what.srcPitch == 0 ? what.srcXInBytes + what.WidthInBytes : what.srcPitch;
  copy.to_layer = copy.to_pitch * (what.dstHeight == 0 ? what.dstY + what.Height : what.dstHeight);
  copy.from_layer =
      copy.from_pitch * (what.srcHeight == 0 ? what.srcY + what.Height : what.srcHeight);
  copy.to.begin += what.dstZ * copy.to_layer + what.dstY * copy.to_pitch + what.dstXInBytes;
  copy.from.begin += what.srcZ * copy.from_layer + what.srcY * copy.from_pitch + what.srcXInBytes;
  return copy;
}

}  // namespace simulated_cuda
