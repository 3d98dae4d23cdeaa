// SPDX-License-Identifier: Apache-2.0
// nxsDescribeCompile and nxsCompileProgram.
#include "container.hpp"
#include "program.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <nexus-plugin/base/functions.hpp>
#include <nexus-plugin/compile/background_job.hpp>
#include <nexus-plugin/compile/compile.hpp>
#include <nexus-plugin/compile/compile_checks.hpp>

namespace nexus_opencl NXS_HIDDEN {
namespace {

// A checked nxs_compile_info, in the form that OpenCL's compilers take.
struct CompileRequest {
  std::string_view source;            // the caller's
  std::string name;                   // not empty, one line
  bool portable;                      // the portable language
  std::vector<std::string> defines;   // "NAME" or "NAME=value": lines of the text, since drivers
                                      // split a list of options differently
  std::vector<std::string> flags;     // for the compiler
  bool has_extra_flags;               // some of them are the caller's own
  std::vector<std::string> left_out;  // include paths that drivers can't be given

  // The flags and the defines, in the compiler's words.
  std::vector<std::string> shown_flags() const {
    std::vector<std::string> shown = flags;
    for (const std::string &define : defines) shown.push_back("-D" + define);
    return shown;
  }

  // The flags with spaces between them.
  std::string option_line() const {
    std::string line;
    for (const std::string &flag : flags) line += (line.empty() ? "" : " ") + flag;
    return line;
  }

  // The defines, a line that tells the compiler the program's name, and the source.
  std::string text() const {
    return define_lines(defines) + line_directive(name) + std::string(source);
  }
};

// Versions of OpenCL C: major * 10 + minor.
constexpr std::array<std::pair<std::string_view, int>, 4> kStandards = {
    {{"CL1.1", 11}, {"CL1.2", 12}, {"CL2.0", 20}, {"CL3.0", 30}}};
// Every device takes it, and OpenCL's compilers choose it by themselves.
constexpr std::string_view kDefaultStandard = "CL1.2";

constexpr std::array<std::string_view, 3> kOurFlags = {"-o", "-x", "-create-library"};
constexpr std::array<std::string_view, 8> kFileFlags = {"-s",    "-include", "-imacros", "-isystem",
                                                        "-dump", "-fplugin", "-Xclang",  "-mllvm"};

bool has_space(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0 || c == '\0' || c == '"';
  });
}

std::string standard_flag(const Device &device, std::string_view given) {
  const std::string_view asked = given.empty() ? kDefaultStandard : given;
  std::string list;
  for (const auto &[name, version] : kStandards) {
    if (version > std::max(device.c_version(), 12)) continue;
    if (lower(name) == lower(asked)) return join("-cl-std=", name);
    list += join(list.empty() ? "" : ", ", name);
  }
  throw Error(NXS_InvalidCompilerOptions, "standard is '", given, "'; the device '", device.name(),
              "' has ", list);
}

// Returns why the caller may not give a flag; NULL if that is allowed.
const char *why_refused(std::string_view flag) {
  const auto begins = [flag](std::string_view known) { return flag.starts_with(known); };
  if (flag.size() < 2 || flag[0] != '-') {
    return "each option is a flag that begins with '-', with its value in one text";
  }
  if (flag == "-D" || flag == "-U") return "give the flag and its value as one text";
  if (has_space(flag)) return "OpenCL's compilers take no white space and no quotes in an option";
  if (begins("-cl-std")) return "give it as the standard";
  if (std::any_of(kFileFlags.begin(), kFileFlags.end(), begins)) {
    return "flags may not make the compiler read or write other files";
  }
  if (begins("-I")) return "give folders as include_paths";
  if (std::any_of(kOurFlags.begin(), kOurFlags.end(), begins)) {
    return "the backend chooses what is compiled and where it is written";
  }
  return nullptr;
}

void check_extra_flag(std::string_view flag) {
  if (const char *why = why_refused(flag)) {
    throw Error(NXS_InvalidCompilerOptions, "options has '", flag, "': ", why);
  }
}

void check_target(const Device &device, std::string_view target) {
  const std::string own = architecture_of(device);
  if (target.empty() || target == own) return;
  throw Error(NXS_InvalidValue, "target is '", target, "'; the driver of '", device.name(),
              "' compiles for that device alone, which is '", own, "'");
}

