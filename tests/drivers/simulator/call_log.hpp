// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATOR_CALL_LOG_HPP_
#define NEXUS_SIMULATOR_CALL_LOG_HPP_

#include "driver.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace simulator {

// What was called, and the failures on demand. Under the world's lock.
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
  void add(const char *function, Result result);  // function: a literal
  void note_misuse(const std::string &what) { misuse_.push_back(what); }

  uint64_t calls(const std::string &function) const;
  std::vector<std::string> logged() const;  // the latest "function result"
  const std::vector<std::string> &misuse() const { return misuse_; }
  void forget();  // counts, log and misuse begin anew

 private:
  struct Plan {
    std::string function;
    uint64_t remaining;
    Result result;
  };
  std::vector<Plan> planned_;
  std::map<std::string, uint64_t> counts_;
  struct Logged {
    const char *function = nullptr;
    Result result = kSuccess;
  };
  // A ring that does not grow, so that tests see memory that leaks.
  std::vector<Logged> log_ = std::vector<Logged>(100000);
  uint64_t logged_ = 0;
  std::vector<std::string> misuse_;
};

}  // namespace simulator

#endif  // NEXUS_SIMULATOR_CALL_LOG_HPP_
