// SPDX-License-Identifier: Apache-2.0
#include "kernel_mistakes.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "diagnostic.hpp"
#include "kernel_header.hpp"
#include "kernel_names.hpp"
#include "kernel_text.hpp"
#include "text.hpp"

namespace nexus::core {
namespace {

constexpr std::size_t kMostShown = 20;

// How sure it is that a finding is the user's mistake, not what followed from another one.
enum class Weight {
  certain,  // in the language's words
  name,     // an unknown name that the language has no advice on: its declaration may have failed
  words,    // the compiler's
};

struct FoundMistake {
  Finding finding;
  Weight weight;
  std::string name;  // the unknown one
};

bool saysAny(const Diagnostic &error, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view each) { return error.says(each); });
}

bool isHeaderName(std::string_view name) {
  return name.starts_with("nxk_") || name.starts_with("NXK_");
}

// The text of a failed check of the portable header: gcc, clang and NVRTC quote it, clang from 16
// on writes it behind a colon.
std::optional<std::string> checkText(const Diagnostic &error) {
  if (!error.says("static") || !error.says("assert") || !error.says("failed")) {
    return std::nullopt;
  }
  const std::string &text = error.text;
  const std::size_t open = text.find('"');
  const std::size_t close = text.rfind('"');
  if (open != close) {
    return text.substr(open + 1, close - open - 1);
  }
  const std::size_t requirement = text.find("': ");
  const std::size_t failed = text.find("failed: ");
  return failed != std::string::npos        ? text.substr(failed + 8)
         : requirement != std::string::npos ? text.substr(requirement + 3)
                                            : text;
}

class Mistakes {
 public:
  explicit Mistakes(const SourceMap &map)
      : map_(map), tokens_(map.tokens()), definitions_(definitionsOf(map)) {}

  void add(const Diagnostic &error);
  void addFromText();
  std::string show();

 private:
  bool addCheck(const Diagnostic &error, std::size_t at);
  bool addName(const Diagnostic &error, std::size_t at);
  bool addScope(std::size_t at);
  bool addSyntax(const Diagnostic &error, std::size_t at);
  bool addUse(const Diagnostic &error, std::size_t at);
  void add(std::size_t at, std::string words, Weight weight, std::string name = {}) {
    mistakes_.push_back({{at, std::move(words)}, weight, std::move(name)});
  }

  std::size_t tokenAt(std::size_t offset) const;
  std::size_t placeOfWord(std::string_view word, std::size_t near) const;
  const Definition *definitionAround(std::size_t offset) const;
  bool isMalformed(const Definition &kernel) const;
  std::size_t placeOfParameter(std::string_view name, std::size_t near) const;
  std::size_t calledFunction(std::size_t at) const;
  std::string nearNameInText(std::string_view name) const;
  bool isBeside(std::string_view name, const FoundMistake &other) const;
  bool followsFromAnother(const FoundMistake &mistake) const;

  const SourceMap &map_;
  const std::vector<Token> &tokens_;
  std::vector<Definition> definitions_;
  std::vector<Finding> malformed_;
  std::vector<FoundMistake> mistakes_;
};

// The token at or around an offset, else the next one; tokens_.size() behind the last.
std::size_t Mistakes::tokenAt(std::size_t offset) const {
  const auto found = std::partition_point(tokens_.begin(), tokens_.end(), [&](const Token &token) {
    return token.at + token.text.size() <= offset;
  });
  return static_cast<std::size_t>(found - tokens_.begin());
}

// Where the word stands: at the offset, else on its line, else in the kernel whose macro is there.
std::size_t Mistakes::placeOfWord(std::string_view word, std::size_t near) const {
  const std::size_t here = tokenAt(near);
  if (here < tokens_.size() && tokens_[here].text == word) {
    return tokens_[here].at;
  }
  const std::string_view line = map_.lineAt(near);
  const Definition *around = definitionAround(near);
  const bool in_macro = around != nullptr && tokens_[around->begin].at == near;
  const auto begin = static_cast<std::size_t>(line.data() - map_.text().data());
  for (std::size_t i = tokenAt(begin); i < tokens_.size(); ++i) {
    const bool on_line = tokens_[i].at < begin + line.size();
    if (!on_line && !(in_macro && i < around->end)) break;
    if (tokens_[i].text == word) {
      return tokens_[i].at;
    }
  }
  return near;
}

