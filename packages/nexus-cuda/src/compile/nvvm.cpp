// SPDX-License-Identifier: Apache-2.0
// Programs in NVVM IR, a subset of LLVM IR, and in PTX.
#include "compile/code.hpp"
#include "compile/compile.hpp"
#include "compile/toolkit_library.hpp"

#include <fstream>
#include <iterator>
#include <nexus-plugin/compile/compile_checks.hpp>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {
namespace {

using nexus_plugin::get_config;

// ---- The declarations of nvvm.h ------------------------------------------

using nvvmProgram = struct nvvmProgramObject *;

enum nvvmResult : int {
  NVVM_SUCCESS = 0,
  NVVM_ERROR_INVALID_OPTION = 7,
};

struct Nvvm {
#define NVVM_FUNCTION(name, parameters) nvvmResult(*name) parameters = nullptr;
#include "compile/toolkit_functions.def"
  int version = 0;  // major * 10 + minor
};

Nvvm *load_nvvm(const std::string &path) {
  void *const opened = open_toolkit_library(kNvvmLibrary, path);
  Nvvm loaded;
#define NVVM_FUNCTION(name, parameters)                  \
  loaded.name = reinterpret_cast<decltype(loaded.name)>( \
      toolkit_function(kNvvmLibrary, opened, "nvvm" #name));
#include "compile/toolkit_functions.def"
  loaded.version = version_of(loaded.Version, kNvvmLibrary, path);
  return new Nvvm(loaded);
}

const Nvvm &open_nvvm() {
  return opened_once(find_toolkit_library(kNvvmLibrary), load_nvvm);
}

std::string read_libdevice() {
  const std::string path(get_config("libdevice"));
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!bytes.empty()) return bytes;
  throw Error(NXS_CompilerNotAvailable, "the program calls functions of libdevice, and ",
              path.empty() ? "there is no libdevice.10.bc here" : "'" + path + "' can't be read",
              "; ", kNvvmLibrary.how_to_get,
              ", or set NEXUS_CUDA_LIBDEVICE to the path of libdevice.10.bc");
}

void run_nvvm(ToolkitJob &job, const Nvvm &nvvm, const std::string &module, const std::string &name,
              const std::string &libdevice) {
  OwnedHandle<nvvmProgram, decltype(nvvm.DestroyProgram)> owned(nvvm.DestroyProgram);
  nvvmProgram &program = owned.handle;
  std::vector<const char *> options = job.options();
  const int count = static_cast<int>(options.size());
  const bool compiled =
      job.keep(nvvm.CreateProgram(&program), "nvvmCreateProgram") &&
      job.keep(nvvm.AddModuleToProgram(program, module.data(), module.size(), name.c_str()),
               "nvvmAddModuleToProgram") &&
      (libdevice.empty() ||
       job.keep(nvvm.LazyAddModuleToProgram(program, libdevice.data(), libdevice.size(),
                                            "libdevice.10.bc"),
                "nvvmLazyAddModuleToProgram")) &&
      job.keep(nvvm.VerifyProgram(program, count, options.data()), "nvvmVerifyProgram") &&
      job.keep(nvvm.CompileProgram(program, count, options.data()), "nvvmCompileProgram");
  if (program == nullptr) return;
  job.outcome.log = read_text(program, nvvm.GetProgramLogSize, nvvm.GetProgramLog);
  if (compiled) {
    job.read_code(program, nvvm.GetCompiledResultSize, "nvvmGetCompiledResultSize",
                  nvvm.GetCompiledResult, "nvvmGetCompiledResult");
  }
}

// ---- The steps of a program ---------------------------------------------

struct IrPlan {
  bool nvvm, machine;  // whether libNVVM makes PTX; whether nvJitLink makes machine code
  std::vector<std::string> nvvm_options, link_options;
};

IrPlan plan_ir(CompileRequest &request) {
  IrPlan plan{};
  plan.nvvm = request.language == Language::nvvm_ir;
  if (request.target.kind == CodeKind::lto_ir && !plan.nvvm) {
    throw Error(NXS_InvalidValue, "target is '", request.target.name(),
                "', and PTX can't become LTO-IR; give 'sm_", request.target.capability, "'");
  }
  if (request.of_device && !has_toolkit_library(kNvJitLinkLibrary)) {
    request.target.kind = CodeKind::ptx;
  }
  plan.machine = request.target.kind == CodeKind::machine;
  CodeSettings of_nvvm = request;
  if (plan.machine) of_nvvm.extra_flags.clear();  // they are for the last step
  if (plan.nvvm) plan.nvvm_options = nvvm_flags(request.target, of_nvvm);
  if (plan.machine) plan.link_options = link_flags(request.target, request);
  return plan;
}

}  // namespace

std::vector<std::string> nvvm_flags(const CompileTarget &target, const CodeSettings &settings) {
  std::vector<std::string> flags = {"-arch=" + target.name_as(CodeKind::ptx)};
  if (target.kind == CodeKind::lto_ir) flags.emplace_back("-gen-lto");
  if (settings.optimization == 0) flags.emplace_back("-opt=0");
  if (settings.debug) flags.emplace_back("-g");
  add_ir_flags(flags, settings);
  return flags;
}

std::string compile_nvvm(std::string_view module, const std::string &name,
                         const std::vector<std::string> &flags, const nxs_sink *log) {
  const Nvvm &nvvm = open_nvvm();
  const bool calls_libdevice = module.find("__nv_") != module.npos;
  auto work = [&nvvm, module = std::string(module), name,
               libdevice = calls_libdevice ? read_libdevice() : std::string()](ToolkitJob &job) {
    run_nvvm(job, nvvm, module, name, libdevice);
  };
  ToolkitOutcome outcome = run_tool(kNvvmLibrary, flags, std::move(work));
  const std::string words = nexus_plugin::valid_utf8(outcome.log);
  if (outcome.result == NVVM_SUCCESS && !outcome.code.empty()) {
    if (log != nullptr) nexus_plugin::write_to(*log, words);
    return std::move(outcome.code);
  }
  const bool options = outcome.result == NVVM_ERROR_INVALID_OPTION;
  throw Error::with_native_code(
      outcome.result, options ? NXS_InvalidCompilerOptions : NXS_CompileProgramFailure, "'", name,
      options ? "': libNVVM refuses the options:\n" : "' could not be compiled by libNVVM:\n",
      nexus_plugin::words_for_error(words), nexus_plugin::flags_line(flags));
}

CompileDescription describe_ir(CompileRequest &request) {
  const IrPlan plan = plan_ir(request);
  CompileDescription out;
  if (plan.nvvm) {
    const std::string libdevice(get_config("libdevice"));
    out.compiler = title_of(kNvvmLibrary, open_nvvm().version);
    out.identity = file_identity(find_toolkit_library(kNvvmLibrary));
    if (!libdevice.empty()) out.identity += " with " + file_identity(libdevice);
    out.flags = plan.nvvm_options;
  }
  if (plan.machine) {
    out.compiler += (plan.nvvm ? " and " : "") + linker_title();
    out.identity += file_identity(find_toolkit_library(kNvJitLinkLibrary));
    out.flags.insert(out.flags.end(), plan.link_options.begin(), plan.link_options.end());
  }
  if (out.compiler.empty()) out.compiler = out.identity = "the driver";
  out.identity = nexus_plugin::valid_utf8(out.identity);
  out.target = request.target.name();
  out.format = request.target.format();
  return out;
}

void compile_ir(CompileRequest &request, const nxs_sink &code, const nxs_sink &log) {
  const IrPlan plan = plan_ir(request);
  std::string text(request.source);
  if (plan.nvvm) {
    text = compile_nvvm(text, request.name, plan.nvvm_options, &log);
  } else if (format_of(text) != CodeFormat::kPtx) {
    throw Error(NXS_CompileProgramFailure, "'", request.name,
                "' is not PTX: its first statement is not '.version'\n",
                nexus_plugin::flags_line({}));
  }
  if (plan.machine) {
    try {
      text = link_pieces({request.target, plan.link_options}, {{text, request.name}}, &log);
    } catch (const Error &error) {
      if (error.status() != NXS_LinkProgramFailure) throw;
      throw Error::with_native_code(error.native_code(), NXS_CompileProgramFailure, error.what());
    }
  }
  nexus_plugin::write_to(code, text);
}

}  // namespace nexus_cuda
