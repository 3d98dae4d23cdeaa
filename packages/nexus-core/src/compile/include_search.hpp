// SPDX-License-Identifier: Apache-2.0
//
// The files that a program includes: where they are looked for, and what they hold.
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

/// A text that is put into a program: the program's own, a file's, or one of the portable header's.
struct IncludeFile {
  std::string name;      // what messages call it
  std::string identity;  // the same for every path to one file
  std::string text;      // without a byte order mark
  Directives directives;
  bool of_header = false;  // of the portable header: what it includes is looked for there first
  bool guarded = false;    // by #ifndef around all of it
  bool once = false;       // has #pragma once

  bool isProtected() const noexcept { return guarded || once; }
};

/// Looks for the files of one program. Remembers each file that it read and each path where there
/// was none.
class IncludeSearch {
 public:
  /// runtime: whose compiler the text is for. Of the portable header's dialects its own is found
  /// only, where it has one.
  IncludeSearch(const Program &program, std::string_view runtime);

  /// The program's own text.
  IncludeFile programText() const;

  /// The file of `#include "name"` (quoted) or `#include <name>` in `from`; NULL where there is
  /// none. Lives as long as this. Throws NXS_InvalidProgram where the file is no text.
  const IncludeFile *find(const std::string &name, bool quoted, const IncludeFile &from);

  /// The folders where it was looked for, for the text of an error; empty where there is none.
  std::string folders(bool quoted, const IncludeFile &from);

  /// What was looked at, each path once.
  std::vector<FileState> takeStates();

 private:
  std::vector<std::string> foldersOf(bool quoted, const IncludeFile &from);
  const IncludeFile *headerFile(const std::string &name, bool quoted, const IncludeFile &from);
  const IncludeFile *fileAt(const std::string &path);
  const FileState &lookAt(const std::string &path);

  const Program &program_;
  std::string dialect_;  // the header's file for the runtime; empty where there is none
  std::map<std::string, FileState> states_;                    // by path
  std::map<std::string, std::unique_ptr<IncludeFile>> files_;  // by path
};

}  // namespace nexus::core
