// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_PROPERTIES_HPP_
#define NEXUS_PROPERTIES_HPP_

#include <nexus/object.hpp>

namespace nexus {

/// A tree of properties, such as what a device says of itself laid over its
/// device file. Read it with getProperty<T>. Made by Device::getInfo.
class Properties : public Object {
 public:
  Properties() noexcept = default;
  /// Takes over the caller's reference.
  explicit Properties(nexus_properties *object) noexcept : Object(object) {}
};

}  // namespace nexus

#endif  // NEXUS_PROPERTIES_HPP_
