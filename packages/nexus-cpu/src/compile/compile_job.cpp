// SPDX-License-Identifier: Apache-2.0
#include "compile/compile_job.hpp"

#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nexus-plugin/base/host.hpp>
#include <nexus-plugin/base/json.hpp>
#include <nexus-plugin/compile/compile_checks.hpp>
#include <nexus-plugin/kernel/binary_check.hpp>
#include <utility>

namespace nexus_cpu NXS_HIDDEN {

using namespace nexus_plugin;

namespace {

constexpr const char *kCompileTimeoutVariable = "NEXUS_CPU_COMPILE_TIMEOUT";
constexpr std::size_t kMostWords = std::size_t{1} << 20;  // bytes of output of one step

void append(Words &out, const Words &more) {
  out.insert(out.end(), more.begin(), more.end());
}

// ---- Plans ------------------------------------------------------------

// Returns whether the flag names a library or a folder of libraries, and so must follow the
// program.
bool is_library_flag(std::string_view flag) {
  return flag.starts_with("-l") || flag.starts_with("-L");
}

// Returns whether linking needs the flag too, as with -fopenmp, -flto and -m32. False for flags of
// fast mathematics, for which compilers link start-up code that changes the whole process.
bool is_linking_flag(std::string_view flag) {
  return (flag.starts_with("-f") || flag.starts_with("-m")) && flag != "-ffast-math" &&
         flag != "-funsafe-math-optimizations";
}

Words code_flags_of(const CompileRequest &request, const Compiler &compiler,
                    const CompileTarget &target) {
  Words flags = {"-std=" + request.standard, "-O" + std::to_string(request.optimization),
                 "-fno-math-errno", "-fno-trapping-math", "-fPIC"};
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
  // would show lines of any file that has the program's name, so libnexus adds the program's.
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
  append(flags, target.flags);
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

Words CompilePlan::flags() const {
  Words all = code_flags;
  append(all, link_flags);
  append(all, libraries);
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

// ---- The job ----------------------------------------------------------

CompileJob::CompileJob(const CompileRequest &request, const CompilePlan &plan)
    : request_(request),
      plan_(plan),
      timeout_(compile_timeout(kCompileTimeoutVariable)),
      deadline_(std::chrono::steady_clock::now() +
                std::chrono::duration_cast<std::chrono::nanoseconds>(
                    std::chrono::duration<double>(timeout_))) {}

bool CompileJob::compile() {
  write_file("program", line_directive(request_.name), std::string(request_.source) + '\n');
  return request_.relocatable ? make_object(plan_.code_flags) : make_library();
}

bool CompileJob::link(const std::vector<LinkSettings::Piece> &pieces) {
  Words files;
  for (const auto &[code, name] : pieces) {
    // As the linker shows it, such as "0-a.c.o".
    std::string file = join(files.size(), "-", name.substr(name.rfind('/') + 1), ".o");
    for (char &c : file) {
      if (!is_plain_text({&c, 1}, ".-_")) c = '_';
    }
    write_file(file, code, {});
    files.push_back(in_folder(file));
  }
  return link_files(plan_.for_both, files);
}

bool CompileJob::takes_nothing() {
  write_file("program", {}, "\n");
  return make_library();
}

bool CompileJob::takes_nothing(const Words &flags) {
  write_file("program", {}, "\n");
  return make_object(flags);
}

std::string CompileJob::in_folder(std::string_view name) const {
  return join(folder_.path(), "/", name);
}

std::string CompileJob::read_file(const char *name) const {
  std::ifstream file(in_folder(name), std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (bytes.empty()) fail(NXS_CompilerNotAvailable, "reported no error but wrote no library");
  return bytes;
}

std::string CompileJob::read_library() const {
  std::string bytes = read_file("program.so");
  const std::string wrong = checkBinary("its library", bytes.data(), bytes.size());
  if (!wrong.empty()) fail(NXS_CompilerNotAvailable, "wrote no library: " + wrong);
  return bytes;
}

void CompileJob::write_file(std::string_view name, std::string_view first,
                            std::string_view rest) const {
  std::ofstream file(in_folder(name), std::ios::binary | std::ios::trunc);
  file << first << rest;
  file.close();
  if (!file) {
    throw Error(NXS_OutOfResources, "the program's text can't be written to '", folder_.path(),
                "': ", std::strerror(errno),
                "; close files if too many are open, or set TMPDIR to a folder with free space");
  }
}

bool CompileJob::make_object(Words arguments) {
  append(arguments, {"-c", "-o", in_folder("program.o"), "-x", request_.cxx ? "c++" : "c",
                     in_folder("program")});
  return step(arguments, "program.o");
}

bool CompileJob::make_library() {
  if (plan_.one_step) {
    return link_files(plan_.code_flags, {"-x", request_.cxx ? "c++" : "c", in_folder("program")});
  }
  return make_object(plan_.code_flags) && link_files(plan_.for_both, {in_folder("program.o")});
}

bool CompileJob::link_files(Words arguments, const Words &files) {
  append(arguments, plan_.link_flags);
  append(arguments, {"-o", in_folder("program.so")});
  append(arguments, files);
  append(arguments, plan_.libraries);
  return step(arguments, "program.so");
}

// Runs the compiler once. Returns false if it refuses the program; throws if it does not work.
bool CompileJob::step(const Words &arguments, const char *output) {
  ChildRequest child{plan_.compiler.command,
                     compile_environment(plan_.compiler.kind, folder_.path()), deadline_,
                     kMostWords, is_interrupted};
  append(child.command, arguments);
  const ChildResult result = run_child(child);
  keep_words(result);
  check_child_end(result, title(), timeout_, kCompileTimeoutVariable);
  if (result.end == ChildEnd::exited) return result.number == 0;
  if (result.end == ChildEnd::unknown) return access(in_folder(output).c_str(), F_OK) == 0;
  if (result.number == E2BIG) {
    fail(NXS_InvalidCompilerOptions,
         "could not be started: its defines and options exceed the system's limit");
  }
  fail(NXS_CompilerNotAvailable, join("could not be started: ", std::strerror(result.number),
                                      "; set CC to the path of a compiler"));
}

void CompileJob::keep_words(const ChildResult &result) {
  std::string said = valid_utf8(result.output);
  const std::string folder = in_folder("");
  for (std::size_t at = 0; (at = said.find(folder, at)) != std::string::npos;) {
    said.erase(at, folder.size());
  }
  words_ += said;
  if (result.output_cut) {
    words_ += join("\n... cut here: the compiler wrote more than ", kMostWords, " bytes\n");
  }
}

// "the compiler gcc (ccache gcc)"
std::string CompileJob::title() const {
  const Compiler &compiler = plan_.compiler;
  return join("the compiler ", compiler.name, " (", joined_by(" ", compiler.command), ")");
}

void CompileJob::fail(nxs_status status, const std::string &what) const {
  throw Error(status, title(), " ", what);
}

}  // namespace nexus_cpu
