// SPDX-License-Identifier: Apache-2.0
//
// numpy's array interface and that of CUDA, which has the same entries.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bindings.hpp"

namespace nexus::python {

/// The dict of an object's __array_interface__ or __cuda_array_interface__. Errors name the entry
/// and the parameter.
class ArrayInterface {
 public:
  /// attribute lives as long as this. TypeError where it is no dict.
  ArrayInterface(py::handle object, const char *attribute, std::string parameter);

  const std::string &parameter() const noexcept { return parameter_; }
  /// "__array_interface__['data'] of x".
  std::string nameOf(const char *key) const;
  /// None where it is not there.
  py::object entry(const char *key) const;
  /// TypeError where it is none.
  py::tuple tuple(const char *key) const;
  /// That of the object's dtype, where it has one, else of typestr. TypeError and ValueError.
  nxs_data_type dataType() const;
  std::vector<std::uint64_t> shape() const;
  /// ValueError where the array has a mask.
  void refuseMask() const;

 private:
  nxs_data_type fromTypestr() const;

  py::handle object_;
  const char *attribute_;
  std::string parameter_;
  py::dict entries_;
};

/// The interface's name of a data type, such as "<f4"; empty for those that it has none for.
std::string typestrOf(nxs_data_type type);

/// No memory holds more elements, and their bytes can't overflow.
constexpr std::uint64_t kMostElements = std::uint64_t{1} << 60U;

/// Elements of a shape. Nothing where they are more than kMostElements.
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

/// TypeError for an array or scalar of numpy.ma, since Nexus keeps no mask.
void refuseMasked(py::handle object, const std::string &parameter);

}  // namespace nexus::python
