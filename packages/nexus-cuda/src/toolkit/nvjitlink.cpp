// SPDX-License-Identifier: Apache-2.0
#include "toolkit/nvjitlink.hpp"

#include "toolkit/toolkit_library.hpp"

#include <unistd.h>
#include <algorithm>
#include <mutex>
#include <nexus-plugin/background_job.hpp>
#include <nexus-plugin/compile_checks.hpp>
#include <nexus-plugin/json.hpp>
#include <nexus-plugin/work_queue.hpp>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {
namespace {

using nexus_plugin::Error;
using nexus_plugin::Shared;

NvJitLink *load_nvjitlink(const std::string &path) {
  void *const opened = open_toolkit_library(kNvJitLinkLibrary, path);
  NvJitLink loaded;
#define NVJITLINK_FUNCTION(name, parameters)             \
  loaded.name = reinterpret_cast<decltype(loaded.name)>( \
      toolkit_function(kNvJitLinkLibrary, opened, "nvJitLink" #name));
#include "toolkit/nvjitlink_functions.def"
  unsigned major = 0, minor = 0;
  if (loaded.Version(&major, &minor) != NVJITLINK_SUCCESS) {
    throw Error(NXS_LinkerNotAvailable, "the nvJitLink '", path,
                "' does not tell its version; install another");
  }
  loaded.version = major * 10 + minor;
  return new NvJitLink(loaded);
}

// Lines that say nothing to users.
bool is_idle_line(std::string_view line) {
  return line.starts_with("INFO: NVVM") || line.find_first_not_of(" \t") == std::string_view::npos;
}

std::string without_idle_lines(const std::string &log) {
  std::string out;
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    const std::string_view line = std::string_view(log).substr(at, end - at);
    if (!is_idle_line(line)) out += std::string(line) + "\n";
    at = end + 1;
  }
  return out;
}

class NvJitLinkJob final : public nexus_plugin::BackgroundJob {
 public:
  NvJitLinkJob(const NvJitLink &linker, NvJitLinkTask &&task)
      : linker_(linker), task_(std::move(task)) {}
  // After the work.
  NvJitLinkOutcome take_outcome() { return std::move(outcome_); }

 private:
  void work() override {
    const bool linked = link();
    if (handle_ == nullptr) return;
    outcome_.log = read_log(linker_.GetErrorLogSize, linker_.GetErrorLog) +
                   read_log(linker_.GetInfoLogSize, linker_.GetInfoLog);
    if (linked) read_code();
    (void)linker_.Destroy(&handle_);  // here, on the linker's thread
  }

  // Keeps what a function returned. Whether it was success.
  bool keep(nvJitLinkResult result, const char *function) noexcept {
    outcome_.result = result;
    outcome_.function = function;
    return result == NVJITLINK_SUCCESS;
  }

  bool link() {
    std::vector<const char *> options;
    for (const std::string &option : task_.options) options.push_back(option.c_str());
    const auto count = static_cast<uint32_t>(options.size());
    if (!keep(linker_.Create(&handle_, count, options.data()), "nvJitLinkCreate")) return false;
    for (const auto &piece : task_.pieces) {
      const nvJitLinkResult added = linker_.AddData(handle_, piece.type, piece.code.data(),
                                                    piece.code.size(), piece.name.c_str());
      if (keep(added, "nvJitLinkAddData")) continue;
      outcome_.refused_piece = piece.name;
      return false;
    }
    return keep(linker_.Complete(handle_), "nvJitLinkComplete");
  }

  void read_code() {
    const auto get_size = task_.ptx ? linker_.GetLinkedPtxSize : linker_.GetLinkedCubinSize;
    std::size_t size = 0;
    bool got = keep(get_size(handle_, &size),
                    task_.ptx ? "nvJitLinkGetLinkedPtxSize" : "nvJitLinkGetLinkedCubinSize");
    if (got) {
      outcome_.code.resize(size);
      char *code = outcome_.code.data();
      got = task_.ptx ? keep(linker_.GetLinkedPtx(handle_, code), "nvJitLinkGetLinkedPtx")
                      : keep(linker_.GetLinkedCubin(handle_, code), "nvJitLinkGetLinkedCubin");
    }
    if (!got) outcome_.code.clear();
  }

  template <class GetSize, class Get>
  std::string read_log(GetSize get_size, Get get) const {
    std::size_t size = 0;
    if (get_size(handle_, &size) != NVJITLINK_SUCCESS || size == 0) return {};
    std::string log(size + 1, '\0');  // some versions do not count the zero at the end
    if (get(handle_, log.data()) != NVJITLINK_SUCCESS) return {};
    log.resize(std::min(log.find('\0'), log.size()));
    return without_idle_lines(nexus_plugin::valid_utf8(log));
  }

  const NvJitLink &linker_;
  NvJitLinkTask task_;
  nvJitLinkHandle handle_ = nullptr;
  NvJitLinkOutcome outcome_;
};

// The one thread that nvJitLink is called on: after some failures (13.5: PTX that is refused) it
// leaves a recursive lock taken, which only the thread that took it gets by. A child of a fork()
// has a thread of its own. Never destroyed.
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

}  // namespace

const NvJitLink &open_nvjitlink(int driver_major) {
  return opened_once(find_toolkit_library(kNvJitLinkLibrary, driver_major), load_nvjitlink);
}

std::string nvjitlink_title(unsigned version) {
  return nexus_plugin::join("nvJitLink ", version / 10, ".", version % 10);
}

NvJitLinkOutcome run_nvjitlink(const NvJitLink &linker, NvJitLinkTask task) {
  const double timeout = nexus_plugin::compile_timeout(kTimeoutVariable);
  const Shared<NvJitLinkJob> job = Shared<NvJitLinkJob>::make(linker, std::move(task));
  linker_thread().submit([job] { job->run(); });
  nexus_plugin::wait_for_job(*job,
                             {"nvJitLink", timeout, kTimeoutVariable, NXS_LinkerNotAvailable});
  return job->take_outcome();
}

}  // namespace nexus_cuda
