// SPDX-License-Identifier: Apache-2.0
#include "toolkit/header_folders.hpp"

#include "toolkit/toolkit_library.hpp"

#include <unistd.h>
#include <nexus-plugin/host.hpp>

namespace nexus_cuda NXS_HIDDEN {
namespace {

// Of each package of headers a file that its versions differ in.
constexpr const char *kTellingFiles[] = {"/cuda_runtime_api.h", "/cuda_fp16.hpp",
                                         "/cuda/std/__cccl/version.h", "/cuda/version"};

}  // namespace

std::vector<std::string> header_folders(int cuda_major) {
  std::string_view list = nexus_plugin::get_config("include");
  if (list.empty()) list = nexus_plugin::get_config(nexus_plugin::join("include_", cuda_major));
  return split_paths(list);
}

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

}  // namespace nexus_cuda