// Both PoCL and Intel's runtime are known to take it; other compilers may refuse the program.
bool takes_debug_flag(const Device &device) {
  const std::string &name = device.platform().name();
  return name.find("Portable Computing Language") != std::string::npos ||
         name.find("Intel") != std::string::npos;
}

void add_include_paths(CompileRequest &request, const CompileSettings &settings) {
  for (const std::string_view path : settings.include_paths) {
    check_include_path(path);
    if (has_space(path)) {
      request.left_out.emplace_back(path);
    } else {
      request.flags.push_back(join("-I", path));
    }
  }
}

// Throws NXS_NotSupported (the language), NXS_InvalidCompilerOptions, NXS_InvalidValue (the target)
// or NXS_CompilerNotAvailable, in words that name the parameter.
CompileRequest read_compile_request(const Device &device, const CompileSettings &settings) {
  if (!device.has_compiler()) {
    throw Error(NXS_CompilerNotAvailable, "the driver of '", device.name(),
                "' has no compiler; load a binary of the device");
  }
  check_language(settings.language, compile_languages(), "OpenCL");
  check_target(device, settings.target);
  check_optimization(settings.optimization);
  check_compile_flags(settings.flags);
  check_no_name_expressions(settings.name_expressions, "OpenCL C");
  CompileRequest out{};
  out.source = settings.source;
  out.name = program_name(settings.name);
  out.portable = settings.language == "nexus";
  out.flags = {standard_flag(device, settings.standard), "-cl-kernel-arg-info"};
  if (settings.optimization == 0) out.flags.emplace_back("-cl-opt-disable");
  if ((settings.flags & NXS_CompileFlags_FastMath) != 0) {
    out.flags.emplace_back("-cl-fast-relaxed-math");
  }
  if ((settings.flags & NXS_CompileFlags_Debug) != 0 && takes_debug_flag(device)) {
    out.flags.emplace_back("-g");
  }
  add_include_paths(out, settings);
  for (const std::string_view define : settings.defines) {
    check_define(define);
    out.defines.emplace_back(define);
  }
  out.has_extra_flags = !settings.options.empty();
  for (const std::string_view option : settings.options) {
    check_extra_flag(option);
    out.flags.emplace_back(option);
  }
  return out;
}

class BuildJob final : public BackgroundJob {
 public:
  BuildJob(const Device &device, const Owned<cl_program> &program, std::string options)
      : device_(device), program_(program), options_(std::move(options)) {}

  cl_int result() const noexcept { return result_; }  // after the work

 private:
  void work() override { result_ = build(device_, program_.get(), options_); }

  const Device &device_;
  const Owned<cl_program> program_;
  const std::string options_;
  cl_int result_ = CL_SUCCESS;
};

// Builds on its own thread, so that the caller need not wait for a compiler that takes too long or
// is no longer needed. Throws NXS_Cancelled if the host's is_interrupted says so, and
// NXS_CompilerNotAvailable after the configured timeout. OpenCL can't end a compiler, so it then
// goes on, and the program is released when it is done.
cl_int build_in_background(const Device &device, const Owned<cl_program> &program,
                           const std::string &options) {
  constexpr const char *kVariable = "NEXUS_OPENCL_COMPILE_TIMEOUT";
  const std::string title = join("the compiler of '", device.name(), "'");
  const auto job = Shared<BuildJob>::make(device, program, options);
  run_in_background(job, {title, compile_timeout(kVariable), kVariable});
  return job->result();
}

// Returns the driver's binary for the device; empty if the driver gives none.
std::string binary_of(const Device &device, cl_program program) {
  // There is one for each device of the context; those that it was not built for have none.
  const auto ask = device.cl().GetProgramInfo;
  std::vector<cl_device_id> ids;
  std::vector<std::size_t> sizes;
  check(read_list(ids, ask, program, CL_PROGRAM_DEVICES), "asking a program for its devices");
  check(read_list(sizes, ask, program, CL_PROGRAM_BINARY_SIZES),
        "asking a program for its binaries");
  const auto place = std::find(ids.begin(), ids.end(), device.id());
  if (place == ids.end()) return {};
  const auto index = static_cast<std::size_t>(place - ids.begin());
  std::string binary(sizes[index], '\0');
  std::vector<unsigned char *> out(ids.size(), nullptr);
  out[index] = reinterpret_cast<unsigned char *>(binary.data());
  check(ask(program, CL_PROGRAM_BINARIES, out.size() * sizeof(out[0]), out.data(), nullptr),
        "asking a program for its binaries");
  return binary;
}

