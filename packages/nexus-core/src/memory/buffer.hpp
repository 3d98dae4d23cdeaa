// SPDX-License-Identifier: Apache-2.0
//
// A buffer: a range of a memory with a shape and a data type.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "memory/memory.hpp"
#include "object/object.hpp"
#include "stream/queue.hpp"

namespace nexus::core {

/// The constant properties of a buffer.
struct Layout {
  uint64_t size = 0;  // bytes of the elements
  nxs_data_type data_type = NXS_DataType_Undefined;
  std::vector<uint64_t> shape;
  bool read_only = false;
  std::vector<int64_t> strides;  // bytes; empty: C order without gaps
  uint64_t extent = 0;           // bytes from the lowest to the end of the highest element
  uint64_t first = 0;            // bytes from the lowest element to the one at index 0

  bool contiguous() const noexcept { return strides.empty(); }
};

/// Where bytes are.
struct Place {
  Ref<Memory> memory;
  uint64_t offset;  // bytes from the memory's start
};

/// All or part of a memory. Closing it releases its reference to the memory, which slices or
/// commands may still hold.
class Buffer final : public ListedObject {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_Buffer;

  Buffer(Ref<Memory> memory, uint64_t offset, Layout layout)
      : Buffer(std::move(memory), offset, std::make_shared<const Layout>(std::move(layout))) {}
  Buffer(Ref<Memory> memory, uint64_t offset, std::shared_ptr<const Layout> layout);
  ~Buffer() override;

  /// NULL for a system buffer.
  Device *device() const noexcept { return device_; }
  uint64_t offset() const noexcept { return offset_; }  // bytes from the memory's start
  const Layout &layout() const noexcept { return *layout_; }
  const std::shared_ptr<const Layout> &sharedLayout() const noexcept { return layout_; }
  uint64_t size() const noexcept { return layout_->size; }
  bool contiguous() const noexcept { return layout_->contiguous(); }
  bool readOnly() const noexcept { return layout_->read_only; }
  /// Throws NXS_InvalidBuffer if another thread has closed the buffer.
  Ref<Memory> memory() const;
  /// Returns whether it is open, and a range of that memory.
  bool isOver(const Ref<Memory> &memory) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return memory_ && memory_ == memory;
  }
  /// Returns where the bytes are, for work outside of schedules. Throws what memory() throws, and
  /// NXS_InvalidOperation for scratch memory, except in a function that its schedule calls with it.
  Place place() const;
  /// Like place(), for uses that share the memory with others. Throws NXS_NotSupported for scratch
  /// memory, which can't be shared.
  Place sharedPlace() const;

  nxs_id nativeId() const noexcept override { return device_ == nullptr ? 0 : id_; }
  std::optional<json::Value> property(std::string_view name, nxs_property number) override;
  std::vector<std::string> propertyKeys() override;

 private:
  bool closable() const noexcept override { return true; }
  void onClose() override { letGo(); }
  void letGo();
  std::optional<json::Value> nativeHandle();

  Device *const device_;
  const nxs_id id_;  // the memory's
  const uint64_t offset_;
  const std::shared_ptr<const Layout> layout_;
  mutable std::mutex mutex_;
  Ref<Memory> memory_;  // under mutex_
};

/// Returns the layout of scratch memory. Throws if desc is invalid, or has settings or contents.
Layout layoutOfScratch(const nexus_buffer_desc *desc);

/// Throws NXS_InvalidValue unless size bytes from offset on lie within the bytes of whole, "the
/// buffer". remedy ends the sentence.
void requireWithin(uint64_t offset, uint64_t size, uint64_t bytes, const char *whole,
                   const char *remedy);

/// Throws NXS_InvalidValue if the buffer, the parameter of that name, has gaps between its elements
/// or another order than C's.
void requireContiguous(const Buffer &buffer, const char *name);
/// Throws if the buffer, the parameter of that name, is read-only.
void checkWritable(const Buffer &buffer, const char *name);
/// Throws if a range of a buffer can't be filled with that pattern.
void checkPattern(uint64_t offset, uint64_t size, const void *pattern, uint64_t pattern_size);
/// Throws if the buffer can't be filled with that pattern.
void checkFill(const Buffer &buffer, const void *pattern, uint64_t pattern_size);
/// Copies data into all of a contiguous buffer, and waits.
void fillFromHost(Buffer &buffer, const void *data);
/// Throws if the sizes differ, or the destination is read-only.
void checkCopy(const Buffer &source, const Buffer &destination);

}  // namespace nexus::core
