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
  // A call to what is nowhere declared is an error with its line, not one of loading.
  if (!request.cxx) flags.emplace_back("-Werror=implicit-function-declaration");
  // What C++ and other backends refuse, and what C would compute garbage with.
  if (request.portable) {
    flags.insert(flags.end(), {"-Werror=implicit-int", "-Werror=int-conversion",
                               "-Werror=incompatible-pointer-types", "-Werror=return-type"});
    // clang has it in the one for pointer types.
    if (compiler.kind == CompilerKind::gcc) flags.emplace_back("-Werror=discarded-qualifiers");
  }
  // As clang does: functions of a library may call each other directly, and be inlined.
  // Its messages would show lines of a file that happens to have the program's name; we show them.
  if (compiler.kind == CompilerKind::gcc) {
    flags.insert(flags.end(), {"-fno-semantic-interposition", "-fno-diagnostics-show-caret"});
  }
#if defined(__linux__) && defined(__x86_64__)
  // A frame that is larger than the guard below a fiber's stack touches each of its pages in turn,
  // so that it can't begin beyond the guard. No instruction more where frames are within a page.
  if (compiler.kind != CompilerKind::other) flags.emplace_back("-fstack-clash-protection");
#endif
  // zig adds traps for undefined behaviour where nothing is optimized.
  if (compiler.kind == CompilerKind::zig) flags.emplace_back("-fno-sanitize=all");
  append_all(flags, target.flags);
#if defined(__x86_64__)
  // Compilers take half the width of AVX-512 for Intel's processors, for code that uses it here and
  // there; a kernel uses it throughout. Nothing changes where the target has no AVX-512.
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
  // What the process has, such as the barrier, is found at loading.
  plan.link_flags.emplace_back("-Wl,-undefined,dynamic_lookup");
#else
  // Fewer segments and pages, no code at the start and end: half the time of loading.
  const bool zig = plan.compiler.kind == CompilerKind::zig;
  if (!zig) plan.link_flags.emplace_back("-Wl,-z,noseparate-code");
  if (!zig && request.portable) plan.link_flags.emplace_back("-nostartfiles");
  // A function that is declared and never defined is an error here, not one of loading.
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
  // Linked apart from the flags of the code: for fast mathematics gcc before 13 and clang before 19
  // add start-up code to a library that turns denormal numbers off in the whole process that loads
  // it. zig does not, and two starts of it take a third longer than one.
  plan.one_step = plan.compiler.kind == CompilerKind::zig;
  if (request.relocatable) {
    plan.link_flags.clear();
    plan.libraries.clear();
  }
  return plan;
}

}  // namespace nexus_cpu
