// SPDX-License-Identifier: Apache-2.0
#include "compile/program_source.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "compile/include_search.hpp"
#include "language/kernel_header.hpp"
#include "language/source_map.hpp"

namespace nexus::core {
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
    if (digits == 0 || digits > 9) {
      return;
    }
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
  if (close == 0 || close == std::string::npos || close == 1) {
    return std::nullopt;
  }
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
        throw Failure(NXS_InternalError,
                      "libnexus was built without nexus_kernel.h; build it anew.");
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
    throw Failure(NXS_InvalidProgram,
                  "The program '" + std::string(program_.name) + "' has more than " +
                      std::to_string(kMaxSourceSize) +
                      " bytes with all that it includes; begin headers with #pragma once.");
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
  throw Failure(NXS_InvalidProgram, "The program '" + std::string(program_.name) +
                                        "' has an include that does not work.\n" + shown);
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
    refuse(file, directive,
           "there is no such file" + (folders.empty() ? "" : " in " + folders) +
               ". The portable language has no standard headers; what it has needs no include. "
               "For files of your own give their folders as include paths.");
  }
  const bool open = std::find(open_.begin(), open_.end(), found->identity) != open_.end();
  if (isSurelyThere(found->identity) || (open && found->isProtected())) {
    return true;
  }
  if (open || open_.size() >= kMaxIncludeDepth) {
    refuse(file, directive,
           open ? "the file includes itself; begin it with #pragma once."
                : "more than " + std::to_string(kMaxIncludeDepth) +
                      " files are included within each other.");
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
