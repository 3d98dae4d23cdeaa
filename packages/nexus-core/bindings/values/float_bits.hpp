// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace nexus::python {

/// A binary floating-point format of at most 16 bits: a sign, an exponent, a fraction.
struct FloatFormat {
  int exponentBits;
  int fractionBits;
  bool hasInfinity;  ///< Else the largest exponent holds numbers too, and NaN is all ones.
};

inline constexpr FloatFormat kFloat16{5, 10, true};
inline constexpr FloatFormat kBFloat16{8, 7, true};
inline constexpr FloatFormat kFloat8E4M3FN{4, 3, false};
inline constexpr FloatFormat kFloat8E5M2{5, 2, true};

/// Returns the bits of value in the format, rounded once to nearest, ties to even; nothing if it is
/// finite and too large, or infinite and the format has no infinity.
std::optional<std::uint16_t> encodeFloat(double value, const FloatFormat &format) noexcept;

}  // namespace nexus::python
