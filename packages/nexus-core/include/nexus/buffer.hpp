// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_BUFFER_HPP_
#define NEXUS_BUFFER_HPP_

#include <nexus/data_type.hpp>
#include <nexus/object.hpp>
#include <nexus/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace nexus {

/// The description of a buffer to be made. Without a shape it has one dimension of size bytes. A
/// size or a length of 0 makes an empty buffer.
struct BufferDesc {
  std::uint64_t size = 0;  ///< Bytes.
  nxs_data_type dataType = NXS_DataType_Undefined;
  std::vector<std::uint64_t> shape = {};  ///< Elements, outermost first.
  nxs_buffer_settings settings = 0;       ///< NXS_BufferSettings_ bits; 0: the device's own memory.
  const void *data = nullptr;             ///< size bytes to be copied, or NULL.
  bool scalar = false;                    ///< With an empty shape: one element without dimensions.
};

namespace detail {

inline nexus_buffer_desc toDesc(const BufferDesc &desc) {
  auto raw = sized<nexus_buffer_desc>();
  raw.size = desc.size;
  raw.settings = desc.settings;
  raw.data_type = desc.dataType;
  raw.rank = static_cast<std::uint32_t>(desc.shape.size());
  static constexpr std::uint64_t noLengths = 0;
  raw.shape = !desc.shape.empty() ? desc.shape.data() : desc.scalar ? &noLengths : nullptr;
  raw.host_data = const_cast<void *>(desc.data);  // not written to: this struct has no Maintain
  return raw;
}

}  // namespace detail

class Device;

/// Contiguous memory whose elements can be copied byte by byte: a std::vector, std::array, ...
template <class R>
concept HostRange = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
                    std::is_trivially_copyable_v<std::ranges::range_value_t<R>>;

/// Memory of a device, with a data type and a shape. Made by Device::createBuffer.
///
/// Copies and fills take a stream; without one they start after all submitted work that uses the
/// buffer. With blocking false they return at once, and the host memory must stay valid until the
/// copy in the stream is done.
class Buffer : public Object {
 public:
  Buffer() noexcept = default;
  /// Takes over the caller's reference.
  explicit Buffer(nexus_buffer *object) noexcept : Object(object) {}

  /// Returns an empty Device for a system buffer. Defined in <nexus/device.hpp>.
  Device getDevice() const;

  /// Returns the size in bytes.
  std::uint64_t getSize() const {
    return detail::result<std::uint64_t>(nexus_buffer_get_size, get());
  }

  nxs_data_type getDataType() const {
    return detail::result<nxs_data_type>(nexus_buffer_get_data_type, get());
  }

  /// Returns whether nothing may write to the buffer, as for the memory of an array that its
  /// library never changes.
  bool isReadOnly() const {
    return detail::result<std::int32_t>(nexus_buffer_is_read_only, get()) != 0;
  }

  /// Returns the length of each dimension, outermost first.
  std::vector<std::uint64_t> getShape() const {
    std::uint32_t rank = 0;
    detail::check(nexus_buffer_get_shape(get(), 0, nullptr, &rank));
    std::vector<std::uint64_t> shape(rank);
    if (rank != 0) {
      detail::check(nexus_buffer_get_shape(get(), rank, shape.data(), &rank));
    }
    return shape;
  }

  /// Returns the distance in bytes of neighbours along each dimension.
  std::vector<std::int64_t> getStrides() const {
    std::vector<std::int64_t> strides(getShape().size());
    std::uint64_t first = 0;
    detail::check(nexus_buffer_get_strides(get(), strides.size(), strides.data(), &first));
    return strides;
  }

  /// Returns whether the elements are in C order without gaps, as kernels and schedules need.
  bool isContiguous() const {
    return detail::result<std::int32_t>(nexus_buffer_is_contiguous, get()) != 0;
  }

  /// Copies size bytes of the buffer, from offset on, to host memory. Of a view that is not
  /// contiguous, all elements in C order, blocking; so do the other copies and fills.
  void copy(void *host, std::uint64_t size, std::uint64_t offset = 0, const Stream &stream = {},
            bool blocking = true) const {
    detail::check(
        nexus_buffer_copy_to_host(get(), offset, host, size, stream.get(), blocking ? 1 : 0));
  }

