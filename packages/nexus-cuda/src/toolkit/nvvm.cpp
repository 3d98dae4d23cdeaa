// SPDX-License-Identifier: Apache-2.0
#include "toolkit/nvvm.hpp"

#include "toolkit/toolkit_library.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nexus-plugin/background_job.hpp>
#include <nexus-plugin/compile_checks.hpp>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {
namespace {

using nexus_plugin::Error;
using nexus_plugin::get_config;
using nexus_plugin::join;
using nexus_plugin::Shared;

constexpr int kAnyDriver = 0;  // libNVVM's number is not CUDA's

Nvvm *load_nvvm(const std::string &path) {
  void *const opened = open_toolkit_library(kNvvmLibrary, path);
  Nvvm loaded;
#define NVVM_FUNCTION(name, parameters)                  \
  loaded.name = reinterpret_cast<decltype(loaded.name)>( \
      toolkit_function(kNvvmLibrary, opened, "nvvm" #name));
#include "toolkit/nvvm_functions.def"
  int major = 0, minor = 0;
  if (loaded.Version(&major, &minor) != NVVM_SUCCESS) {
    throw Error(NXS_CompilerNotAvailable, "the libNVVM '", path,
                "' does not tell its version; install another");
  }
  loaded.version = major * 10 + minor;
  return new Nvvm(loaded);
}

const Nvvm &open_nvvm() {
  return opened_once(find_toolkit_library(kNvvmLibrary, kAnyDriver), load_nvvm);
}

// Functions of NVIDIA's library are named so.
bool calls_libdevice(const std::string &module) {
  return module.find("__nv_") != std::string::npos;
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

class NvvmJob final : public nexus_plugin::BackgroundJob {
 public:
  NvvmJob(const Nvvm &nvvm, NvvmTask &&task, std::string libdevice)
      : nvvm_(nvvm), task_(std::move(task)), libdevice_(std::move(libdevice)) {}
  ~NvvmJob() override {
    if (program_ != nullptr) (void)nvvm_.DestroyProgram(&program_);
  }

  // After the work.
  nvvmResult result() const noexcept { return result_; }
  NvvmOutcome take_outcome() { return std::move(outcome_); }

 private:
  void work() override {
    result_ = compile();
    if (program_ == nullptr) return;
    outcome_.log = read(nvvm_.GetProgramLogSize, nvvm_.GetProgramLog);
    outcome_.log.resize(std::min(outcome_.log.find('\0'), outcome_.log.size()));
    if (result_ != NVVM_SUCCESS) return;
    outcome_.code = read(nvvm_.GetCompiledResultSize, nvvm_.GetCompiledResult);
  }

  nvvmResult compile() {
    nvvmResult result = nvvm_.CreateProgram(&program_);
    if (result == NVVM_SUCCESS) {
      result = nvvm_.AddModuleToProgram(program_, task_.module.data(), task_.module.size(),
                                        task_.name.c_str());
    }
    if (result == NVVM_SUCCESS && !libdevice_.empty()) {
      result = nvvm_.LazyAddModuleToProgram(program_, libdevice_.data(), libdevice_.size(),
                                            "libdevice.10.bc");
    }
    std::vector<const char *> options;
    for (const std::string &option : task_.options) options.push_back(option.c_str());
    const int count = static_cast<int>(options.size());
    if (result == NVVM_SUCCESS) result = nvvm_.VerifyProgram(program_, count, options.data());
    return result == NVVM_SUCCESS ? nvvm_.CompileProgram(program_, count, options.data()) : result;
  }

  template <class GetSize, class Get>
  std::string read(GetSize get_size, Get get) const {
    std::size_t size = 0;
    if (get_size(program_, &size) != NVVM_SUCCESS || size == 0) return {};
    std::string bytes(size, '\0');
    return get(program_, bytes.data()) == NVVM_SUCCESS ? bytes : std::string();
  }

  const Nvvm &nvvm_;
  NvvmTask task_;
  std::string libdevice_;
  nvvmProgram program_ = nullptr;
  nvvmResult result_ = NVVM_SUCCESS;
  NvvmOutcome outcome_;
};

}  // namespace

std::string nvvm_title() {
  const int version = open_nvvm().version;
  return join("libNVVM ", version / 10, ".", version % 10);
}

std::string nvvm_identity() {
  const std::string library = file_identity(find_toolkit_library(kNvvmLibrary, kAnyDriver));
  const std::string libdevice(get_config("libdevice"));
  return libdevice.empty() ? library : join(library, " with ", file_identity(libdevice));
}

std::vector<std::string> nvvm_flags(const CompileTarget &target, const CodeSettings &settings) {
  std::vector<std::string> flags = {"-arch=" + target.virtual_name()};
  if (target.kind == CodeKind::lto_ir) flags.emplace_back("-gen-lto");
  if (settings.optimization == 0) flags.emplace_back("-opt=0");
  if (settings.debug) flags.emplace_back("-g");
  if (settings.fast_math) {
    flags.insert(flags.end(), {"-ftz=1", "-prec-div=0", "-prec-sqrt=0", "-fma=1"});
  }
  flags.insert(flags.end(), settings.extra_flags.begin(), settings.extra_flags.end());
  return flags;
}

NvvmOutcome compile_nvvm(NvvmTask task) {
  const Nvvm &nvvm = open_nvvm();
  const std::string name = task.name;
  const std::vector<std::string> flags = task.options;
  std::string libdevice = calls_libdevice(task.module) ? read_libdevice() : std::string();
  const double timeout = nexus_plugin::compile_timeout(kTimeoutVariable);
  const Shared<NvvmJob> job = Shared<NvvmJob>::make(nvvm, std::move(task), std::move(libdevice));
  run_in_background(job, {"libNVVM", timeout, kTimeoutVariable});
  NvvmOutcome outcome = job->take_outcome();
  outcome.log = nexus_plugin::valid_utf8(outcome.log);
  if (job->result() == NVVM_SUCCESS && !outcome.code.empty()) return outcome;
  const bool options = job->result() == NVVM_ERROR_INVALID_OPTION;
  throw Error::with_native_code(
      job->result(), options ? NXS_InvalidCompilerOptions : NXS_CompileProgramFailure, "'", name,
      options ? "': libNVVM refuses the options:\n" : "' could not be compiled by libNVVM:\n",
      nexus_plugin::words_for_error(outcome.log), nexus_plugin::flags_line(flags));
}

}  // namespace nexus_cuda
