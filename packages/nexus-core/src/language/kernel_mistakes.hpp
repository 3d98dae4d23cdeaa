// SPDX-License-Identifier: Apache-2.0
//
// What a compiler's log says of a program in the portable language, in the words of the language.
#pragma once

#include <string>
#include <string_view>

#include "language/source_map.hpp"

namespace nexus::core {

/// The mistakes in a program that a compiler refused, each as "file:line:column: words", the line,
/// and a caret. Names, macros and checks of the portable header are told in the language's own
/// words, and what follows from a mistake is left out; other errors are told in the compiler's.
/// Empty where the log says nothing of a place in the program.
std::string mistakesIn(const SourceMap &map, std::string_view log);

}  // namespace nexus::core
