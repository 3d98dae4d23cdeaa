// SPDX-License-Identifier: Apache-2.0
#include "compile/flag_kinds.hpp"

#include <algorithm>
#include <array>

namespace nexus_cpu NXS_HIDDEN {
namespace {

// Names after "-f" or "-fno-". One that ends with '-' or '=' stands for all with that prefix.
// clang-format off
constexpr std::array kCodeFlags = std::to_array<std::string_view>({
    // arithmetic
    "approx-func", "associative-math", "cx-", "excess-precision=", "fast-math", "finite-math-only",
    "float-store", "fp-contract=", "fp-int-builtin-inexact", "fp-model=", "honor-infinities",
    "honor-nans", "math-errno", "protect-parens", "reciprocal-math", "rounding-math",
    "signaling-nans", "signed-zeros", "single-precision-constant", "trapping-math", "trapv",
    "unsafe-math-optimizations", "veclib=", "wrapv", "wrapv-pointer",
    // loops and vectors
    "aggressive-loop-optimizations", "finite-loops", "ivopts", "lax-vector-conversions", "loop-",
    "modulo-sched", "move-loop-", "openmp", "openmp-simd", "peel-loops", "predictive-commoning",
    "prefetch-loop-arrays", "simd-cost-model=", "slp-", "split-loops", "split-paths", "tree-",
    "unroll-", "unswitch-loops", "variable-expansion-in-unroller", "vect-cost-model=", "vectorize",
    "version-loops-for-strides",
    // other optimizations
    "align-", "allocation-dce", "bit-tests", "branch-count-reg", "builtin", "caller-saves",
    "code-hoisting", "combine-stack-adjustments", "compare-elim", "conserve-stack",
    "cprop-registers", "crossjumping", "cse-", "dce", "defer-pop", "delete-null-pointer-checks",
    "devirtualize", "devirtualize-", "dse", "early-inlining", "expensive-optimizations",
    "fat-lto-objects", "forward-propagate", "function-cse", "gcse", "gcse-",
    "guess-branch-probability", "hoist-adjacent-loads", "if-conversion", "if-conversion2",
    "inline", "inline-", "ipa-", "ira-", "isolate-", "jump-tables", "keep-",
    "live-range-shrinkage", "lra-", "lto", "lto=full", "lto=thin", "merge-all-constants",
    "merge-constants", "omit-frame-pointer", "optimize-", "partial-inlining", "peephole",
    "peephole2", "ree", "rename-registers", "reorder-", "sched-", "schedule-", "section-anchors",
    "selective-scheduling", "shrink-wrap", "shrink-wrap-separate", "split-wide-types", "ssa-",
    "stack-reuse=", "stdarg-opt", "store-merging", "strict-aliasing", "strict-enums",
    "strict-overflow", "thread-jumps", "toplevel-reorder", "web", "whole-program",
    // the form of code
    "PIC", "asynchronous-unwind-tables", "cf-protection", "cf-protection=", "common",
    "cxx-exceptions", "data-sections", "exceptions", "freestanding", "function-sections", "hosted",
    "instrument-functions", "non-call-exceptions", "pack-struct", "pack-struct=", "pic", "plt",
    "rtti", "sanitize=undefined", "semantic-interposition", "short-enums", "signed-char", "split-stack",
    "stack-check", "stack-clash-protection", "stack-protector", "stack-protector-",
    "strict-flex-arrays", "strict-flex-arrays=", "threadsafe-statics", "trivial-auto-var-init=",
    "unsigned-char", "unwind-tables", "visibility-inlines-hidden", "visibility=", "zero-",
    // the language and its messages
    "aligned-new", "asm", "char8_t", "color-diagnostics", "concepts", "constexpr-", "coroutines",
    "diagnostics-color", "diagnostics-color=", "error-limit=", "gnu89-inline", "ident",
    "macro-backtrace-limit=", "max-errors=", "message-length=", "ms-extensions", "permissive",
    "sized-deallocation", "template-backtrace-limit=", "template-depth=", "var-tracking",
    "var-tracking-assignments", "verbose-asm",
});
// clang-format on

constexpr std::array kWhole = std::to_array<std::string_view>({
    "-g",
    "-gcolumn-info",
    "-gline-tables-only",
    "-nodefaultlibs",
    "-nostdinc",
    "-nostdinc++",
    "-nostdlib",
    "-pedantic",
    "-pedantic-errors",
    "-pipe",
    "-pthread",
    "-w",
});

// Flags that contain a value of the caller's choice: a macro, a folder or a library.
constexpr std::array kWithValue = std::to_array<std::string_view>(
    {"-D", "-U", "-I", "-L", "-l", "-F", "-isystem", "-iquote", "-idirafter"});

// Prefixes of "-m" flags that do not choose features of the processor.
constexpr std::array kNotOfProcessor = std::to_array<std::string_view>(
    {"-mabi", "-march", "-mcpu", "-mllvm", "-mlink", "-module", "-multi"});

bool begins_with_any(const auto &list, std::string_view flag) {
  return std::any_of(list.begin(), list.end(),
                     [&](std::string_view each) { return flag.starts_with(each); });
}

// Returns whether the text has only letters, digits and the characters of more.
bool is_plain_text(std::string_view text, std::string_view more) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           more.find(c) != std::string_view::npos;
  });
}

bool is_code_flag(std::string_view name) {
  if (name.starts_with("no-")) name.remove_prefix(3);
  return std::any_of(kCodeFlags.begin(), kCodeFlags.end(), [&](std::string_view known) {
    const bool beginning = known.ends_with('-') || known.ends_with('=');
    return beginning ? name.starts_with(known) : name == known;
  });
}

bool is_debugging_level(std::string_view flag) {
  for (const std::string_view begin : {"-ggdb", "-gdwarf-", "-gdwarf", "-g"}) {
    if (!flag.starts_with(begin)) continue;
    const std::string_view level = flag.substr(begin.size());
    return level.empty() || (level.size() == 1 && level[0] >= '0' && level[0] <= '9');
  }
  return false;
}

}  // namespace

bool is_harmless_flag(std::string_view flag) {
  if (std::find(kWhole.begin(), kWhole.end(), flag) != kWhole.end()) return true;
  for (const std::string_view begin : kWithValue) {
    if (flag.starts_with(begin) && flag.size() > begin.size()) return true;
  }
  if (flag.starts_with("--param=")) return is_plain_text(flag.substr(2), "=_-.");
  if (flag.starts_with("-O")) return is_plain_text(flag.substr(2), "");
  if (flag.starts_with("-g")) return is_debugging_level(flag);
  if (flag.starts_with("-W")) return is_plain_text(flag, "=_-+");
  if (flag.starts_with("-f")) return is_plain_text(flag, "=_-+.,") && is_code_flag(flag.substr(2));
  return flag.starts_with("-m") && flag.size() > 2 && is_plain_text(flag, "=_-+.,") &&
         !begins_with_any(kNotOfProcessor, flag);
}

}  // namespace nexus_cpu
