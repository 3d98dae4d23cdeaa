// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_PROGRAM_HPP_
#define NEXUS_PROGRAM_HPP_

#include <nexus/object_code.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nexus {

class Device;

/// The options of a compilation, the same for all backends.
struct ProgramOptions {
  std::vector<std::string> defines;       ///< "NAME" or "NAME=value".
  std::vector<std::string> includePaths;  ///< Folders for #include, in the order of the search.
  std::int32_t optimization = 3;          ///< 0 (none) to 3 (all).
  bool fastMath = false;  ///< Floating-point arithmetic may be reordered and approximated.
  bool debug = false;     ///< With debug information.
  bool lineInfo = false;  ///< With line numbers of the source, and unchanged code.
  std::string standard;   ///< Such as "c11" or "c++20"; empty: the backend's choice.
  /// Further flags for the compiler of a backend, by the backend's name.
  std::map<std::string, std::vector<std::string>> extra;
  bool relocatable = false;  ///< A piece of a program, for a Linker.
  /// Instances of kernel templates to be compiled, such as "scale<float>"; Library::getKernel finds
  /// them by these names. Throws NXS_InvalidCompilerOptions if the backend has none.
  std::vector<std::string> nameExpressions;
};

/// The source of kernels, with its language and its options.
class Program {
 public:
  /// language: "nexus" is the portable one; a backend may have others, such as "c" and "c++". name:
  /// names the source in messages; if it is the path of a file, #include "..." searches that file's
  /// folder first.
  explicit Program(std::string source, std::string language = "nexus", std::string name = "program",
                   ProgramOptions options = {})
      : source_(std::move(source)),
        language_(std::move(language)),
        name_(std::move(name)),
        options_(std::move(options)) {}

  const std::string &getSource() const noexcept { return source_; }
  const std::string &getLanguage() const noexcept { return language_; }
  const std::string &getName() const noexcept { return name_; }
  const ProgramOptions &getOptions() const noexcept { return options_; }

  /// Compiles the program for a device, or takes the code from this process' cache or the disk.
  /// Throws Error: NXS_CompileProgramFailure with its log(), NXS_InvalidProgram, NXS_NotSupported,
  /// NXS_CompilerNotAvailable. Defined in <nexus/device.hpp>.
  ObjectCode compile(const Device &device) const;

  /// Compiles for a target: a device's selector ("cpu", "cuda:0"), or a backend and an architecture
  /// ("cpu:x86-64-v3", "cuda:sm_90").
  ObjectCode compile(std::string_view target) const {
    return compileFor(nullptr, target, target.substr(0, target.find(':')));
  }

 private:
  ObjectCode compileFor(nexus_device *device, std::string_view target,
                        std::string_view runtime) const;

  std::string source_;
  std::string language_;
  std::string name_;
  ProgramOptions options_;
};

namespace detail {

inline nxs_compile_flags toFlags(const ProgramOptions &options) noexcept {
  return (options.fastMath ? NXS_CompileFlags_FastMath : nxs_compile_flags{0}) |
         (options.debug ? NXS_CompileFlags_Debug : nxs_compile_flags{0}) |
         (options.lineInfo ? NXS_CompileFlags_LineInfo : nxs_compile_flags{0}) |
         (options.relocatable ? NXS_CompileFlags_Relocatable : nxs_compile_flags{0});
}

/// Returns the extra flags for a backend, or NULL. Throws Error, NXS_InvalidValue, if there are
/// flags for an unknown backend.
inline const std::vector<std::string> *extraOf(const ProgramOptions &options,
                                               std::string_view runtime) {
  const std::vector<std::string> *found = nullptr;
  for (const auto &[backend, flags] : options.extra) {
    if (backend == runtime) {
      found = &flags;
    } else {
      check(nexus_check_backend_name(toString(backend), toString("extra")));
    }
  }
  return found;
}

/// A program as a struct for the C functions. Borrows the program.
class RawProgram {
 public:
  RawProgram(const Program &program, std::string_view runtime) {
    const ProgramOptions &options = program.getOptions();
    append(defines_, options.defines);
    append(includePaths_, options.includePaths);
    append(nameExpressions_, options.nameExpressions);
    if (const auto *extra = extraOf(options, runtime)) {
      append(extra_, *extra);
    }
    raw_.struct_size = sizeof(raw_);
    raw_.source = toString(program.getSource());
    raw_.language = toString(program.getLanguage());
    raw_.name = toString(program.getName());
    raw_.standard = toString(options.standard);
    raw_.flags = toFlags(options);
    raw_.optimization = options.optimization;
    raw_.defines = defines_.data();
    raw_.define_count = defines_.size();
    raw_.include_paths = includePaths_.data();
    raw_.include_path_count = includePaths_.size();
    raw_.options = extra_.data();
    raw_.option_count = extra_.size();
    raw_.name_expressions = nameExpressions_.data();
    raw_.name_expression_count = nameExpressions_.size();
  }
  RawProgram(const RawProgram &) = delete;
  RawProgram &operator=(const RawProgram &) = delete;

  const nexus_program_info *get() const noexcept { return &raw_; }

 private:
  static void append(std::vector<nxs_string> &strings, const std::vector<std::string> &texts) {
    for (const std::string &text : texts) {
      strings.push_back(toString(text));
    }
  }

  std::vector<nxs_string> defines_;
  std::vector<nxs_string> includePaths_;
  std::vector<nxs_string> extra_;
  std::vector<nxs_string> nameExpressions_;
  nexus_program_info raw_{};
};

}  // namespace detail

inline ObjectCode Program::compileFor(nexus_device *device, std::string_view target,
                                      std::string_view runtime) const {
  const detail::RawProgram raw(*this, runtime);
  return detail::result<ObjectCode>(nexus_compile, device, detail::toString(target), raw.get());
}

}  // namespace nexus

#endif  // NEXUS_PROGRAM_HPP_
