// SPDX-License-Identifier: Apache-2.0
//
// A buffer: a range of a memory with a shape and a data type.
#pragma once

#include <mutex>
#include <vector>

#include "memory/memory.hpp"
#include "object/object.hpp"
#include "stream/queue.hpp"

namespace nexus::core {

/// What a buffer is besides its memory. It never changes.
struct Layout {
  uint64_t size = 0;  // bytes
  nxs_data_type data_type = NXS_DataType_Undefined;
  std::vector<uint64_t> shape;
  bool read_only = false;
};

/// Throws where size, shape and data type of desc do not fit each other.
Layout layoutOf(const nexus_buffer_desc &desc);

/// The whole of a memory or a part of it. Closing it lets go of the memory, which lives
/// on where slices or commands hold it.
class Buffer final : public ListedObject {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_Buffer;

  Buffer(Ref<Memory> memory, uint64_t offset, Layout layout);

  /// NULL for a system buffer.
  Device *device() const noexcept { return device_; }
  uint64_t offset() const noexcept { return offset_; }  // bytes from the memory's start
  const Layout &layout() const noexcept { return layout_; }
  uint64_t size() const noexcept { return layout_.size; }
  bool readOnly() const noexcept { return layout_.read_only; }
  /// Throws NXS_InvalidBuffer where another thread closed the buffer meanwhile.
  Ref<Memory> memory() const;

  nxs_id nativeId() const noexcept override { return device_ == nullptr ? 0 : id_; }
  std::optional<json::Value> property(std::string_view name, nxs_property number) override;
  std::vector<std::string> propertyKeys() override;

 private:
  bool closable() const noexcept override { return true; }
  void onClose() override;
  std::optional<json::Value> nativeHandle();

  Device *const device_;
  const nxs_id id_;  // the memory's
  const uint64_t offset_;
  const Layout layout_;
  mutable std::mutex mutex_;
  Ref<Memory> memory_;  // under mutex_
};

/// The description that a caller gave. Throws NXS_InvalidValue where it is none.
const nexus_buffer_desc &givenDesc(const nexus_buffer_desc *desc);
/// Gives a buffer to the caller of a C function, and lists it with its device, where it has one.
void giveOutBuffer(Ref<Buffer> buffer, nexus_buffer **out_buffer);

/// Throws NXS_InvalidOperation where the buffer is read-only; name is the parameter's.
void checkWritable(const Buffer &buffer, const char *name);
/// Throws where a fill of the buffer with such a pattern is not possible.
void checkFill(const Buffer &buffer, const void *pattern, uint64_t pattern_size);
/// Throws where the sizes differ, or the destination is read-only.
void checkCopy(const Buffer &source, const Buffer &destination);

}  // namespace nexus::core
