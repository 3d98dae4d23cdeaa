// SPDX-License-Identifier: Apache-2.0
//
// A plug-in's compiler: the description of a compilation, and the compilation itself.
#pragma once

#include <string>
#include <vector>

#include "code/object_code.hpp"
#include "compile/program.hpp"
#include "compile/program_source.hpp"
#include "json/json.hpp"

namespace nexus::core {

/// The plug-in's description of how it would compile a program.
struct CompilePlan {
  std::string json;    // the plug-in's whole answer
  std::string target;  // the architecture's full name
  std::string flags;   // a JSON list
  std::string format;
  std::vector<std::string> include_folders;  // the compiler's own, beside the include paths
  bool reads_other_files = false;            // such as libraries that are linked
};

/// Asks the plug-in, without reading the source. Throws NXS_NotSupported if the backend has no
/// compiler, or none for the program's language, and the status of nxsDescribeCompile.
CompilePlan planOf(const Target &target, const Program &program);

/// Runs the compiler. source is the program's, with its includes resolved. Throws
/// NXS_CompileProgramFailure, with the log, if the compiler refuses it, NXS_InvalidProgram if the
/// code has no kernel, and the status of nxsCompileProgram.
CodeContents compileSource(const Target &target, const Program &program,
                           const ProgramSource &source, const CompilePlan &plan);

}  // namespace nexus::core
