// SPDX-License-Identifier: Apache-2.0
#include "values/strides.hpp"

#include <utility>

namespace nexus::python {

Strides readStrides(const std::vector<std::uint64_t> &shape, std::vector<std::int64_t> bytes,
                    std::uint64_t itemsize, const std::string &parameter) {
  Strides strides;
  bool isContiguous = true;
  std::uint64_t packed = itemsize;
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  for (std::size_t dimension = shape.size(); dimension-- > 0;) {
    const std::uint64_t length = shape[dimension];
    if (length == 0) return {};
    if (length == 1) continue;
    isContiguous = isContiguous && bytes[dimension] == static_cast<std::int64_t>(packed);
    packed *= length;
    std::int64_t reach = 0;
    std::int64_t &end = bytes[dimension] < 0 ? lowest : highest;
    if (__builtin_mul_overflow(static_cast<std::int64_t>(length - 1), bytes[dimension], &reach) ||
        __builtin_add_overflow(end, reach, &end)) {
      throw py::value_error(parameter + " has strides beyond any memory.");
    }
  }
  if (!isContiguous) strides.bytes = std::move(bytes);
  strides.first = std::uint64_t{0} - static_cast<std::uint64_t>(lowest);
  strides.extent = static_cast<std::uint64_t>(highest) + strides.first + itemsize;
  return strides;
}

Strides stridesOf(const Buffer &buffer) {
  Strides strides;
  strides.extent = buffer.getSize();
  if (buffer.isContiguous()) return strides;
  const std::vector<std::uint64_t> shape = buffer.getShape();
  return readStrides(shape, buffer.getStrides(), dataTypeBits(buffer.getDataType()) / 8, "buffer");
}

Buffer viewIn(const Buffer &base, nxs_data_type type, const std::vector<std::uint64_t> &shape,
              const Strides &strides) {
  return nexus::detail::result<Buffer>(nexus_buffer_view, base.get(), strides.first, type,
                                       static_cast<std::uint32_t>(shape.size()), lengthsOf(shape),
                                       strides.bytes.data());
}

}  // namespace nexus::python
