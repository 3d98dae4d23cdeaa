// SPDX-License-Identifier: Apache-2.0
// The libraries of the CUDA toolkit: NVRTC, nvJitLink, libNVVM. None is needed to run kernels that
// were compiled before, and none is opened to tell where it is.
#ifndef NEXUS_CUDA_TOOLKIT_LIBRARY_HPP_
#define NEXUS_CUDA_TOOLKIT_LIBRARY_HPP_

#include "driver/error.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <nexus-plugin/compile/background_job.hpp>
#include <nexus-plugin/compile/compile.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::file_identity;
using nexus_plugin::Shared;

// Sets how many seconds compilers and linkers may take.
inline constexpr const char *kTimeoutVariable = "NEXUS_CUDA_COMPILE_TIMEOUT";

// One of the libraries, and how users get it.
struct ToolkitLibrary {
  const char *title;         // for people: "NVRTC"
  const char *config_key;    // of the host's configuration: paths, parted by ':'
  const char *variable;      // of the environment, which wins
  const char *entry;         // a function that it has
  const char *loader_names;  // that the system's loader is asked for, parted by ':'
  const char *how_to_get;    // the end of a sentence: "install nexus-cuda[nvrtc]"
  nxs_status missing;        // the status where it is not there
};

extern const ToolkitLibrary kNvrtcLibrary, kNvJitLinkLibrary, kNvvmLibrary;

// The path of the library: of several the first whose code the driver takes, else the first.
// Throws the library's status, in words that say how to get it.
std::string find_toolkit_library(const ToolkitLibrary &library);
// Returns whether find_toolkit_library() would find one.
bool has_toolkit_library(const ToolkitLibrary &library) noexcept;

// Opens it; it is never closed. Throws the library's status.
void *open_toolkit_library(const ToolkitLibrary &library, const std::string &path);

// A function of an opened library; NULL where it lacks one that is not required. Throws the
// library's status.
void *toolkit_function(const ToolkitLibrary &library, void *opened, const char *name,
                       bool required);
template <class Function>
void find_function(const ToolkitLibrary &library, void *opened, const char *name,
                   Function &function, bool required = true) {
  function = reinterpret_cast<Function>(toolkit_function(library, opened, name, required));
}

// Throws the library's status: `what`, such as its version, is not told.
[[noreturn]] void throw_untold(const ToolkitLibrary &library, const std::string &path,
                               const char *what);

// major * 10 + minor, as a library's function Version tells it. Throws the library's status.
template <class Result, class Number>
int version_of(Result (*ask)(Number *major, Number *minor), const ToolkitLibrary &library,
               const std::string &path, const char *what = "its version") {
  Number major = 0, minor = 0;
  if (ask(&major, &minor) != Result{}) throw_untold(library, path, what);
  return static_cast<int>(major * 10 + minor);
}

// "NVRTC 13.5"
inline std::string title_of(const ToolkitLibrary &library, int version) {
  return join(library.title, " ", version / 10, ".", version % 10);
}

// Returns what load(path) made, which is called once for each path. Lives as long as the process.
template <class Library>
const Library &opened_once(const std::string &path, Library *(*load)(const std::string &path)) {
  static std::mutex &mutex = *new std::mutex;
  static auto &opened = *new std::map<std::string, const Library *>;
  const std::lock_guard<std::mutex> lock(mutex);
  const Library *&library = opened[path];
  if (library == nullptr) library = load(path);
  return *library;
}

// "13" of "libnvrtc.so.13"; 0 where the name ends otherwise.
int so_number(std::string_view path);

// What a compiler or linker made.
struct ToolkitOutcome {
  int result = 0;             // of `function`; 0 is success
  const char *function = "";  // the one that was called last
  std::string log;
  std::string code;           // empty where it failed
  std::string refused_piece;  // the name of the piece that the linker refused; empty: none
};

// One use of a compiler or linker, on another thread.
class ToolkitJob : public nexus_plugin::BackgroundJob {
 public:
  // After the work.
  ToolkitOutcome take_outcome() { return std::move(outcome_); }

 protected:
  // Remembers what a function returned. Returns whether it succeeded.
  bool keep(int result, const char *function) noexcept {
    outcome_.result = result;
    outcome_.function = function;
    return result == 0;
  }

  // What two functions of the library tell of a program; empty where they fail.
  template <class Handle, class GetSize, class Get>
  static std::string read(Handle handle, GetSize get_size, Get get) {
    std::size_t size = 0;
    if (get_size(handle, &size) != 0 || size == 0) return {};
    std::string bytes(size + 1, '\0');  // some do not count the zero at a text's end
    if (get(handle, bytes.data()) != 0) return {};
    bytes.resize(size);
    return bytes;
  }
  // The same of a text, which ends at the first zero byte.
  template <class Handle, class GetSize, class Get>
  static std::string read_text(Handle handle, GetSize get_size, Get get) {
    std::string text = read(handle, get_size, get);
    text.resize(std::min(text.find('\0'), text.size()));
    return text;
  }

  static std::vector<const char *> pointers_to(const std::vector<std::string> &options) {
    std::vector<const char *> pointers;
    for (const std::string &option : options) pointers.push_back(option.c_str());
    return pointers;
  }

  ToolkitOutcome outcome_;
};

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_TOOLKIT_LIBRARY_HPP_
