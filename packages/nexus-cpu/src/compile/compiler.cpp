// SPDX-License-Identifier: Apache-2.0
#include "compile/compiler.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nexus-plugin/base/error.hpp>
#include <nexus-plugin/base/host.hpp>
#include <nexus-plugin/compile/compile.hpp>
#include <system_error>

namespace nexus_cpu NXS_HIDDEN {

using namespace nexus_plugin;

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

// ---- Programs ---------------------------------------------------------

// Returns the value of an environment variable without blanks around it; empty if it is not set.
std::string environment_text(const char *name) {
  const char *value = std::getenv(name);
  return std::string(trimmed(value == nullptr ? "" : value));
}

// Returns whether the path is a file that this user may run.
bool is_program(const std::string &path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         access(path.c_str(), X_OK) == 0;
}

// Returns the absolute path of the program that a word of a command line names, by PATH if it has
// no slash; empty if there is none.
std::string find_program(const std::string &word) {
  const auto absolute = [](const std::string &path) {
    std::error_code failed;
    const std::filesystem::path whole = std::filesystem::absolute(path, failed);
    return failed ? path : whole.string();
  };
  if (word.empty()) return {};
  if (word.find('/') != std::string::npos) return is_program(word) ? absolute(word) : std::string();
  const char *path = std::getenv("PATH");
  for (const std::string &folder : folders_in(path != nullptr ? path : "/usr/bin:/bin")) {
    const std::string candidate = folder + "/" + word;
    if (is_program(candidate)) return absolute(candidate);
  }
  return {};
}

// Returns "clang" for "/usr/bin/clang".
std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// Follows all symbolic links; returns the path as it is if that can't be done.
std::string real_path(const std::string &path) {
  std::error_code failed;
  const std::filesystem::path real = std::filesystem::canonical(path, failed);
  return failed ? path : real.string();
}

// ---- Kinds and names --------------------------------------------------

// Returns "clang" for "clang-14", "x86_64-linux-gnu-gcc" for "x86_64-linux-gnu-gcc-12".
std::string_view without_version(std::string_view name) {
  const std::size_t end = name.find_last_not_of("0123456789.");
  if (end == std::string_view::npos || end + 1 == name.size()) return name;
  return name[end] == '-' ? name.substr(0, end) : name.substr(0, end + 1);
}

CompilerKind kind_of_name(std::string_view path) {
  const std::string_view name = without_version(file_name(path));
  if (name == "zig" || name == "ziglang") return CompilerKind::zig;
  if (name.ends_with("clang") || name.ends_with("clang++")) return CompilerKind::clang;
#if defined(__APPLE__)
  // On macOS, gcc and cc there are clang.
  if (path.starts_with("/usr/bin/")) return CompilerKind::clang;
#endif
  if (name.ends_with("gcc") || name.ends_with("g++")) return CompilerKind::gcc;
  return CompilerKind::other;
}

// Decides by the names of the command's words, then by the targets of symbolic links.
CompilerKind kind_of_command(const Words &words) {
  for (const bool follow : {false, true}) {
    for (const std::string &word : words) {
      const CompilerKind kind = kind_of_name(follow ? real_path(find_program(word)) : word);
      if (kind != CompilerKind::other) return kind;
    }
  }
  return CompilerKind::other;
}

// ---- Identity ---------------------------------------------------------

// Returns the variables that influence a compiler's result.
std::string identity_of_environment() {
  std::string out;
  for (const char *name :
       {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH",
        "GCC_EXEC_PREFIX", "CCC_OVERRIDE_OPTIONS", "SDKROOT", "MACOSX_DEPLOYMENT_TARGET"}) {
    const char *value = std::getenv(name);
    if (value != nullptr) out += join("; ", name, "=", value);
  }
  return out;
}

std::string command_identity(const Words &words) {
  std::string out;
  for (const std::string &word : words) {
    if (!out.empty()) out += "; ";
    const std::string program = word.starts_with('-') ? std::string() : find_program(word);
    out += program.empty() ? word : nexus_plugin::file_identity(real_path(program));
  }
  return out + identity_of_environment();
}

// Returns "zig cc", or else the file name of the last word that is a program, such as gcc for
// "ccache gcc -m64".
std::string name_for_people(const Words &words, CompilerKind kind, bool cxx) {
  if (kind == CompilerKind::zig) return cxx ? "zig c++" : "zig cc";
  std::string_view name = file_name(words.front());
  for (const std::string &word : words) {
    if (!word.starts_with('-') && !find_program(word).empty()) name = file_name(word);
  }
  return std::string(name);
}

Compiler compiler_of(const Words &words, bool cxx) {
  const CompilerKind kind = kind_of_command(words);
  return {words, kind, name_for_people(words, kind, cxx), command_identity(words)};
}

// Returns the command of the setting cpu.cc or cpu.cxx, else of the variable CC or CXX: it is a
// path, possibly with spaces, or a program with arguments. Empty if neither is set.
Words named_compiler(bool cxx) {
  const std::string set(get_config(cxx ? "cxx" : "cc"));
  const char *variable = cxx ? "CXX" : "CC";
  const std::string value = set.empty() ? environment_text(variable) : set;
  if (!set.empty()) variable = cxx ? "cpu.cxx" : "cpu.cc";
  if (value.empty()) return {};
  if (value.find('/') != std::string::npos && is_program(value)) return {find_program(value)};
  std::optional<Words> words = split_words(value);
  if (!words || words->empty()) {
    throw Error(NXS_CompilerNotAvailable, variable, " is '", value,
                "', which is not a command line: a quote or backslash is left open");
  }
  const std::string program = find_program(words->front());
  if (program.empty()) {
    throw Error(NXS_CompilerNotAvailable, variable, " is '", value, "', but there is no program '",
                words->front(), "' that can be run; set ", variable,
                " to the path of a compiler, or unset it");
  }
  words->front() = program;
  return std::move(*words);
}

Words c_compiler_words() {
  if (Words named = named_compiler(false); !named.empty()) return named;
  if (const std::string clang = find_program("clang"); !clang.empty()) return {clang};
  if (const std::string zig(get_config("zig")); is_program(zig)) {
    return {zig, "cc"};
  }
  for (const char *name : {"gcc", "cc"}) {
    if (const std::string path = find_program(name); !path.empty()) return {path};
  }
  throw Error(NXS_CompilerNotAvailable,
              "there is no C compiler: clang, the package ziglang, gcc and cc are missing; install "
              "clang or gcc, or `pip install 'nexus-cpu[compiler]'`, or set CC to the path of a C "
              "compiler");
}

// Returns "clang++-14" for "clang-14", "g++" for "gcc"; empty for other names.
std::string cxx_file_name(std::string_view c_name) {
  const std::string_view stem = without_version(c_name);
  const std::string version(c_name.substr(stem.size()));
  const std::string name(stem);
  if (stem.ends_with("++")) return std::string(c_name);
  if (stem.ends_with("clang")) return name + "++" + version;
  if (stem.ends_with("gcc")) return name.substr(0, name.size() - 2) + "++" + version;
  if (stem == "cc") return "c++" + version;
  return {};
}

// Returns the C++ compiler in the C compiler's folder; empty if there is none.
std::string cxx_beside(const std::string &word) {
  const std::string name = cxx_file_name(file_name(word));
  if (name.empty()) return {};
  return find_program(word.substr(0, word.size() - file_name(word).size()) + name);
}

Words cxx_words(Words words, CompilerKind kind) {
  for (std::string &word : words) {
    if (kind == CompilerKind::zig) {
      if (word != "cc") continue;
      word = "c++";
      return words;
    }
    if (const std::string beside = cxx_beside(word); !beside.empty()) {
      word = beside;
      return words;
    }
  }
  if (kind == CompilerKind::clang) {
    words.emplace_back("--driver-mode=g++");
    return words;
  }
  throw Error(NXS_CompilerNotAvailable, "there is no C++ compiler beside '", words.front(),
              "'; install it (g++ or clang++), or set CXX to the path of one");
}

// ---- Targets and environment --------------------------------------------

const char *flag_for(std::string_view target, ProcessorFamily family) {
  const bool architecture =
      family == ProcessorFamily::x86 || target.starts_with("armv") || target.starts_with("rv");
  return architecture ? "-march=" : "-mcpu=";
}

// Returns zig's spelling: x86_64_v3 for x86-64-v3, generic+v8_2a for armv8.2-a.
std::string zig_name(std::string_view target) {
  std::string name(target);
  if (target.starts_with("armv")) {
    name = "generic+v" + name.substr(4);
    std::erase(name, '-');
  }
  std::replace_if(name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
}

// Returns whether the folder is writable or can be created.
bool can_write_below(std::filesystem::path folder) {
  while (access(folder.c_str(), F_OK) != 0) {
    if (folder.empty() || folder == folder.parent_path()) return false;
    folder = folder.parent_path();
  }
  return access(folder.c_str(), W_OK | X_OK) == 0;
}

// Returns whether zig has a place to cache its runtime, which it builds once per machine.
bool zig_has_cache() {
  if (!environment_text("ZIG_GLOBAL_CACHE_DIR").empty()) return true;
  if (const std::string cache = environment_text("XDG_CACHE_HOME"); !cache.empty()) {
    return can_write_below(cache);
  }
  const std::string home = environment_text("HOME");
  return !home.empty() && can_write_below(home + "/.cache");
}

}  // namespace

Words folders_in(std::string_view list) {
  Words folders;
  while (true) {
    const std::size_t end = list.find(':');
    folders.emplace_back(end == 0 || list.empty() ? "." : list.substr(0, end));
    if (end == std::string_view::npos) return folders;
    list.remove_prefix(end + 1);
  }
}

bool is_plain_text(std::string_view text, std::string_view more) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           more.find(c) != std::string_view::npos;
  });
}

