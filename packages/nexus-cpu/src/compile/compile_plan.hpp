// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_COMPILE_PLAN_HPP_
#define NEXUS_CPU_COMPILE_PLAN_HPP_

#include "compile/compile_request.hpp"
#include "compile/compile_target.hpp"
#include "compile/compiler.hpp"

#include <string>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

// Which compiler a program gets, and what it is told.
struct CompilePlan {
  Compiler compiler;
  CompileTarget target;
  std::vector<std::string> code_flags;  // before the program's file
  std::vector<std::string> link_flags;  // of the step that makes the library
  std::vector<std::string> libraries;   // behind the program's file
  bool one_step;                        // one command compiles and links
  std::vector<std::string> for_both;    // of the code's flags: those that a linking command needs

  // All flags, each once, as a description shows them; those of a piece are the code's alone.
  std::vector<std::string> flags() const;
};

CompilePlan plan_compile(const CompileRequest &request, const Processor &processor);

// How pieces are linked. Of the request its target, options and language count.
CompilePlan plan_link(const CompileRequest &request, const Processor &processor);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_COMPILE_PLAN_HPP_
