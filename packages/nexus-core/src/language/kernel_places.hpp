// SPDX-License-Identifier: Apache-2.0
//
// Finds the places that a compiler reports in a program in the portable language. Places are
// offsets.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "language/kernel_text.hpp"

namespace nexus::core {

class KernelPlaces {
 public:
  /// Borrows the map.
  explicit KernelPlaces(const SourceMap &map)
      : map_(map),
        tokens_(map.tokens()),
        definitions_(definitionsOf(map)),
        declarations_(declarationsOf(map)) {}

  /// Returns the index of the token at or around an offset, else of the next one.
  std::size_t tokenAt(std::size_t offset) const;
  /// Returns the offset of a word: at `near`, else on its line, else in the kernel whose macro is
  /// there.
  std::size_t placeOfWord(std::string_view word, std::size_t near) const;
  /// Returns the definition around an offset, or NULL.
  const Definition *definitionAround(std::size_t offset) const;
  /// Returns the offset of a parameter's type in the kernel around an offset, or that of the name.
  std::size_t placeOfParameter(std::string_view name, std::size_t near) const;
  /// Returns the token with the name of the function called at or around an offset.
  std::size_t calledFunction(std::size_t at) const;
  /// Returns the offset behind the "=" of an assignment, since some compilers report that place and
  /// others the name before it.
  std::size_t placeOfValue(std::size_t at) const;
  /// Returns the index of the declaration or definition around an offset.
  std::size_t declarationOf(std::size_t offset) const;
  /// Returns the number of arguments of a macro of the program or the language; nothing for other
  /// names.
  std::optional<std::size_t> macroParametersOf(std::string_view name) const;

 private:
  const SourceMap &map_;
  const std::vector<Token> &tokens_;
  std::vector<Definition> definitions_;
  std::vector<TokenRange> declarations_;
};

}  // namespace nexus::core
