// SPDX-License-Identifier: Apache-2.0
// Finds and opens libraries of the CUDA toolkit: NVRTC, nvJitLink, libNVVM. None is needed to run
// kernels that are compiled already.
#ifndef NEXUS_CUDA_TOOLKIT_LIBRARY_HPP_
#define NEXUS_CUDA_TOOLKIT_LIBRARY_HPP_

#include "compile/code.hpp"
#include "driver/error.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <nexus-plugin/compile/background_job.hpp>
#include <nexus-plugin/compile/compile.hpp>
#include <nexus-plugin/stream/work_queue.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::file_identity;
using nexus_plugin::Shared;

// The environment variable for how many seconds compilers and linkers may take.
inline constexpr const char *kTimeoutVariable = "NEXUS_CUDA_COMPILE_TIMEOUT";

struct ToolkitLibrary {
  const char *title;         // in sentences: "NVRTC"
  const char *config_key;    // of the host's configuration: paths, separated by ':'
  const char *variable;      // of the environment; overrides the configuration
  const char *entry;         // a function that it has
  const char *loader_names;  // names for the system's loader, separated by ':'
  const char *how_to_get;    // for the end of a sentence
  nxs_status missing;        // the status of errors if it can't be used
};

extern const ToolkitLibrary kNvrtcLibrary, kNvJitLinkLibrary, kNvvmLibrary;

// Returns the path of the library, without opening one whose path is configured. Of several, the
// first that is not newer than the driver, else the first. Throws library.missing.
std::string find_toolkit_library(const ToolkitLibrary &library);
// Returns whether there is one.
bool has_toolkit_library(const ToolkitLibrary &library) noexcept;

// Opens the library for the life of the process. Throws library.missing.
void *open_toolkit_library(const ToolkitLibrary &library, const std::string &path);

// Returns a function of an opened library; NULL if it does not have it and required is false.
// Throws library.missing.
void *toolkit_function(const ToolkitLibrary &library, void *opened, const char *name,
                       bool required = true);

// Throws library.missing. what: what the library does not report, such as "its version".
[[noreturn]] void throw_untold(const ToolkitLibrary &library, const std::string &path,
                               const char *what);

// Returns major * 10 + minor. get: the library's function Version. Throws library.missing.
template <class Result, class Number>
int version_of(Result (*get)(Number *major, Number *minor), const ToolkitLibrary &library,
               const std::string &path) {
  Number major = 0, minor = 0;
  if (get(&major, &minor) != Result{}) throw_untold(library, path, "its version");
  return static_cast<int>(major * 10 + minor);
}

// Returns a text such as "NVRTC 13.5".
inline std::string title_of(const ToolkitLibrary &library, int version) {
  return join(library.title, " ", version / 10, ".", version % 10);
}

// Returns the result of load(path), which is called once for each path and kept until the process
// ends.
template <class Library>
const Library &opened_once(const std::string &path, Library *(*load)(const std::string &path)) {
  static std::mutex &mutex = *new std::mutex;
  static auto &opened = *new std::map<std::string, const Library *>;
  const std::lock_guard<std::mutex> lock(mutex);
  const Library *&library = opened[path];
  if (library == nullptr) library = load(path);
  return *library;
}

// Returns 13 for "libnvrtc.so.13"; 0 if the name has no number there.
int so_number(std::string_view path);

// The result of a compiler or linker.
struct ToolkitOutcome {
  int result = 0;             // of `function`; 0 is success
  const char *function = "";  // the last one that was called
  std::string log;
  std::string code;
  NameTable names;
  std::string refused_piece;  // the name of a piece that the linker refused; may be empty
};

// A call of a compiler or linker on another thread.
class ToolkitJob final : public nexus_plugin::BackgroundJob {
 public:
  // work(job) owns all data that it uses.
  using Work = std::function<void(ToolkitJob &job)>;
  ToolkitJob(std::vector<std::string> options, Work work)
      : options_(std::move(options)), work_(std::move(work)) {}

  std::vector<const char *> options() const {
    std::vector<const char *> pointers;
    for (const std::string &option : options_) pointers.push_back(option.c_str());
    return pointers;
  }
  using BackgroundJob::unwanted;

  // Keeps the result of a function. Returns whether it succeeded.
  bool keep(int result, const char *function) noexcept {
    outcome.result = result;
    outcome.function = function;
    return result == 0;
  }

  // Reads the code with two functions of the library, whose names are for errors. Returns whether
  // both succeeded.
  template <class Handle, class GetSize, class Get>
  bool read_code(Handle handle, GetSize get_size, const char *get_size_name, Get get,
                 const char *get_name) {
    std::size_t size = 0;
    if (!keep(get_size(handle, &size), get_size_name)) return false;
    std::string code(size, '\0');
    if (size != 0 && !keep(get(handle, code.data()), get_name)) return false;
    outcome.code = std::move(code);
    return true;
  }

  ToolkitOutcome outcome;

 private:
  void work() override { work_(*this); }

  const std::vector<std::string> options_;
  const Work work_;
};

// A program or linker of a library, destroyed at the end of the scope.
template <class Handle, class Destroy>
struct OwnedHandle {
  explicit OwnedHandle(Destroy given) : destroy(given) {}
  ~OwnedHandle() {
    if (handle != nullptr) (void)destroy(&handle);
  }
  OwnedHandle(const OwnedHandle &) = delete;
  OwnedHandle &operator=(const OwnedHandle &) = delete;

  Handle handle = nullptr;
  const Destroy destroy;
};

// Reads a log with two functions of a library. Returns an empty text if they fail.
template <class Handle, class GetSize, class Get>
std::string read_text(Handle handle, GetSize get_size, Get get) {
  std::size_t size = 0;
  if (get_size(handle, &size) != 0 || size == 0) return {};
  std::string text(size + 1, '\0');  // some libraries do not count the zero at the end
  if (get(handle, text.data()) != 0) return {};
  text.resize(std::min(text.find('\0'), size));
  return text;
}

// Runs work on its own thread, or in a queue, and waits for it. Throws NXS_Cancelled;
// library.missing after the timeout.
ToolkitOutcome run_tool(const ToolkitLibrary &library, std::vector<std::string> options,
                        ToolkitJob::Work work, nexus_plugin::WorkQueue *queue = nullptr);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_TOOLKIT_LIBRARY_HPP_