CompileDescription description_of(const Device &device, const CompileRequest &request) {
  return {device.platform().name(), device_identity(device), architecture_of(device),
          request.shown_flags(), "opencl"};
}

// Names the include paths that were left out, since a file may be missing because of them.
std::string left_out_note(const CompileRequest &request) {
  std::string note;
  for (const std::string &path : request.left_out) {
    note += "note: the include path '" + path +
            "' was left out: OpenCL's compilers take no paths with spaces or quotes\n";
  }
  return note;
}

bool takes_flags(const Device &device, const CompileRequest &request) {
  const Owned<cl_program> nothing =
      program_from_source(device, "kernel void nexus_nothing(void) {}\n");
  return build_in_background(device, nothing, request.option_line()) == CL_SUCCESS;
}

// Finds out whether the flags or the text were refused.
[[noreturn]] void throw_refusal(const Device &device, const CompileRequest &request, cl_int error,
                                const std::string &log) {
  const std::string compiler = join(device.platform().name(), "'s compiler");
  const bool of_text = error == CL_BUILD_PROGRAM_FAILURE || error == CL_COMPILE_PROGRAM_FAILURE;
  const bool of_flags = error == CL_INVALID_BUILD_OPTIONS || error == CL_INVALID_COMPILER_OPTIONS ||
                        (of_text && request.has_extra_flags && !takes_flags(device, request));
  if (!of_text && !of_flags) throw_error(error, join("compiling '", request.name, "'"));
  throw Error::with_native_code(
      error, of_flags ? NXS_InvalidCompilerOptions : NXS_CompileProgramFailure,
      of_flags ? join(compiler, " refuses the options:\n")
               : join("'", request.name, "' could not be compiled by ", compiler, ":\n"),
      words_for_error(log), flags_line(request.shown_flags()));
}

std::vector<KernelDescription> describe_kernels(const Device &device, cl_program program,
                                                const CompileRequest &request) {
  std::vector<KernelDescription> all;
  for (const std::string &name : kernel_names(device, program)) {
    const auto kernel = create(device.cl(), join("making the kernel '", name, "'"),
                               device.cl().CreateKernel, program, name.c_str());
    if (auto described = describe_kernel(device, kernel.get(), name)) {
      all.push_back(std::move(*described));
    } else if (request.portable) {
      throw Error(NXS_NotSupported, "the driver of '", device.name(),
                  "' does not describe the arguments of kernels, which programs in the language "
                  "'nexus' need");
    }
  }
  return all;
}

void compile_program(const Device &device, const CompileSettings &settings, const nxs_sink &code,
                     const nxs_sink &log) {
  const CompileRequest request = read_compile_request(device, settings);
  const std::string text = request.text();
  const Owned<cl_program> program = program_from_source(device, text);
  const cl_int result = build_in_background(device, program, request.option_line());
  std::string words = build_log(device, program.get());
  if (result != CL_SUCCESS) words += left_out_note(request);
  write_to(log, words);
  if (result != CL_SUCCESS) throw_refusal(device, request, result, words);
  Container container;
  container.built_for = device_identity(device);
  container.kernels = describe_kernels(device, program.get(), request);
  container.code = binary_of(device, program.get());
  if (container.code.empty()) {  // a driver may have none
    container.is_source = true;
    container.options = request.option_line();
    container.code = text;
  }
  write_to(code, write_container(std::move(container)));
}

}  // namespace
}  // namespace nexus_opencl

using namespace nexus_opencl;

NEXUS_PLUGIN_COMPILE(devices,
                     description_of(device_of(device),
                                    read_compile_request(device_of(device), settings)),
                     compile_program(device_of(device), settings, code, log))
