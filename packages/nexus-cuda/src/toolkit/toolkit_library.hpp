// SPDX-License-Identifier: Apache-2.0
// Where the libraries of the CUDA toolkit are: NVRTC, nvJitLink, libNVVM. None is needed to run
// kernels that were compiled before, and none is opened to tell where it is.
#ifndef NEXUS_CUDA_TOOLKIT_LIBRARY_HPP_
#define NEXUS_CUDA_TOOLKIT_LIBRARY_HPP_

#include <nexus-api/nxs.h>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

// Sets how many seconds compilers and linkers may take.
inline constexpr const char *kTimeoutVariable = "NEXUS_CUDA_COMPILE_TIMEOUT";

// One of the libraries, and how users get it.
struct ToolkitLibrary {
  const char *title;         // for people: "NVRTC"
  const char *config_key;    // of the host's configuration: paths, parted by ':'
  const char *variable;      // of the environment, which wins
  const char *entry;         // a function that it has
  const char *loader_names;  // what the system's loader is asked for, parted by ':'
  const char *how_to_get;    // a sentence's end: "install nexus-cuda[nvrtc]"
  nxs_status missing;        // the status where it is not there
};

extern const ToolkitLibrary kNvrtcLibrary, kNvJitLinkLibrary, kNvvmLibrary;

// The path of the library: of several the first that a driver of this major version of CUDA takes
// code of, else the first; 0 where the driver's version is not known. Throws the library's status,
// in words that say how to get it.
std::string find_toolkit_library(const ToolkitLibrary &library, int driver_major);

// Returns whether find_toolkit_library would find one.
bool has_toolkit_library(const ToolkitLibrary &library, int driver_major) noexcept;

// Opens it; it is never closed. Throws the library's status.
void *open_toolkit_library(const ToolkitLibrary &library, const std::string &path);

// A function of an opened library. Throws the library's status where it lacks it.
void *toolkit_function(const ToolkitLibrary &library, void *opened, const char *name);

// "13" of "libnvrtc.so.13"; 0 where the name ends otherwise.
int so_number(std::string_view path);

// What load(path) made, which is asked once of each path. Lives as long as the process.
template <class Library>
const Library &opened_once(const std::string &path, Library *(*load)(const std::string &path)) {
  static std::mutex &mutex = *new std::mutex;
  static auto &opened = *new std::map<std::string, const Library *>;
  const std::lock_guard<std::mutex> lock(mutex);
  const Library *&library = opened[path];
  if (library == nullptr) library = load(path);
  return *library;
}

// Identifies a version of a file: its path, size and time of change.
std::string file_identity(const std::string &path);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_TOOLKIT_LIBRARY_HPP_
