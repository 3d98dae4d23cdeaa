// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_PROPERTIES_HPP_
#define NEXUS_PROPERTIES_HPP_

#include <nexus/object.hpp>
#include <nexus/property_source.hpp>

#include <initializer_list>
#include <string>
#include <vector>

namespace nexus {

/// A tree of properties, such as a device's own merged into its device file. Read it with
/// getProperty<T>. Never changes. Made by Device::getInfo, System::getDeviceInfo and
/// System::lookupDeviceInfo.
class Properties : public Object {
 public:
  Properties() noexcept = default;
  /// Takes over the caller's reference.
  explicit Properties(nexus_properties *object) noexcept : Object(object) {}

  /// Returns the source of the value at a path, with the documents that the device file cites for
  /// it; for a part of the tree, those of all its values. Throws Error with NXS_InvalidProperty as
  /// getProperty does.
  PropertySource getSource(const Key &key) const { return getSource(std::vector<Key>{key}); }
  PropertySource getSource(std::initializer_list<Key> path) const {
    return getSource(std::vector<Key>(path));
  }
  PropertySource getSource(const std::vector<Key> &path) const {
    return detail::readPropertySource(getSourceJson(path));
  }

  /// Returns the same as JSON: the value of nexus_get_property_source.
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
