// SPDX-License-Identifier: Apache-2.0
//
// Where in a program in the portable language stands what a compiler tells of. Places are offsets.
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

  /// The number of the token at or around an offset, else of the next one.
  std::size_t tokenAt(std::size_t offset) const;
  /// Where the word stands: at the offset, else on its line, else in the kernel whose macro is
  /// there.
  std::size_t placeOfWord(std::string_view word, std::size_t near) const;
  /// The definition around an offset; NULL where there is none.
  const Definition *definitionAround(std::size_t offset) const;
  /// Where the parameter's type begins in the kernel around an offset, or where the name stands.
  std::size_t placeOfParameter(std::string_view name, std::size_t near) const;
  /// The token of the name of the function whose call is at or around an offset.
  std::size_t calledFunction(std::size_t at) const;
  /// Behind the "=" of an assignment, where some compilers point and others at the name before it.
  std::size_t placeOfValue(std::size_t at) const;
  /// The number of the declaration or definition around an offset.
  std::size_t declarationOf(std::size_t offset) const;
  /// The number of arguments that a macro of the program or the language takes; nothing for others.
  std::optional<std::size_t> macroParametersOf(std::string_view name) const;

 private:
  const SourceMap &map_;
  const std::vector<Token> &tokens_;
  std::vector<Definition> definitions_;
  std::vector<TokenRange> declarations_;
};

}  // namespace nexus::core
