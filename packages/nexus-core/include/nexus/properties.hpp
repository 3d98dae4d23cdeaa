// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_PROPERTIES_HPP_
#define NEXUS_PROPERTIES_HPP_

#include <nexus/object.hpp>
#include <nexus/property_source.hpp>

#include <initializer_list>
#include <string>
#include <vector>

namespace nexus {

/// A tree of properties, such as what a device says of itself laid over its
/// device file. Read it with getProperty<T>. Never changes. Made by
/// Device::getInfo, System::getDeviceInfo and System::lookupDeviceInfo.
class Properties : public Object {
 public:
  Properties() noexcept = default;
  /// Takes over the caller's reference.
  explicit Properties(nexus_properties *object) noexcept : Object(object) {}

  /// Where the value at a path comes from, with what the device file cites for it; for a part of
  /// the tree, of all values in it. Throws Error with NXS_InvalidProperty as getProperty does.
  PropertySource getSource(const Key &key) const { return getSource(std::vector<Key>{key}); }
  PropertySource getSource(std::initializer_list<Key> path) const {
    return getSource(std::vector<Key>(path));
  }
  PropertySource getSource(const std::vector<Key> &path) const {
    return detail::readPropertySource(getSourceJson(path));
  }

  /// The same as JSON: what nexus_get_property_source writes.
  std::string getSourceJson(const std::vector<Key> &path) const {
    std::vector<nexus_key> raw;
    raw.reserve(path.size());
    for (const Key &key : path) {
      raw.push_back(key.raw());
    }
    return detail::PropertyBytes([&](nxs_value *value) {
             return nexus_get_property_source(get(), raw.data(), raw.size(), value);
           })
        .text();
  }
};

}  // namespace nexus

#endif  // NEXUS_PROPERTIES_HPP_
