// SPDX-License-Identifier: Apache-2.0
// The properties in which a kernel lists its arguments, for the table of a kernel that has
// described() and specs():
//
//   {NP_ArgumentNames, nexus_plugin::argument_names<Kernel>},
#ifndef NEXUS_PLUGIN_ARGUMENT_PROPERTIES_HPP_
#define NEXUS_PLUGIN_ARGUMENT_PROPERTIES_HPP_

#include <nexus-plugin/arguments.hpp>
#include <nexus-plugin/data_type.hpp>
#include <nexus-plugin/value.hpp>

#include <string>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {
namespace detail {

template <class Kernel, class Text>
Value argument_texts(const Kernel &kernel, Text &&text_of) {
  if (!kernel.described()) return {};
  std::vector<std::string> texts;
  for (const ArgumentSpec &spec : kernel.specs()) texts.emplace_back(text_of(spec));
  return texts;
}

constexpr const char *kind_word(nxs_argument_kind kind) noexcept {
  switch (kind) {
    case NXS_ArgumentKind_Buffer:
      return "buffer";
    case NXS_ArgumentKind_Scalar:
      return "scalar";
    case NXS_ArgumentKind_LocalMemory:
      return "local";
    default:
      return "unknown";
  }
}

}  // namespace detail

template <class Kernel>
Value argument_names(const Kernel &kernel) {
  return detail::argument_texts(kernel,
                                [](const ArgumentSpec &spec) { return std::string(spec.name); });
}

template <class Kernel>
Value argument_types(const Kernel &kernel) {
  return detail::argument_texts(
      kernel, [](const ArgumentSpec &spec) { return data_type(spec.data_type).name; });
}

template <class Kernel>
Value argument_kinds(const Kernel &kernel) {
  return detail::argument_texts(
      kernel, [](const ArgumentSpec &spec) { return detail::kind_word(spec.kind); });
}

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_ARGUMENT_PROPERTIES_HPP_
