// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_RUNTIMES_HPP_
#define NEXUS_RUNTIMES_HPP_

#include <nexus/runtime.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace nexus {

/// The available runtimes, in the order of NEXUS_BACKENDS. Made by System::getRuntimes.
class Runtimes {
 public:
  Runtimes() = default;
  explicit Runtimes(std::vector<Runtime> runtimes) noexcept : runtimes_(std::move(runtimes)) {}

  std::size_t size() const noexcept { return runtimes_.size(); }
  bool empty() const noexcept { return runtimes_.empty(); }
  auto begin() const noexcept { return runtimes_.begin(); }
  auto end() const noexcept { return runtimes_.end(); }

  /// Throws NXS_InvalidRuntime if there is no such index.
  const Runtime &get(std::size_t index) const {
    if (index >= runtimes_.size()) {
      throw Error(NXS_InvalidRuntime, "There is no runtime " + std::to_string(index) +
                                          ": the number of runtimes is " +
                                          std::to_string(runtimes_.size()) + ".");
    }
    return runtimes_[index];
  }
  const Runtime &operator[](std::size_t index) const { return get(index); }

 private:
  std::vector<Runtime> runtimes_;
};

}  // namespace nexus

#endif  // NEXUS_RUNTIMES_HPP_
