// SPDX-License-Identifier: Apache-2.0
#include "compile/link.hpp"

#include "compile/compiler_log.hpp"
#include "toolkit/code_format.hpp"
#include "toolkit/nvjitlink.hpp"
#include "toolkit/nvvm.hpp"
#include "toolkit/toolkit_library.hpp"

#include <algorithm>
#include <map>
#include <nexus-plugin/compile_checks.hpp>
#include <optional>

namespace nexus_cuda NXS_HIDDEN {
namespace {

using nexus_plugin::Error;
using nexus_plugin::join;
using nexus_plugin::LinkSettings;
using Pieces = std::vector<LinkSettings::Piece>;

std::optional<nvJitLinkInputType> input_type_of(CodeFormat format) {
  switch (format) {
    case CodeFormat::kCubin:
    case CodeFormat::kRelocatableCubin:
      return NVJITLINK_INPUT_CUBIN;
    case CodeFormat::kPtx:
      return NVJITLINK_INPUT_PTX;
    case CodeFormat::kLtoIr:
      return NVJITLINK_INPUT_LTOIR;
    case CodeFormat::kFatbin:
      return NVJITLINK_INPUT_FATBIN;
    case CodeFormat::kHostObject:
      return NVJITLINK_INPUT_OBJECT;
    case CodeFormat::kArchive:
      return NVJITLINK_INPUT_LIBRARY;
    case CodeFormat::kNvvmIr:
    case CodeFormat::kUnknown:
      break;
  }
  return std::nullopt;
}

std::string piece_name(std::string_view name, std::size_t index) {
  return name.empty() ? join("piece ", index) : nexus_plugin::program_name(name);
}

LinkPiece read_piece(const LinkPlan &plan, std::string_view code, const std::string &name) {
  const CodeFormat format = format_of(code);
  if (const std::string why = why_cut_short(code); !why.empty()) {
    throw Error(NXS_InvalidBinary, "'", name, "' is ", format_title(format), ", ", why);
  }
  if (format == CodeFormat::kNvvmIr) {
    NvvmTask task{std::string(code), name, nvvm_flags(plan.target, CodeSettings())};
    return {NVJITLINK_INPUT_PTX, compile_nvvm(std::move(task)).code, name};
  }
  const std::optional<nvJitLinkInputType> type = input_type_of(format);
  if (!type) {
    throw Error(NXS_InvalidBinary, "'", name, "' is ", format_title(format),
                "; give relocatable cubins, PTX, LTO-IR, NVVM IR, fatbins, object files or static "
                "libraries");
  }
  return {*type, std::string(code), name};
}

// The linker prints this, and goes on.
void check_defined_once(const std::vector<LinkPiece> &pieces) {
  std::map<std::string, std::string> defined;  // the piece, by symbol
  for (const LinkPiece &piece : pieces) {
    if (piece.type != NVJITLINK_INPUT_CUBIN) continue;
    for (const std::string &symbol : symbols_defined_by(piece.code)) {
      const auto [found, first] = defined.try_emplace(symbol, piece.name);
      if (first) continue;
      throw Error(NXS_LinkProgramFailure, "'", symbol, "' is defined by '", found->second,
                  "' and by '", piece.name, "'; leave one out, or make it 'static'");
    }
  }
}

void add_unless_there(std::vector<std::string> &flags, const char *flag) {
  if (std::find(flags.begin(), flags.end(), flag) == flags.end()) flags.emplace_back(flag);
}

// A likely reason for a refused cubin.
std::string architecture_note(const LinkPlan &plan, const std::vector<LinkPiece> &pieces) {
  for (const LinkPiece &piece : pieces) {
    if (piece.type != NVJITLINK_INPUT_CUBIN) continue;
    const int capability = architecture_of_cubin(piece.code);
    if (capability != 0 && capability != plan.target.capability) {
      return join("'", piece.name, "' is for sm_", capability, ", and the target is ",
                  plan.target.name(), "\n");
    }
  }
  return {};
}

[[noreturn]] void throw_link_failure(const LinkPlan &plan, const NvJitLink &linker,
                                     const NvJitLinkOutcome &outcome) {
  const std::string title = nvjitlink_title(linker.version);
  const std::string words = nexus_plugin::words_for_error(outcome.log);
  switch (outcome.result) {
    case NVJITLINK_ERROR_UNRECOGNIZED_OPTION:
    case NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS:
      throw Error::with_native_code(outcome.result, NXS_InvalidCompilerOptions, title,
                                    " refuses the options:\n", words,
                                    nexus_plugin::flags_line(plan.flags));
    case NVJITLINK_ERROR_UNRECOGNIZED_ARCH:
    case NVJITLINK_ERROR_UNSUPPORTED_ARCH:
      throw Error::with_native_code(outcome.result, NXS_InvalidValue, "target is '",
                                    plan.target.name(), "', which ", title, " does not know:\n",
                                    words);
    default:
      throw Error::with_native_code(
          outcome.result, NXS_LinkProgramFailure, title, " can't make a program of the pieces (",
          outcome.function, " returned ", static_cast<int>(outcome.result),
          " (nvJitLinkResult)):\n", words, nexus_plugin::flags_line(plan.flags));
  }
}

CompileTarget read_link_target(std::string_view text, const CompileDevice &device) {
  const CompileTarget target = read_compile_target(text, device);
  if (target.kind != CodeKind::lto_ir) return target;
  throw Error(NXS_InvalidValue, "target is '", text, "'; linked code is machine code, 'sm_",
              target.capability, "', or, of LTO-IR alone, PTX, 'compute_", target.capability, "'");
}

}  // namespace

std::vector<std::string> link_flags(const CompileTarget &target, const CodeSettings &settings) {
  std::vector<std::string> flags = {"-arch=" + target.machine_name()};
  if (target.kind == CodeKind::ptx) flags.insert(flags.end(), {"-lto", "-ptx"});
  if (settings.optimization == 0) flags.emplace_back("-O0");  // it knows 0 and 3 alone
  if (settings.debug) flags.emplace_back("-g");
  if (settings.line_info) flags.emplace_back("-lineinfo");
  if (settings.fast_math) {
    flags.insert(flags.end(), {"-ftz=1", "-prec-div=0", "-prec-sqrt=0", "-fma=1"});
  }
  flags.insert(flags.end(), settings.extra_flags.begin(), settings.extra_flags.end());
  return flags;
}

std::string link_pieces(const CompileDevice &device, const LinkPlan &plan, const Pieces &given,
                        std::string &log) {
  const NvJitLink &linker = open_nvjitlink(device.driver_major);
  NvJitLinkTask task;
  NameTable names;
  task.options = plan.flags;
  task.ptx = plan.target.kind == CodeKind::ptx;
  for (std::size_t i = 0; i < given.size(); ++i) {
    NamedCode named = split_names(given[i].code);
    names.merge(named.names);
    task.pieces.push_back(read_piece(plan, named.code, piece_name(given[i].name, i)));
    if (task.pieces.back().type == NVJITLINK_INPUT_LTOIR) add_unless_there(task.options, "-lto");
  }
  check_defined_once(task.pieces);
  const std::string note = architecture_note(plan, task.pieces);
  NvJitLinkOutcome outcome = run_nvjitlink(linker, std::move(task));
  outcome.log = with_places_in_ptx(outcome.log, outcome.refused_piece);
  if (outcome.result != NVJITLINK_SUCCESS) outcome.log += note;
  log += outcome.log;
  if (outcome.result != NVJITLINK_SUCCESS) throw_link_failure(plan, linker, outcome);
  return with_names(std::move(outcome.code), names);
}

nexus_plugin::CompileDescription link_program(const CompileDevice &device,
                                              const LinkSettings &settings, const nxs_sink &code,
                                              const nxs_sink &log) {
  LinkPlan plan;
  plan.target = read_link_target(settings.target, device);
  plan.flags = link_flags(
      plan.target, read_code_settings(settings.flags, settings.optimization, settings.options));
  const std::string path = find_toolkit_library(kNvJitLinkLibrary, device.driver_major);
  std::string words;
  try {
    nexus_plugin::write_to(code, link_pieces(device, plan, settings.pieces, words));
  } catch (const Error &) {
    nexus_plugin::write_to(log, words);
    throw;
  }
  nexus_plugin::write_to(log, words);
  return {nvjitlink_title(open_nvjitlink(device.driver_major).version),
          nexus_plugin::valid_utf8(file_identity(path)), plan.target.name(), plan.flags,
          plan.target.format()};
}

}  // namespace nexus_cuda