const Definition *Mistakes::definitionAround(std::size_t offset) const {
  const std::size_t token = tokenAt(offset);
  const auto found =
      std::find_if(definitions_.begin(), definitions_.end(),
                   [&](const Definition &each) { return each.begin <= token && token < each.end; });
  return found == definitions_.end() ? nullptr : &*found;
}

// Of such a kernel compilers say more than anybody can use.
bool Mistakes::isMalformed(const Definition &kernel) const {
  return std::any_of(malformed_.begin(), malformed_.end(), [&](const Finding &finding) {
    return definitionAround(finding.at) == &kernel;
  });
}

// Where the parameter's type begins in the kernel around an offset, or where the name stands.
std::size_t Mistakes::placeOfParameter(std::string_view name, std::size_t near) const {
  const Definition *kernel = definitionAround(near);
  if (kernel != nullptr) {
    for (const TokenRange argument : kernel->arguments) {
      const std::vector<TokenRange> parts = partsOfTuple(map_, argument);
      if (parts.size() < 2 || parts[0].empty() || parts[1].empty()) continue;
      if (tokens_[parts[1].first].text == name) {
        return tokens_[parts[0].first].at;
      }
    }
  }
  return placeOfWord(name, near);
}

// The name of the function whose call is at or around an offset.
std::size_t Mistakes::calledFunction(std::size_t at) const {
  int depth = 0;
  for (std::size_t i = std::min(tokenAt(at) + 1, tokens_.size()); i-- > 1;) {
    const std::string_view text = tokens_[i].text;
    if (tokens_[i].isWord() && i + 1 < tokens_.size() && tokens_[i + 1].text == "(" &&
        tokens_[i].at == at) {
      return i;
    }
    if (tokens_[i].at >= at) continue;
    depth += text == ")" ? 1 : text == "(" ? -1 : 0;
    if (depth < 0) {
      return i - 1;
    }
  }
  return tokenAt(at);
}

// Any two short names are alike.
std::string Mistakes::nearNameInText(std::string_view name) const {
  constexpr std::size_t kShort = 3;
  std::set<std::string> names;
  for (const Token &token : tokens_) {
    if (!token.is_nexus && token.isWord() && token.text != name) names.emplace(token.text);
  }
  const std::vector<std::string> near = nearNames(name, {names.begin(), names.end()});
  return name.size() <= kShort || near.empty() ? "" : "; did you mean " + near.front() + "?";
}

bool Mistakes::addCheck(const Diagnostic &error, std::size_t at) {
  std::optional<std::string> text = checkText(error);
  if (text) {
    const Diagnostic said{{}, 0, 0, *text};
    const std::string_view name = said.quoted();
    const std::size_t place = name.empty() ? at : placeOfParameter(name, at);
    add(place, *std::move(text), Weight::certain);
    return true;
  }
  if (!saysAny(error, {"redeclaration", "redefinition", "already been defined"})) {
    return false;
  }
  for (const std::string_view begin : {"nxk_one_kernel_is_named_", "nexus_kernel_"}) {
    const std::string_view defined = error.quoted();
    if (!defined.starts_with(begin)) continue;
    std::string name(defined.substr(begin.size()));
    if (name.ends_with('_')) name.pop_back();
    add(placeOfWord(name, at),
        "a kernel named '" + name + "' is there already; give each kernel a name of its own",
        Weight::certain);
    return true;
  }
  return false;
}