std::optional<Words> split_words(std::string_view command) {
  Words words;
  std::optional<std::string> word;  // the one that is being read
  char quote = '\0';
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (quote == '\0' && kBlanks.find(c) != std::string_view::npos) {
      if (word) words.push_back(*std::exchange(word, std::nullopt));
      continue;
    }
    if (!word) word.emplace();
    if (c == '\\' && quote != '\'') {
      if (++i == command.size()) return std::nullopt;
      *word += command[i];
    } else if (quote == '\0' ? c == '\'' || c == '"' : c == quote) {
      quote = quote == '\0' ? c : '\0';
    } else {
      *word += c;
    }
  }
  if (quote != '\0') return std::nullopt;
  if (word) words.push_back(*word);
  return words;
}

Compiler find_compiler(bool cxx) {
  if (!cxx) return compiler_of(c_compiler_words(), false);
  if (const Words named = named_compiler(true); !named.empty()) return compiler_of(named, true);
  const Words words = c_compiler_words();
  return compiler_of(cxx_words(words, kind_of_command(words)), true);
}

CompileTarget resolve_target(std::string_view target, const Processor &processor,
                             CompilerKind compiler, ProcessorFamily family) {
  const bool zig = compiler == CompilerKind::zig;
  if (target.empty() || target == "native") {
    std::string name = processor.architecture.empty() ? "generic" : processor.architecture;
    for (const std::string &feature : processor.features) name += "+" + feature;
    CompileTarget native{true, std::move(name), {}};
    if (zig || family != ProcessorFamily::other) {
      native.flags.push_back((zig ? "-mcpu=" : flag_for("native", family)) + std::string("native"));
    }
    return native;
  }
  if (target.starts_with('-') || !is_plain_text(target, "._-")) {
    throw Error(NXS_InvalidValue, "target is '", target,
                "', which can't be a processor's name: give one such as 'native', 'znver4', "
                "'x86-64-v3' or 'neoverse-n1'");
  }
  const std::string name(target);
  return {false, name, {zig ? "-mcpu=" + zig_name(target) : flag_for(target, family) + name}};
}

Words compile_environment(CompilerKind compiler, const std::string &folder) {
  // English messages, which libnexus parses, with names in UTF-8 if the system supports that.
  Words variables = {"TMPDIR=" + folder, "LC_ALL=C.UTF-8", "LANGUAGE="};
  if (compiler == CompilerKind::zig) {
    variables.push_back("ZIG_LOCAL_CACHE_DIR=" + folder + "/zig-local");
    if (!zig_has_cache()) variables.push_back("ZIG_GLOBAL_CACHE_DIR=" + folder + "/zig-global");
  }
  return variables;
}

}  // namespace nexus_cpu
