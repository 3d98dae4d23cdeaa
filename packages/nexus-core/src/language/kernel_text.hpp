// SPDX-License-Identifier: Apache-2.0
//
// Finds the kernels and functions in the text of a program in the portable language, and the places
// that a compiler reports.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "language/source_map.hpp"

namespace nexus::core {

/// A mistake at a place of a text.
struct Finding {
  std::size_t at;  // offset
  std::string words;
};

/// A range of token indices: from `first` to before `last`.
struct TokenRange {
  std::size_t first, last;

  bool empty() const noexcept { return first == last; }
};

/// `NEXUS_KERNEL(name, (type, parameter), ...) { ... }` or one of its variants, or `NEXUS_FUNCTION
/// type name(type parameter, ...) { ... }`, or a function without that macro.
struct Definition {
  std::string_view macro;             // empty for a function without one
  std::size_t begin;                  // the token of the macro, or of the function's name
  std::vector<TokenRange> arguments;  // between the commas
  std::size_t close;                  // the token of the parenthesis behind them
  std::size_t end;                    // behind the body's last token

  bool isFunction() const noexcept { return macro.empty() || macro == "NEXUS_FUNCTION"; }
  /// Returns whether bounds or a group size follow the name.
  bool hasSizes() const noexcept { return !isFunction() && macro != "NEXUS_KERNEL"; }
};

/// Returns those in the user's files that are outside of every #if.
std::vector<Definition> definitionsOf(const SourceMap &map);

/// Returns the parts between the commas of a range in parentheses; none for others.
std::vector<TokenRange> partsOfTuple(const SourceMap &map, TokenRange range);

/// Returns the number of arguments in the call of the name at a token; nothing if it is not a call.
std::optional<std::size_t> argumentCount(const SourceMap &map, std::size_t name);

/// Returns the declarations and definitions of a text, each with its final `;` or `}`.
std::vector<TokenRange> declarationsOf(const SourceMap &map);

/// Finds code that only some compilers accept, in the order of the text: `long`, pointers without a
/// memory space, functions within others, variables that outlive a work item, arrays of the group
/// that are not parameters. defines: the macros for the compiler, "NAME" or "NAME=value".
std::vector<Finding> unportableParts(const SourceMap &map,
                                     const std::vector<std::string_view> &defines);

/// Finds kernels with a wrong form: without a name, without bounds, or with arguments that are no
/// parameters.
std::vector<Finding> malformedKernels(const SourceMap &map);

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
  /// Returns the offset of a parameter's type, or of its name, in the kernel around an offset.
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
