// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_OPENCL_PLATFORM_HPP_
#define NEXUS_OPENCL_PLATFORM_HPP_

#include "opencl.hpp"

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_opencl NXS_HIDDEN {

// One vendor's OpenCL, with its devices. Lives as long as the process.
class Platform {
 public:
  // Throws where the platform does not even answer its name.
  Platform(cl_platform_id id, const Functions &functions);

  cl_platform_id id() const noexcept { return id_; }
  const Functions &cl() const noexcept { return cl_; }
  const std::string &name() const noexcept { return name_; }
  const std::string &vendor() const noexcept { return vendor_; }
  const std::string &version_text() const noexcept { return version_text_; }
  int version() const noexcept { return version_; }  // major * 10 + minor
  bool has(std::string_view extension) const;

  // Its devices of version 1.2 and later: GPUs, accelerators, then CPUs.
  const std::vector<cl_device_id> &devices() const noexcept { return devices_; }

  // The context that all its devices share, so that their events and buffers fit. Made when it is
  // first asked for; any thread. Throws what the driver says.
  cl_context context();

 private:
  std::string text(cl_info info) const;
  void find_devices();

  cl_platform_id id_;
  Functions cl_;
  std::string name_, vendor_, version_text_, extensions_;
  int version_ = 0;
  std::vector<cl_device_id> devices_;
  std::mutex context_mutex_;
  cl_context context_ = nullptr;
};

// "OpenCL 3.0 PoCL ..." and "OpenCL C 1.2 ..." are 30 and 12; 0 for another text.
int parse_version(std::string_view text);

// Returns whether a list with spaces between has the word.
bool has_word(std::string_view list, std::string_view word);

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_PLATFORM_HPP_
