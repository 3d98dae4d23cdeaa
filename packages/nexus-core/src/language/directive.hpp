// SPDX-License-Identifier: Apache-2.0
//
// The preprocessor's directives in a source text of C or C++.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nexus::core {

/// A line for the preprocessor.
struct Directive {
  std::string name;    // "include"; empty for `#` alone or before a number
  std::string rest;    // the rest of the line, without comments and continuations
  std::size_t begin;   // offset of the '#'
  std::size_t end;     // offset of the next line
  uint64_t line;       // of the '#', from 1
  uint64_t next_line;  // the line number at `end`
};

/// The directives of a text, and whether code surrounds them.
struct Directives {
  std::vector<Directive> list;
  bool begins_with_code = false;  // before the first directive
  bool ends_with_code = false;    // after the last one
};

/// Ignores comments, strings and raw strings.
Directives directivesOf(std::string_view text);

/// Returns whether all of a file is within `#ifndef X`, `#define X` ... `#endif`.
bool hasIncludeGuard(const Directives &directives);

/// Return whether the directive opens a block of `#if`, or ends one.
bool opensConditional(const Directive &directive) noexcept;
bool closesConditional(const Directive &directive) noexcept;

bool isPragmaOnce(const Directive &directive) noexcept;

std::string definedName(const Directive &directive);

/// Returns the number of parameters of a `#define`; nothing without parentheses, or with `...`.
std::optional<std::size_t> macroParameters(const Directive &directive);

}  // namespace nexus::core
