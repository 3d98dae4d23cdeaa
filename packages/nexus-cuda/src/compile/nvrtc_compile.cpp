// SPDX-License-Identifier: Apache-2.0
#include "compile/compile.hpp"

#include "compile/compiler_log.hpp"
#include "toolkit/name_table.hpp"
#include "toolkit/nvrtc.hpp"
#include "toolkit/toolkit_library.hpp"

#include <unistd.h>
#include <algorithm>
#include <array>
#include <nexus-plugin/background_job.hpp>
#include <nexus-plugin/compile_checks.hpp>
#include <nexus-plugin/host.hpp>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {
namespace {

using nexus_plugin::CompileDescription;
using nexus_plugin::Error;
using nexus_plugin::join;
using nexus_plugin::write_to;

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

// Architectures and the first NVRTC that surely knows them.
struct KnownSince {
  int capability, version;
};
constexpr std::array kSurelyKnown = {KnownSince{75, 120},  KnownSince{80, 120}, KnownSince{86, 120},
                                     KnownSince{87, 120},  KnownSince{89, 120}, KnownSince{90, 120},
                                     KnownSince{100, 128}, KnownSince{120, 128}};

bool surely_knows(int version, int capability) {
  return std::any_of(kSurelyKnown.begin(), kSurelyKnown.end(),
                     [version, capability](const KnownSince &known) {
                       return known.capability == capability && version >= known.version;
                     });
}

bool knows(const Nvrtc &nvrtc, int capability) {
  const std::vector<int> &all = nvrtc.architectures;
  return std::find(all.begin(), all.end(), capability) != all.end();
}

// A device that is newer than NVRTC runs PTX of the newest architecture that NVRTC knows.
void use_known_target(const CompileDevice &device, CompileRequest &request,
                      const NvrtcPlace &place) {
  if (!request.of_device || surely_knows(place.version, device.capability)) return;
  const Nvrtc &nvrtc = open_nvrtc(place.path);
  if (knows(nvrtc, device.capability)) return;
  const std::vector<int> &all = nvrtc.architectures;
  const auto above = std::upper_bound(all.begin(), all.end(), device.capability);
  if (above == all.begin()) {
    throw Error(NXS_CompilerNotAvailable, nvrtc_title(place.version),
                " compiles nothing for the compute capability of '", device.name, "', ",
                device.capability / 10, ".", device.capability % 10, "; its oldest is ",
                all.front() / 10, ".", all.front() % 10,
                ": install an older one, such as nvidia-cuda-nvrtc-cu12");
  }
  request.target.kind = CodeKind::ptx;
  request.target.capability = *(above - 1);
}

std::string architecture_flag(const CompileTarget &target) {
  return "--gpu-architecture=" +
         (target.kind == CodeKind::machine ? target.machine_name() : target.virtual_name());
}

std::vector<std::string> flags_of(const CompileRequest &request) {
  std::vector<std::string> flags = {architecture_flag(request.target), "--std=" + request.standard};
  const bool machine = request.target.kind == CodeKind::machine;
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

NvrtcPlan plan_nvrtc(const CompileDevice &device, CompileRequest &request) {
  NvrtcPlan plan;
  plan.place = find_nvrtc(device.driver_major);
  plan.folders = header_folders(plan.place.version / 10);
  use_known_target(device, request, plan.place);
  plan.flags = flags_of(request);
  return plan;
}

std::string list_architectures(const std::vector<int> &architectures) {
  std::string list;
  for (const int capability : architectures) {
    list += (list.empty() ? "" : ", ") + std::to_string(capability);
  }
  return list;
}

void check_architecture(const Nvrtc &nvrtc, const CompileTarget &target) {
  if (knows(nvrtc, target.capability)) return;
  throw Error(NXS_InvalidValue, "target is '", target.name(), "', which ",
              nvrtc_title(nvrtc.version), " does not compile for; it knows ",
              list_architectures(nvrtc.architectures));
}

// A request to NVRTC.
struct NvrtcTask {
  std::string source, name;
  std::vector<std::string> options;
  std::vector<std::string> name_expressions;
  CodeKind kind = CodeKind::machine;  // of the code that is wanted
};

struct NvrtcOutcome {
  nvrtcResult result = NVRTC_SUCCESS;
  const char *function = "";  // of NVRTC, which returned the result
  std::string log;            // with places as other compilers have them
  std::string code;           // empty where it failed
  NameTable names;
};

class NvrtcJob final : public nexus_plugin::BackgroundJob {
 public:
  NvrtcJob(const Nvrtc &nvrtc, NvrtcTask &&task) : nvrtc_(nvrtc), task_(std::move(task)) {}
  ~NvrtcJob() override {
    if (program_ != nullptr) (void)nvrtc_.DestroyProgram(&program_);
  }

  // After the work.
  NvrtcOutcome take_outcome() { return std::move(outcome_); }

 private:
  void work() override;
  bool compile();
  bool read_code();
  void read_names();
  void read_log();
  // Keeps what a function returned. Whether it was success.
  bool keep(nvrtcResult result, const char *function) noexcept {
    outcome_.result = result;
    outcome_.function = function;
    return result == NVRTC_SUCCESS;
  }

  const Nvrtc &nvrtc_;
  NvrtcTask task_;
  nvrtcProgram program_ = nullptr;
  NvrtcOutcome outcome_;
};

void NvrtcJob::work() {
  const char *source = task_.source.c_str();
  const char *name = task_.name.c_str();
  if (!keep(nvrtc_.CreateProgram(&program_, source, name, 0, nullptr, nullptr),
            "nvrtcCreateProgram")) {
    return;
  }
  const bool compiled = compile();
  read_log();
  if (compiled && read_code()) read_names();
}

bool NvrtcJob::compile() {
  if (nvrtc_.SetFlowCallback != nullptr) {
    const auto asked = [](void *job, void *) -> int {
      return static_cast<NvrtcJob *>(job)->unwanted() ? 1 : 0;
    };
    (void)nvrtc_.SetFlowCallback(program_, asked, this);
  }
  for (const std::string &expression : task_.name_expressions) {
    if (!keep(nvrtc_.AddNameExpression(program_, expression.c_str()), "nvrtcAddNameExpression")) {
      return false;
    }
  }
  std::vector<const char *> options;
  for (const std::string &option : task_.options) options.push_back(option.c_str());
  return keep(nvrtc_.CompileProgram(program_, static_cast<int>(options.size()), options.data()),
              "nvrtcCompileProgram");
}

// The functions that give one kind of code.
struct CodeGetter {
  nvrtcResult (*get_size)(nvrtcProgram program, size_t *size);
  nvrtcResult (*get)(nvrtcProgram program, char *code);
  const char *size_name, *name;
};

CodeGetter getter_of(const Nvrtc &nvrtc, CodeKind kind) {
  switch (kind) {
    case CodeKind::ptx:
      return {nvrtc.GetPTXSize, nvrtc.GetPTX, "nvrtcGetPTXSize", "nvrtcGetPTX"};
    case CodeKind::lto_ir:
      return {nvrtc.GetLTOIRSize, nvrtc.GetLTOIR, "nvrtcGetLTOIRSize", "nvrtcGetLTOIR"};
    default:
      return {nvrtc.GetCUBINSize, nvrtc.GetCUBIN, "nvrtcGetCUBINSize", "nvrtcGetCUBIN"};
  }
}

bool NvrtcJob::read_code() {
  const CodeGetter getter = getter_of(nvrtc_, task_.kind);
  std::size_t size = 0;
  if (!keep(getter.get_size(program_, &size), getter.size_name)) return false;
  if (size == 0) {
    throw Error(NXS_CompilerNotAvailable, nvrtc_title(nvrtc_.version),
                " told of no error and made no code; report this with the program");
  }
  outcome_.code.resize(size);
  return keep(getter.get(program_, outcome_.code.data()), getter.name);
}

void NvrtcJob::read_names() {
  for (const std::string &expression : task_.name_expressions) {
    const char *symbol = nullptr;
    if (!keep(nvrtc_.GetLoweredName(program_, expression.c_str(), &symbol),
              "nvrtcGetLoweredName")) {
      return;
    }
    outcome_.names.insert_or_assign(expression, symbol);
  }
}

// A compiler that does not tell its log has compiled all the same.
void NvrtcJob::read_log() {
  std::size_t size = 0;
  if (nvrtc_.GetProgramLogSize(program_, &size) != NVRTC_SUCCESS || size == 0) return;
  std::string log(size, '\0');
  if (nvrtc_.GetProgramLog(program_, log.data()) != NVRTC_SUCCESS) return;
  log.resize(std::min(log.find('\0'), log.size()));
  outcome_.log = with_usual_places(log);
}

// Compiles on a thread of its own. Throws NXS_Cancelled, or NXS_CompilerNotAvailable where NVRTC
// takes too long (the compiler is then told to end, where it can be) or gives no code.
NvrtcOutcome run_nvrtc(const Nvrtc &nvrtc, NvrtcTask task) {
  const double timeout = nexus_plugin::compile_timeout(kTimeoutVariable);
  const nexus_plugin::Shared<NvrtcJob> job =
      nexus_plugin::Shared<NvrtcJob>::make(nvrtc, std::move(task));
  run_in_background(job, {"NVRTC", timeout, kTimeoutVariable});
  return job->take_outcome();
}

NvrtcTask task_of(const CompileRequest &request, const NvrtcPlan &plan) {
  NvrtcTask task;
  // The first line's number is the caller's, whatever its name is: NVRTC is told that.
  task.source = request.source;
  task.name = request.name;
  task.options = plan.flags;
  for (const std::string &folder : plan.folders) {
    task.options.push_back("--include-path=" + folder);
  }
  task.name_expressions = request.name_expressions;
  task.kind = request.target.kind;
  return task;
}

// Where a header of CUDA's own is missing, what brings it is told.
std::string headers_note(const NvrtcPlan &plan, const std::string &log) {
  const bool missing = log.find("open source file") != std::string::npos;
  if (!missing || !plan.folders.empty()) return {};
  return "note: CUDA's own headers are not here; pip install 'nexus-cuda[nvrtc]' brings "
         "cuda_fp16.h and its like, or set NEXUS_CUDA_INCLUDE to their folder\n";
}

[[noreturn]] void throw_nvrtc_failure(const CompileRequest &request, const NvrtcPlan &plan,
                                      const NvrtcOutcome &outcome) {
  const nvrtcResult result = outcome.result;
  const std::string &log = outcome.log;
  const std::string title = nvrtc_title(plan.place.version);
  switch (result) {
    case NVRTC_ERROR_COMPILATION:
      throw Error::with_native_code(
          result, NXS_CompileProgramFailure, "'", request.name, "' could not be compiled by ",
          title, ":\n", nexus_plugin::words_for_error(log), nexus_plugin::flags_line(plan.flags));
    case NVRTC_ERROR_INVALID_OPTION:
      throw Error::with_native_code(result, NXS_InvalidCompilerOptions, title,
                                    " refuses the options:\n", nexus_plugin::words_for_error(log),
                                    nexus_plugin::flags_line(plan.flags));
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
          "': ", outcome.function, " returned ", static_cast<int>(result),
          " (nvrtcResult); try another NVRTC, or report it with the program:\n",
          nexus_plugin::words_for_error(log));
  }
}

}  // namespace

CompileDescription describe_nvrtc(const CompileDevice &device, CompileRequest &request) {
  const NvrtcPlan plan = plan_nvrtc(device, request);
  return {nvrtc_title(plan.place.version),
          nexus_plugin::valid_utf8(plan.place.identity + header_identity(plan.folders)),
          request.target.name(), plan.flags, request.target.format()};
}

void compile_with_nvrtc(const CompileDevice &device, CompileRequest &request, const nxs_sink &code,
                        const nxs_sink &log) {
  const NvrtcPlan plan = plan_nvrtc(device, request);
  const Nvrtc &nvrtc = open_nvrtc(plan.place.path);
  check_architecture(nvrtc, request.target);
  NvrtcOutcome outcome = run_nvrtc(nvrtc, task_of(request, plan));
  outcome.log += headers_note(plan, outcome.log);
  write_to(log, outcome.log);
  if (outcome.result != NVRTC_SUCCESS) {
    throw_nvrtc_failure(request, plan, outcome);
  }
  write_to(code, with_names(std::move(outcome.code), outcome.names));
}

}  // namespace nexus_cuda
