// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_CUDA_SHARED_RECORD_HPP_
#define NEXUS_SIMULATED_CUDA_SHARED_RECORD_HPP_

#include "types.hpp"

#include <atomic>
#include <cstdint>
#include <memory>

namespace simulated_cuda {

// What processes that share an event see of it, in a page that they share.
class SharedRecord {
 public:
  SharedRecord();
  explicit SharedRecord(const CUipcEventHandle &handle);  // throws where it can't be opened
  ~SharedRecord();
  SharedRecord(const SharedRecord &) = delete;
  SharedRecord &operator=(const SharedRecord &) = delete;

  CUipcEventHandle handle() const;

  // Each record has a number, which grows.
  uint64_t begin() { return ++numbers_->recorded; }
  void end(uint64_t number);
  uint64_t latest() const { return numbers_->recorded; }
  bool done(uint64_t number) const { return numbers_->done >= number; }

 private:
  struct Numbers {
    std::atomic<uint64_t> recorded;
    std::atomic<uint64_t> done;
  };
  void map();

  int file_ = -1;
  Numbers *numbers_ = nullptr;
};

}  // namespace simulated_cuda

#endif  // NEXUS_SIMULATED_CUDA_SHARED_RECORD_HPP_
