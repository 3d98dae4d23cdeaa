// SPDX-License-Identifier: Apache-2.0
#include "language/kernel_mistakes.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "language/diagnostic.hpp"
#include "language/kernel_header.hpp"
#include "language/kernel_names.hpp"
#include "language/kernel_text.hpp"

namespace nexus::core {
namespace {

constexpr std::size_t kMostShown = 20;

// How certain it is that a finding is the user's mistake, and no consequence of another one.
enum class Weight {
  certain,  // a mistake that the language explains
  name,     // an unknown name without advice: its declaration may have failed
  words,    // another error of the compiler
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

// Returns the text of a failed check in the portable header: gcc, clang and NVRTC quote it, clang
// 16 and later write it after a colon.
std::optional<std::string> checkText(const Diagnostic &error) {
  if (!error.says("static") || !error.says("assert") || !error.says("failed")) return std::nullopt;
  const std::string &text = error.text;
  const std::size_t open = text.find('"');
  const std::size_t close = text.rfind('"');
  if (open != close) return text.substr(open + 1, close - open - 1);
  const std::size_t requirement = text.find("': ");
  const std::size_t failed = text.find("failed: ");
  return failed != std::string::npos        ? text.substr(failed + 8)
         : requirement != std::string::npos ? text.substr(requirement + 3)
                                            : text;
}

class Mistakes {
 public:
  explicit Mistakes(const SourceMap &map) : map_(map), tokens_(map.tokens()), places_(map) {}

  void add(const Diagnostic &error);
  void addFromText();
  std::string show();

 private:
  void addUndefined(std::string_view name);
  bool addErrorDirective(std::size_t at);
  bool addCheck(const Diagnostic &error, std::size_t at);
  bool addName(const Diagnostic &error, std::size_t at);
  bool addScope(std::size_t at);
  bool addMacro(std::size_t at);
  bool addSyntax(const Diagnostic &error, std::size_t at);
  bool addUse(const Diagnostic &error, std::size_t at);
  bool addReturn(const Diagnostic &error, std::size_t at);
  bool addConversion(const Diagnostic &error, std::size_t at);
  void add(std::size_t at, std::string words, Weight weight, std::string name = {}) {
    mistakes_.push_back({{at, std::move(words)}, weight, std::move(name)});
  }

  bool isMalformed(const Definition &kernel) const;
  std::string nearNameInText(std::string_view name) const;
  bool isBeside(std::string_view name, const FoundMistake &other) const;
  bool followsFromAnother(const FoundMistake &mistake) const;