  /// Copies as many bytes as the range has, from the buffer's start, and waits.
  template <HostRange R>
  void copy(R &&host) const {
    copy(std::ranges::data(host), byteSize(host));
  }

  /// Copies size bytes of host memory into the buffer, from offset on.
  void copyFrom(const void *host, std::uint64_t size, std::uint64_t offset = 0,
                const Stream &stream = {}, bool blocking = true) const {
    detail::check(
        nexus_buffer_copy_from_host(get(), offset, host, size, stream.get(), blocking ? 1 : 0));
  }

  /// Copies the whole range to the buffer's start, and waits.
  template <HostRange R>
  void copyFrom(const R &host) const {
    copyFrom(std::ranges::data(host), byteSize(host));
  }

  /// Copies the buffer into another of the same size. If they are on different devices, stream may
  /// be of either; without one, the default streams of both are used.
  void copyTo(const Buffer &destination, const Stream &stream = {}, bool blocking = true) const {
    detail::check(
        nexus_buffer_copy_to_buffer(get(), destination.get(), stream.get(), blocking ? 1 : 0));
  }

  /// Sets each element to value. The buffer's size must be a multiple of the value's.
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void fill(const T &value, const Stream &stream = {}, bool blocking = true) const {
    detail::check(nexus_buffer_fill(get(), &value, sizeof(value), stream.get(), blocking ? 1 : 0));
  }

  /// Waits for all submitted work that uses the memory and returns its address, which is valid
  /// while the buffer is held and not closed. Throws NXS_NotSupported if the memory is not
  /// host-visible.
  void *getHostPointer() const {
    return detail::result<void *>(nexus_buffer_get_host_pointer, get());
  }

  /// Returns a buffer over size bytes from offset on, which shares this buffer's memory.
  Buffer slice(std::uint64_t offset, std::uint64_t size) const {
    auto desc = detail::sized<nexus_buffer_desc>();
    desc.size = size;
    desc.data_type = getDataType();
    return detail::result<Buffer>(nexus_buffer_slice, get(), offset, &desc);
  }

  /// Returns a buffer over the same memory with elements of another data type. Changes the length
  /// of the last dimension, as numpy's view() does; throws NXS_InvalidValue if part of an element
  /// would be left.
  Buffer view(nxs_data_type type) const {
    std::vector<std::uint64_t> shape = getShape();
    const std::uint64_t bits = dataTypeBits(getDataType());
    if (!shape.empty() && dataTypeBits(type) != 0) {
      shape.back() = shape.back() * bits / dataTypeBits(type);
    }
    auto desc = detail::sized<nexus_buffer_desc>();
    desc.size = getSize();
    desc.data_type = type;
    desc.rank = static_cast<std::uint32_t>(shape.size());
    const std::uint64_t noLengths = 0;
    desc.shape = shape.empty() ? &noLengths : shape.data();  // not NULL, which means no shape
    return detail::result<Buffer>(nexus_buffer_slice, get(), std::uint64_t{0}, &desc);
  }

  /// Returns a buffer over some elements of this one, which shares its memory. strides has the
  /// bytes from one element to the next along each dimension, also 0 or negative; offset is the
  /// byte of the element at index 0, from the lowest byte of this buffer. A view that
  /// isContiguous() is an argument of kernels.
  Buffer view(const std::vector<std::uint64_t> &shape, const std::vector<std::int64_t> &strides,
              std::uint64_t offset = 0) const {
    if (shape.size() != strides.size()) {
      throw Error(NXS_InvalidValue, "shape and strides have different lengths.");
    }
    return detail::result<Buffer>(nexus_buffer_view, get(), offset, getDataType(),
                                  static_cast<std::uint32_t>(shape.size()), shape.data(),
                                  strides.data());
  }

  /// Returns the handle with which other processes of this machine import the memory while this
  /// buffer exists. Throws NXS_InvalidOperation unless it was made with
  /// NXS_BufferSettings_Shareable.
  std::string exportMemory() const { return detail::written(nexus_buffer_export, get()); }

  /// Closes this buffer. Slices and schedules that use it keep the memory; it is freed after the
  /// last of them and the work that uses it.
  void close() const { closeObject(); }

 private:
  template <class R>
  static std::uint64_t byteSize(const R &range) {
    return std::ranges::size(range) * sizeof(std::ranges::range_value_t<R>);
  }
};

}  // namespace nexus

#endif  // NEXUS_BUFFER_HPP_
