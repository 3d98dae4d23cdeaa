// SPDX-License-Identifier: Apache-2.0
// Suggestions for a name that does not exist.
#ifndef NEXUS_PLUGIN_NEAR_NAMES_HPP_
#define NEXUS_PLUGIN_NEAR_NAMES_HPP_

#include <nexus-api/nxs.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {

namespace detail {

// Returns how many insertions, removals and replacements turn a into b.
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

// Returns up to 8 names in a list such as "'add', 'copy' and others".
inline std::string list_names(const std::vector<std::string> &names) {
  constexpr std::size_t kMost = 8;
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    list += (i == 0 ? "'" : ", '") + names[i] + "'";
  }
  return names.size() > kMost ? list + " and others" : list;
}

}  // namespace detail

// Returns up to three names that are similar to name, as in "'saxpy' or 'saxpy2'"; empty if there
// are none.
inline std::string near_names(const std::vector<std::string> &names, std::string_view name) {
  constexpr std::size_t kLongest = 200;  // longer names are not compared
  std::vector<std::pair<std::size_t, const std::string *>> near;
  for (const std::string &candidate : names) {
    if (name.size() > kLongest || candidate.size() > kLongest) continue;
    const bool contains = !name.empty() && (candidate.find(name) != std::string::npos ||
                                            name.find(candidate) != std::string_view::npos);
    const std::size_t distance = contains ? 1 : detail::edit_distance(candidate, name);
    if (distance <= std::max<std::size_t>(2, name.size() / 3)) {
      near.emplace_back(distance, &candidate);
    }
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto &a, const auto &b) { return a.first < b.first; });
  if (near.size() > 3) near.resize(3);
  std::string out;
  for (const auto &[distance, candidate] : near) {
    out += (out.empty() ? "'" : " or '") + *candidate + "'";
  }
  return out;
}

// Returns the end of a sentence such as "... has no kernel 'x'": "; did you mean 'y'?", or "; it
// has" and a list of the names. nothing: replaces an empty list, such as "no function that others
// can see".
inline std::string instead_of(std::string_view name, const std::vector<std::string> &names,
                              std::string_view nothing) {
  if (const std::string near = near_names(names, name); !near.empty()) {
    return "; did you mean " + near + "?";
  }
  return "; it has " + (names.empty() ? std::string(nothing) : detail::list_names(names));
}

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_NEAR_NAMES_HPP_
