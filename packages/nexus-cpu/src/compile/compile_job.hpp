// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_COMPILE_JOB_HPP_
#define NEXUS_CPU_COMPILE_JOB_HPP_

#include "compile/compile_request.hpp"
#include "compile/compiler.hpp"

#include <nexus-plugin/compile/child_process.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

// The compiler of a program and its arguments.
struct CompilePlan {
  Compiler compiler;
  CompileTarget target;
  Words code_flags;  // before the program's file
  Words link_flags;  // of the link step
  Words libraries;   // behind the program's file
  bool one_step;     // one command compiles and links
  Words for_both;    // the flags of the code that linking needs too

  // Returns all flags, each once, for a description; for a piece only those of the code.
  Words flags() const;
};

CompilePlan plan_compile(const CompileRequest &request, const Processor &processor);

// Returns the plan for linking pieces. Uses only the request's target, options and language.
CompilePlan plan_link(const CompileRequest &request, const Processor &processor);

// Runs a plan's compiler in a private folder. Errors: NXS_CompilerNotAvailable if the compiler
// can't be started, dies, takes too long or writes no library; NXS_OutOfResources.
class CompileJob {
 public:
  CompileJob(const CompileRequest &request, const CompilePlan &plan);

  // Compiles and links the request's program; a piece of a program is only compiled. Returns false
  // if the compiler refuses it.
  bool compile();

  // Links pieces, named object files, instead of the request's program. Returns false if the linker
  // refuses them.
  bool link(const std::vector<nexus_plugin::LinkSettings::Piece> &pieces);

  // Returns whether the compiler accepts an empty program with the plan's flags, or with only the
  // given ones.
  bool takes_nothing();
  bool takes_nothing(const Words &flags);

  // Return the bytes of the file that compile() or link() made.
  std::string read_library() const;
  std::string read_object() const { return read_file("program.o"); }

  // Returns the compiler's output since the last call, with the user's file name.
  std::string take_words() { return std::exchange(words_, {}); }

 private:
  std::string in_folder(std::string_view name) const;
  void write_file(std::string_view name, std::string_view first, std::string_view rest) const;
  std::string read_file(const char *name) const;
  bool make_object(Words arguments);
  bool make_library();
  bool link_files(Words arguments, const Words &files);
  bool step(const Words &arguments, const char *output);
  void keep_words(const nexus_plugin::ChildResult &result);
  std::string title() const;
  [[noreturn]] void fail(nxs_status status, const std::string &what) const;

  const CompileRequest &request_;
  const CompilePlan &plan_;
  const double timeout_;  // seconds for all steps together
  const std::chrono::steady_clock::time_point deadline_;
  nexus_plugin::PrivateFolder folder_;
  std::string words_;
};

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_COMPILE_JOB_HPP_
