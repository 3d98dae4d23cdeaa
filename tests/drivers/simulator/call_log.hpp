// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATOR_CALL_LOG_HPP_
#define NEXUS_SIMULATOR_CALL_LOG_HPP_

#include "driver.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace simulator {

// The calls, and the failures on demand. Guarded by the world's lock.
class CallLog {
 public:
  // The nth call of function from now on (1: the next) does nothing and returns result; "*" is any.
  // Work on the device counts as the functions "kernel", "copy" and "fill": those fail when they
  // run.
  void plan(const std::string &function, uint64_t nth, Result result);
  void plan_from_environment();  // kFailures: "function:nth:result,..."
  void clear() { planned_.clear(); }
  // How many plans have not come true.
  uint64_t waiting() const { return planned_.size(); }

  // Counts a call. What it has to return, kSuccess where it may go on.
  Result begin(const char *function);
  void note_misuse(const std::string &what) { misuse_.push_back(what); }

  uint64_t calls(const std::string &function) const;
  std::vector<std::string> lines() const;  // "function calls"
  const std::vector<std::string> &misuse() const { return misuse_; }
  void forget();  // counts and misuse begin anew

 private:
  struct Plan {
    std::string function;
    uint64_t remaining;
    Result result;
  };
  std::vector<Plan> planned_;
  std::map<std::string, uint64_t> counts_;
  std::vector<std::string> misuse_;
};

}  // namespace simulator

#endif  // NEXUS_SIMULATOR_CALL_LOG_HPP_
