// SPDX-License-Identifier: Apache-2.0
#include "compile/compile.hpp"

#include "compile/link.hpp"
#include "toolkit/code_format.hpp"
#include "toolkit/nvjitlink.hpp"
#include "toolkit/nvvm.hpp"
#include "toolkit/toolkit_library.hpp"

#include <nexus-plugin/compile_checks.hpp>

namespace nexus_cuda NXS_HIDDEN {
namespace {

using nexus_plugin::CompileDescription;
using nexus_plugin::Error;
using nexus_plugin::join;

// Which steps a program in IR goes through.
struct IrPlan {
  bool nvvm, machine;  // by libNVVM; by nvJitLink
  std::vector<std::string> nvvm_options, link_options;
};

IrPlan plan_ir(const CompileDevice &device, CompileRequest &request) {
  IrPlan plan{};
  plan.nvvm = request.language == Language::nvvm_ir;
  if (request.target.kind == CodeKind::lto_ir && !plan.nvvm) {
    throw Error(NXS_InvalidValue, "target is '", request.target.name(),
                "', and of PTX there is no LTO-IR; give 'sm_", request.target.capability, "'");
  }
  if (request.of_device && !has_toolkit_library(kNvJitLinkLibrary, device.driver_major)) {
    request.target.kind = CodeKind::ptx;
  }
  plan.machine = request.target.kind == CodeKind::machine;
  CodeSettings of_nvvm = request;
  if (plan.machine) of_nvvm.extra_flags.clear();  // they are the last step's
  if (plan.nvvm) plan.nvvm_options = nvvm_flags(request.target, of_nvvm);
  if (plan.machine) plan.link_options = link_flags(request.target, request);
  return plan;
}

void check_ptx(const CompileRequest &request) {
  if (format_of(request.source) == CodeFormat::kPtx) return;
  throw Error(NXS_CompileProgramFailure, "'", request.name,
              "' is no PTX: its first statement is not '.version'\n", nexus_plugin::flags_line({}));
}

}  // namespace

CompileDescription describe_ir(const CompileDevice &device, CompileRequest &request) {
  const IrPlan plan = plan_ir(device, request);
  CompileDescription out;
  if (plan.nvvm) {
    out.compiler = nvvm_title();
    out.identity = nvvm_identity();
    out.flags = plan.nvvm_options;
  }
  if (plan.machine) {
    const NvJitLink &linker = open_nvjitlink(device.driver_major);
    out.compiler += (plan.nvvm ? " and " : "") + nvjitlink_title(linker.version);
    out.identity += file_identity(find_toolkit_library(kNvJitLinkLibrary, device.driver_major));
    out.flags.insert(out.flags.end(), plan.link_options.begin(), plan.link_options.end());
  }
  if (out.compiler.empty()) out.compiler = out.identity = "the driver";
  out.identity = nexus_plugin::valid_utf8(out.identity);
  out.target = request.target.name();
  out.format = request.target.format();
  return out;
}

void compile_ir(const CompileDevice &device, CompileRequest &request, const nxs_sink &code,
                const nxs_sink &log) {
  const IrPlan plan = plan_ir(device, request);
  std::string text(request.source);
  std::string words;
  if (plan.nvvm) {
    NvvmOutcome outcome = compile_nvvm({std::move(text), request.name, plan.nvvm_options});
    text = std::move(outcome.code);
    words = std::move(outcome.log);
  } else {
    check_ptx(request);
  }
  if (plan.machine) {
    try {
      text =
          link_pieces(device, {request.target, plan.link_options}, {{text, request.name}}, words);
    } catch (const Error &error) {
      nexus_plugin::write_to(log, words);
      if (error.status() != NXS_LinkProgramFailure) throw;
      throw Error::with_native_code(error.native_code(), NXS_CompileProgramFailure, error.what());
    }
  }
  nexus_plugin::write_to(log, words);
  nexus_plugin::write_to(code, text);
}

}  // namespace nexus_cuda
