// SPDX-License-Identifier: Apache-2.0
#include "memory/memory_resource.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "base/process.hpp"
#include "base/sink.hpp"

namespace nexus::core {
namespace {

// The alignment that malloc() guarantees, so that any host allocator suffices.
constexpr uint64_t kLeastAlignment = 16;

/// Memory from a resource.
struct Block {
  Ref<MemoryResource> from;
  uint64_t address = 0;
  uint64_t size = 0;
  uint64_t generation = processGeneration();

  void giveBack() const {
    if (generation != processGeneration()) return;  // after a fork() it is the parent's
    const nexus_memory_resource &functions = from->description();
    functions.deallocate(functions.context, address, size);
  }
};

void releaseBlock(void *context) {
  const std::unique_ptr<Block> block(static_cast<Block *>(context));
  block->giveBack();
}

// The plug-ins' memory that nexus_device_allocate returned, by address.
struct PlainMemory {
  std::mutex mutex;
  std::map<std::pair<Device *, uint64_t>, std::unique_ptr<NativeBuffer>> buffers;  // under mutex
};

void requireAddresses(const Device &device) {
  if (!device.handlesAreAddresses() || !device.plugin().has(NXS_Capability_ForeignMemory)) {
    failWith(NXS_NotSupported, "The backend of '", device.selector(),
             "' does not accept memory by its address, so its buffers can't come from a memory "
             "resource.");
  }
}

}  // namespace

MemoryResource::MemoryResource(const nexus_memory_resource &description)
    : description_(description) {
  requirePointer(reinterpret_cast<const void *>(description.allocate), "resource->allocate");
  requirePointer(reinterpret_cast<const void *>(description.deallocate), "resource->deallocate");
}

MemoryResource::~MemoryResource() {
  if (description_.release != nullptr) description_.release(description_.context);
}

Ref<Memory> MemoryResource::allocate(Device &device, uint64_t size) {
  auto block = std::make_unique<Block>(Block{.from = Ref(this), .size = size});
  Collector text;
  const nxs_status status =
      description_.allocate(description_.context, size, &block->address, text.sink());
  forgetFailure();  // the next function must not see the program's
  const auto fail = [&](nxs_status why, const auto &...words) {
    failWith(why, "The memory resource of '", device.selector(), "' was asked for ", size,
             " bytes and ", words...);
  };
  if (status != NXS_Success) fail(status, "failed: ", text.take());
  if (block->address == 0) {
    fail(NXS_MemObjectAllocationFailure,
         "returned the address 0; let allocate() fail with an error instead.");
  }
  try {
    const uint64_t alignment = std::max(device.offsetAlignment(), kLeastAlignment);
    if (block->address % alignment != 0) {
      fail(NXS_MemObjectAllocationFailure, "returned the address ", block->address,
           ", which is not a multiple of ", alignment, "; let allocate() return a multiple.");
    }
    Ref<Memory> memory = make<Memory>(device, size, ForeignMemory{block->address, 0},
                                      ForeignOwner{&releaseBlock, block.get()});
    static_cast<void>(block.release());  // now the memory's
    return memory;
  } catch (...) {
    block->giveBack();
    throw;
  }
}

Ref<MemoryResource> resourceOf(const Device &device) {
  return Ref<MemoryResource>::adopt(static_cast<MemoryResource *>(device.resource().detach()));
}

}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_device_set_memory_resource(nexus_device *device,
                                            const nexus_memory_resource *resource) {
  return guarded([&] {
    Device &of = given<Device>(device, "device");
    if (resource == nullptr) return of.setResource({});
    requireWhole(resource, "resource", "nexus_memory_resource");
    requireAddresses(of);
    of.setResource(Ref<Counted>::adopt(make<MemoryResource>(*resource).detach()));
  });
}

nxs_status nexus_device_get_memory_resource(nexus_device *device,
                                            void (*see)(void *context,
                                                        const nexus_memory_resource *resource),
                                            void *context) {
  return guarded([&] {
    requirePointer(reinterpret_cast<const void *>(see), "see");
    const Ref<MemoryResource> resource = resourceOf(given<Device>(device, "device"));
    see(context, resource ? &resource->description() : nullptr);
  });
}

nxs_status nexus_device_allocate(nexus_device *device, uint64_t size, uint64_t *out_address) {
  return giveResult(out_address, "out_address", [&] {
    Device &on = given<Device>(device, "device");
    requireAddresses(on);
    if (size == 0) failWith(NXS_InvalidBufferSize, "size is 0; give at least 1.");
    auto buffer = std::make_unique<NativeBuffer>(on, size, nxs_buffer_settings{0}, nullptr);
    const auto address = buffer->properties().readInt(NP_NativeHandle);
    if (!address) {
      failWith(NXS_NotSupported, "The backend of '", on.selector(),
               "' does not report the addresses of its buffers (NP_NativeHandle).");
    }
    PlainMemory &plain = ofProcess<PlainMemory>();
    const std::lock_guard<std::mutex> lock(plain.mutex);
    const auto number = static_cast<uint64_t>(*address);
    plain.buffers.emplace(std::pair(&on, number), std::move(buffer));
    return number;
  });
}

nxs_status nexus_device_deallocate(nexus_device *device, uint64_t address) {
  return guarded([&] {
    Device &on = given<Device>(device, "device");
    PlainMemory &plain = ofProcess<PlainMemory>();
    std::unique_lock<std::mutex> lock(plain.mutex);
    const auto block = plain.buffers.extract(std::pair(&on, address));
    lock.unlock();  // the end of the block calls the plug-in
    if (block.empty()) {
      failWith(NXS_InvalidValue, "address is ", address,
               ", which allocate() (in C nexus_device_allocate()) did not return for '",
               on.selector(), "', or which was deallocated before.");
    }
  });
}
