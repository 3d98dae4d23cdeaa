// SPDX-License-Identifier: Apache-2.0
// Programs in CUDA C++ and in the portable language, compiled by NVRTC.
#include "compile/code.hpp"
#include "compile/compile.hpp"
#include "compile/toolkit_library.hpp"

#include <dlfcn.h>
#include <unistd.h>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nexus-plugin/compile/compile_checks.hpp>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {
namespace {

using nexus_plugin::write_to;

// ---- The library: our own declarations of nvrtc.h ----------------------

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

// The NVRTC that is used, found without opening it.
struct NvrtcPlace {
  std::string path;
  int version = 0;       // major * 10 + minor
  std::string identity;  // changes when the compiler does
};

// The library that NVRTC opens by its name when it compiles: "libnvrtc-builtins.so.13.5", beside it
// in wheels and toolkits. Empty where it is not.
std::string builtins_beside(const std::string &path) {
  constexpr std::string_view kBuiltins = "libnvrtc-builtins.so.";
  const int major = so_number(path);
  std::error_code ignored;
  for (const auto &entry :
       std::filesystem::directory_iterator(std::filesystem::path(path).parent_path(), ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kBuiltins) || name.find('.', kBuiltins.size()) == std::string::npos) {
      continue;
    }
    if (major == 0 || so_number(name) == major) return entry.path().string();
  }
  return {};
}

// 135 of "libnvrtc-builtins.so.13.5"; 0 where the name does not tell.
int version_of_builtins(const std::string &path) {
  const int major = so_number(path);
  const std::size_t at = path.rfind(".so.");
  if (major == 0) return 0;
  const std::size_t dot = path.find('.', at + 4);
  int minor = 0;
  const char *const end = path.data() + path.size();
  if (std::from_chars(path.data() + dot + 1, end, minor).ec != std::errc()) return 0;
  return major * 10 + minor;
}

