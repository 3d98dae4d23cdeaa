// SPDX-License-Identifier: Apache-2.0
// What nxsDescribeCompile and nxsCompileProgram are given, and what they answer.
#ifndef NEXUS_PLUGIN_COMPILE_HPP_
#define NEXUS_PLUGIN_COMPILE_HPP_

#include <nexus-plugin/checks.hpp>
#include <nexus-plugin/json.hpp>
#include <nexus-plugin/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {

// The host's nxs_compile_info, checked. The texts are the host's, valid during the call.
struct CompileSettings {
  std::string_view source;
  std::string_view language;
  std::string_view name;
  std::string_view target;
  std::string_view standard;
  nxs_compile_flags flags = 0;
  int32_t optimization = 0;
  std::vector<std::string_view> defines;
  std::vector<std::string_view> include_paths;
  std::vector<std::string_view> options;
};

// What a plug-in says that it would do; the members of nxsDescribeCompile's answer.
struct CompileDescription {
  std::string compiler;
  std::string identity;
  std::string target;
  std::vector<std::string> flags;
  std::string format;
  std::vector<std::string> include_folders = {};
  bool reads_other_files = false;
};

namespace detail {

inline std::vector<std::string_view> check_texts(const nxs_string *texts, uint64_t count,
                                                 const char *parameter) {
  if (count != 0) check_pointer(texts, parameter);
  std::vector<std::string_view> views;
  for (uint64_t i = 0; i < count; ++i) views.push_back(check_text(&texts[i], parameter));
  return views;
}

}  // namespace detail

// NXS_InvalidValue where the struct or one of its texts is none.
inline CompileSettings check_compile_info(const nxs_compile_info *info) {
  const nxs_compile_info &given = check_struct(info, "info");
  CompileSettings settings;
  settings.source = check_text(&given.source, "info->source");
  settings.language = check_text(&given.language, "info->language");
  settings.name = check_text(&given.name, "info->name");
  settings.target = check_text(&given.target, "info->target");
  settings.standard = check_text(&given.standard, "info->standard");
  settings.flags = given.flags;
  settings.optimization = given.optimization;
  settings.defines = detail::check_texts(given.defines, given.define_count, "info->defines");
  settings.include_paths =
      detail::check_texts(given.include_paths, given.include_path_count, "info->include_paths");
  settings.options = detail::check_texts(given.options, given.option_count, "info->options");
  return settings;
}

// The sink behind a pointer, which can be written to.
inline const nxs_sink &check_sink(const nxs_sink *sink, const char *parameter) {
  const nxs_sink &checked = check_struct(sink, parameter);
  if (checked.write == nullptr) throw Error(NXS_InvalidValue, parameter, "->write is NULL");
  return checked;
}

inline void write_to(const nxs_sink &sink, std::string_view bytes) {
  if (!bytes.empty()) sink.write(sink.context, bytes.data(), bytes.size());
}

// The JSON object of nxsDescribeCompile.
inline Value to_value(const CompileDescription &description) {
  JsonObject object;
  object.add_json("Compiler", json_string(description.compiler))
      .add_json("Identity", json_string(description.identity))
      .add_json("Target", json_string(description.target))
      .add_json("Flags", json_list(description.flags))
      .add_json("Format", json_string(description.format));
  if (!description.include_folders.empty()) {
    object.add_json("IncludeFolders", json_list(description.include_folders));
  }
  if (description.reads_other_files) object.add_json("ReadsOtherFiles", "true");
  return Json{object.done()};
}

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_COMPILE_HPP_
