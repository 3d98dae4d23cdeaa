// SPDX-License-Identifier: Apache-2.0
#include "compile/program_source.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "language/directive.hpp"
#include "language/kernel_header.hpp"
#include "language/source_map.hpp"

namespace nexus::core {
namespace {

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
  /// long as this. Throws NXS_InvalidProgram if the file is not text.
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

constexpr uint64_t kMaxIncludeSize = uint64_t{64} << 20;

void setText(IncludeFile &file, std::string_view text) {
  file.text = text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
  file.directives = directivesOf(file.text);
  file.guarded = hasIncludeGuard(file.directives);
  file.once = std::any_of(file.directives.list.begin(), file.directives.list.end(),
                          [](const Directive &each) { return isPragmaOnce(each); });
}

std::string folderOf(const std::string &path) {
  return std::filesystem::path(path).parent_path().string();
}

std::string joined(const std::string &folder, const std::string &name) {
  return (std::filesystem::path(folder) / name).lexically_normal().string();
}

}  // namespace

IncludeSearch::IncludeSearch(const Program &program, std::string_view runtime)
    : program_(program), dialect_("nexus-kernel/" + std::string(runtime) + ".h") {
  if (kernelHeaderText(dialect_) == nullptr) dialect_.clear();
}

IncludeFile IncludeSearch::programText() const {
  IncludeFile file;
  file.name = program_.name;
  setText(file, program_.source);
  return file;
}

const FileState &IncludeSearch::lookAt(const std::string &path) {
  const auto found = states_.find(path);
  return found != states_.end() ? found->second
                                : states_.emplace(path, stateOf(path)).first->second;
}

std::vector<FileState> IncludeSearch::takeStates() {
  std::vector<FileState> states;
  for (auto &[path, state] : states_) {
    states.push_back(std::move(state));
  }
  states_.clear();
  return states;
}

std::vector<std::string> IncludeSearch::foldersOf(bool quoted, const IncludeFile &from) {
  std::vector<std::string> folders;
  // A program is in a folder if its name is the path of a file; libnexus' header is in none.
  const auto liesInFolder = [&] { return !from.identity.empty() || lookAt(from.name).present; };
  if (quoted && !from.of_header && liesInFolder()) {
    folders.push_back(folderOf(from.name));
  }
  folders.insert(folders.end(), program_.include_paths.begin(), program_.include_paths.end());
  return folders;
}

std::string IncludeSearch::folders(bool quoted, const IncludeFile &from) {
  std::vector<std::string> names;
  for (const std::string &folder : foldersOf(quoted, from)) {
    std::string name = "'" + (folder.empty() ? "." : folder) + "'";
    if (!contains(names, name)) names.push_back(std::move(name));
  }
  return listWords(names, "");
}

const IncludeFile *IncludeSearch::headerFile(const std::string &name, bool quoted,
                                             const IncludeFile &from) {
  std::string path = name;
  const std::string *text = kernelHeaderText(path);
  if (text == nullptr && quoted && from.of_header) {
    path = joined(folderOf(from.name), name);
    text = kernelHeaderText(path);
  }
  const bool other_dialect =
      from.of_header && from.name == kKernelHeader && !dialect_.empty() && path != dialect_;
  if (text == nullptr || other_dialect) return nullptr;
  std::unique_ptr<IncludeFile> &file = files_["<" + path];
  if (!file) {
    file = std::make_unique<IncludeFile>();
    file->name = path;
    file->identity = "<" + path;
    file->of_header = true;
    setText(*file, *text);
  }
  return file.get();
}

const IncludeFile *IncludeSearch::fileAt(const std::string &path) {
  const FileState &state = lookAt(path);
  if (!state.present) return nullptr;
  std::unique_ptr<IncludeFile> &file = files_[path];
  if (file) return file.get();
  const std::string what =
      "The program '" + std::string(program_.name) + "' includes the file '" + path + "', which ";
  if (state.size > kMaxIncludeSize) {
    failWith(NXS_InvalidProgram, what, "has more than ", kMaxIncludeSize,
             " bytes; give the source of a kernel.");
  }
  const std::optional<std::string> text = readText(state);
  if (!text) {
    failWith(NXS_InvalidProgram, what, "can't be read; check its permissions.");
  }
  if (!isUtf8(*text) || text->find('\0') != std::string::npos) {
    failWith(NXS_InvalidProgram, what, "is not UTF-8 text; save it as UTF-8.");
  }
  auto made = std::make_unique<IncludeFile>();
  made->name = path;
  made->identity = std::to_string(state.device) + ":" + std::to_string(state.number);
  setText(*made, *text);
  file = std::move(made);
  return file.get();
}

const IncludeFile *IncludeSearch::find(const std::string &name, bool quoted,
                                       const IncludeFile &from) {
  const bool header_first = program_.isPortable() || from.of_header;
  if (header_first) {
    if (const IncludeFile *file = headerFile(name, quoted, from)) return file;
  }
  if (std::filesystem::path(name).is_absolute()) return fileAt(name);
  for (const std::string &folder : foldersOf(quoted, from)) {
    if (const IncludeFile *file = fileAt(joined(folder, name))) return file;
  }
  return header_first ? nullptr : headerFile(name, quoted, from);
}

namespace {

constexpr std::size_t kMaxIncludeDepth = 200;
constexpr std::size_t kMaxSourceSize = std::size_t{64} << 20;

// Returns a name as a #line needs it.
std::string lineName(std::string_view name) {
  static constexpr char kOctal[] = "01234567";
  std::string text = "\"";
  for (const char letter : name) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      text += {'\\', letter};
    } else if (code < 0x20 || code == 0x7F) {
      text += {'\\', kOctal[code >> 6], kOctal[(code >> 3) & 7], kOctal[code & 7]};
    } else {
      text += letter;
    }
  }
  return text + '"';
}

