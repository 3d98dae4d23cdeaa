// SPDX-License-Identifier: Apache-2.0
#include "compile/code.hpp"
#include "compile/compile.hpp"
#include "compile/toolkit_library.hpp"

#include <unistd.h>
#include <algorithm>
#include <map>
#include <mutex>
#include <nexus-plugin/base/functions.hpp>
#include <nexus-plugin/compile/compile_checks.hpp>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {
namespace {

using Pieces = std::vector<LinkSettings::Piece>;

// ---- The declarations of nvJitLink.h -------------------------------------

using nvJitLinkHandle = struct nvJitLinkObject *;

enum nvJitLinkResult : int {
  NVJITLINK_SUCCESS = 0,
  NVJITLINK_ERROR_UNRECOGNIZED_OPTION = 1,
  NVJITLINK_ERROR_INVALID_INPUT = 3,
  NVJITLINK_ERROR_UNRECOGNIZED_INPUT = 8,
  NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS = 11,
  NVJITLINK_ERROR_UNRECOGNIZED_ARCH = 16,
  NVJITLINK_ERROR_UNSUPPORTED_ARCH = 17,
};

enum nvJitLinkInputType : int {
  NVJITLINK_INPUT_NONE = 0,
  NVJITLINK_INPUT_CUBIN = 1,
  NVJITLINK_INPUT_PTX = 2,
  NVJITLINK_INPUT_LTOIR = 3,
  NVJITLINK_INPUT_FATBIN = 4,
  NVJITLINK_INPUT_OBJECT = 5,
  NVJITLINK_INPUT_LIBRARY = 6,
};

struct NvJitLink {
#define NVJITLINK_FUNCTION(name, parameters) nvJitLinkResult(*name) parameters = nullptr;
#include "compile/toolkit_functions.def"
  int version = 0;  // major * 10 + minor
};

NvJitLink *load_nvjitlink(const std::string &path) {
  void *const opened = open_toolkit_library(kNvJitLinkLibrary, path);
  NvJitLink loaded;
#define NVJITLINK_FUNCTION(name, parameters)             \
  loaded.name = reinterpret_cast<decltype(loaded.name)>( \
      toolkit_function(kNvJitLinkLibrary, opened, "nvJitLink" #name));
#include "compile/toolkit_functions.def"
  loaded.version = version_of(loaded.Version, kNvJitLinkLibrary, path);
  return new NvJitLink(loaded);
}

const NvJitLink &open_nvjitlink() {
  return opened_once(find_toolkit_library(kNvJitLinkLibrary), load_nvjitlink);
}

struct LinkPiece {
  nvJitLinkInputType type;
  std::string code, name;
};

// Returns the message "name:5: error: words" for "ptxas application ptx input, line 5; error   :
// words"; other lines unchanged.
std::string usual_ptx_message(std::string_view line, std::string_view name) {
  constexpr std::string_view kBefore = " ptx input, line ", kBeforeWords = "; ";
  const std::size_t at = line.find(kBefore);
  const std::size_t end = line.find(kBeforeWords, at == std::string_view::npos ? line.size() : at);
  if (end == std::string_view::npos) return std::string(line);
  const std::string_view number = line.substr(at + kBefore.size(), end - at - kBefore.size());
  const std::string_view rest = line.substr(end + kBeforeWords.size());
  const std::string_view severity = rest.substr(0, rest.find(' '));
  const std::size_t colon = std::min(rest.find(": "), rest.size());
  return join(name, ":", number, ": ", severity, rest.substr(colon));
}

// Returns the linker's log without blank and internal lines. name: of the refused piece.
std::string readable_log(const std::string &log, std::string_view name) {
  std::string out;
  for (const std::string &line : nexus_plugin::split(nexus_plugin::valid_utf8(log), '\n')) {
    if (line.starts_with("INFO: NVVM") || line.find_first_not_of(" \t") == line.npos) continue;
    out += usual_ptx_message(line, name) + "\n";
  }
  return out;
}

bool link(ToolkitJob &job, const NvJitLink &linker, const std::vector<LinkPiece> &pieces,
          nvJitLinkHandle &handle) {
  const std::vector<const char *> options = job.options();
  const auto count = static_cast<uint32_t>(options.size());
  if (!job.keep(linker.Create(&handle, count, options.data()), "nvJitLinkCreate")) return false;
  for (const LinkPiece &piece : pieces) {
    const nvJitLinkResult added = linker.AddData(handle, piece.type, piece.code.data(),
                                                 piece.code.size(), piece.name.c_str());
    if (job.keep(added, "nvJitLinkAddData")) continue;
    job.outcome.refused_piece = piece.name;
    return false;
  }
  return job.keep(linker.Complete(handle), "nvJitLinkComplete");
}

// ptx: the result is PTX, which needs the option -lto.
void run_linker(ToolkitJob &job, const NvJitLink &linker, const std::vector<LinkPiece> &pieces,
                bool ptx) {
  OwnedHandle<nvJitLinkHandle, decltype(linker.Destroy)> owned(linker.Destroy);
  nvJitLinkHandle &handle = owned.handle;
  const bool linked = link(job, linker, pieces, handle);
  if (handle == nullptr) return;
  job.outcome.log = read_text(handle, linker.GetErrorLogSize, linker.GetErrorLog) + "\n" +
                    read_text(handle, linker.GetInfoLogSize, linker.GetInfoLog);
  if (linked && ptx) {
    job.read_code(handle, linker.GetLinkedPtxSize, "nvJitLinkGetLinkedPtxSize", linker.GetLinkedPtx,
                  "nvJitLinkGetLinkedPtx");
  } else if (linked) {
    job.read_code(handle, linker.GetLinkedCubinSize, "nvJitLinkGetLinkedCubinSize",
                  linker.GetLinkedCubin, "nvJitLinkGetLinkedCubin");
  }
}

// The one thread that calls nvJitLink. After some failures (13.5: refused PTX) nvJitLink does not
// release a recursive lock, so calls on other threads would wait forever. The child of a fork()
// gets a thread of its own. Never destroyed.
nexus_plugin::WorkQueue &linker_thread() {
  static std::mutex &mutex = *new std::mutex;
  static nexus_plugin::WorkQueue *thread = nullptr;
  static pid_t of_process = 0;
  const std::lock_guard<std::mutex> lock(mutex);
  if (thread == nullptr || of_process != getpid()) {
    thread = new nexus_plugin::WorkQueue;
    of_process = getpid();
  }
  return *thread;
}

// ---- The pieces ----------------------------------------------------------

// The input type of each CodeFormat, in the order of the enum.
constexpr nvJitLinkInputType kInputTypes[] = {
    NVJITLINK_INPUT_NONE,   NVJITLINK_INPUT_CUBIN,  NVJITLINK_INPUT_CUBIN,
    NVJITLINK_INPUT_FATBIN, NVJITLINK_INPUT_PTX,    NVJITLINK_INPUT_LTOIR,
    NVJITLINK_INPUT_NONE,   NVJITLINK_INPUT_OBJECT, NVJITLINK_INPUT_LIBRARY};

LinkPiece read_piece(const LinkPlan &plan, std::string_view code, const std::string &name) {
  const CodeFormat format = format_of(code);
  if (const std::string why = why_cut_short(code); !why.empty()) {
    throw Error(NXS_InvalidBinary, "'", name, "' is ", format_title(format), ", ", why);
  }
  if (format == CodeFormat::kNvvmIr) {
    return {NVJITLINK_INPUT_PTX, compile_nvvm(code, name, nvvm_flags(plan.target, CodeSettings())),
            name};
  }
  const nvJitLinkInputType type = kInputTypes[static_cast<std::size_t>(format)];
  if (type == NVJITLINK_INPUT_NONE) {
    throw Error(NXS_InvalidBinary, "'", name, "' is ", format_title(format),
                "; give relocatable cubins, PTX, LTO-IR, NVVM IR, fatbins, object files or static "
                "libraries");
  }
  return {type, std::string(code), name};
}

// Needed since nvJitLink only prints a message for symbols that are defined twice.
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

// Returns a line that names a cubin for another architecture, a likely reason for a failed link.
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

[[noreturn]] void throw_link_failure(const LinkPlan &plan, const ToolkitOutcome &outcome) {
  const std::string title = linker_title();
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
      throw Error::with_native_code(outcome.result, NXS_LinkProgramFailure, title,
                                    " can't link the pieces (", outcome.function, " returned ",
                                    outcome.result, " (nvJitLinkResult)):\n", words,
                                    nexus_plugin::flags_line(plan.flags));
  }
}

}  // namespace

std::string linker_title() {
  return title_of(kNvJitLinkLibrary, open_nvjitlink().version);
}

std::vector<std::string> link_flags(const CompileTarget &target, const CodeSettings &settings) {
  std::vector<std::string> flags = {"-arch=" + target.name_as(CodeKind::machine)};
  if (target.kind == CodeKind::ptx) flags.insert(flags.end(), {"-lto", "-ptx"});
  if (settings.optimization == 0) flags.emplace_back("-O0");  // it has only 0 and 3
  if (settings.debug) flags.emplace_back("-g");
  if (settings.line_info) flags.emplace_back("-lineinfo");
  add_ir_flags(flags, settings);
  return flags;
}

std::string link_pieces(const LinkPlan &plan, const Pieces &given, const nxs_sink *log) {
  const NvJitLink &linker = open_nvjitlink();
  std::vector<LinkPiece> pieces;
  std::vector<std::string> options = plan.flags;
  NameTable names;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string name =
        given[i].name.empty() ? join("piece ", i) : nexus_plugin::program_name(given[i].name);
    NamedCode named = split_names(given[i].code);
    names.merge(named.names);
    pieces.push_back(read_piece(plan, named.code, name));
    const bool has_lto = std::find(options.begin(), options.end(), "-lto") != options.end();
    if (pieces.back().type == NVJITLINK_INPUT_LTOIR && !has_lto) options.emplace_back("-lto");
  }
  check_defined_once(pieces);
  const std::string note = architecture_note(plan, pieces);
  const bool ptx = plan.target.kind == CodeKind::ptx;
  auto work = [&linker, pieces = std::move(pieces), ptx](ToolkitJob &job) {
    run_linker(job, linker, pieces, ptx);
  };
  ToolkitOutcome outcome =
      run_tool(kNvJitLinkLibrary, std::move(options), std::move(work), &linker_thread());
  outcome.log = readable_log(outcome.log, outcome.refused_piece);
  if (outcome.result != NVJITLINK_SUCCESS) outcome.log += note;
  if (log != nullptr) nexus_plugin::write_to(*log, outcome.log);
  if (outcome.result != NVJITLINK_SUCCESS) throw_link_failure(plan, outcome);
  return with_names(std::move(outcome.code), names);
}

namespace {

CompileDescription link_program(const Device &device, const LinkSettings &settings,
                                const nxs_sink &code, const nxs_sink &log) {
  LinkPlan plan;
  plan.target = read_compile_target(settings.target, device);
  if (plan.target.kind == CodeKind::lto_ir) {
    throw Error(NXS_InvalidValue, "target is '", settings.target,
                "'; linked code is machine code, 'sm_", plan.target.capability,
                "', or, if all pieces are LTO-IR, PTX, 'compute_", plan.target.capability, "'");
  }
  plan.flags = link_flags(
      plan.target, read_code_settings(settings.flags, settings.optimization, settings.options));
  const std::string path = find_toolkit_library(kNvJitLinkLibrary);
  nexus_plugin::write_to(code, link_pieces(plan, settings.pieces, &log));
  return {linker_title(), nexus_plugin::valid_utf8(file_identity(path)), plan.target.name(),
          plan.flags, plan.target.format()};
}

}  // namespace
}  // namespace nexus_cuda

using namespace nexus_cuda;

NEXUS_PLUGIN_LINK(devices, link_program(device_of(device), settings, code, log))
