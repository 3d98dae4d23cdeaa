// SPDX-License-Identifier: Apache-2.0
// nxsDescribeCompile and nxsCompileProgram.
#include "execution/kernel_description.hpp"

#include <array>
#include <nexus-plugin/base/functions.hpp>
#include <nexus-plugin/compile/background_job.hpp>
#include <nexus-plugin/compile/compile.hpp>
#include <nexus-plugin/compile/compile_checks.hpp>

namespace nexus_metal NXS_HIDDEN {
namespace {

// A checked nxs_compile_info.
struct CompileRequest {
  std::string name;
  ProgramText program;
  std::vector<std::string> flags;  // in words, for messages and the cache
};

constexpr std::string_view kDefaultStandard = "metal3.0";  // that of macOS 13
constexpr std::array<std::pair<std::string_view, NSUInteger>, 3> kStandards = {
    {{"metal2.4", MTLLanguageVersion2_4},
     {"metal3.0", MTLLanguageVersion3_0},
     {"metal3.1", MTLLanguageVersion3_1}}};

NSUInteger language_version(std::string_view given) {
  std::string list;
  for (const auto &[name, version] : kStandards) {
    if (name == (given.empty() ? kDefaultStandard : given)) return version;
    list += join(list.empty() ? "" : ", ", name);
  }
  throw Error(NXS_InvalidCompilerOptions, "standard is '", given, "'; for Metal it is one of ",
              list);
}

void check_target(const Device &device, std::string_view target) {
  const std::string own = architecture_of(device);
  if (target.empty() || target == own) return;
  throw Error(NXS_InvalidValue, "target is '", target, "'; Metal compiles for the device '",
              device.name(), "' alone, which is '", own, "'");
}

void refuse_all(const std::vector<std::string_view> &given, const char *parameter,
                const char *why) {
  if (given.empty()) return;
  throw Error(NXS_InvalidCompilerOptions, parameter, " has '", given.front(), "': ", why);
}

// Throws NXS_NotSupported (the language), NXS_InvalidCompilerOptions or NXS_InvalidValue (the
// target), in words that name the parameter.
CompileRequest read_compile_request(const Device &device, const CompileSettings &settings) {
  check_language(settings.language, compile_languages(), "Metal");
  check_target(device, settings.target);
  check_optimization(settings.optimization);
  check_compile_flags(settings.flags);
  check_no_name_expressions(settings.name_expressions, "Metal's language");
  for (const std::string_view path : settings.include_paths) check_include_path(path);
  refuse_all(settings.options, "options", "Metal's compiler takes none");
  CompileRequest out;
  out.name = program_name(settings.name);
  out.program.language = language_version(settings.standard);
  out.program.fast_math = (settings.flags & NXS_CompileFlags_FastMath) != 0;
  out.flags = {join("-std=", settings.standard.empty() ? kDefaultStandard : settings.standard)};
  out.flags.push_back(join("-O", settings.optimization));
  if (out.program.fast_math) out.flags.emplace_back("-ffast-math");
  if ((settings.flags & NXS_CompileFlags_Debug) != 0) out.flags.emplace_back("-g");
  for (const std::string_view define : settings.defines) {
    check_define(define);
    out.flags.push_back(join("-D", define));
  }
  out.program.source =
      define_lines(settings.defines) + line_directive(out.name) + std::string(settings.source);
  return out;
}

// Metal can't stop a compiler, so it continues when its caller no longer waits.
class BuildJob final : public BackgroundJob {
 public:
  BuildJob(const Device &device, ProgramText program)
      : device_(device), program_(std::move(program)) {}

  const Owned &library() const noexcept { return library_; }  // after the work
  const std::string &log() const noexcept { return log_; }
  const std::vector<KernelDescription> &kernels() const noexcept { return kernels_; }

 private:
  void work() override {
    const Pool pool;
    library_ = build_library(device_, program_, log_);
    if (library_) kernels_ = describe_kernels(device_, library_.get());
  }

  const Device &device_;
  const ProgramText program_;
  Owned library_;
  std::string log_;
  std::vector<KernelDescription> kernels_;
};

CompileDescription description_of(const Device &device, const CompileRequest &request) {
  return {"Metal", join("Metal of '", device.name(), "'"), architecture_of(device), request.flags,
          "metal"};
}

void compile_program(const Device &device, const CompileSettings &settings, const nxs_sink &code,
                     const nxs_sink &log) {
  constexpr const char *kVariable = "NEXUS_METAL_COMPILE_TIMEOUT";
  CompileRequest request = read_compile_request(device, settings);
  const auto job = Shared<BuildJob>::make(device, request.program);
  const std::string title = join("the compiler of '", device.name(), "'");
  run_in_background(job, {title, compile_timeout(kVariable), kVariable});
  std::string words = job->log();
  if (!job->library() && !settings.include_paths.empty()) {
    words += "note: Metal's compiler reads no files, so include_paths were left out\n";
  }
  write_to(log, words);
  if (!job->library()) {
    throw compile_failure(0, request.name, "Metal's compiler", words, request.flags);
  }
  request.program.kernels = job->kernels();
  write_to(code, write_program(request.program));
}

}  // namespace
}  // namespace nexus_metal

using namespace nexus_metal;

NEXUS_PLUGIN_COMPILE(devices,
                     description_of(device_of(device),
                                    read_compile_request(device_of(device), settings)),
                     compile_program(device_of(device), settings, code, log))
