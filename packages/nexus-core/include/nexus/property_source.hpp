// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_PROPERTY_SOURCE_HPP_
#define NEXUS_PROPERTY_SOURCE_HPP_

#include <nexus/json_text.hpp>

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
  std::string kind;  ///< "driver", "device file", "computed", or "mixed" of several values.
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
}  // namespace nexus

#endif  // NEXUS_PROPERTY_SOURCE_HPP_