// Numbers the lines of a text: by their own numbers, or as its #line directives say.
class LineNames {
 public:
  explicit LineNames(std::string_view name) : name_(lineName(name)) {}

  /// Returns a #line for the text's line number `line`, which comes next in the output.
  std::string lineFor(uint64_t line) const {
    return "#line " + std::to_string(line - from_ + shown_) + " " + name_ + "\n";
  }
  /// Applies a `#line 12 "file"` or `# 12 "file"` of the text.
  void obey(const Directive &directive) {
    const std::string &rest = directive.rest;
    std::size_t digits = 0;
    while (digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9') ++digits;
    if (digits == 0 || digits > 9) return;
    shown_ = std::stoul(rest.substr(0, digits));
    from_ = directive.next_line;
    const std::size_t open = rest.find('"');
    const std::size_t close = rest.rfind('"');
    if (open != std::string::npos && close > open) {
      name_ = rest.substr(open, close - open + 1);
    }
  }

 private:
  std::string name_;
  uint64_t from_ = 1;   // the text's line with this number
  uint64_t shown_ = 1;  // is numbered so
};

// `"x"` or `<x>`; nothing if the directive names its file by a macro.
struct IncludeName {
  std::string file;
  bool quoted;
};

std::optional<IncludeName> includeName(const Directive &directive) {
  const std::string &rest = directive.rest;
  const char open = rest.empty() ? '\0' : rest.front();
  const std::size_t close = open == '"' ? rest.find('"', 1) : open == '<' ? rest.find('>') : 0;
  if (close == 0 || close == std::string::npos || close == 1) return std::nullopt;
  return IncludeName{rest.substr(1, close - 1), open == '"'};
}

// Returns whether only the compiler can resolve the directive.
bool includesUnknownFile(const Directive &directive) {
  return directive.name == "include_next" || directive.name == "import" ||
         directive.name == "embed";
}

class IncludeResolver {
 public:
  IncludeResolver(const Program &program, std::string_view runtime)
      : program_(program), search_(program, runtime) {}

  ProgramSource run() {
    const IncludeFile whole = search_.programText();
    if (program_.isPortable()) {
      const IncludeFile *header = search_.find(std::string(kKernelHeader), false, whole);
      if (header == nullptr) {
        failWith(NXS_InternalError, "libnexus was built without nexus_kernel.h; build it again.");
      }
      include(*header);
    }
    const std::size_t header_size = text_.size();
    expand(whole);
    const bool assembles_files = text_.find(".incbin") != std::string::npos;
    return {std::move(text_), header_size, search_.takeStates(), std::move(left_),
            reads_unknown_ || assembles_files};
  }

 private:
  void expand(const IncludeFile &file);
  void follow(const Directive &directive);
  bool resolve(const IncludeFile &file, const Directive &directive);
  void include(const IncludeFile &file);
  void keep(std::string_view part);
  [[noreturn]] void refuse(const IncludeFile &file, const Directive &directive,
                           const std::string &why) const;

  bool withinIf() const { return branches_.size() > 1; }
  bool isSurelyThere(const std::string &identity) const {
    return std::any_of(branches_.begin(), branches_.end(),
                       [&](const auto &branch) { return branch.contains(identity); });
  }

