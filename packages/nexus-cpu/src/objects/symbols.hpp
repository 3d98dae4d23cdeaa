// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_SYMBOLS_HPP_
#define NEXUS_CPU_SYMBOLS_HPP_

#include <nexus-api/nxs.h>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

struct Symbols {
  std::vector<std::string> functions;
  std::vector<std::string> objects;  // variables and constants
  bool told_apart = true;            // false: both lists have all symbols
};

// Returns the symbols that a library defines and exports. The bytes must have passed checkBinary;
// damaged tables give fewer symbols.
Symbols read_symbols(std::string_view bytes);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_SYMBOLS_HPP_
