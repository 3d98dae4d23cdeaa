// SPDX-License-Identifier: Apache-2.0
#include "functions.hpp"

// Only their addresses are needed here.
#define SIMULATED(name, since, symbol) extern "C" void symbol();
#include "functions.def"

const std::map<std::string, std::map<int, Address>> &functions() {
  static const auto *const all = [] {
    auto *made = new std::map<std::string, std::map<int, Address>>;
#define SIMULATED(name, since, symbol) (*made)[#name][since] = symbol;
#define NOT_SIMULATED(name, since) (*made)[#name][since] = nullptr;
#include "functions.def"
    return made;
  }();
  return *all;
}
