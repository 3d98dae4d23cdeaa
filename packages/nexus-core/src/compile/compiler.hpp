// SPDX-License-Identifier: Apache-2.0
//
// A plug-in's compiler: what it would do, and what it makes of a program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "code/object_code.hpp"
#include "compile/program.hpp"
#include "compile/program_source.hpp"
#include "compile/target.hpp"

namespace nexus::core {

/// What the plug-in says that it would do with a program.
struct CompilePlan {
  std::string json;    // the plug-in's whole answer
  std::string target;  // the architecture, spelled out
  std::string flags;   // a JSON list
  std::string format;
  std::vector<std::string> include_folders;  // of the compiler's own, beside the include paths
  bool reads_other_files = false;            // such as libraries that are linked to
};

/// Asks the plug-in; the source is not looked at. Throws NXS_NotSupported where the backend
/// compiles nothing, or not the program's language, and what nxsDescribeCompile returns.
CompilePlan planOf(const Target &target, const Program &program);

/// Starts the compiler. source is the program's with its includes resolved. Throws
/// NXS_CompileProgramFailure, with the log, where the compiler refused it, NXS_InvalidProgram where
/// the code has no kernel, and what nxsCompileProgram returns.
CodeContents compileSource(const Target &target, const Program &program,
                           const ProgramSource &source, const CompilePlan &plan);

}  // namespace nexus::core