// A macro of the header that is used where it has no meaning.
bool Mistakes::addScope(std::size_t at) {
  const std::size_t token = tokenAt(at);
  const Definition *around = definitionAround(at);
  if (token >= tokens_.size() || !isKernelName(tokens_[token].text) ||
      (around != nullptr && around->begin == token)) {
    return false;
  }
  const std::string name(tokens_[token].text);
  std::string words;
  if (around == nullptr || around->isFunction()) {
    words = name == "nexus_barrier" || name.starts_with("NEXUS_")
                ? name + " is for the body of a kernel only"
                : name +
                      " is known in the body of a kernel only; give the function its value as a "
                      "parameter";
  } else if (around->macro == "NEXUS_PHASED_KERNEL") {
    words = name +
            " is known within NEXUS_PHASE and NEXUS_STEP only: outside of them there is no "
            "work item";
  } else if (name.starts_with("NEXUS_")) {
    words = name + " is for NEXUS_PHASED_KERNEL only";
  } else {
    return false;
  }
  add(tokens_[token].at, std::move(words), Weight::certain);
  return true;
}

bool Mistakes::addName(const Diagnostic &error, std::size_t at) {
  if (!saysAny(error, {"undeclared", "not declared", "unknown type name", "does not name a type",
                       "implicit declaration", "implicitly declaring", "is undefined"})) {
    return false;
  }
  const std::string name(error.quoted());
  if (name.empty()) {
    return false;
  }
  if (isHeaderName(name)) {
    addScope(at);
    return true;
  }
  const std::string advice = adviceOn(name);
  const std::string near = advice.empty() ? nearNameInText(name) : "";
  add(placeOfWord(name, at), name + " is not a name here" + advice + near,
      advice.empty() ? Weight::name : Weight::certain, name);
  return true;
}

bool Mistakes::addSyntax(const Diagnostic &error, std::size_t at) {
  const bool ended =
      error.line == 0 || error.says("at end of input") || error.text == "expected '}'";
  if (ended) {
    std::vector<std::size_t> open;
    for (const Token &token : tokens_) {
      if (token.text == "{") open.push_back(token.at);
      if (token.text == "}" && !open.empty()) open.pop_back();
    }
    if (!open.empty()) {
      add(open.back(), "this '{' has no '}'", Weight::certain);
      return true;
    }
  }
  const bool semicolon = error.text.starts_with("expected ';'") ||
                         error.text.starts_with("expected ',' or ';'") ||
                         error.text.starts_with("expected a \";\"");
  // Compilers point behind the token before, or at the one after it.
  std::size_t before = tokenAt(at);
  while (before > 0 && (before >= tokens_.size() || tokens_[before].at >= at)) --before;
  if (!semicolon || before >= tokens_.size()) {
    return false;
  }
  add(tokens_[before].at + tokens_[before].text.size(), "a ';' is missing here", Weight::words);
  return true;
}

bool Mistakes::addUse(const Diagnostic &error, std::size_t at) {
  const bool few = error.says("too few arguments");
  if ((few || error.says("too many arguments")) && !error.says("macro")) {
    const std::size_t function = calledFunction(at);
    if (function >= tokens_.size()) {
      return false;
    }
    add(tokens_[function].at,
        std::string(few ? "too few" : "too many") + " arguments for " +
            std::string(tokens_[function].text),
        Weight::certain);
    return true;
  }
  if (saysAny(error, {"read-only", "const-qualified", "modifiable lvalue"})) {
    add(at, "this writes to memory that is const or NEXUS_CONSTANT: take a pointer without it",
        Weight::certain);
    return true;
  }
  if (saysAny(error, {"should not return a value", "'return' with a value", "return value type"})) {
    add(at, "a kernel returns nothing: write `return;`", Weight::certain);
    return true;
  }
  if (saysAny(error, {"subscripted value", "pointer-to-object"})) {
    add(at, "this is a single value: only pointers and arrays have elements", Weight::certain);
    return true;
  }
  return false;
}

