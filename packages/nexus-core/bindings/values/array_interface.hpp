// SPDX-License-Identifier: Apache-2.0
//
// numpy's array interface, and CUDA's, which has the same entries.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "python/bindings.hpp"
#include "values/strides.hpp"

namespace nexus::python {

/// The dict of an object's __array_interface__ or __cuda_array_interface__. Errors name the entry
/// and the parameter.
class ArrayInterface {
 public:
  /// attribute must live as long as this. TypeError if it is not a dict.
  ArrayInterface(py::handle object, const char *attribute, std::string parameter);

  const std::string &parameter() const noexcept { return parameter_; }
  /// "__array_interface__['data'] of x".
  std::string nameOf(const char *key) const;
  /// Returns None if it is missing.
  py::object entry(const char *key) const;
  /// TypeError if it is none.
  py::tuple tuple(const char *key) const;
  /// Returns the type of the object's dtype, or of typestr without one. TypeError and ValueError.
  nxs_data_type dataType() const;
  std::vector<std::uint64_t> shape() const;
  /// Returns the places of elements of that shape and type. TypeError and ValueError.
  Strides strides(const std::vector<std::uint64_t> &shape, nxs_data_type type) const;
  /// ValueError if the array has a mask.
  void refuseMask() const;

 private:
  nxs_data_type fromTypestr() const;

  py::handle object_;
  const char *attribute_;
  std::string parameter_;
  py::dict entries_;
};

/// Returns the interface's name of a data type, such as "<f4"; empty if it has none.
std::string typestrOf(nxs_data_type type);

/// No memory has more elements, and their size in bytes can't overflow.
constexpr std::uint64_t kMostElements = std::uint64_t{1} << 60U;

/// Returns the number of elements of a shape; nothing if it exceeds kMostElements.
template <class Lengths>
constexpr std::optional<std::uint64_t> countElements(const Lengths &shape) noexcept {
  std::uint64_t count = 1;
  for (const auto length : shape) {
    if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(length), &count) ||
        count > kMostElements) {
      return std::nullopt;
    }
  }
  return count;
}

/// TypeError for an array or scalar of numpy.ma, since Nexus has no masks.
void refuseMasked(py::handle object, const std::string &parameter);

}  // namespace nexus::python
