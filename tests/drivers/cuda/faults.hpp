// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_CUDA_FAULTS_HPP_
#define NEXUS_SIMULATED_CUDA_FAULTS_HPP_

#include "types.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace simulated_cuda {

// Failures on demand, and the record of what was called. Under the world's lock.
class Faults {
 public:
  // The nth call of function from now on (1: the next) does nothing and returns result; "*" is any.
  // Work on the device counts as the functions "kernel", "copy" and "fill": those fail when they
  // run.
  void plan(const std::string &function, uint64_t nth, CUresult result);
  void plan_from_environment();  // NEXUS_SIMULATED_CUDA_FAIL, "function:nth:result,..."
  void clear() { planned_.clear(); }
  // How many plans have not come true.
  uint64_t waiting() const { return planned_.size(); }

  // Counts a call. What it has to return, CUDA_SUCCESS where it may go on.
  CUresult begin(const char *function);
  void log(const char *function, CUresult result);  // function: a literal
  void note_misuse(const std::string &what) { misuse_.push_back(what); }

  uint64_t calls(const std::string &function) const;
  std::vector<std::string> logged() const;  // the latest "function result"
  const std::vector<std::string> &misuse() const { return misuse_; }
  const std::map<std::string, uint64_t> &counts() const { return counts_; }
  void forget();  // counts, log and misuse begin anew

 private:
  struct Plan {
    std::string function;
    uint64_t remaining;
    CUresult result;
  };
  std::vector<Plan> planned_;
  std::map<std::string, uint64_t> counts_;
  struct Logged {
    const char *function = nullptr;
    CUresult result = CUDA_SUCCESS;
  };
  // A ring that does not grow, so that tests see memory that leaks.
  std::vector<Logged> log_ = std::vector<Logged>(100000);
  uint64_t logged_ = 0;
  std::vector<std::string> misuse_;
};

}  // namespace simulated_cuda

#endif  // NEXUS_SIMULATED_CUDA_FAULTS_HPP_
