// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_MEMORY_RESOURCE_HPP_
#define NEXUS_MEMORY_RESOURCE_HPP_

#include <nexus/object.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace nexus {

/// An allocator for the buffers of a device, set by Device::setMemoryResource. Any thread may call
/// it.
class MemoryResource {
 public:
  MemoryResource() = default;
  MemoryResource(const MemoryResource &) = delete;
  MemoryResource &operator=(const MemoryResource &) = delete;
  virtual ~MemoryResource() = default;

  /// Returns the address of size bytes, at least 1, of the device's memory: a multiple of 16, and
  /// work in any stream may use the memory at once. Throws if there is none.
  virtual std::uint64_t allocate(std::uint64_t size) = 0;

  /// Takes back memory of allocate(size), which no work uses any more. Must not throw for such.
  virtual void deallocate(std::uint64_t address, std::uint64_t size) = 0;
};

namespace detail {

using SharedResource = std::shared_ptr<MemoryResource>;

// The functions of a nexus_memory_resource whose context is a SharedResource.

inline nxs_status allocateFrom(void *context, std::uint64_t size, std::uint64_t *address,
                               const nxs_sink *text) {
  const auto fail = [text](nxs_status status, std::string_view why) {
    text->write(text->context, why.data(), why.size());
    return status;
  };
  try {
    *address = (*static_cast<SharedResource *>(context))->allocate(size);
    return NXS_Success;
  } catch (const Error &error) {
    return fail(error.status(), error.what());
  } catch (const std::exception &error) {
    return fail(NXS_MemObjectAllocationFailure, error.what());
  } catch (...) {
    return fail(NXS_MemObjectAllocationFailure, "it threw an object that is not a std::exception.");
  }
}

inline void deallocateTo(void *context, std::uint64_t address, std::uint64_t size) noexcept {
  (*static_cast<SharedResource *>(context))->deallocate(address, size);
}

inline void releaseResource(void *context) {
  delete static_cast<SharedResource *>(context);
}

}  // namespace detail

/// The memory that a device's backend allocates: the resource of a device that was set none.
class DeviceMemoryResource final : public MemoryResource {
 public:
  explicit DeviceMemoryResource(Object device) noexcept : device_(std::move(device)) {}

  std::uint64_t allocate(std::uint64_t size) override {
    return detail::result<std::uint64_t>(nexus_device_allocate, device_.get(), size);
  }
  /// Throws Error with NXS_InvalidValue if the address is none of allocate().
  void deallocate(std::uint64_t address, std::uint64_t) override {
    detail::check(nexus_device_deallocate(device_.get(), address));
  }

  /// Return NP_MemoryUsed, NP_MemoryPeak and NP_MemoryReserved of the device.
  std::uint64_t getUsed() const { return device_.getProperty<std::uint64_t>(NP_MemoryUsed); }
  std::uint64_t getPeak() const { return device_.getProperty<std::uint64_t>(NP_MemoryPeak); }
  std::uint64_t getReserved() const {
    return device_.getProperty<std::uint64_t>(NP_MemoryReserved);
  }
  void resetPeak() { detail::check(nexus_device_reset_memory_peak(device_.get())); }
  void trim(std::uint64_t keep = 0) {
    detail::check(nexus_device_trim_memory(device_.get(), keep));
  }

 private:
  Object device_;
};

/// Keeps memory that was given back, for later allocations. Blocks are multiples of 512 bytes; a
/// free one is used for a request of at least four fifths of its size.
class MemoryPool final : public MemoryResource {
 public:
  /// upstream allocates what the pool does not have. The pool holds at most maxSize bytes, and
  /// returns free blocks while it holds more than releaseThreshold.
  explicit MemoryPool(std::shared_ptr<MemoryResource> upstream, std::uint64_t maxSize = UINT64_MAX,
                      std::uint64_t releaseThreshold = UINT64_MAX)
      : upstream_(std::move(upstream)), maxSize_(maxSize), releaseThreshold_(releaseThreshold) {}
  ~MemoryPool() override {
    for (const auto &[bytes, address] : free_) {  // without the lock, which a fork() may have left
      try {
        upstream_->deallocate(address, bytes);
      } catch (const Error &) {
        // the child of a fork(): the memory is the parent's
      }
    }
  }

