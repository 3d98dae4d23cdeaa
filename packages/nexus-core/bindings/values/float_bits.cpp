// SPDX-License-Identifier: Apache-2.0
#include "values/float_bits.hpp"

#include <algorithm>
#include <cmath>

namespace nexus::python {

std::optional<std::uint16_t> encodeFloat(double value, const FloatFormat &format) noexcept {
  const int fractionBits = format.fractionBits;
  const auto sign = static_cast<std::uint32_t>(std::signbit(value) ? 1 : 0)
                    << (format.exponentBits + fractionBits);
  const std::uint32_t fractionOnes = (1U << fractionBits) - 1;
  const std::uint32_t infinity = ((1U << format.exponentBits) - 1) << fractionBits;
  if (std::isnan(value)) {
    const std::uint32_t nan =
        format.hasInfinity ? infinity | (1U << (fractionBits - 1)) : infinity | fractionOnes;
    return static_cast<std::uint16_t>(sign | nan);
  }
  if (std::isinf(value)) {
    return format.hasInfinity ? std::optional(static_cast<std::uint16_t>(sign | infinity))
                              : std::nullopt;
  }
  const double magnitude = std::fabs(value);
  if (magnitude == 0.0) {
    return static_cast<std::uint16_t>(sign);
  }
  const int bias = (1 << (format.exponentBits - 1)) - 1;
  // The exponent of the number's unit in the last place; at the lowest one the format is subnormal.
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int lowest = 1 - bias;
  const int power = std::max(exponent - 1, lowest);
  const double units = std::nearbyint(std::ldexp(magnitude, fractionBits - power));
  // units of a normal number includes the implicit one at 2^fractionBits; a carry out of the
  // fraction increments the exponent.
  const auto bits = static_cast<std::uint32_t>(units) +
                    (static_cast<std::uint32_t>(power - lowest) << fractionBits);
  const std::uint32_t largest = format.hasInfinity ? infinity - 1 : (infinity | fractionOnes) - 1;
  if (bits > largest) {
    return std::nullopt;
  }
  return static_cast<std::uint16_t>(sign | bits);
}

}  // namespace nexus::python
