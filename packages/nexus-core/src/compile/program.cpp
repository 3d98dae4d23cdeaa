// SPDX-License-Identifier: Apache-2.0
#include "compile/program.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "base/text.hpp"
#include "registry/manifest.hpp"

namespace nexus::core {

namespace {

constexpr nxs_compile_flags kKnownFlags = NXS_CompileFlags_FastMath | NXS_CompileFlags_Debug |
                                          NXS_CompileFlags_LineInfo | NXS_CompileFlags_Relocatable;
constexpr int32_t kMaxOptimization = 3;

bool isControl(char letter) {
  return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7F;
}

bool isNameStart(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_';
}

void requireMacroName(std::string_view define) {
  const std::string_view name = define.substr(0, define.find('='));
  const bool valid = !name.empty() && isNameStart(name.front()) &&
                     std::all_of(name.begin(), name.end(), [](char letter) {
                       return isNameStart(letter) || (letter >= '0' && letter <= '9');
                     });
  if (!valid || std::any_of(define.begin(), define.end(), isControl)) {
    failWith(NXS_InvalidCompilerOptions, "defines has '", define,
             "', which is not a macro; give 'NAME' or 'NAME=value', in one line.");
  }
}

void requireFolder(std::string_view path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(std::filesystem::path(path), ignored)) {
    failWith(NXS_InvalidValue, "include_paths has '", path,
             "', which is not a folder; give folders that exist.");
  }
}

uint64_t lineAt(std::string_view text, std::size_t offset) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(offset);
  return 1 + static_cast<uint64_t>(std::count(text.begin(), end, '\n'));
}

void requireText(const Program &program) {
  const std::string what = "The source of the program '" + std::string(program.name) + "' ";
  const auto printable = [](char letter) { return !isControl(letter) && letter != ' '; };
  if (std::none_of(program.source.begin(), program.source.end(), printable)) {
    failWith(NXS_InvalidProgram, what, "is empty; give the text of a kernel.");
  }
  const std::size_t zero = program.source.find('\0');
  if (zero != std::string_view::npos) {
    failWith(NXS_InvalidProgram, what, "has a zero byte in line ", lineAt(program.source, zero),
             "; give text, not a binary.");
  }
  const std::size_t valid = utf8Prefix(program.source);
  if (valid != program.source.size()) {
    failWith(NXS_InvalidProgram, what, "is not UTF-8 from line ", lineAt(program.source, valid),
             " on; give text in that encoding.");
  }
}

void appendText(std::string &key, std::string_view text) {
  key += std::to_string(text.size());
  key += ':';
  key += text;
}

void appendTexts(std::string &key, const std::vector<std::string_view> &texts) {
  key += std::to_string(texts.size());
  key += '[';
  for (const std::string_view text : texts) {
    appendText(key, text);
  }
}

}  // namespace

std::string Program::key() const {
  std::string key;
  key.reserve(source.size() + 256);
  for (const std::string_view text : {language, name, standard}) {
    appendText(key, text);
  }
  key += std::to_string(flags) + ',' + std::to_string(optimization);
  for (const auto *texts : {&defines, &include_paths, &options, &name_expressions}) {
    appendTexts(key, *texts);
  }
  appendText(key, source);
  return key;
}

std::vector<std::string_view> listOfTexts(const nxs_string *texts, uint64_t count,
                                          const std::string &parameter) {
  if (count > 0) {
    requirePointer(texts, parameter);
  }
  std::vector<std::string_view> list;
  list.reserve(static_cast<std::size_t>(count));
  for (uint64_t i = 0; i < count; ++i) {
    list.push_back(viewOf(texts[i], parameter));
  }
  return list;
}

void requireProgramName(std::string_view name) {
  if (std::any_of(name.begin(), name.end(), isControl)) {
    failWith(NXS_InvalidValue,
             "name has a line break or another control character; give the name of a file.");
  }
}

void requireCodeFlags(nxs_compile_flags flags, int32_t reserved, int32_t optimization) {
  if ((flags & ~kKnownFlags) != 0 || reserved != 0) {
    failWith(NXS_InvalidValue, "flags is ", flags,
             ", which has unknown bits; give NXS_CompileFlags_* bits.");
  }
  if (optimization < 0 || optimization > kMaxOptimization) {
    failWith(NXS_InvalidValue, "optimization is ", optimization, "; give 0 to 3.");
  }
}

Program programOf(const nexus_program_info *info) {
  requireWhole(info, "info", "nexus_program_info");
  if (info->source.data == nullptr && info->source.size != 0) {
    viewOf(info->source, "source");  // throws
  }
  Program program;
  program.source = {info->source.data, static_cast<std::size_t>(info->source.size)};
  program.language = viewOf(info->language, "language");
  program.name = viewOf(info->name, "name");
  program.standard = viewOf(info->standard, "standard");
  program.flags = info->flags;
  program.optimization = info->optimization;
  program.defines = listOfTexts(info->defines, info->define_count, "defines");
  program.include_paths =
      listOfTexts(info->include_paths, info->include_path_count, "include_paths");
  program.options = listOfTexts(info->options, info->option_count, "options");
  program.name_expressions =
      listOfTexts(info->name_expressions, info->name_expression_count, "name_expressions");
  if (program.language.empty()) {
    program.language = kPortableLanguage;
  }
  if (program.name.empty()) {
    program.name = "program";
  }
  requireProgramName(program.name);
  requireCodeFlags(info->flags, info->reserved, info->optimization);
  return program;
}

void requireCompilable(const Program &program) {
  requireText(program);
  for (const std::string_view define : program.defines) {
    requireMacroName(define);
  }
  for (const std::string_view path : program.include_paths) {
    requireFolder(path);
  }
}

Target targetOf(nexus_device *device, std::string_view text) {
  if (device != nullptr) return {&given<Device>(device, "device"), std::string(text)};
  const std::size_t colon = text.find(':');
  const std::string_view backend = text.substr(0, colon);
  const std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  if (!text.empty() &&
      (!isBackendName(backend) || (colon != std::string_view::npos && rest.empty()))) {
    failWith(NXS_InvalidValue, "target is '", text,
             "', which is not a target; give a device such as 'cpu' or 'cuda:1', or a "
             "backend and an architecture, such as 'cpu:x86-64-v3' or 'cuda:sm_90'.");
  }
  const bool named = rest.find_first_not_of("0123456789") != std::string_view::npos;
  return {&selectDevice(named ? backend : text), named ? std::string(rest) : std::string()};
}

}  // namespace nexus::core