  const SourceMap &map_;
  const std::vector<Token> &tokens_;
  const KernelPlaces places_;
  std::vector<Finding> malformed_;
  std::vector<FoundMistake> mistakes_;
};

// Compilers report many useless errors for a malformed kernel.
bool Mistakes::isMalformed(const Definition &kernel) const {
  return std::any_of(malformed_.begin(), malformed_.end(), [&](const Finding &finding) {
    return places_.definitionAround(finding.at) == &kernel;
  });
}

// Short names are all similar, so they are not candidates.
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
    const std::size_t place = name.empty() ? at : places_.placeOfParameter(name, at);
    add(place, *std::move(text), Weight::certain);
    return true;
  }
  if (!saysAny(error, {"redeclaration", "redefinition", "already been defined"})) return false;
  for (const std::string_view begin : {"nxk_one_kernel_is_named_", "nexus_kernel_"}) {
    const std::string_view defined = error.quoted();
    if (!defined.starts_with(begin)) continue;
    std::string name(defined.substr(begin.size()));
    if (name.ends_with('_')) name.pop_back();
    add(places_.placeOfWord(name, at),
        "a kernel named '" + name + "' already exists; give each kernel its own name",
        Weight::certain);
    return true;
  }
  return false;
}

// Adds a mistake if a macro of the header is used where it is not available.
bool Mistakes::addScope(std::size_t at) {
  const std::size_t token = places_.tokenAt(at);
  const Definition *around = places_.definitionAround(at);
  if (token >= tokens_.size() || !isKernelName(tokens_[token].text) ||
      (around != nullptr && around->begin == token)) {
    return false;
  }
  const std::string name(tokens_[token].text);
  std::string words;
  if (around == nullptr || around->isFunction()) {
    words =
        name == "nexus_barrier" || name.starts_with("NEXUS_")
            ? name + " can be used only in the body of a kernel"
            : name +
                  " can be used only in the body of a kernel; pass its value to the function as "
                  "a parameter";
  } else if (around->macro == "NEXUS_PHASED_KERNEL") {
    words = name +
            " can be used only inside NEXUS_PHASE and NEXUS_STEP: other code does not belong to a "
            "work item";
  } else if (name.starts_with("NEXUS_")) {
    words = name + " can be used only in NEXUS_PHASED_KERNEL";
  } else {
    return false;
  }
  add(tokens_[token].at, std::move(words), Weight::certain);
  return true;
}

// Adds a mistake if a macro has no arguments, or too many or too few; compilers then report an
// unknown name.
bool Mistakes::addMacro(std::size_t at) {
  const std::size_t token = places_.tokenAt(at);
  if (token >= tokens_.size()) return false;
  const std::string name(tokens_[token].text);
  const std::optional<std::size_t> taken = places_.macroParametersOf(name);
  if (!taken) return false;
  const std::string takes =
      name + " takes " + (*taken == 0 ? "no arguments" : counted(*taken, "argument"));
  const std::optional<std::size_t> given = argumentCount(map_, token);
  if (given == taken) return false;
  add(tokens_[token].at,
      !given ? takes + ": write " + name + (*taken == 0 ? "()" : "(...)")
             : takes + ", but " + (*given == 0 ? "none" : std::to_string(*given)) +
                   (*given > 1 ? " are given" : " is given"),
      Weight::certain);
  return true;
}

bool Mistakes::addName(const Diagnostic &error, std::size_t at) {
  if (!saysAny(error, {"undeclared", "not declared", "unknown type name", "does not name a type",
                       "implicit declaration", "implicitly declaring", "is undefined"})) {
    return false;
  }
  const std::string name(error.quoted());
  if (name.empty()) return false;
  if (isHeaderName(name)) {
    addScope(at);
    return true;
  }
  const std::size_t place = places_.placeOfWord(name, at);
  if (addMacro(place)) return true;
  const std::string advice = adviceOn(name);
  const std::string near = advice.empty() ? nearNameInText(name) : "";
  add(place, name + " is not defined" + advice + near,
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
      add(open.back(), "this '{' has no matching '}'", Weight::certain);
      return true;
    }
  }
  const bool semicolon = error.text.starts_with("expected ';'") ||
                         error.text.starts_with("expected ',' or ';'") ||
                         error.text.starts_with("expected a \";\"");
  // Compilers report the end of the token before, or the token after it.
  std::size_t before = places_.tokenAt(at);
  while (before > 0 && (before >= tokens_.size() || tokens_[before].at >= at)) --before;
  if (!semicolon || before >= tokens_.size()) return false;
  add(tokens_[before].at + tokens_[before].text.size(), "a ';' is missing here", Weight::words);
  return true;
}

bool Mistakes::addReturn(const Diagnostic &error, std::size_t at) {
  if (saysAny(error, {"should not return a value", "'return' with a value", "return value type"})) {
    const Definition *around = places_.definitionAround(at);
    const bool in_function = around != nullptr && around->isFunction();
    add(places_.placeOfWord("return", at),
        std::string(in_function ? "a function of type void" : "a kernel") +
            " returns nothing: write `return;`",
        Weight::certain);
    return true;
  }
  if (saysAny(error, {"end of non-void", "does not return a value", "no return statement"})) {
    // Weighed as the compiler's: compilers ignore a `return` with a mistake.
    add(at, "the function may end here without returning a value: add a `return`", Weight::words);
    return true;
  }
  if (saysAny(error, {"'return' with no value", "should return a value"})) {
    add(at, "this function must return a value: write it after `return`", Weight::certain);
    return true;
  }
  return false;
}

