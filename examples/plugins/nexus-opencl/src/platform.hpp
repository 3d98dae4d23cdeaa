// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_OPENCL_PLATFORM_HPP_
#define NEXUS_OPENCL_PLATFORM_HPP_

#include "opencl.hpp"

#include <mutex>
#include <vector>

namespace nexus_opencl NXS_HIDDEN {

// One vendor's OpenCL, with its devices. Lives as long as the process.
class Platform {
 public:
  // Throws if the platform does not even answer its name.
  Platform(cl_platform_id id, const Functions &functions);

  cl_platform_id id() const noexcept { return id_; }
  const Functions &cl() const noexcept { return cl_; }
  const std::string &name() const noexcept { return name_; }
  const std::string &vendor() const noexcept { return vendor_; }
  const std::string &version_text() const noexcept { return version_text_; }

  // Its devices of version 1.2 and later: GPUs, accelerators, then CPUs.
  const std::vector<cl_device_id> &devices() const noexcept { return devices_; }

  // The context that all its devices share, so that their events and buffers fit. Made when it is
  // first asked for; any thread. Throws what the driver says.
  cl_context context();

 private:
  void find_devices();

  cl_platform_id id_;
  Functions cl_;
  std::string name_, vendor_, version_text_;
  std::vector<cl_device_id> devices_;
  std::mutex context_mutex_;
  cl_context context_ = nullptr;
};

// Returns 30 for "OpenCL 3.0 PoCL ...", 12 for "OpenCL C 1.2 ..." and 0 for another text.
int parse_version(std::string_view text);

// Returns the text with small letters.
std::string lower(std::string_view text);

// Returns whether a list of words with spaces between them has the word.
bool has_word(std::string_view list, std::string_view word);

// The platforms that have devices, each once, in the order in which they are found: those of the
// system's loader, then those of the vendors' libraries that the configuration names. They live as
// long as the process.
//
//   opencl.library    the library to use, and no other: a loader or a vendor's own
//   opencl.vendors    vendors' libraries to use beside the system's loader, ':' between
//   opencl.platforms  parts of platforms' names, ',' between: only these, in this order
//
// Throws NXS_DeviceNotAvailable if there is none.
std::vector<Platform *> find_platforms();

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_PLATFORM_HPP_
