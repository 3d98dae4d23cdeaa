// SPDX-License-Identifier: Apache-2.0
// Requests and results of nxsDescribeCompile, nxsCompileProgram and nxsLinkProgram.
#ifndef NEXUS_PLUGIN_COMPILE_HPP_
#define NEXUS_PLUGIN_COMPILE_HPP_

#include <nexus-plugin/base/checks.hpp>
#include <nexus-plugin/base/json.hpp>
#include <nexus-plugin/base/value.hpp>

#include <sys/stat.h>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {

// A checked nxs_compile_info. The texts are the host's and are valid during the call.
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
  std::vector<std::string_view> name_expressions;
};

// A checked nxs_link_info. The texts and codes are the host's and are valid during the call.
struct LinkSettings {
  struct Piece {
    std::string_view code;  // bytes
    std::string_view name;
  };
  std::vector<Piece> pieces;  // at least one
  std::string_view target;
  nxs_compile_flags flags = 0;
  int32_t optimization = 0;
  std::vector<std::string_view> options;
};

// How a plug-in would compile a program: the members of the JSON object of nxsDescribeCompile.
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

// Throws NXS_InvalidValue if the struct or one of its texts is invalid.
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
  settings.name_expressions = detail::check_texts(
      given.name_expressions, given.name_expression_count, "info->name_expressions");
  return settings;
}

// Throws NXS_InvalidValue if the struct or one of its texts is invalid, or it has no piece of code.
inline LinkSettings check_link_info(const nxs_link_info *info) {
  const nxs_link_info &given = check_struct(info, "info");
  const auto codes = detail::check_texts(given.codes, given.code_count, "info->codes");
  const auto names = detail::check_texts(given.names, given.code_count, "info->names");
  if (codes.empty()) {
    throw Error(NXS_InvalidValue, "info->code_count is 0; give at least one piece of code");
  }
  LinkSettings settings;
  for (std::size_t i = 0; i < codes.size(); ++i) settings.pieces.push_back({codes[i], names[i]});
  settings.target = check_text(&given.target, "info->target");
  settings.flags = given.flags;
  settings.optimization = given.optimization;
  settings.options = detail::check_texts(given.options, given.option_count, "info->options");
  return settings;
}

// Identifies a version of a file, for CompileDescription::identity: its path, size and time of
// change.
inline std::string file_identity(const std::string &path) {
  struct stat state{};
  if (stat(path.c_str(), &state) != 0) return join(path, " (not there)");
#if defined(__APPLE__)
  const timespec &changed = state.st_mtimespec;
#else
  const timespec &changed = state.st_mtim;
#endif
  return join(path, " of ", int64_t{state.st_size}, " bytes at ", int64_t{changed.tv_sec}, ".",
              int64_t{changed.tv_nsec});
}

// Returns the JSON object of nxsDescribeCompile.
inline std::string to_json(const CompileDescription &description) {
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
  return object.done();
}

inline Value to_value(const CompileDescription &description) {
  return Json{to_json(description)};
}

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_COMPILE_HPP_
