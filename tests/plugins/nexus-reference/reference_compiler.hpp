// SPDX-License-Identifier: Apache-2.0
// A placeholder for a vendor's compiler. Each line of a program is empty or one of
//
//   kernel NAME      the library has this built-in kernel
//   warning TEXT     goes to the log
//   error TEXT       goes to the log, and the program is refused
// scaffold: leave out
//   pause NUMBER     waits this many milliseconds
//   hang             behaves as if the compiler had exceeded its time limit
// scaffold: end
//   #line N "FILE"   as in C; `#ifndef`, `#define` and so on are ignored
//
// `-DNAME=KERNEL` makes NAME another name for a kernel.
#ifndef REFERENCE_COMPILER_HPP_
#define REFERENCE_COMPILER_HPP_

#include <nexus-plugin/plugin.hpp>

#include <charconv>
// scaffold: leave out
#include <chrono>
#include <thread>
// scaffold: end

#include "reference_device.hpp"

namespace reference NXS_HIDDEN {

// Identifies the compiler in the keys of compile caches: each version needs its own text.
inline std::string identity() {
  // scaffold: leave out
  if (const std::string_view changed = get_config("identity"); !changed.empty()) {
    return join("reference 1 ", changed);
  }
  // scaffold: end
  return "reference 1";
}

inline const std::vector<std::string> targets = {
    "reference",
    // scaffold: leave out
    "old",  // code that no device here can load, like code for another machine
            // scaffold: end
};

inline CompileDescription describe(const CompileSettings &settings) {
  check_language(settings.language, {"reference"}, "the reference compiler");
  check_compile_flags(settings.flags);
  check_no_name_expressions(settings.name_expressions, "the reference compiler");
  const std::string target(settings.target.empty() ? targets.front() : settings.target);
  if (std::find(targets.begin(), targets.end(), target) == targets.end()) {
    throw Error(NXS_InvalidValue, "target is '", target, "', for which nothing is compiled",
                instead_of(target, targets, "no target"));
  }
  CompileDescription description{"reference compiler",
                                 identity(),
                                 target,
                                 {join("-O", settings.optimization)},
                                 "nexus-reference"};
  for (const std::string_view define : settings.defines) {
    description.flags.push_back(join("-D", define));
  }
  for (const std::string_view option : settings.options) {
    if (!option.starts_with('-')) {
      throw Error(NXS_InvalidCompilerOptions, "options has '", option, "', which is not a flag");
    }
    description.flags.emplace_back(option);
  }
  return description;
}

// Compiles a program line by line.
class Compilation {
 public:
  // Writes messages to the log immediately.
  Compilation(const CompileSettings &settings, const nxs_sink &log)
      : settings_(settings), log_(log) {}

  // Returns the library's text. Throws NXS_CompileProgramFailure if the program has errors.
  std::string run() {
    std::string_view text = settings_.source;
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      take(line.substr(0, line.find_last_not_of(" \r") + 1));
    }
    if (refused_) throw Error(NXS_CompileProgramFailure, "the program was refused");
    return "nexus-reference 1\n" + kernels_;
  }

 private:
  void take(std::string_view line) {
    const std::string_view word = line.substr(0, line.find(' '));
    const std::string_view rest = line.substr(std::min(word.size() + 1, line.size()));
    if (word == "#line") return follow(rest);
    if (word == "kernel") {
      add_kernel(rest);
      // scaffold: leave out
    } else if (word == "pause") {
      std::this_thread::sleep_for(std::chrono::milliseconds(std::stoul(std::string(rest))));
    } else if (word == "hang") {
      throw Error(NXS_CompilerNotAvailable, "the compiler took too long and was ended");
      // scaffold: end
    } else if (word == "warning" || word == "error") {
      say(word, rest);
    } else if (!word.empty() && !word.starts_with('#')) {
      say("error", join("'", word, "' is not a statement"));
    }
    ++line_;
  }
  // Sets number and file of the next line, as "#line" says.
  void follow(std::string_view place) {
    std::from_chars(place.data(), place.data() + place.size(), line_);
    const std::size_t open = place.find('"'), close = place.rfind('"');
    if (open < close) file_ = place.substr(open + 1, close - open - 1);
  }
  void add_kernel(std::string_view name) {
    for (const std::string_view define : settings_.defines) {
      const std::size_t equal = define.find('=');
      if (equal != std::string_view::npos && define.substr(0, equal) == name) {
        name = define.substr(equal + 1);
      }
    }
    if (find_built_in(name) == nullptr) {
      return say("error", join("there is no kernel '", name, "'"));
    }
    kernels_ += join(name, "\n");
  }
  void say(std::string_view kind, std::string_view text) {
    refused_ = refused_ || kind == "error";
    write_to(log_, join(file_, ":", line_, ": ", kind, ": ", text, "\n"));
  }

  const CompileSettings &settings_;
  const nxs_sink &log_;
  std::string file_ = std::string(settings_.name);
  uint64_t line_ = 1;
  std::string kernels_;
  bool refused_ = false;
};

inline void compile(const CompileSettings &settings, const nxs_sink &code, const nxs_sink &log) {
  (void)describe(settings);  // throws for invalid settings
  std::string library = Compilation(settings, log).run();
  // scaffold: leave out
  if (settings.target == "old") library = "nexus-reference 0\n";
  // scaffold: end
  write_to(code, library);
}

}  // namespace reference

#endif  // REFERENCE_COMPILER_HPP_
