// SPDX-License-Identifier: Apache-2.0
//
// The kernels and functions of a program in the portable language, as its text has them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "language/source_map.hpp"

namespace nexus::core {

/// What is wrong at a place of a text.
struct Finding {
  std::size_t at;  // offset
  std::string words;
};

/// Tokens by their numbers: from `first` to before `last`.
struct TokenRange {
  std::size_t first, last;

  bool empty() const noexcept { return first == last; }
};

/// `NEXUS_KERNEL(name, (type, parameter), ...) { ... }` or one of its kind, or
/// `NEXUS_FUNCTION type name(type parameter, ...) { ... }`, or a function without that macro.
struct Definition {
  std::string_view macro;             // empty where there is none
  std::size_t begin;                  // the token of the macro, or of the function's name
  std::vector<TokenRange> arguments;  // what stands between the commas
  std::size_t close;                  // the token of the parenthesis behind them
  std::size_t end;                    // behind the body's last token

  bool isFunction() const noexcept { return macro.empty() || macro == "NEXUS_FUNCTION"; }
  /// Whether bounds or a group size stand behind the name.
  bool hasSizes() const noexcept { return !isFunction() && macro != "NEXUS_KERNEL"; }
};

/// Those of the user's files that no #if may leave out.
std::vector<Definition> definitionsOf(const SourceMap &map);

/// The parts between the commas of a range that a pair of parentheses encloses; none for others.
std::vector<TokenRange> partsOfTuple(const SourceMap &map, TokenRange range);

/// The number of arguments that the name at a token is called with; nothing where it is not called.
std::optional<std::size_t> argumentCount(const SourceMap &map, std::size_t name);

/// The declarations and definitions of a text, each with the `;` or `}` at its end.
std::vector<TokenRange> declarationsOf(const SourceMap &map);

/// What one compiler takes and another one refuses: `long`, pointers that do not say whose memory
/// they point to, functions within others, variables that outlive a work item, arrays of the group
/// that are no parameters. defines: the macros that compilers are given, "NAME" or "NAME=value".
/// In the order of the text.
std::vector<Finding> unportableParts(const SourceMap &map,
                                     const std::vector<std::string_view> &defines);

/// Kernels that are not written as the language has them: without a name, without bounds, with
/// something else than parameters.
std::vector<Finding> malformedKernels(const SourceMap &map);

}  // namespace nexus::core
