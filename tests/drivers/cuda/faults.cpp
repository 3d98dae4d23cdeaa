// SPDX-License-Identifier: Apache-2.0
#include "faults.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace simulated_cuda {

void Faults::plan(const std::string &function, uint64_t nth, CUresult result) {
  planned_.push_back({function, nth, result});
}

void Faults::plan_from_environment() {
  const char *text = std::getenv("NEXUS_SIMULATED_CUDA_FAIL");
  std::istringstream parts(text == nullptr ? "" : text);
  for (std::string part; std::getline(parts, part, ',');) {
    std::istringstream fields(part);
    std::string function, nth, result;
    std::getline(fields, function, ':');
    std::getline(fields, nth, ':');
    std::getline(fields, result, ':');
    plan(function, std::strtoull(nth.c_str(), nullptr, 10),
         static_cast<CUresult>(std::strtol(result.c_str(), nullptr, 10)));
  }
}

CUresult Faults::begin(const char *function) {
  ++counts_[function];
  for (auto each = planned_.begin(); each != planned_.end(); ++each) {
    if ((each->function != "*" && each->function != function) || --each->remaining != 0) continue;
    const CUresult result = each->result;
    planned_.erase(each);
    return result;
  }
  return CUDA_SUCCESS;
}

void Faults::log(const char *function, CUresult result) {
  log_[logged_++ % log_.size()] = {function, result};
}

std::vector<std::string> Faults::logged() const {
  std::vector<std::string> lines;
  for (uint64_t i = logged_ - std::min<uint64_t>(logged_, log_.size()); i != logged_; ++i) {
    const Logged &each = log_[i % log_.size()];
    lines.push_back(std::string(each.function) + " " + std::to_string(each.result));
  }
  return lines;
}

uint64_t Faults::calls(const std::string &function) const {
  const auto found = counts_.find(function);
  return found == counts_.end() ? 0 : found->second;
}

void Faults::forget() {
  counts_.clear();
  logged_ = 0;
  misuse_.clear();
}

}  // namespace simulated_cuda
