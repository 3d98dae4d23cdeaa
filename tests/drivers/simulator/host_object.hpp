// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATOR_HOST_OBJECT_HPP_
#define NEXUS_SIMULATOR_HOST_OBJECT_HPP_

#include "../kernels/simulated_kernel.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace simulator {

// Code that the host runs, loaded. Each has variables of its own.
class HostObject {
 public:
  explicit HostObject(const std::string &bytes);  // throws kInvalidImage
  ~HostObject();
  HostObject(const HostObject &) = delete;
  HostObject &operator=(const HostObject &) = delete;

  const nexus_simulated_image *image() const { return image_; }
  const std::vector<std::string> &kernel_names() const { return names_; }
  // NULL if there is none.
  const nexus_simulated_kernel *kernel(const std::string &name) const;
  // A variable, whose size is told; 0 if there is none.
  uintptr_t variable(const std::string &name, size_t *out_size) const;

 private:
  void *library_ = nullptr;
  const nexus_simulated_image *image_ = nullptr;
  std::vector<std::string> names_;  // as the image has the kernels
};

}  // namespace simulator

#endif  // NEXUS_SIMULATOR_HOST_OBJECT_HPP_