void Mistakes::add(const Diagnostic &error) {
  if (error.line == 0) {
    addSyntax(error, map_.text().size());
    return;
  }
  std::optional<std::size_t> line = map_.offsetOf(error.file, error.line);
  if (!line && error.line > 1) line = map_.offsetOf(error.file, error.line - 1);  // at the end
  if (!line || kernelHeaderText(error.file) != nullptr) {
    return;
  }
  const std::size_t width = map_.lineAt(*line).size();
  const std::size_t at =
      *line + std::min<std::size_t>(error.column == 0 ? 0 : error.column - 1, width);
  const Definition *around = definitionAround(at);
  if (around != nullptr && isMalformed(*around)) {
    return;
  }
  if (addCheck(error, at) || addName(error, at) || addSyntax(error, at) || addUse(error, at)) {
    return;
  }
  if (!error.says("nxk_") && !error.says("NXK_")) add(at, error.text, Weight::words);
}

// What compilers tell of in a way of their own each, and the text shows.
void Mistakes::addFromText() {
  malformed_ = malformedKernels(map_);
  for (const Finding &finding : malformed_) {
    mistakes_.push_back({finding, Weight::certain, {}});
  }
  for (const Token &token : tokens_) {
    const bool unknown = token.text.starts_with("NEXUS_") && !isKernelName(token.text) &&
                         !token.text.starts_with("NEXUS_ONCE_");
    if (token.is_nexus || token.in_if || !(unknown || isForeignKeyword(token.text))) continue;
    const auto &macros = map_.macros();
    if (std::find(macros.begin(), macros.end(), token.text) != macros.end()) continue;
    const std::string name(token.text);
    add(token.at, name + " is not a name here" + adviceOn(name), Weight::certain, name);
  }
}

// Whether the name stands on the line of another mistake, or with it in a kernel's parameters.
bool Mistakes::isBeside(std::string_view name, const FoundMistake &other) const {
  const std::size_t at = other.finding.at;
  const auto same = [&](std::size_t i) { return i < tokens_.size() && tokens_[i].text == name; };
  if (same(tokenAt(placeOfWord(name, at)))) {
    return true;
  }
  const Definition *around = definitionAround(at);
  if (around == nullptr || tokenAt(at) > around->close) {
    return false;
  }
  for (std::size_t i = around->begin; i < around->close; ++i) {
    if (same(i)) return true;
  }
  return false;
}

// What compilers say beside a mistake in the language's words is of no use, nor that a name is
// unknown whose declaration has one.
bool Mistakes::followsFromAnother(const FoundMistake &mistake) const {
  return std::any_of(mistakes_.begin(), mistakes_.end(), [&](const FoundMistake &other) {
    switch (mistake.weight) {
      case Weight::certain:
        return false;
      case Weight::name:
        return other.weight == Weight::certain && other.finding.at < mistake.finding.at &&
               isBeside(mistake.name, other);
      case Weight::words:
        break;
    }
    return other.weight != Weight::words;
  });
}

std::string Mistakes::show() {
  std::vector<Finding> shown;
  for (const FoundMistake &mistake : mistakes_) {
    if (!followsFromAnother(mistake)) shown.push_back(mistake.finding);
  }
  std::stable_sort(shown.begin(), shown.end(),
                   [](const Finding &a, const Finding &b) { return a.at < b.at; });
  // The first of a line: what follows there may follow from it.
  const auto same = [&](const Finding &a, const Finding &b) {
    return map_.lineAt(a.at).data() == map_.lineAt(b.at).data();
  };
  shown.erase(std::unique(shown.begin(), shown.end(), same), shown.end());
  std::string out;
  for (std::size_t i = 0; i < std::min(shown.size(), kMostShown); ++i) {
    out += map_.show(shown[i].at, shown[i].words);
  }
  if (shown.size() > kMostShown) out += "... (the log has all of it)\n";
  return out;
}

}  // namespace

std::string mistakesIn(const SourceMap &map, std::string_view log) {
  Mistakes mistakes(map);
  const std::vector<Diagnostic> errors = errorsOf(log);
  if (errors.empty()) {
    return {};
  }
  mistakes.addFromText();
  for (const Diagnostic &error : errors) {
    mistakes.add(error);
  }
  return mistakes.show();
}

}  // namespace nexus::core