  /// Throws Error with NXS_MemObjectAllocationFailure if the pool would hold more than its maximum,
  /// and what upstream throws after the free blocks were returned to it.
  std::uint64_t allocate(std::uint64_t size) override {
    const std::uint64_t bytes = blockSize(size);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto found = free_.lower_bound(bytes);
      if (found != free_.end() && found->first <= bytes + bytes / 4) {
        return use(free_.extract(found));
      }
    }
    reserve(bytes);
    std::uint64_t address = 0;
    try {
      address = allocateUpstream(bytes);
      if (address == 0) {
        throw Error(NXS_MemObjectAllocationFailure, "the resource of the pool returned 0.");
      }
      const std::lock_guard<std::mutex> lock(mutex_);
      Blocks made;
      return use(made.extract(made.emplace(bytes, address)));
    } catch (...) {
      if (address != 0) upstream_->deallocate(address, bytes);
      const std::lock_guard<std::mutex> lock(mutex_);
      reserved_ -= bytes;
      throw;
    }
  }

  /// Throws Error with NXS_InvalidValue if the address is none of allocate().
  void deallocate(std::uint64_t address, std::uint64_t) override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      auto block = used_.extract(address);
      if (block.empty()) {
        throw Error(NXS_InvalidValue, "address is " + std::to_string(address) +
                                          ", which is not memory of the pool, or was given back.");
      }
      block.key() = std::exchange(block.mapped(), address);
      inUse_ -= block.key();
      const auto newest = free_.lower_bound(block.key());  // used first, while caches have it
      free_.insert(newest, std::move(block));
    }
    trim(releaseThreshold_);
  }

  /// Returns free blocks, the largest first, until the pool holds at most keep bytes.
  void trim(std::uint64_t keep = 0) {
    while (true) {
      Blocks::node_type block;
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (reserved_ <= keep || free_.empty()) return;
        block = free_.extract(std::prev(free_.end()));
        reserved_ -= block.key();
      }
      upstream_->deallocate(block.mapped(), block.key());  // without the lock: it may call out
    }
  }

  /// Return bytes: of the blocks in use, the most of them since resetPeak(), and of all blocks.
  std::uint64_t getUsed() const { return read(inUse_); }
  std::uint64_t getPeak() const { return read(peak_); }
  std::uint64_t getReserved() const { return read(reserved_); }
  /// Returns the number of blocks in use.
  std::uint64_t getAllocations() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return used_.size();
  }
  void resetPeak() {
    const std::lock_guard<std::mutex> lock(mutex_);
    peak_ = inUse_;
  }

 private:
  // Free blocks are sorted by size, used ones by address; both have the other as the value, so that
  // a block moves between them without an allocation.
  using Blocks = std::multimap<std::uint64_t, std::uint64_t>;

  static std::uint64_t blockSize(std::uint64_t size) {
    constexpr std::uint64_t unit = 512;
    if (size == 0 || size > UINT64_MAX / 4) {
      throw Error(NXS_InvalidBufferSize, "size is " + std::to_string(size) +
                                             "; give at least 1, and less than any device has.");
    }
    return (size + unit - 1) / unit * unit;
  }

  // Under mutex_.
  std::uint64_t use(Blocks::node_type block) {
    inUse_ += block.key();
    peak_ = std::max(peak_, inUse_);
    const std::uint64_t address = block.mapped();
    block.mapped() = std::exchange(block.key(), address);
    used_.insert(std::move(block));
    return address;
  }

  // Counts bytes as held. Throws if they are too many, also without the free blocks.
  void reserve(std::uint64_t bytes) {
    if (bytes <= maxSize_) trim(maxSize_ - bytes);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (bytes > maxSize_ || reserved_ > maxSize_ - bytes) {
      throw Error(NXS_MemObjectAllocationFailure,
                  "the pool may hold " + std::to_string(maxSize_) + " bytes and has " +
                      std::to_string(inUse_) + " in use: give buffers back, wait for work that " +
                      "uses them, or make a larger pool.");
    }
    reserved_ += bytes;
  }

  std::uint64_t allocateUpstream(std::uint64_t bytes) {
    try {
      return upstream_->allocate(bytes);
    } catch (const std::exception &) {
      if (!hasFree()) throw;
    }
    trim();
    return upstream_->allocate(bytes);
  }

  bool hasFree() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return !free_.empty();
  }

  std::uint64_t read(const std::uint64_t &count) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return count;
  }

  const std::shared_ptr<MemoryResource> upstream_;
  const std::uint64_t maxSize_;
  const std::uint64_t releaseThreshold_;
  mutable std::mutex mutex_;
  Blocks free_;  // under mutex_, as all below
  std::map<std::uint64_t, std::uint64_t> used_;
  std::uint64_t inUse_ = 0;
  std::uint64_t peak_ = 0;
  std::uint64_t reserved_ = 0;
};

namespace detail {

inline void setResource(const Object &device, std::shared_ptr<MemoryResource> resource) {
  if (resource == nullptr) {
    return check(nexus_device_set_memory_resource(device.get(), nullptr));
  }
  auto kept = std::make_unique<SharedResource>(std::move(resource));
  auto raw = sized<nexus_memory_resource>();
  raw.allocate = &allocateFrom;
  raw.deallocate = &deallocateTo;
  raw.context = kept.get();
  raw.release = &releaseResource;
  check(nexus_device_set_memory_resource(device.get(), &raw));
  static_cast<void>(kept.release());  // now the device's
}

inline std::shared_ptr<MemoryResource> getResource(const Object &device) {
  struct Seen {
    SharedResource resource;
    bool other = false;
  } seen;
  check(nexus_device_get_memory_resource(
      device.get(),
      [](void *context, const nexus_memory_resource *set) {
        auto &to = *static_cast<Seen *>(context);
        to.other = set != nullptr && set->allocate != &allocateFrom;
        if (set != nullptr && !to.other) to.resource = *static_cast<SharedResource *>(set->context);
      },
      &seen));
  if (seen.other) {
    throw Error(NXS_NotSupported,
                "Another library of this process set the device's memory resource, and only that "
                "library can return it.");
  }
  return seen.resource != nullptr ? seen.resource : std::make_shared<DeviceMemoryResource>(device);
}

}  // namespace detail
}  // namespace nexus

#endif  // NEXUS_MEMORY_RESOURCE_HPP_
