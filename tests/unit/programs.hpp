// SPDX-License-Identifier: Apache-2.0
//
// Programs of the reference backend's language, and caches of a test's own.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "folder.hpp"
#include "objects.hpp"

namespace objects {

/// A program, with the lists that nexus_program_info points to.
struct ProgramText {
  explicit ProgramText(std::string_view text, std::string_view language_text = "reference")
      : source(text), language(language_text) {}

  const nexus_program_info *get() {
    info = {};
    info.struct_size = sizeof(info);
    info.source = objects::text(source);
    info.language = objects::text(language);
    info.name = objects::text(name);
    info.optimization = optimization;
    info.flags = flags;
    info.defines = listOf(defines, define_texts);
    info.define_count = defines.size();
    info.include_paths = listOf(include_paths, path_texts);
    info.include_path_count = include_paths.size();
    info.options = listOf(options, option_texts);
    info.option_count = options.size();
    return &info;
  }

  std::string source;
  std::string language;
  std::string name = "k.ref";
  int32_t optimization = 3;
  nxs_compile_flags flags = 0;
  std::vector<std::string> defines;
  std::vector<std::string> include_paths;
  std::vector<std::string> options;

 private:
  static const nxs_string *listOf(const std::vector<std::string> &from,
                                  std::vector<nxs_string> &texts) {
    texts.clear();
    for (const std::string &each : from) texts.push_back(objects::text(each));
    return texts.data();
  }

  nexus_program_info info{};
  std::vector<nxs_string> define_texts;
  std::vector<nxs_string> path_texts;
  std::vector<nxs_string> option_texts;
};

inline Object compile(nexus_device *device, ProgramText program, std::string_view target = "") {
  Object code;
  CHECK_OK(nexus_compile(device, text(target), program.get(), code.out()));
  return code;
}

inline nexus_object_code_info infoOf(nexus_object_code *code) {
  nexus_object_code_info info{};
  info.struct_size = sizeof(info);
  CHECK_OK(nexus_object_code_get_info(code, &info));
  return info;
}

inline std::string stringOf(nxs_string given) {
  return std::string(given.data, given.size);
}

inline nexus_code_origin originOf(nexus_object_code *code) {
  return infoOf(code).origin;
}

inline nexus_cache_info cacheInfo() {
  nexus_cache_info info{};
  info.struct_size = sizeof(info);
  CHECK_OK(nexus_cache_get_info(&info));
  return info;
}

/// A variable of the environment while it lives.
class Variable {
 public:
  Variable(const char *name, const std::string &value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable &) = delete;
  Variable &operator=(const Variable &) = delete;

 private:
  const char *name_;
};

/// Empty caches on disk and in memory, of a test's own.
class OwnCache {
 public:
  OwnCache() : variable_("NEXUS_CACHE_DIR", folder.path("cache")) {
    uint64_t entries = 0;
    CHECK_OK(nexus_cache_clear(&entries));
  }
  /// As a process that has just begun.
  static void forgetMemory() {
    // Other caches have other keys; the environment is part of them.
    static int number = 0;
    setenv("NEXUS_TEST_MEMORY", std::to_string(++number).c_str(), 1);
  }
  std::vector<std::string> entries() const {
    std::vector<std::string> names;
    std::error_code none;
    for (const auto &entry : std::filesystem::directory_iterator(folder.path("cache"), none)) {
      if (entry.path().extension() == ".nxc") names.push_back(entry.path().string());
    }
    return names;
  }

  const check::Folder folder;

 private:
  const Variable variable_;
};

}  // namespace objects
