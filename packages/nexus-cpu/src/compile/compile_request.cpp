// SPDX-License-Identifier: Apache-2.0
#include "compile/compile_request.hpp"

#include "compile/compiler.hpp"

#include <algorithm>
#include <nexus-plugin/base/host.hpp>
#include <nexus-plugin/compile/compile_checks.hpp>

namespace nexus_cpu NXS_HIDDEN {

using namespace nexus_plugin;

namespace {

constexpr const char *kAllowVariable = "NEXUS_CPU_ALLOW_OPTIONS";

// word: a flag; one that ends with '*' stands for all with that beginning.
bool is_match(std::string_view word, std::string_view flag) {
  if (!word.ends_with('*')) return flag == word;
  word.remove_suffix(1);
  return flag.starts_with(word);
}

bool is_one_of(const Words &words, std::string_view flag) {
  return std::ranges::any_of(words, [&](std::string_view word) { return is_match(word, flag); });
}

// ---- Refused flags ----------------------------------------------------

struct Refused {
  const char *flags;
  const char *why;
};

// The first match gives the reason.
constexpr Refused kRefused[] = {
    {"--gpu-* --offload* --use_fast_math* -use_fast_math* --generate-* -gencode* --maxrregcount* "
     "-maxrregcount* -arch* -fmetal* -fcuda* -fgpu*",
     "it is a flag for GPU compilers, not for the CPU's"},
    {"-cl-*", "it is a flag for OpenCL compilers, not for the CPU's"},
    {"-c -o* -x* -shared* -static* -pie -r",
     "the backend chooses what is compiled and where it is written"},
    {"-S -E -M* -fsyntax-only -emit-* -print-*", "it produces no code"},
    {"-march* -mcpu* -target*", "give the processor as the target"},
    {"-std* -ansi", "give it as the standard"},
    // Without a value, these would consume the next flag.
    {"-D -U -I -L -l -F -u -z -e -G -isystem -iquote -idirafter -iprefix -isysroot -imultilib "
     "-framework",
     "give the flag and its value as one text, such as '-I/folder'"},
};

// ---- Harmless flags ---------------------------------------------------
// Those of a known kind that neither runs programs nor writes files. Unknown flags are not, since
// gcc and clang have hundreds and each version adds some.

constexpr const char *kWhole =
    "-Rpass=loop-vectorize -Rpass-missed=loop-vectorize -Rpass-analysis=loop-vectorize "
    "-fopt-info-vec -fopt-info-vec-missed "  // without a value, it writes to the log
    "-g -gcolumn-info -gline-tables-only -nodefaultlibs -nostdinc -nostdinc++ -nostdlib -pedantic "
    "-pedantic-errors -pipe -pthread -w";
// Flags that contain a value of the caller's choice: a macro, a folder or a library.
constexpr const char *kWithValue = "-D* -U* -I* -L* -l* -F* -isystem* -iquote* -idirafter*";
// "-m" flags that do not choose features of the processor.
constexpr const char *kNotOfProcessor = "-mabi* -march* -mcpu* -mllvm* -mlink* -module* -multi*";
// Names after "-f" or "-fno-".
constexpr const char *kCodeFlags =
    // arithmetic
    "approx-func associative-math cx-* excess-precision=* fast-math finite-math-only "
    "float-store fp-contract=* fp-int-builtin-inexact fp-model=* honor-infinities honor-nans "
    "math-errno protect-parens reciprocal-math rounding-math signaling-nans signed-zeros "
    "single-precision-constant trapping-math trapv unsafe-math-optimizations veclib=* wrapv "
    "wrapv-pointer "
    // loops and vectors
    "aggressive-loop-optimizations finite-loops ivopts lax-vector-conversions loop-* "
    "modulo-sched move-loop-* openmp openmp-simd peel-loops predictive-commoning "
    "prefetch-loop-arrays simd-cost-model=* slp-* split-loops split-paths tree-* unroll-* "
    "unswitch-loops variable-expansion-in-unroller vect-cost-model=* vectorize "
    "version-loops-for-strides "
    // other optimizations
    "align-* allocation-dce bit-tests branch-count-reg builtin caller-saves code-hoisting "
    "combine-stack-adjustments compare-elim conserve-stack cprop-registers crossjumping cse-* "
    "dce defer-pop delete-null-pointer-checks devirtualize devirtualize-* dse early-inlining "
    "expensive-optimizations fat-lto-objects forward-propagate function-cse gcse gcse-* "
    "guess-branch-probability hoist-adjacent-loads if-conversion if-conversion2 inline inline-* "
    "ipa-* ira-* isolate-* jump-tables keep-* live-range-shrinkage lra-* lto lto=full lto=thin "
    "merge-all-constants merge-constants omit-frame-pointer optimize-* partial-inlining "
    "peephole peephole2 ree rename-registers reorder-* sched-* schedule-* section-anchors "
    "selective-scheduling shrink-wrap shrink-wrap-separate split-wide-types ssa-* stack-reuse=* "
    "stdarg-opt store-merging strict-aliasing strict-enums strict-overflow thread-jumps "
    "toplevel-reorder web whole-program "
    // the form of code
    "PIC asynchronous-unwind-tables cf-protection cf-protection=* common cxx-exceptions "
    "data-sections exceptions freestanding function-sections hosted instrument-functions "
    "non-call-exceptions pack-struct pack-struct=* pic plt rtti sanitize=undefined "
    "semantic-interposition short-enums signed-char split-stack stack-check "
    "stack-clash-protection stack-protector stack-protector-* strict-flex-arrays "
    "strict-flex-arrays=* threadsafe-statics trivial-auto-var-init=* unsigned-char "
    "unwind-tables visibility-inlines-hidden visibility=* zero-* "
    // the language and its messages
    "aligned-new asm char8_t color-diagnostics concepts constexpr-* coroutines "
    "diagnostics-color diagnostics-color=* error-limit=* gnu89-inline ident "
    "macro-backtrace-limit=* max-errors=* message-length=* ms-extensions permissive "
    "sized-deallocation template-backtrace-limit=* template-depth=* var-tracking "
    "var-tracking-assignments verbose-asm ";

bool is_code_flag(std::string_view name) {
  if (name.starts_with("no-")) name.remove_prefix(3);
  return is_flag_in(kCodeFlags, name);
}

bool is_debugging_level(std::string_view flag) {
  for (const std::string_view begin : {"-ggdb", "-gdwarf-", "-gdwarf", "-g"}) {
    if (!flag.starts_with(begin)) continue;
    const std::string_view level = flag.substr(begin.size());
    return level.empty() || (level.size() == 1 && level[0] >= '0' && level[0] <= '9');
  }
  return false;
}

bool is_harmless_flag(std::string_view flag) {
  if (is_flag_in(kWhole, flag) || is_flag_in(kWithValue, flag)) return true;
  if (flag.starts_with("--param=")) return is_plain_text(flag.substr(2), "=_-.");
  if (flag.starts_with("-O")) return is_plain_text(flag.substr(2), "");
  if (flag.starts_with("-g")) return is_debugging_level(flag);
  if (flag.starts_with("-W")) return is_plain_text(flag, "=_-+");
  if (flag.starts_with("-f")) return is_plain_text(flag, "=_-+.,") && is_code_flag(flag.substr(2));
  return flag.starts_with("-m") && flag.size() > 2 && is_plain_text(flag, "=_-+.,") &&
         !is_flag_in(kNotOfProcessor, flag);
}

// Checks the setting allow_options, whose flags may be quoted as in a shell.
bool is_allowed_by_user(std::string_view flag) {
  const std::string allowed(get_config("allow_options"));
  const std::optional<Words> words = split_words(allowed);
  if (!words) {
    throw Error(NXS_InvalidCompilerOptions, kAllowVariable, " is '", allowed,
                "', in which a quote or backslash is left open");
  }
  return is_one_of(*words, flag);
}

[[noreturn]] void refuse_flag(std::string_view flag, const char *why) {
  throw Error(NXS_InvalidCompilerOptions, "options has '", flag, "': ", why);
}

// Checks a user's flag, together with its value. Throws NXS_InvalidCompilerOptions.
std::string read_extra_flag(std::string_view flag) {
  if (flag.size() < 2 || flag[0] != '-') {
    refuse_flag(flag, "each option is a flag that begins with '-', with its value in one text");
  }
  if (flag.find('\0') != std::string_view::npos) refuse_flag(flag, "it holds a zero byte");
  for (const auto &[flags, why] : kRefused) {
    if (is_flag_in(flags, flag)) refuse_flag(flag, why);
  }
  if (!is_harmless_flag(flag) && !is_allowed_by_user(flag)) {
    throw Error(NXS_InvalidCompilerOptions, "options has '", flag,
                "': it is not one of the flags that are known to write no files and to run no "
                "programs (-O, -g, -W, -m, -D, -U, -I, -L, -l, and the -f flags that choose how "
                "code is made); to allow it set ",
                kAllowVariable, " to '", flag, "'");
  }
  return std::string(flag);
}

// ---- The other parameters ---------------------------------------------

struct Standard {
  std::string_view version;
  std::string_view spelling;  // one that older compilers know too
};

constexpr Standard kCStandards[] = {
    {"99", "99"}, {"11", "11"}, {"17", "17"}, {"18", "17"}, {"23", "2x"}};
constexpr Standard kCxxStandards[] = {
    {"++11", "++11"}, {"++14", "++14"}, {"++17", "++17"}, {"++20", "++20"}, {"++23", "++2b"}};

std::string read_standard(std::string_view standard, bool cxx, std::string_view language) {
  if (standard.empty()) return cxx ? "gnu++17" : "gnu11";
  Words known;
  for (const auto &[version, spelling] : cxx ? kCxxStandards : kCStandards) {
    for (const std::string_view dialect : {"c", "gnu"}) {
      known.push_back(join(dialect, version));
      if (known.back() == standard) return join(dialect, spelling);
    }
  }
  throw Error(NXS_InvalidCompilerOptions, "standard is '", standard, "'; for the language '",
              language, "' it is one of ", joined_by(", ", known));
}

std::string read_define(std::string_view define) {
  check_define(define);
  return std::string(define);
}

std::string read_include_path(std::string_view path) {
  check_include_path(path);
  // Such paths have a special meaning to compilers: "-I-", "-I=usr".
  const bool special = path[0] == '-' || path[0] == '=' || path[0] == '$';
  return (special ? "./" : "") + std::string(path);
}

std::vector<std::string> read_list(const std::vector<std::string_view> &texts,
                                   std::string (*read)(std::string_view)) {
  std::vector<std::string> out;
  for (const std::string_view text : texts) out.push_back(read(text));
  return out;
}

}  // namespace

bool is_flag_in(std::string_view list, std::string_view flag) {
  return is_one_of(split(list, ' '), flag);
}

const std::vector<std::string> &compile_languages() {
  static const auto &all = *new std::vector<std::string>{"nexus", "c", "c++"};
  return all;
}

CompileRequest read_compile_request(const CompileSettings &given) {
  const std::string_view language = given.language;
  check_no_name_expressions(given.name_expressions, "the CPU backend");
  CompileRequest out{};
  out.portable = language == "nexus";
  check_language(language, compile_languages(), "the CPU");
  out.cxx = language == "c++";
  out.source = given.source;
  out.name = program_name(given.name);
  out.target = given.target;
  out.standard = read_standard(given.standard, out.cxx, language);
  check_optimization(given.optimization);
  out.optimization = given.optimization;
  check_compile_flags(given.flags, true);
  out.fast_math = (given.flags & NXS_CompileFlags_FastMath) != 0;
  out.debug = (given.flags & NXS_CompileFlags_Debug) != 0;
  out.line_info = (given.flags & NXS_CompileFlags_LineInfo) != 0;
  out.relocatable = (given.flags & NXS_CompileFlags_Relocatable) != 0;
  out.defines = read_list(given.defines, read_define);
  out.include_paths = read_list(given.include_paths, read_include_path);
  out.options = read_list(given.options, read_extra_flag);
  return out;
}

CompileRequest read_link_request(const LinkSettings &given) {
  CompileRequest out{};
  out.name = "program";
  out.target = given.target;
  out.cxx = true;  // the C++ driver links the libraries of both languages
  check_optimization(given.optimization);
  check_compile_flags(given.flags, true);
  out.options = read_list(given.options, read_extra_flag);
  return out;
}

}  // namespace nexus_cpu
