// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_COMPILE_PLAN_HPP_
#define NEXUS_CPU_COMPILE_PLAN_HPP_

#include "compile/compile_request.hpp"
#include "compile/compile_target.hpp"
#include "compile/compiler.hpp"

#include <string>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

// The compiler of a program and its arguments.
struct CompilePlan {
  Compiler compiler;
  CompileTarget target;
  std::vector<std::string> code_flags;  // before the program's file
  std::vector<std::string> link_flags;  // of the link step
  std::vector<std::string> libraries;   // behind the program's file
  bool one_step;                        // one command compiles and links
  std::vector<std::string> for_both;    // the flags of the code that linking needs too

  // Returns all flags, each once, for a description; for a piece only those of the code.
  std::vector<std::string> flags() const;
};

CompilePlan plan_compile(const CompileRequest &request, const Processor &processor);

// Returns the plan for linking pieces. Uses only the request's target, options and language.
CompilePlan plan_link(const CompileRequest &request, const Processor &processor);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_COMPILE_PLAN_HPP_
