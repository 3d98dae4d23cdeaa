// SPDX-License-Identifier: Apache-2.0
// Programs in CUDA C++ and in the portable language, compiled by NVRTC.
#include "compile/code.hpp"
#include "compile/compile.hpp"
#include "compile/toolkit_library.hpp"

#include <dlfcn.h>
#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nexus-plugin/compile/compile_checks.hpp>
#include <span>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {
namespace {

using nexus_plugin::write_to;

// ---- The declarations of nvrtc.h ---------------------------------------

using nvrtcProgram = struct nvrtcProgramObject *;

enum nvrtcResult : int {
  NVRTC_SUCCESS = 0,
  NVRTC_ERROR_OUT_OF_MEMORY = 1,
  NVRTC_ERROR_INVALID_OPTION = 5,
  NVRTC_ERROR_COMPILATION = 6,
  NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
};

struct Nvrtc {
#define NVRTC_FUNCTION(need, name, parameters) nvrtcResult(*name) parameters = nullptr;
#include "compile/toolkit_functions.def"
  int version = 0;                 // major * 10 + minor
  std::vector<int> architectures;  // compute capabilities that it compiles for: 75, 80, ...
};

// The NVRTC to use.
struct NvrtcPlace {
  std::string path;
  int version = 0;       // major * 10 + minor
  std::string identity;  // changes when the compiler does
};

// The library beside NVRTC that it opens when it compiles, such as "libnvrtc-builtins.so.13.5".
struct Builtins {
  std::string path;  // empty if it is not there
  int version = 0;   // major * 10 + minor, the same as NVRTC's
};

Builtins find_builtins(const std::string &nvrtc) {
  std::error_code ignored;
  for (const auto &entry :
       std::filesystem::directory_iterator(std::filesystem::path(nvrtc).parent_path(), ignored)) {
    int major = 0, minor = 0;
    const std::string name = entry.path().filename().string();
    if (std::sscanf(name.c_str(), "libnvrtc-builtins.so.%d.%d", &major, &minor) != 2) continue;
    if (so_number(nvrtc) != 0 && so_number(nvrtc) != major) continue;
    return {entry.path().string(), major * 10 + minor};
  }
  return {};
}

Nvrtc *load_nvrtc(const std::string &path) {
  constexpr bool REQUIRED = true, OPTIONAL = false;
  void *const opened = open_toolkit_library(kNvrtcLibrary, path);
  // NVRTC may not look for it in its own folder, but finds it once it is open.
  const std::string builtins = find_builtins(path).path;
  if (!builtins.empty()) (void)dlopen(builtins.c_str(), RTLD_LAZY | RTLD_LOCAL);
  Nvrtc loaded;
#define NVRTC_FUNCTION(need, name, parameters)           \
  loaded.name = reinterpret_cast<decltype(loaded.name)>( \
      toolkit_function(kNvrtcLibrary, opened, "nvrtc" #name, need));
#include "compile/toolkit_functions.def"
  loaded.version = version_of(loaded.Version, kNvrtcLibrary, path);
  int count = 0;
  const bool counted = loaded.GetNumSupportedArchs(&count) == NVRTC_SUCCESS && count > 0;
  if (counted) loaded.architectures.resize(static_cast<std::size_t>(count));
  if (!counted || loaded.GetSupportedArchs(loaded.architectures.data()) != NVRTC_SUCCESS) {
    throw_untold(kNvrtcLibrary, path, "its architectures");
  }
  return new Nvrtc(std::move(loaded));
}

NvrtcPlace find_nvrtc() {
  NvrtcPlace place;
  place.path = find_toolkit_library(kNvrtcLibrary);
  const Builtins builtins = find_builtins(place.path);
  place.version = builtins.version;
  place.identity = file_identity(place.path);
  if (place.version == 0) {
    place.version = opened_once(place.path, load_nvrtc).version;
  } else {
    place.identity += " with " + file_identity(builtins.path);
  }
  place.identity = title_of(kNvrtcLibrary, place.version) + ": " + place.identity;
  return place;
}

// ---- The log -----------------------------------------------------------

constexpr std::string_view kSeverities[] = {"error", "warning", "catastrophic error", "remark",
                                            "note"};
constexpr std::size_t kIndent = 2;  // blanks before a quoted source line and its caret
// The name that NVRTC's messages give a source that it makes of the name expressions.
constexpr std::string_view kNameMap = "__nv_name_map";

bool begins_with_severity(std::string_view words) {
  for (const std::string_view severity : kSeverities) {
    if (!words.starts_with(severity)) continue;
    const std::string_view rest = words.substr(severity.size());
    if (rest.starts_with(':') || rest.starts_with(" #")) return true;
  }
  return false;
}

// The parts of a message such as "name(3): error: words".
struct Message {
  std::string_view file, line, words;
};

// Returns false if the text is not such a message. The name may contain parentheses.
bool read_message(std::string_view text, Message &out) {
  for (std::size_t close = text.find("): "); close != std::string_view::npos;
       close = text.find("): ", close + 1)) {
    const std::size_t open = text.rfind('(', close);
    if (open == std::string_view::npos || open == 0) continue;
    out = {text.substr(0, open), text.substr(open + 1, close - open - 1), text.substr(close + 3)};
    const bool number =
        !out.line.empty() && out.line.find_first_not_of("0123456789") == std::string_view::npos;
    if (number && begins_with_severity(out.words)) return true;
  }
  return false;
}

// Returns the column, from 1, of the caret that follows a message; 0 if none follows.
std::size_t column_below(const std::vector<std::string> &lines, std::size_t message) {
  for (std::size_t at = message + 1; at < lines.size() && !lines[at].empty(); ++at) {
    const std::size_t caret = lines[at].find_first_not_of(" \t");
    if (caret != std::string_view::npos && caret >= kIndent && lines[at].substr(caret) == "^") {
      return caret - kIndent + 1;
    }
  }
  return 0;
}

std::string usual_message(const Message &message, std::size_t column) {
  if (message.file == kNameMap) return join("name_expressions: ", message.words);
  const std::string place = column == 0 ? "" : ":" + std::to_string(column);
  return join(message.file, ":", message.line, place, ": ", message.words);
}

// Writes positions in NVRTC's log as other compilers and editors do: "saxpy.c(3): error: ..."
// becomes "saxpy.c:3:7: error: ...", with the column of the caret below.
std::string with_usual_positions(std::string_view log) {
  const auto lines = nexus_plugin::split(nexus_plugin::valid_utf8(log), '\n', true);
  std::string out;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    Message message;
    out += read_message(lines[at], message) ? usual_message(message, column_below(lines, at))
                                            : lines[at];
    out += '\n';
  }
  out.erase(out.find_last_not_of('\n') + 1);
  return out.empty() ? out : out + "\n";
}

// ---- The options ---------------------------------------------------------

// For each package of headers, a file that differs between its versions.
constexpr const char *kVersionFiles[] = {"/cuda_runtime_api.h", "/cuda_fp16.hpp",
                                         "/cuda/std/__cccl/version.h", "/cuda/version"};

// Returns the folders of CUDA's headers (cuda_fp16.h, cuda/std/...) for a compiler of that major
// version: those that the user named (NEXUS_CUDA_INCLUDE), else those that Python found.
std::vector<std::string> header_folders(int cuda_major) {
  std::string_view list = nexus_plugin::get_config("include");
  if (list.empty()) list = nexus_plugin::get_config(join("include_", cuda_major));
  return nexus_plugin::split(list, ':');
}

// Returns a text that changes when the headers do.
std::string header_identity(const std::vector<std::string> &folders) {
  std::string identity;
  for (const std::string &folder : folders) {
    identity += "; headers " + file_identity(folder);
    for (const char *const name : kVersionFiles) {
      const std::string file = folder + name;
      if (access(file.c_str(), R_OK) == 0) identity += ", " + file_identity(file);
    }
  }
  return identity;
}

// The NVRTC and its flags for a program.
struct NvrtcPlan {
  NvrtcPlace place;
  std::vector<std::string> folders;  // of CUDA's headers
  std::vector<std::string> flags;    // without those folders
};

bool contains(std::span<const int> architectures, int capability) {
  return std::find(architectures.begin(), architectures.end(), capability) != architectures.end();
}

// Returns true if NVRTC of that version is known to compile for the architecture; false if only
// NVRTC itself can tell.
bool surely_knows(int version, int capability) {
  constexpr int kFirst = 120, kBlackwell = 128;  // versions
  constexpr int kOfFirst[] = {75, 80, 86, 87, 89, 90}, kOfBlackwell[] = {100, 120};
  return (version >= kFirst && contains(kOfFirst, capability)) ||
         (version >= kBlackwell && contains(kOfBlackwell, capability));
}

// Replaces a target that the caller did not name, for a device that is newer than NVRTC, by PTX of
// the newest architecture that NVRTC knows.
void use_known_target(const Device &device, CompileRequest &request, const NvrtcPlace &place) {
  if (!request.of_device || surely_knows(place.version, device.compute_capability())) return;
  const Nvrtc &nvrtc = opened_once(place.path, load_nvrtc);
  const std::vector<int> &all = nvrtc.architectures;
  if (contains(all, device.compute_capability())) return;
  const auto above = std::upper_bound(all.begin(), all.end(), device.compute_capability());
  if (above == all.begin()) {
    throw Error(NXS_CompilerNotAvailable, title_of(kNvrtcLibrary, place.version),
                " does not compile for the compute capability of '", device.name(), "', ",
                device.compute_capability() / 10, ".", device.compute_capability() % 10,
                "; its oldest is ", all.front() / 10, ".", all.front() % 10,
                ": install an older one, such as nvidia-cuda-nvrtc-cu12");
  }
  request.target.kind = CodeKind::ptx;
  request.target.capability = *(above - 1);
}

std::vector<std::string> flags_of(const CompileRequest &request) {
  const bool machine = request.target.kind == CodeKind::machine;
  std::vector<std::string> flags = {
      "--gpu-architecture=" + request.target.name_as(machine ? CodeKind::machine : CodeKind::ptx),
      "--std=" + request.standard};
  if (request.target.kind == CodeKind::lto_ir) flags.emplace_back("--dlink-time-opt");
  if (request.optimization < 3 && machine && !request.debug) {
    flags.push_back(join("--ptxas-options=-O", request.optimization));
  }
  if (request.fast_math) flags.emplace_back("--use_fast_math");
  if (request.debug) flags.emplace_back("--device-debug");
  if (request.line_info) flags.emplace_back("--generate-line-info");
  if (request.relocatable) flags.emplace_back("--relocatable-device-code=true");
  for (const std::string &define : request.defines) flags.push_back("--define-macro=" + define);
  for (const std::string &path : request.include_paths) {
    flags.push_back("--include-path=" + path);
  }
  flags.insert(flags.end(), request.extra_flags.begin(), request.extra_flags.end());
  return flags;
}

NvrtcPlan plan_nvrtc(const Device &device, CompileRequest &request) {
  NvrtcPlan plan;
  plan.place = find_nvrtc();
  plan.folders = header_folders(plan.place.version / 10);
  use_known_target(device, request, plan.place);
  plan.flags = flags_of(request);
  return plan;
}

void check_known(const Nvrtc &nvrtc, const CompileTarget &target) {
  if (contains(nvrtc.architectures, target.capability)) return;
  std::string list;
  for (const int each : nvrtc.architectures) {
    list += (list.empty() ? "" : ", ") + std::to_string(each);
  }
  throw Error(NXS_InvalidValue, "target is '", target.name(), "', which ",
              title_of(kNvrtcLibrary, nvrtc.version), " does not compile for; it knows ", list);
}

// ---- The compilation ----------------------------------------------------

// A program for NVRTC; the job has its options.
struct NvrtcInput {
  std::string source, name;
  std::vector<std::string> expressions;
  CodeKind kind;
};

bool compile(ToolkitJob &job, const Nvrtc &nvrtc, const NvrtcInput &in, nvrtcProgram program) {
  if (nvrtc.SetFlowCallback != nullptr) {
    const auto asked = [](void *asking, void *) -> int {
      return static_cast<ToolkitJob *>(asking)->unwanted() ? 1 : 0;
    };
    (void)nvrtc.SetFlowCallback(program, asked, &job);
  }
  for (const std::string &expression : in.expressions) {
    const nvrtcResult added = nvrtc.AddNameExpression(program, expression.c_str());
    if (!job.keep(added, "nvrtcAddNameExpression")) return false;
  }
  const std::vector<const char *> options = job.options();
  return job.keep(nvrtc.CompileProgram(program, static_cast<int>(options.size()), options.data()),
                  "nvrtcCompileProgram");
}

bool read_code(ToolkitJob &job, const Nvrtc &nvrtc, CodeKind kind, nvrtcProgram program) {
  switch (kind) {
    case CodeKind::ptx:
      return job.read_code(program, nvrtc.GetPTXSize, "nvrtcGetPTXSize", nvrtc.GetPTX,
                           "nvrtcGetPTX");
    case CodeKind::lto_ir:
      return job.read_code(program, nvrtc.GetLTOIRSize, "nvrtcGetLTOIRSize", nvrtc.GetLTOIR,
                           "nvrtcGetLTOIR");
    default:
      return job.read_code(program, nvrtc.GetCUBINSize, "nvrtcGetCUBINSize", nvrtc.GetCUBIN,
                           "nvrtcGetCUBIN");
  }
}

void run_nvrtc(ToolkitJob &job, const Nvrtc &nvrtc, const NvrtcInput &in) {
  OwnedHandle<nvrtcProgram, decltype(nvrtc.DestroyProgram)> owned(nvrtc.DestroyProgram);
  nvrtcProgram &program = owned.handle;
  if (!job.keep(
          nvrtc.CreateProgram(&program, in.source.c_str(), in.name.c_str(), 0, nullptr, nullptr),
          "nvrtcCreateProgram")) {
    return;
  }
  const bool compiled = compile(job, nvrtc, in, program);
  job.outcome.log =
      with_usual_positions(read_text(program, nvrtc.GetProgramLogSize, nvrtc.GetProgramLog));
  if (compiled && read_code(job, nvrtc, in.kind, program)) {
    for (const std::string &expression : in.expressions) {
      const char *symbol = nullptr;
      const nvrtcResult found = nvrtc.GetLoweredName(program, expression.c_str(), &symbol);
      if (!job.keep(found, "nvrtcGetLoweredName")) break;
      job.outcome.names.insert_or_assign(expression, symbol);
    }
  }
}

// Returns a note on how to install CUDA's headers if the program includes one and there are none.
std::string headers_note(const NvrtcPlan &plan, const std::string &log) {
  const bool missing = log.find("open source file") != std::string::npos;
  if (!missing || !plan.folders.empty()) return {};
  return "note: CUDA's headers were not found; pip install 'nexus-cuda[nvrtc]' installs them, or "
         "set NEXUS_CUDA_INCLUDE to their folder\n";
}

[[noreturn]] void throw_nvrtc_failure(const CompileRequest &request, const NvrtcPlan &plan,
                                      const ToolkitOutcome &outcome) {
  const int result = outcome.result;
  const std::string &log = outcome.log;
  const std::string title = title_of(kNvrtcLibrary, plan.place.version);
  switch (result) {
    case NVRTC_ERROR_COMPILATION:
      throw nexus_plugin::compile_failure(result, request.name, title, log, plan.flags);
    case NVRTC_ERROR_INVALID_OPTION:
      throw nexus_plugin::options_failure(result, title, log, plan.flags);
    case NVRTC_ERROR_OUT_OF_MEMORY:
      throw Error::with_native_code(result, NXS_OutOfHostMemory, title, " has no memory left for '",
                                    request.name, "'");
    case NVRTC_ERROR_BUILTIN_OPERATION_FAILURE:
      throw Error::with_native_code(result, NXS_CompilerNotAvailable,
                                    "the file libnvrtc-builtins is not beside '", plan.place.path,
                                    "', or is of another version; install that NVRTC again");
    default:
      throw Error::with_native_code(
          result, NXS_CompilerNotAvailable, title, " failed on '", request.name,
          "': ", outcome.function, " returned ", result,
          " (nvrtcResult); try another NVRTC, or report it with the program:\n",
          nexus_plugin::words_for_error(log));
  }
}

}  // namespace

std::string nvrtc_title() {
  return title_of(kNvrtcLibrary, find_nvrtc().version);
}

CompileDescription describe_nvrtc(const Device &device, CompileRequest &request) {
  const NvrtcPlan plan = plan_nvrtc(device, request);
  return {title_of(kNvrtcLibrary, plan.place.version),
          nexus_plugin::valid_utf8(plan.place.identity + header_identity(plan.folders)),
          request.target.name(), plan.flags, request.target.format()};
}

void compile_with_nvrtc(const Device &device, CompileRequest &request, const nxs_sink &code,
                        const nxs_sink &log) {
  const NvrtcPlan plan = plan_nvrtc(device, request);
  const Nvrtc &nvrtc = opened_once(plan.place.path, load_nvrtc);
  check_known(nvrtc, request.target);
  std::vector<std::string> options = plan.flags;
  for (const std::string &folder : plan.folders) options.push_back("--include-path=" + folder);
  const NvrtcInput input{std::string(request.source), request.name, request.name_expressions,
                         request.target.kind};
  ToolkitOutcome outcome =
      run_tool(kNvrtcLibrary, std::move(options),
               [&nvrtc, input](ToolkitJob &job) { run_nvrtc(job, nvrtc, input); });
  outcome.log += headers_note(plan, outcome.log);
  write_to(log, outcome.log);
  if (outcome.result != NVRTC_SUCCESS) throw_nvrtc_failure(request, plan, outcome);
  if (outcome.code.empty()) {
    throw Error(NXS_CompilerNotAvailable, title_of(kNvrtcLibrary, nvrtc.version),
                " reported no error but produced no code; report this with the program");
  }
  write_to(code, with_names(std::move(outcome.code), outcome.names));
}

}  // namespace nexus_cuda