// Adds a mistake for a value of the wrong type. gcc and clang say what is wrong; NVRTC only reports
// both types, the value's first.
bool Mistakes::addConversion(const Diagnostic &error, std::size_t at) {
  const std::vector<std::string_view> types = error.allQuoted();
  const auto is_pointer = [](std::string_view type) { return type.ends_with('*'); };
  const bool by_types =
      types.size() == 2 && saysAny(error, {"is incompatible with parameter of type",
                                           "to initialize an entity", "assigned to an entity"});
  const bool mixed = types.size() == 2 && is_pointer(types[0]) != is_pointer(types[1]) &&
                     (by_types || error.says("incompatible type"));
  // gcc and clang name the value's type last.
  const bool from_pointer = mixed && is_pointer(types[by_types ? 0 : 1]);
  const bool pointers = by_types && is_pointer(types[0]) && is_pointer(types[1]);
  const bool loses_const = pointers && types[0] == "const " + std::string(types[1]);
  const std::size_t place = places_.placeOfValue(at);
  if (loses_const || error.says("discards")) {
    add(place,
        "this memory is const or NEXUS_CONSTANT, but the pointer to it is not: make the pointer "
        "const",
        Weight::certain);
  } else if (from_pointer || saysAny(error, {"integer from pointer", "pointer to integer"})) {
    const Definition *around = places_.definitionAround(at);
    if (around != nullptr && around->hasSizes() && places_.tokenAt(at) <= around->close) {
      add(tokens_[around->arguments[1].first].at, "a bound must be a number, but this is a pointer",
          Weight::certain);
    } else {
      add(place, "expected a number, but this is a pointer: add an index, as in p[i]",
          Weight::certain);
    }
  } else if (mixed || saysAny(error, {"pointer from integer", "integer to pointer"})) {
    add(place, "expected a pointer, but this is a number", Weight::certain);
  } else if (pointers || error.says("incompatible pointer type")) {
    add(place, "this pointer points to a different type than the one that takes it",
        Weight::certain);
  } else {
    return false;
  }
  return true;
}

bool Mistakes::addUse(const Diagnostic &error, std::size_t at) {
  const bool few = error.says("too few arguments");
  if ((few || error.says("too many arguments")) && !error.says("macro")) {
    const std::size_t function = places_.calledFunction(at);
    if (function >= tokens_.size()) return false;
    add(tokens_[function].at,
        std::string(few ? "too few" : "too many") + " arguments for " +
            std::string(tokens_[function].text),
        Weight::certain);
    return true;
  }
  if (saysAny(error, {"read-only", "const-qualified", "modifiable lvalue"})) {
    add(at, "this writes to memory that is const or NEXUS_CONSTANT: declare the pointer without it",
        Weight::certain);
    return true;
  }
  if (saysAny(error, {"defaults to 'int'", "explicit type is missing"})) {
    add(at, "the type is missing: write it before the name", Weight::certain);
    return true;
  }
  if (saysAny(error, {"subscripted value", "pointer-to-object"})) {
    add(at, "this is a single value: only pointers and arrays can be indexed", Weight::certain);
    return true;
  }
  return false;
}

// Adds a mistake for a name that the linker misses.
void Mistakes::addUndefined(std::string_view name) {
  const auto found = std::find_if(tokens_.begin(), tokens_.end(), [&](const Token &token) {
    return !token.is_nexus && token.text == name;
  });
  if (found == tokens_.end()) return;
  const Definition *around = places_.definitionAround(found->at);
  const bool defined = around != nullptr && &tokens_[around->begin] == &*found;
  add(found->at,
      std::string(name) + (defined ? " is only inline: write NEXUS_FUNCTION instead of inline"
                                   : " is declared here but never defined"),
      Weight::certain);
}

// Adds the text of the user's own #error.
bool Mistakes::addErrorDirective(std::size_t at) {
  for (const Directive &directive : map_.directives()) {
    if (directive.name != "error" || at < directive.begin || at >= directive.end) continue;
    add(directive.begin, "#error " + directive.rest, Weight::certain);
    return true;
  }
  return false;
}

