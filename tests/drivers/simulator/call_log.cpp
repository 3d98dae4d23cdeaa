// SPDX-License-Identifier: Apache-2.0
#include "call_log.hpp"

#include <cstdlib>
#include <sstream>

namespace simulator {

void CallLog::plan(const std::string &function, uint64_t nth, Result result) {
  planned_.push_back({function, nth, result});
}

void CallLog::plan_from_environment() {
  const char *text = std::getenv(kFailures);
  std::istringstream parts(text == nullptr ? "" : text);
  for (std::string part; std::getline(parts, part, ',');) {
    std::istringstream fields(part);
    std::string function, nth, result;
    std::getline(fields, function, ':');
    std::getline(fields, nth, ':');
    std::getline(fields, result, ':');
    plan(function, std::strtoull(nth.c_str(), nullptr, 10),
         static_cast<Result>(std::strtol(result.c_str(), nullptr, 10)));
  }
}

Result CallLog::begin(const char *function) {
  ++counts_[function];
  for (auto each = planned_.begin(); each != planned_.end(); ++each) {
    if ((each->function != "*" && each->function != function) || --each->remaining != 0) continue;
    const Result result = each->result;
    planned_.erase(each);
    return result;
  }
  return kSuccess;
}

std::vector<std::string> CallLog::lines() const {
  std::vector<std::string> lines;
  for (const auto &[function, calls] : counts_) {
    lines.push_back(function + " " + std::to_string(calls));
  }
  return lines;
}

uint64_t CallLog::calls(const std::string &function) const {
  const auto found = counts_.find(function);
  return found == counts_.end() ? 0 : found->second;
}

void CallLog::forget() {
  counts_.clear();
  misuse_.clear();
}

}  // namespace simulator
