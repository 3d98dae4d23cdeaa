// SPDX-License-Identifier: Apache-2.0
//
// Explains a compiler's log for a program in the portable language, in the words of the language.
#pragma once

#include <string>
#include <string_view>

#include "language/source_map.hpp"

namespace nexus::core {

/// Returns the mistakes in a program that a compiler refused, each as "file:line:column: words",
/// the line, and a caret. Names, macros and checks of the portable header are explained in the
/// language's own words, and consequences of a mistake are left out; other errors keep the
/// compiler's words. Empty if the log names no place in the program.
std::string mistakesIn(const SourceMap &map, std::string_view log);

}  // namespace nexus::core
