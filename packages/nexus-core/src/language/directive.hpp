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

/// A line that the preprocessor obeys.
struct Directive {
  std::string name;    // "include"; empty for `#` alone or before a number
  std::string rest;    // what follows, without comments and continuations
  std::size_t begin;   // offset of the '#'
  std::size_t end;     // offset behind its line's end
  uint64_t line;       // of the '#', from 1
  uint64_t next_line;  // of what stands at `end`
};

/// The directives of a text and what lies around them.
struct Directives {
  std::vector<Directive> list;
  bool begins_with_code = false;  // before the first directive
  bool ends_with_code = false;    // behind the last one
};

/// What looks like a directive in a comment, a string or a raw string is none.
Directives directivesOf(std::string_view text);

/// Whether all of a file stands within `#ifndef X`, `#define X` ... `#endif`.
bool hasIncludeGuard(const Directives &directives);

/// Whether the directive opens a block of `#if`, or ends one.
bool opensConditional(const Directive &directive) noexcept;
bool closesConditional(const Directive &directive) noexcept;

bool isPragmaOnce(const Directive &directive) noexcept;

/// The name of what a `#define` defines.
std::string definedName(const Directive &directive);

/// The number of parameters of the macro that a `#define` defines; nothing for one without
/// parentheses, or with `...`.
std::optional<std::size_t> macroParameters(const Directive &directive);

}  // namespace nexus::core