Nvrtc *load_nvrtc(const std::string &path) {
  constexpr bool REQUIRED = true, OPTIONAL = false;
  constexpr const char *kUntold = "its version or what it compiles for";
  void *const opened = open_toolkit_library(kNvrtcLibrary, path);
  // NVRTC finds what is opened already; by itself it may not look in its own folder.
  const std::string builtins = builtins_beside(path);
  if (!builtins.empty()) (void)dlopen(builtins.c_str(), RTLD_LAZY | RTLD_LOCAL);
  Nvrtc loaded;
#define NVRTC_FUNCTION(need, name, parameters) \
  find_function(kNvrtcLibrary, opened, "nvrtc" #name, loaded.name, need);
#include "compile/toolkit_functions.def"
  loaded.version = version_of(loaded.Version, kNvrtcLibrary, path, kUntold);
  int count = 0;
  const bool counted = loaded.GetNumSupportedArchs(&count) == NVRTC_SUCCESS && count > 0;
  if (counted) loaded.architectures.resize(static_cast<std::size_t>(count));
  if (!counted || loaded.GetSupportedArchs(loaded.architectures.data()) != NVRTC_SUCCESS) {
    throw_untold(kNvrtcLibrary, path, kUntold);
  }
  return new Nvrtc(std::move(loaded));
}

NvrtcPlace find_nvrtc() {
  NvrtcPlace place;
  place.path = find_toolkit_library(kNvrtcLibrary);
  const std::string builtins = builtins_beside(place.path);
  place.version = version_of_builtins(builtins);
  place.identity = file_identity(place.path);
  if (place.version == 0) {
    place.version = opened_once(place.path, load_nvrtc).version;
  } else {
    place.identity += " with " + file_identity(builtins);
  }
  place.identity = title_of(kNvrtcLibrary, place.version) + ": " + place.identity;
  return place;
}

// ---- The log -----------------------------------------------------------

constexpr std::string_view kSeverities[] = {"error", "warning", "catastrophic error", "remark",
                                            "note"};
constexpr std::size_t kIndent = 2;  // blanks before the source's line and the caret below it
// The file that NVRTC makes of name expressions, a line each.
constexpr std::string_view kNameMap = "__nv_name_map";

std::vector<std::string_view> lines_of_words(std::string_view words) {
  std::vector<std::string_view> lines;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find('\n'), words.size());
    lines.push_back(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return lines;
}

bool begins_with_severity(std::string_view words) {
  for (const std::string_view severity : kSeverities) {
    if (!words.starts_with(severity)) continue;
    const std::string_view rest = words.substr(severity.size());
    if (rest.starts_with(':') || rest.starts_with(" #")) return true;
  }
  return false;
}

// "name(3): error: words". The name may have parentheses too.
struct PlacedMessage {
  std::string_view file, line, words;
};

bool read_placed_message(std::string_view text, PlacedMessage &out) {
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

// Of the caret below a message's line of source, from 1; 0 where none follows.
std::size_t column_below(const std::vector<std::string_view> &lines, std::size_t message) {
  for (std::size_t at = message + 1; at < lines.size() && !lines[at].empty(); ++at) {
    const std::size_t caret = lines[at].find_first_not_of(" \t");
    if (caret != std::string_view::npos && caret >= kIndent && lines[at].substr(caret) == "^") {
      return caret - kIndent + 1;
    }
  }
  return 0;
}

std::string usual_message(const PlacedMessage &message, std::size_t column) {
  if (message.file == kNameMap) return join("name_expressions: ", message.words);
  const std::string place = column == 0 ? "" : ":" + std::to_string(column);
  return join(message.file, ":", message.line, place, ": ", message.words);
}

// NVRTC's log with places as the other compilers and editors write them: "saxpy.c(3): error: ..."
// becomes "saxpy.c:3:7: error: ...", with the column of the caret below.
std::string with_usual_places(std::string_view words) {
  const std::string text = nexus_plugin::valid_utf8(words);
  const std::vector<std::string_view> lines = lines_of_words(text);
  std::string out;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    PlacedMessage message;
    const bool placed = read_placed_message(lines[at], message);
    out += placed ? usual_message(message, column_below(lines, at)) : std::string(lines[at]);
    out += '\n';
  }
  out.erase(out.find_last_not_of('\n') + 1);
  return out.empty() ? out : out + "\n";
}

// ---- What NVRTC is told -------------------------------------------------

// Of each package of headers a file that its versions differ in.
constexpr const char *kTellingFiles[] = {"/cuda_runtime_api.h", "/cuda_fp16.hpp",
                                         "/cuda/std/__cccl/version.h", "/cuda/version"};

// The folders of CUDA's own headers (cuda_fp16.h, cuda/std/...) for a compiler of this major
// version, of the configuration: those that the user names (NEXUS_CUDA_INCLUDE), else those that
// Python found. May be none.
std::vector<std::string> header_folders(int cuda_major) {
  std::string_view list = nexus_plugin::get_config("include");
  if (list.empty()) list = nexus_plugin::get_config(join("include_", cuda_major));
  return nexus_plugin::split(list, ':');
}

// Changes when the headers do.
std::string header_identity(const std::vector<std::string> &folders) {
  std::string identity;
  for (const std::string &folder : folders) {
    identity += "; headers " + file_identity(folder);
    for (const char *const name : kTellingFiles) {
      const std::string file = folder + name;
      if (access(file.c_str(), R_OK) == 0) identity += ", " + file_identity(file);
    }
  }
  return identity;
}

// Which NVRTC a program gets, and what it is told.
struct NvrtcPlan {
  NvrtcPlace place;
  std::vector<std::string> folders;  // of CUDA's own headers
  std::vector<std::string> flags;    // without those folders
};

// Returns whether an NVRTC of that version is known to compile for the architecture.
bool surely_knows(int version, int capability) {
  constexpr int kFirst = 120, kOfBlackwell = 128;
  switch (capability) {
    case 75:
    case 80:
    case 86:
    case 87:
    case 89:
    case 90:
      return version >= kFirst;
    case 100:
    case 120:
      return version >= kOfBlackwell;
    default:
      return false;
  }
}

bool knows(const Nvrtc &nvrtc, int capability) {
  const std::vector<int> &all = nvrtc.architectures;
  return std::find(all.begin(), all.end(), capability) != all.end();
}

// A device that is newer than NVRTC runs PTX of the newest architecture that NVRTC knows.
void use_known_target(const Device &device, CompileRequest &request, const NvrtcPlace &place) {
  if (!request.of_device || surely_knows(place.version, device.compute_capability())) return;
  const Nvrtc &nvrtc = opened_once(place.path, load_nvrtc);
  if (knows(nvrtc, device.compute_capability())) return;
  const std::vector<int> &all = nvrtc.architectures;
  const auto above = std::upper_bound(all.begin(), all.end(), device.compute_capability());
  if (above == all.begin()) {
    throw Error(NXS_CompilerNotAvailable, title_of(kNvrtcLibrary, place.version),
                " compiles nothing for the compute capability of '", device.name(), "', ",
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
  if (knows(nvrtc, target.capability)) return;
  std::string list;
  for (const int each : nvrtc.architectures) {
    list += (list.empty() ? "" : ", ") + std::to_string(each);
  }
  throw Error(NXS_InvalidValue, "target is '", target.name(), "', which ",
              title_of(kNvrtcLibrary, nvrtc.version), " does not compile for; it knows ", list);
}

// ---- The compilation ----------------------------------------------------

class NvrtcJob final : public ToolkitJob {
 public:
  NvrtcJob(const Nvrtc &nvrtc, const CompileRequest &request, std::vector<std::string> options)
      : nvrtc_(nvrtc),
        source_(request.source),
        name_(request.name),
        options_(std::move(options)),
        expressions_(request.name_expressions),
        kind_(request.target.kind) {}
  ~NvrtcJob() override {
    if (program_ != nullptr) (void)nvrtc_.DestroyProgram(&program_);
  }

  // After the work.
  const NameTable &names() const noexcept { return names_; }

 private:
  void work() override {
    // The first line's number is the caller's, whatever its name is: NVRTC is told that.
    if (!keep(nvrtc_.CreateProgram(&program_, source_.c_str(), name_.c_str(), 0, nullptr, nullptr),
              "nvrtcCreateProgram")) {
      return;
    }
    const bool compiled = compile();
    outcome_.log =
        with_usual_places(read_text(program_, nvrtc_.GetProgramLogSize, nvrtc_.GetProgramLog));
    if (compiled && read_code()) read_names();
  }

  bool compile() {
    if (nvrtc_.SetFlowCallback != nullptr) {
      const auto asked = [](void *job, void *) -> int {
        return static_cast<NvrtcJob *>(job)->unwanted() ? 1 : 0;
      };
      (void)nvrtc_.SetFlowCallback(program_, asked, this);
    }
    for (const std::string &expression : expressions_) {
      if (!keep(nvrtc_.AddNameExpression(program_, expression.c_str()), "nvrtcAddNameExpression")) {
        return false;
      }
    }
    const std::vector<const char *> options = pointers_to(options_);
    return keep(nvrtc_.CompileProgram(program_, static_cast<int>(options.size()), options.data()),
                "nvrtcCompileProgram");
  }

  bool read_code() {
    switch (kind_) {
      case CodeKind::ptx:
        return read_by(nvrtc_.GetPTXSize, nvrtc_.GetPTX, "nvrtcGetPTXSize", "nvrtcGetPTX");
      case CodeKind::lto_ir:
        return read_by(nvrtc_.GetLTOIRSize, nvrtc_.GetLTOIR, "nvrtcGetLTOIRSize", "nvrtcGetLTOIR");
      default:
        return read_by(nvrtc_.GetCUBINSize, nvrtc_.GetCUBIN, "nvrtcGetCUBINSize", "nvrtcGetCUBIN");
    }
  }

  bool read_by(nvrtcResult (*get_size)(nvrtcProgram, size_t *),
               nvrtcResult (*get)(nvrtcProgram, char *), const char *size_name, const char *name) {
    std::size_t size = 0;
    if (!keep(get_size(program_, &size), size_name)) return false;
    if (size == 0) {
      throw Error(NXS_CompilerNotAvailable, title_of(kNvrtcLibrary, nvrtc_.version),
                  " told of no error and made no code; report this with the program");
    }
    outcome_.code.resize(size);
    return keep(get(program_, outcome_.code.data()), name);
  }

  void read_names() {
    for (const std::string &expression : expressions_) {
      const char *symbol = nullptr;
      if (!keep(nvrtc_.GetLoweredName(program_, expression.c_str(), &symbol),
                "nvrtcGetLoweredName")) {
        return;
      }
      names_.insert_or_assign(expression, symbol);
    }
  }

  const Nvrtc &nvrtc_;
  const std::string source_, name_;
  const std::vector<std::string> options_, expressions_;
  const CodeKind kind_;
  nvrtcProgram program_ = nullptr;
  NameTable names_;
};

// Where a header of CUDA's own is missing, what brings it is told.
std::string headers_note(const NvrtcPlan &plan, const std::string &log) {
  const bool missing = log.find("open source file") != std::string::npos;
  if (!missing || !plan.folders.empty()) return {};
  return "note: CUDA's own headers are not here; pip install 'nexus-cuda[nvrtc]' brings "
         "cuda_fp16.h and its like, or set NEXUS_CUDA_INCLUDE to their folder\n";
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
  const double timeout = nexus_plugin::compile_timeout(kTimeoutVariable);
  const auto job = Shared<NvrtcJob>::make(nvrtc, request, std::move(options));
  run_in_background(job, {"NVRTC", timeout, kTimeoutVariable});
  ToolkitOutcome outcome = job->take_outcome();
  outcome.log += headers_note(plan, outcome.log);
  write_to(log, outcome.log);
  if (outcome.result != NVRTC_SUCCESS) throw_nvrtc_failure(request, plan, outcome);
  write_to(code, with_names(std::move(outcome.code), job->names()));
}

}  // namespace nexus_cuda
