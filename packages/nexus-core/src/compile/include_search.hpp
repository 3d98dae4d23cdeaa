// SPDX-License-Identifier: Apache-2.0
//
// The files that a program includes: where they are searched for, and their contents.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_state.hpp"
#include "compile/program.hpp"
#include "language/directive.hpp"

namespace nexus::core {

/// A text that becomes part of a program: the program's own, a file's, or the portable header's.
struct IncludeFile {
  std::string name;      // in messages
  std::string identity;  // the same for every path to one file
  std::string text;      // without a byte order mark
  Directives directives;
  bool of_header = false;  // of the portable header, which is searched first for its own includes
  bool guarded = false;    // all of it is within an #ifndef
  bool once = false;       // has #pragma once

  bool isProtected() const noexcept { return guarded || once; }
};

/// Finds the files of one program. Remembers each file read and each path without a file.
class IncludeSearch {
 public:
  /// runtime: the backend that compiles the text. Only its dialect of the portable header can be
  /// found, if there is one.
  IncludeSearch(const Program &program, std::string_view runtime);

  IncludeFile programText() const;

  /// Returns the file of `#include "name"` (quoted) or `#include <name>` in from, or NULL. Lives as
  /// long as this. Throws NXS_InvalidProgram if the file is no text.
  const IncludeFile *find(const std::string &name, bool quoted, const IncludeFile &from);

  /// Returns the searched folders, for the text of an error; empty if there are none.
  std::string folders(bool quoted, const IncludeFile &from);

  /// Returns the states of all paths searched, each once.
  std::vector<FileState> takeStates();

 private:
  std::vector<std::string> foldersOf(bool quoted, const IncludeFile &from);
  const IncludeFile *headerFile(const std::string &name, bool quoted, const IncludeFile &from);
  const IncludeFile *fileAt(const std::string &path);
  const FileState &lookAt(const std::string &path);

  const Program &program_;
  std::string dialect_;  // the header's file for the runtime; empty if there is none
  std::map<std::string, FileState> states_;                    // by path
  std::map<std::string, std::unique_ptr<IncludeFile>> files_;  // by path
};

}  // namespace nexus::core
