// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_COMPILE_JOB_HPP_
#define NEXUS_CPU_COMPILE_JOB_HPP_

#include "compile/compile_plan.hpp"
#include "compile/compile_request.hpp"
#include "process/child_process.hpp"
#include "process/private_folder.hpp"

#include <nexus-plugin/compile.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

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
  bool takes_nothing(const std::vector<std::string> &flags);

  // Return the bytes of the file that compile() or link() made.
  std::string read_library() const;
  std::string read_object() const;

  // Returns the compiler's output since the last call, with the user's file name.
  std::string take_words();

 private:
  std::string in_folder(const char *name) const { return folder_.path() + "/" + name; }
  void write_source(std::string_view first_line, std::string_view source) const;
  void write_file(const std::string &path, std::string_view first, std::string_view rest) const;
  std::string read_file(const char *name) const;
  void add_source(std::vector<std::string> &arguments) const;
  bool make_object(std::vector<std::string> arguments);
  bool make_library();
  bool step(std::vector<std::string> arguments, const char *output);
  void keep_words(const ChildResult &result);
  [[noreturn]] void fail(nxs_status status, const std::string &what) const;

  const CompileRequest &request_;
  const CompilePlan &plan_;
  const double timeout_;  // seconds for all steps together
  const uint64_t deadline_;
  PrivateFolder folder_;
  std::string words_;
};

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_COMPILE_JOB_HPP_