  const Program &program_;
  IncludeSearch search_;
  std::string text_;
  std::vector<std::string> open_;  // the files being included, by identity
  // The branches of #if around the present place, outermost first, each with the protected files
  // included in it: if the compiler reads this place, it has read those.
  std::vector<std::set<std::string>> branches_{1};
  std::set<std::string> left_;  // names of files that are left to the compiler
  bool reads_unknown_ = false;
  std::map<std::string, std::size_t> once_;  // the numbers of files with #pragma once
};

void IncludeResolver::keep(std::string_view part) {
  if (part.size() > kMaxSourceSize - text_.size()) {
    failWith(NXS_InvalidProgram, "The program '", program_.name, "' has more than ", kMaxSourceSize,
             " bytes including its headers; begin headers with #pragma once.");
  }
  text_ += part;
}

void IncludeResolver::refuse(const IncludeFile &file, const Directive &directive,
                             const std::string &why) const {
  const std::string first = LineNames(file.name).lineFor(1);
  const std::string text = first + std::string(file.text);
  std::string shown = SourceMap(text).show(first.size() + directive.begin,
                                           "#include " + directive.rest + ": " + why);
  shown.pop_back();
  failWith(NXS_InvalidProgram, "The program '", program_.name, "' has an invalid include.\n",
           shown);
}

void IncludeResolver::expand(const IncludeFile &file) {
  const std::string_view text = file.text;
  const std::vector<Directive> &list = file.directives.list;
  LineNames names(file.name);
  std::size_t kept = 0;
  keep(names.lineFor(1));
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Directive &directive = list[i];
    const bool of_guard = file.guarded && (i == 0 || i + 1 == list.size());
    bool replaced = isPragmaOnce(directive);
    if (replaced || directive.name == "include") {
      keep(text.substr(kept, directive.begin - kept));
      kept = directive.begin;
      replaced = replaced || resolve(file, directive);
    } else if (includesUnknownFile(directive)) {
      reads_unknown_ = true;
    } else if (directive.name == "line" || directive.name.empty()) {
      names.obey(directive);
    } else if (!of_guard) {
      follow(directive);
    }
    if (replaced) {
      keep("\n" + names.lineFor(directive.next_line));
      kept = directive.end;
    }
  }
  keep(text.substr(kept));
}

// Enters or leaves a branch of #if.
void IncludeResolver::follow(const Directive &directive) {
  if (opensConditional(directive)) {
    branches_.emplace_back();
  } else if (closesConditional(directive) && withinIf()) {
    branches_.pop_back();
  } else if (directive.name.starts_with("el") && withinIf()) {  // elif, else, elifdef, elifndef
    branches_.back().clear();
  }
}

// Includes the directive's file. Returns false if the directive is left to the compiler.
bool IncludeResolver::resolve(const IncludeFile &file, const Directive &directive) {
  const bool left_to_compiler = withinIf() || !program_.isPortable();
  const std::optional<IncludeName> name = includeName(directive);
  if (!name) {
    if (left_to_compiler) {
      reads_unknown_ = true;
      return false;
    }
    refuse(file, directive, "name a file as \"file\" or <file>.");
  }
  const IncludeFile *found = search_.find(name->file, name->quoted, file);
  if (found == nullptr) {
    if (left_to_compiler) {
      left_.insert(name->file);
      return false;
    }
    const std::string folders = search_.folders(name->quoted, file);
    refuse(
        file, directive,
        "there is no such file" + (folders.empty() ? "" : " in " + folders) +
            ". The portable language has no standard headers, and its functions need no include. "
            "For your own files, give their folders as include paths.");
  }
  const bool open = contains(open_, found->identity);
  if (isSurelyThere(found->identity) || (open && found->isProtected())) return true;
  if (open || open_.size() >= kMaxIncludeDepth) {
    refuse(file, directive,
           open ? "the file includes itself; begin it with #pragma once."
                : "includes are nested more than " + std::to_string(kMaxIncludeDepth) + " deep.");
  }
  include(*found);
  return true;
}

// Includes a file. A file with #pragma once may be included more than once here, since only the
// compiler knows whether an #if skips it; a macro then makes it take effect once.
void IncludeResolver::include(const IncludeFile &file) {
  const bool by_macro = file.once && !file.guarded;
  if (by_macro) {
    const std::size_t number = once_.emplace(file.identity, once_.size()).first->second;
    const std::string macro = "NEXUS_ONCE_" + std::to_string(number);
    keep("\n#ifndef " + macro + "\n#define " + macro + "\n");
  } else {
    keep("\n");
  }
  open_.push_back(file.identity);
  expand(file);
  open_.pop_back();
  keep(by_macro ? "\n#endif\n" : "\n");
  if (file.isProtected()) {
    branches_.back().insert(file.identity);
  }
}

}  // namespace

ProgramSource resolveIncludes(const Program &program, std::string_view runtime) {
  return IncludeResolver(program, runtime).run();
}

}  // namespace nexus::core
