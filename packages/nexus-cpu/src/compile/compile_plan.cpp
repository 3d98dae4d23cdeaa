// SPDX-License-Identifier: Apache-2.0
#include "compile/compile_plan.hpp"

#include "compile/extra_flag.hpp"

#include <utility>

namespace nexus_cpu NXS_HIDDEN {
namespace {

void append_all(std::vector<std::string> &out, const std::vector<std::string> &more) {
  out.insert(out.end(), more.begin(), more.end());
}

std::vector<std::string> code_flags_of(const CompileRequest &request, const Compiler &compiler,
                                       const CompileTarget &target) {
  std::vector<std::string> flags = {"-std=" + request.standard,
                                    "-O" + std::to_string(request.optimization), "-fno-math-errno",
                                    "-fno-trapping-math", "-fPIC"};
  if (request.fast_math) flags.emplace_back("-ffast-math");
  if (request.debug) flags.emplace_back("-g");
  if (request.line_info && !request.debug) flags.emplace_back("-g1");
  // A call of an undeclared function is an error with its line, not an error of loading.
  if (!request.cxx) flags.emplace_back("-Werror=implicit-function-declaration");
  // Mistakes that C++ and other backends refuse, and that make C compute garbage.
  if (request.portable) {
    flags.insert(flags.end(), {"-Werror=implicit-int", "-Werror=int-conversion",
                               "-Werror=incompatible-pointer-types", "-Werror=return-type"});
    // In clang it belongs to the flag for pointer types.
    if (compiler.kind == CompilerKind::gcc) flags.emplace_back("-Werror=discarded-qualifiers");
  }
  // As in clang, functions of a library may call each other directly and be inlined. gcc's messages
  // would show lines of any file that has the program's name, so with_source_lines() shows them
  // instead.
  if (compiler.kind == CompilerKind::gcc) {
    flags.insert(flags.end(), {"-fno-semantic-interposition", "-fno-diagnostics-show-caret"});
  }
#if defined(__linux__) && defined(__x86_64__)
  // Frames larger than the guard below a fiber's stack touch each of their pages in turn, so that
  // they can't skip the guard. Costs nothing for frames within a page.
  if (compiler.kind != CompilerKind::other) flags.emplace_back("-fstack-clash-protection");
#endif
  // Without optimization, zig adds traps for undefined behaviour.
  if (compiler.kind == CompilerKind::zig) flags.emplace_back("-fno-sanitize=all");
  append_all(flags, target.flags);
#if defined(__x86_64__)
  // Compilers use half the width of AVX-512 for Intel's processors, which suits code that uses it
  // rarely; a kernel uses it throughout. No effect if the target lacks AVX-512.
  if (compiler.kind != CompilerKind::other) flags.emplace_back("-mprefer-vector-width=512");
#endif
  for (const std::string &define : request.defines) flags.push_back("-D" + define);
  for (const std::string &path : request.include_paths) flags.push_back("-I" + path);
  for (const std::string &option : request.options) {
    if (!is_library_flag(option)) flags.push_back(option);
  }
  return flags;
}

}  // namespace

std::vector<std::string> CompilePlan::flags() const {
  std::vector<std::string> all = code_flags;
  append_all(all, link_flags);
  append_all(all, libraries);
  return all;
}

CompilePlan plan_link(const CompileRequest &request, const Processor &processor) {
  Compiler compiler = find_compiler(request.cxx);
  CompileTarget target = resolve_target(request.target, processor, compiler.kind);
  CompilePlan plan{std::move(compiler), std::move(target), {}, {"-shared"}, {}, false, {}};
#if defined(__APPLE__)
  // Symbols of the process, such as the barrier, are resolved at load time.
  plan.link_flags.emplace_back("-Wl,-undefined,dynamic_lookup");
#else
  // Fewer segments and pages and no start-up code: halves the time of loading.
  const bool zig = plan.compiler.kind == CompilerKind::zig;
  if (!zig) plan.link_flags.emplace_back("-Wl,-z,noseparate-code");
  if (!zig && request.portable) plan.link_flags.emplace_back("-nostartfiles");
  // A function that is declared but never defined is an error here, not at load time.
  if (request.portable) plan.link_flags.emplace_back("-Wl,-z,defs");
#endif
  for (const std::string &option : request.options) {
    if (is_library_flag(option)) plan.libraries.push_back(option);
    if (is_linking_flag(option)) plan.for_both.push_back(option);
  }
  plan.libraries.emplace_back("-lm");
  return plan;
}

CompilePlan plan_compile(const CompileRequest &request, const Processor &processor) {
  CompilePlan plan = plan_link(request, processor);
  plan.code_flags = code_flags_of(request, plan.compiler, plan.target);
  // Links without the flags of the code: for fast mathematics, gcc before 13 and clang before 19
  // add start-up code that turns denormal numbers off in the whole process. zig does not, and
  // starting it twice takes a third longer.
  plan.one_step = plan.compiler.kind == CompilerKind::zig;
  if (request.relocatable) {
    plan.link_flags.clear();
    plan.libraries.clear();
  }
  return plan;
}

}  // namespace nexus_cpu
