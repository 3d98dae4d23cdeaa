// SPDX-License-Identifier: Apache-2.0
// nxsDescribeCompile and nxsCompileProgram.
#include "compile_request.hpp"
#include "container.hpp"
#include "program.hpp"

#include <nexus-plugin/compile_checks.hpp>
#include <nexus-plugin/functions.hpp>

namespace nexus_opencl NXS_HIDDEN {
namespace {

using nexus_plugin::CompileSettings;
using nexus_plugin::Error;
using nexus_plugin::join;
using nexus_plugin::write_to;

constexpr const char *kFormat = "opencl";
constexpr std::string_view kNothing = "kernel void nexus_nothing(void) {}\n";

std::string compiler_name(const Device &device) {
  return join(device.platform().name(), "'s compiler");
}

nexus_plugin::CompileDescription description_of(const Device &device,
                                                const CompileRequest &request) {
  return {device.platform().name(), device_identity(device), architecture_of(device),
          request.shown_flags(), kFormat};
}

// Include paths that no driver can be given are told of where a file may be missing.
std::string left_out_note(const CompileRequest &request) {
  std::string note;
  for (const std::string &path : request.left_out) {
    note += "note: the include path '" + path +
            "' was left out: OpenCL's compilers take no paths with spaces or quotes\n";
  }
  return note;
}

bool takes_flags(const Device &device, const CompileRequest &request) {
  const Owned<cl_program> nothing = program_from_source(device, kNothing);
  return build_in_background(device, nothing.get(), request.option_line()) == CL_SUCCESS;
}

// The program was refused: because of the flags, or of the text?
[[noreturn]] void throw_refusal(const Device &device, const CompileRequest &request, cl_int error,
                                const std::string &log) {
  const bool of_text = error == CL_BUILD_PROGRAM_FAILURE || error == CL_COMPILE_PROGRAM_FAILURE;
  const bool of_flags = error == CL_INVALID_BUILD_OPTIONS || error == CL_INVALID_COMPILER_OPTIONS ||
                        (of_text && request.has_extra_flags && !takes_flags(device, request));
  if (!of_text && !of_flags) throw_error(error, join("compiling '", request.name, "'"));
  if (of_flags) {
    throw Error::with_native_code(error, NXS_InvalidCompilerOptions, compiler_name(device),
                                  " refuses the options:\n", nexus_plugin::words_for_error(log),
                                  nexus_plugin::flags_line(request.shown_flags()));
  }
  throw Error::with_native_code(error, NXS_CompileProgramFailure, "'", request.name,
                                "' could not be compiled by ", compiler_name(device), ":\n",
                                nexus_plugin::words_for_error(log),
                                nexus_plugin::flags_line(request.shown_flags()));
}

std::vector<KernelDescription> describe_kernels(const Device &device, cl_program program,
                                                const CompileRequest &request) {
  std::vector<KernelDescription> all;
  for (const std::string &name : kernel_names(device, program)) {
    cl_int error = CL_SUCCESS;
    const Owned<cl_kernel> kernel(device.cl(),
                                  device.cl().CreateKernel(program, name.c_str(), &error));
    check(error, join("making the kernel '", name, "'"));
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
  const cl_int result = build_in_background(device, program.get(), request.option_line());
  std::string words = build_log(device, program.get());
  if (result != CL_SUCCESS) {
    words += left_out_note(request);
    write_to(log, words);
    throw_refusal(device, request, result, words);
  }
  write_to(log, words);
  Container container;
  container.built_for = device_identity(device);
  container.kernels = describe_kernels(device, program.get(), request);
  container.code = binary_of(device, program.get());
  if (container.code.empty()) {  // a driver may have none
    container.kind = CodeKind::source;
    container.options = request.option_line();
    container.code = text;
  }
  write_to(code, write_container(container));
}

}  // namespace
}  // namespace nexus_opencl

using namespace nexus_opencl;

NEXUS_PLUGIN_COMPILE(devices,
                     description_of(device_of(device),
                                    read_compile_request(device_of(device), settings)),
                     compile_program(device_of(device), settings, code, log))
