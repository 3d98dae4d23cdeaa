// SPDX-License-Identifier: Apache-2.0
// Kernels of every backend: descriptions of their arguments, and common properties.
#ifndef NEXUS_PLUGIN_KERNEL_HPP_
#define NEXUS_PLUGIN_KERNEL_HPP_

#include <nexus-plugin/base/data_type.hpp>
#include <nexus-plugin/base/functions.hpp>
#include <nexus-plugin/base/property_table.hpp>
#include <nexus-plugin/kernel/arguments.hpp>
#include <nexus-plugin/kernel/launch.hpp>

#include <string>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {

// An ArgumentSpec that owns its texts.
struct ArgumentDescription {
  std::string name;
  std::string type;  // as the program declares it
  nxs_argument_kind kind = NXS_ArgumentKind_Buffer;
  nxs_data_type data_type = NXS_DataType_Undefined;
  uint64_t size = 0;  // bytes of a scalar; 0: not known
};

// Returns specs with the texts of arguments, which must outlive them. kernel: its name. Throws
// NXS_InvalidKernelDefinition if there are more than kMaxArguments.
inline std::vector<ArgumentSpec> specs_of(const std::vector<ArgumentDescription> &arguments,
                                          std::string_view kernel) {
  check_argument_count(arguments.size(), kernel);
  std::vector<ArgumentSpec> specs;
  for (const ArgumentDescription &each : arguments) {
    specs.push_back({each.name, each.kind, each.data_type, each.size, each.type});
  }
  return specs;
}

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

// The properties of a kernel class with name(), described(), specs(), max_group_items() and
// required_group_size().
template <class Kernel>
inline constexpr auto described_kernel_properties = property_table<Kernel>({
    {NP_Name, member<&Kernel::name>},
    {NP_ArgumentNames, argument_names<Kernel>},
    {NP_ArgumentTypes, argument_types<Kernel>},
    {NP_ArgumentKinds, argument_kinds<Kernel>},
    {NP_MaxThreadsPerBlock, member<&Kernel::max_group_items>},
    {NP_RequiredGroupSize, known_member<&Kernel::required_group_size>},
});

}  // namespace nexus_plugin

// Defines nxsGetKernelArgument. is_known: the kernel's function that returns whether specs()
// describes its arguments; why: follows the kernel's name in the error if it does not.
//   NEXUS_PLUGIN_KERNEL_ARGUMENTS(kernels, described, "is a plain C function")
#define NEXUS_PLUGIN_KERNEL_ARGUMENTS(kernels, is_known, why)                                    \
  extern "C" nxs_status nxsGetKernelArgument(nxs_id id, uint32_t index,                          \
                                             nxs_argument_info *out_info) {                      \
    return nexus_plugin::guarded([&] {                                                           \
      const auto kernel = (kernels).pin(id);                                                     \
      if (!kernel->is_known()) {                                                                 \
        throw nexus_plugin::Error(NXS_KernelArgInfoNotAvailable, "the kernel '", kernel->name(), \
                                  "' ", why);                                                    \
      }                                                                                          \
      nexus_plugin::write_argument_info(kernel->specs(), index, out_info);                       \
    });                                                                                          \
  }

#endif  // NEXUS_PLUGIN_KERNEL_HPP_