void Mistakes::add(const Diagnostic &error) {
  if (error.says("undefined reference to '")) {
    addUndefined(error.quoted());
    return;
  }
  if (error.line == 0) {
    addSyntax(error, map_.text().size());
    return;
  }
  std::optional<std::size_t> line = map_.offsetOf(error.file, error.line);
  // at the end of the text
  if (!line && error.line > 1) line = map_.offsetOf(error.file, error.line - 1);
  if (!line || kernelHeaderText(error.file) != nullptr) return;
  const std::size_t width = map_.lineAt(*line).size();
  const std::size_t at =
      *line + std::min<std::size_t>(error.column == 0 ? 0 : error.column - 1, width);
  const Definition *around = places_.definitionAround(at);
  if (around != nullptr && isMalformed(*around)) return;
  if (saysAny(error, {"function body not available", "referenced but not defined"})) {
    addUndefined(tokens_[std::min(places_.tokenAt(at), tokens_.size() - 1)].text);
    return;
  }
  const bool of_macro = error.says("macro") && error.says("argument");
  const std::size_t macro = of_macro ? places_.placeOfWord(error.quoted(), at) : at;
  if ((of_macro || error.says("xpect")) && addMacro(macro)) return;
  if (addErrorDirective(at) || addCheck(error, at) || addName(error, at) || addSyntax(error, at) ||
      addReturn(error, at) || addConversion(error, at) || addUse(error, at)) {
    return;
  }
  if (!error.says("nxk_") && !error.says("NXK_")) add(at, error.text, Weight::words);
}

// Adds mistakes found in the text itself, which each compiler reports in another way.
void Mistakes::addFromText() {
  malformed_ = malformedKernels(map_);
  for (const Finding &finding : malformed_) {
    mistakes_.push_back({finding, Weight::certain, {}});
  }
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const Token &token = tokens_[i];
    const bool called = i + 1 < tokens_.size() && tokens_[i + 1].text == "(";
    const bool unknown = token.text.starts_with("NEXUS_") && !isKernelName(token.text) &&
                         !token.text.starts_with("NEXUS_ONCE_");
    const bool foreign = isForeignKeyword(token.text) || (called && isForeignKernel(token.text));
    if (token.is_nexus || token.in_if || !(unknown || foreign)) continue;
    if (contains(map_.macros(), token.text)) continue;
    const std::string name(token.text);
    add(token.at, name + " is not defined" + adviceOn(name), Weight::certain, name);
  }
}

// Returns whether the name is on the line of another mistake, or with it in a kernel's parameters.
bool Mistakes::isBeside(std::string_view name, const FoundMistake &other) const {
  const std::size_t at = other.finding.at;
  const auto same = [&](std::size_t i) { return i < tokens_.size() && tokens_[i].text == name; };
  if (same(places_.tokenAt(places_.placeOfWord(name, at)))) return true;
  const Definition *around = places_.definitionAround(at);
  if (around == nullptr || places_.tokenAt(at) > around->close) return false;
  for (std::size_t i = around->begin; i < around->close; ++i) {
    if (same(i)) return true;
  }
  return false;
}

// Errors of the compiler in a declaration with a mistake that the language explains are
// consequences; so is an unknown name whose declaration has a mistake.
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
    const bool names_it = !other.name.empty() &&
                          mistake.finding.words.find("'" + other.name + "'") != std::string::npos;
    return other.weight != Weight::words &&
           (names_it ||
            places_.declarationOf(other.finding.at) == places_.declarationOf(mistake.finding.at));
  });
}

std::string Mistakes::show() {
  std::vector<Finding> shown;
  for (const FoundMistake &mistake : mistakes_) {
    if (!followsFromAnother(mistake)) shown.push_back(mistake.finding);
  }
  std::stable_sort(shown.begin(), shown.end(),
                   [](const Finding &a, const Finding &b) { return a.at < b.at; });
  // Only the first of each line: later ones may be consequences.
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
  if (errors.empty()) return {};
  mistakes.addFromText();
  for (const Diagnostic &error : errors) {
    mistakes.add(error);
  }
  return mistakes.show();
}

}  // namespace nexus::core
