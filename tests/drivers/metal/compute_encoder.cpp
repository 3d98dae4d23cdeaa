// SPDX-License-Identifier: Apache-2.0
#include "../simulator/launch.hpp"
#include "encoders.hpp"
#include "pipeline.hpp"

#include <algorithm>

using simulator::Launch;
using simulator::Triple;

namespace metal {

const Class &MTLComputeCommandEncoder::kClass = *new Class(
    "MTLComputeCommandEncoder", "MTLCommandEncoder",
    {get<&MTLComputeCommandEncoder::dispatch_type>("dispatchType"),
     method<&MTLComputeCommandEncoder::setPipeline>("setComputePipelineState:"),
     method<&MTLComputeCommandEncoder::setBytes>("setBytes:length:atIndex:"),
     method<&MTLComputeCommandEncoder::setBuffer>("setBuffer:offset:atIndex:"),
     method<&MTLComputeCommandEncoder::setBufferOffset>("setBufferOffset:atIndex:"),
     method<&MTLComputeCommandEncoder::setBuffers>("setBuffers:offsets:withRange:"),
     method<&MTLComputeCommandEncoder::setThreadgroupMemory>("setThreadgroupMemoryLength:atIndex:"),
     method<&MTLComputeCommandEncoder::dispatchThreadgroups>(
         "dispatchThreadgroups:threadsPerThreadgroup:"),
     method<&MTLComputeCommandEncoder::dispatchThreads>("dispatchThreads:threadsPerThreadgroup:"),
     method<&MTLComputeCommandEncoder::memoryBarrier>("memoryBarrierWithScope:"),
     method<&MTLComputeCommandEncoder::memoryBarrierOf>("memoryBarrierWithResources:count:"),
     method<&MTLComputeCommandEncoder::useResource>("useResource:usage:")});

void *MTLComputeCommandEncoder::Bound::place() const {
  if (buffer != nullptr) return reinterpret_cast<void *>(buffer->begin + offset);
  return bytes == nullptr ? nullptr : bytes->data();
}

bool MTLComputeCommandEncoder::check_index(const char *what, NSUInteger index) {
  if (index < NEXUS_METAL_PLACES) return true;
  note_misuse(std::string(what) + " with the index " + std::to_string(index));
  return false;
}

void MTLComputeCommandEncoder::setPipeline(MTLComputePipelineState *pipeline) {
  check_open("setComputePipelineState:");
  if (pipeline == nullptr) die("setComputePipelineState: of nil");
  commands->use({pipeline});
  pipeline_ = pipeline;
}

void MTLComputeCommandEncoder::setBytes(const void *bytes, NSUInteger length, NSUInteger index) {
  constexpr NSUInteger kMost = 4096;
  check_open("setBytes:length:atIndex:");
  if (!check_index("setBytes:length:atIndex:", index)) return;
  if (bytes == nullptr || length == 0 || length > kMost) {
    return note_misuse("setBytes:length:atIndex: with the length " + std::to_string(length));
  }
  Bound made;
  made.bytes = std::make_shared<std::vector<std::max_align_t>>(
      (length + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
  std::memcpy(made.bytes->data(), bytes, length);
  made.size = length;
  bound_[index] = std::move(made);
}

void MTLComputeCommandEncoder::setBuffer(MTLBuffer *buffer, NSUInteger offset, NSUInteger index) {
  const char *const what = "setBuffer:offset:atIndex:";
  check_open(what);
  if (!check_index(what, index)) return;
  bound_[index] = {};
  if (buffer == nullptr) return;
  if (!check(what, buffer, offset, 1)) return;
  commands->use({buffer});
  bound_[index] = {buffer, offset, nullptr, buffer->length() - offset};
}

void MTLComputeCommandEncoder::setBufferOffset(NSUInteger offset, NSUInteger index) {
  if (!check_index("setBufferOffset:atIndex:", index)) return;
  if (bound_[index].buffer == nullptr) {
    return note_misuse("setBufferOffset:atIndex: where no buffer is bound");
  }
  setBuffer(bound_[index].buffer, offset, index);
}

void MTLComputeCommandEncoder::setBuffers(MTLBuffer *const *buffers, const NSUInteger *offsets,
                                          NSRange range) {
  for (NSUInteger i = 0; i < range.length; ++i) {
    setBuffer(buffers[i], offsets[i], range.location + i);
  }
}

void MTLComputeCommandEncoder::setThreadgroupMemory(NSUInteger length, NSUInteger index) {
  constexpr NSUInteger kUnit = 16;
  const char *const what = "setThreadgroupMemoryLength:atIndex:";
  check_open(what);
  if (!check_index(what, index)) return;
  if (length % kUnit != 0) {
    return note_misuse(std::string(what) + " with the length " + std::to_string(length));
  }
  local_[index] = length;
}

void MTLComputeCommandEncoder::useResource(Object *resource, NSUInteger) {
  check_open("useResource:usage:");
  commands->use({resource});
}

bool MTLComputeCommandEncoder::check_bound() const {
  for (const nexus_metal_binding &each : pipeline_->bindings()) {
    const bool is_buffer = each.type == MTLArgumentTypeBuffer;
    const NSUInteger size = is_buffer ? bound_[each.index].size : local_[each.index];
    if (size >= each.size) continue;
    note_misuse("a dispatch of " + pipeline_->kernel() + " with " + std::to_string(size) +
                " bytes for " + each.name + ", which has " + std::to_string(each.size));
    return false;
  }
  return true;
}

bool MTLComputeCommandEncoder::check_sizes(const MTLSize &groups, const MTLSize &threads) const {
  const NSUInteger of_group = threads.width * threads.height * threads.depth;
  const NSUInteger most = pipeline_->maxTotalThreadsPerThreadgroup();
  if (groups.width * groups.height * groups.depth == 0 || of_group == 0 || of_group > most) {
    note_misuse("a dispatch of " + pipeline_->kernel() + " with " + std::to_string(of_group) +
                " threads, of which it takes " + std::to_string(most));
    return false;
  }
  const NSUInteger memory = threadgroup_memory() + pipeline_->staticThreadgroupMemoryLength();
  if (memory <= commands->device()->maxThreadgroupMemoryLength()) return true;
  note_misuse("a dispatch of " + pipeline_->kernel() + " with " + std::to_string(memory) +
              " bytes of threadgroup memory");
  return false;
}

NSUInteger MTLComputeCommandEncoder::threadgroup_memory() const {
  NSUInteger bytes = 0;
  for (const NSUInteger each : local_) bytes += each;
  return bytes;
}

void MTLComputeCommandEncoder::dispatchThreadgroups(MTLSize groups, MTLSize threads) {
  dispatch(
      "dispatchThreadgroups:threadsPerThreadgroup:", groups, threads,
      {groups.width * threads.width, groups.height * threads.height, groups.depth * threads.depth});
}

void MTLComputeCommandEncoder::dispatchThreads(MTLSize grid, MTLSize threads) {
  const auto groups = [](NSUInteger count, NSUInteger size) {
    return size == 0 ? 0 : (count + size - 1) / size;
  };
  dispatch("dispatchThreads:threadsPerThreadgroup:",
           {groups(grid.width, threads.width), groups(grid.height, threads.height),
            groups(grid.depth, threads.depth)},
           threads, grid);
}

void MTLComputeCommandEncoder::dispatch(const char *what, const MTLSize &groups,
                                        const MTLSize &threads, const MTLSize &grid) {
  check_open(what);
  if (pipeline_ == nullptr) return note_misuse(std::string(what) + " without a pipeline");
  if (!check_bound() || !check_sizes(groups, threads)) return;
  const auto triple = [](const MTLSize &size) {
    return Triple{static_cast<uint32_t>(size.width), static_cast<uint32_t>(size.height),
                  static_cast<uint32_t>(size.depth)};
  };
  Launch launch(pipeline_->function(), triple(groups), triple(threads),
                static_cast<uint32_t>(threadgroup_memory()));
  nexus_metal_arguments arguments{};
  uint32_t local = 0;
  std::vector<std::shared_ptr<std::vector<std::max_align_t>>> bytes;
  for (size_t i = 0; i < NEXUS_METAL_PLACES; ++i) {
    arguments.buffers[i] = bound_[i].place();
    arguments.locals[i] = local;
    local += static_cast<uint32_t>(local_[i]);
    bytes.push_back(bound_[i].bytes);  // a later setBytes is of later dispatches
  }
  std::ranges::copy(triple(grid), arguments.threads);
  const auto *first = reinterpret_cast<const unsigned char *>(&arguments);
  launch.parameters.assign(first, first + sizeof(arguments));
  commands->add([launch, bytes] { return launch.run(); });
}

}  // namespace metal
