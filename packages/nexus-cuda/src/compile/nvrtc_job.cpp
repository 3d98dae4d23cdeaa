// SPDX-License-Identifier: Apache-2.0
#include "compile/nvrtc_job.hpp"

#include "compile/compiler_log.hpp"
#include "toolkit/toolkit_library.hpp"

#include <algorithm>
#include <nexus-plugin/background_job.hpp>
#include <nexus-plugin/compile_checks.hpp>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {
namespace {

using nexus_plugin::Error;
using nexus_plugin::Shared;

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

}  // namespace

NvrtcOutcome run_nvrtc(const Nvrtc &nvrtc, NvrtcTask task) {
  const double timeout = nexus_plugin::compile_timeout(kTimeoutVariable);
  const Shared<NvrtcJob> job = Shared<NvrtcJob>::make(nvrtc, std::move(task));
  run_in_background(job, {"NVRTC", timeout, kTimeoutVariable});
  return job->take_outcome();
}

}  // namespace nexus_cuda
