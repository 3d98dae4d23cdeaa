// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_PROPERTIES_HPP_
#define NEXUS_PROPERTIES_HPP_

#include <nexus/json_text.hpp>
#include <nexus/object.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nexus {

/// A document cited by a device file. Texts missing in the file are empty.
struct Citation {
  std::string title;
  std::string publisher;
  std::string date;     ///< A year, a month or a day, such as "2026-01".
  std::string version;  ///< The document's own.
  std::string section;  ///< The heading, table or file with the values.
  std::string address;  ///< Its address on the web.
  std::string read;     ///< The day on which the passage was read.
};

/// The source of a value.
struct PropertySource {
  /// "driver", "device file", "computed", "mixed" of several values, or "library" (a catalog).
  std::string kind;
  std::string file;  ///< The device file's path; empty if it has none of the value.
  std::vector<Citation> citations;
  std::vector<std::string> from;  ///< Paths of the values that it is computed from.
};

namespace detail {

inline Citation readCitation(JsonText &text) {
  Citation citation;
  const std::pair<std::string_view, std::string *> members[] = {
      {"Title", &citation.title},     {"Publisher", &citation.publisher},
      {"Date", &citation.date},       {"Version", &citation.version},
      {"Section", &citation.section}, {"Address", &citation.address},
      {"Read", &citation.read}};
  text.readObject([&](std::string_view name) {
    for (const auto &[key, value] : members) {
      if (key == name) {
        *value = text.readString();
        return;
      }
    }
    text.skip();
  });
  return citation;
}

inline PropertySource readPropertySource(std::string json) {
  JsonText text(std::move(json));
  PropertySource source;
  text.readObject([&](std::string_view name) {
    if (name == "Kind") {
      source.kind = text.readString();
    } else if (name == "File") {
      source.file = text.readString();
    } else if (name == "Citations") {
      text.readList([&] { source.citations.push_back(readCitation(text)); });
    } else if (name == "From") {
      text.readList([&] { source.from.push_back(text.readString()); });
    } else {
      text.skip();
    }
  });
  return source;
}

}  // namespace detail

/// A tree of properties, such as a device's own merged into its device file. Read it with
/// getProperty<T>. Never changes. Made by Device::getInfo, System::getDeviceInfo,
/// System::lookupDeviceInfo, Library::getInfo and Kernel::getInfo.
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
    const std::vector<nexus_key> raw = detail::rawKeys(path);
    return detail::PropertyBytes([&](nxs_value *value) {
             return nexus_get_property_source(get(), raw.data(), raw.size(), value);
           })
        .text();
  }
};

}  // namespace nexus

#endif  // NEXUS_PROPERTIES_HPP_
