// SPDX-License-Identifier: Apache-2.0
#include "language/kernel_text.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "language/kernel_names.hpp"

namespace nexus::core {

namespace {

using Tokens = std::vector<Token>;

constexpr std::array<std::string_view, 4> kMacros = {"NEXUS_KERNEL", "NEXUS_KERNEL_BOUNDED",
                                                     "NEXUS_PHASED_KERNEL", "NEXUS_FUNCTION"};
constexpr std::array<std::string_view, 4> kMemories = {"NEXUS_GLOBAL", "NEXUS_CONSTANT",
                                                       "NEXUS_LOCAL", "NEXUS_THREAD"};
// Keywords before a parenthesis, a brace or an expression in a statement.
constexpr std::array<std::string_view, 8> kStatements = {"if", "for",    "while", "switch",
                                                         "do", "return", "else",  "case"};
// A declaration with one of these declares no variable that code can write to.
constexpr std::array<std::string_view, 7> kNoVariable = {"const", "constexpr", "typedef", "extern",
                                                         "using", "namespace", "import"};

bool opens(std::string_view token) {
  return token == "(" || token == "[" || token == "{";
}

bool closes(std::string_view token) {
  return token == ")" || token == "]" || token == "}";
}

// Returns the parenthesis or brace that closes the one at `open`; else the end of the text.
std::size_t closingOf(const Tokens &tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    depth += opens(tokens[i].text) ? 1 : closes(tokens[i].text) ? -1 : 0;
    if (depth == 0) return i;
  }
  return tokens.size();
}

// Splits a range at its commas, except within parentheses.
std::vector<TokenRange> partsBetween(const Tokens &tokens, std::size_t first, std::size_t last) {
  std::vector<TokenRange> parts{{first, first}};
  int depth = 0;
  for (std::size_t i = first; i < last; ++i) {
    depth += opens(tokens[i].text) ? 1 : closes(tokens[i].text) ? -1 : 0;
    if (depth == 0 && tokens[i].text == ",") {
      parts.push_back({i + 1, i + 1});
    } else {
      parts.back().last = i + 1;
    }
  }
  return parts;
}

std::size_t findToken(const Tokens &tokens, std::size_t from, std::string_view text) {
  const auto found = std::find_if(tokens.begin() + static_cast<std::ptrdiff_t>(from), tokens.end(),
                                  [&](const Token &token) { return token.text == text; });
  return static_cast<std::size_t>(found - tokens.begin());
}

bool has(const Tokens &tokens, TokenRange range, std::string_view text) {
  return findToken(tokens, range.first, text) < range.last;
}

bool isBrace(const Token &token) {
  return token.text == "{" || token.text == "}";
}

// Returns whether the token is the name in a function's definition: "float f(float a) {".
bool isFunctionHead(const SourceMap &map, std::size_t i) {
  const Tokens &tokens = map.tokens();
  if (i == 0 || i + 1 >= tokens.size() || tokens[i + 1].text != "(") return false;
  const Token &name = tokens[i];
  const Token &before = tokens[i - 1];
  const bool typed = before.text == "*" || (before.isWord() && !contains(kStatements, before.text));
  if (!typed || !name.isWord() || name.is_nexus || name.in_if || name.text.starts_with("NEXUS_") ||
      contains(kStatements, name.text) || contains(map.macros(), name.text)) {
    return false;
  }
  const std::size_t body = closingOf(tokens, i + 1) + 1;
  return body < tokens.size() && tokens[body].text == "{";
}

class UnportableParts {
 public:
  UnportableParts(const SourceMap &map, const std::vector<std::string_view> &defines)
      : map_(map), tokens_(map.tokens()), macros_(map.macros()) {
    for (const std::string_view define : defines) {
      macros_.emplace_back(define.substr(0, define.find('=')));
    }
  }

  std::vector<Finding> run() {
    checkLongs(tokens_);
    checkLongs(map_.macroTokens());
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].is_nexus || tokens_[i].in_if) continue;
      if (tokens_[i].text == "static") checkVariable(i);
      if (tokens_[i].text == "NEXUS_LOCAL") checkLocal(i);
    }
    checkFileVariables();
    for (const Definition &definition : definitionsOf(map_)) {
      checkPointers(definition);
      checkNested(definition);
    }
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Finding &a, const Finding &b) { return a.at < b.at; });
    return std::move(found_);
  }

 private:
  std::string_view textOf(std::size_t i) const {
    return i < tokens_.size() ? tokens_[i].text : std::string_view();
  }

  void checkLongs(const Tokens &tokens) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].text != "long" || tokens[i].is_nexus || tokens[i].in_if) continue;
      const std::string_view before = i == 0 ? "" : tokens[i - 1].text;
      const std::string_view after = i + 1 < tokens.size() ? tokens[i + 1].text : "";
      if (before == "long" || after == "long") continue;
      const std::string sign = before == "unsigned" || after == "unsigned" ? "u" : "";
      found_.push_back(
          {tokens[i].at, after == "double"
                             ? "long double exists only on some processors; use double"
                             : "long has 32 bits on one target and 64 on another; use nexus_" +
                                   sign + "int32 or nexus_" + sign + "int64"});
    }
  }

  // Returns the token behind the words and stars that begin a declaration.
  std::size_t behindWords(std::size_t first) const {
    std::size_t i = first;
    while (i < tokens_.size() && (tokens_[i].isWord() || tokens_[i].text == "*")) ++i;
    return i;
  }

  bool declaresAt(std::size_t end) const {
    return textOf(end) == ";" || textOf(end) == "=" || textOf(end) == "[";
  }

  // Checks the declaration that begins at the token.
  void checkVariable(std::size_t first) {
    const std::size_t end = behindWords(first);
    const bool type_only =
        end == first + 2 &&
        (textOf(first) == "struct" || textOf(first) == "union" || textOf(first) == "enum");
    const bool declares = declaresAt(end) || textOf(end) == ",";
    if (!declares || end < first + 2 || type_only || mayHaveMemory({first, end})) return;
    for (std::size_t i = first; i < end; ++i) {
      if (contains(kNoVariable, textOf(i))) return;
    }
    add(first,
        "a kernel can't have global or static variables: use a buffer or a parameter, or "
        "NEXUS_CONSTANT_DATA for a read-only table");
  }

  // Checks nothing if an #if changes how braces match.
  void checkFileVariables() {
    int depth = 0;
    for (const Token &token : tokens_) {
      depth += opens(token.text) ? 1 : closes(token.text) ? -1 : 0;
      if (depth < 0) return;
    }
    if (depth != 0) return;
    for (const TokenRange declaration : declarationsOf(map_)) {
      const Token &first = tokens_[declaration.first];
      if (!first.is_nexus && !first.in_if && first.text != "static") {
        checkVariable(declaration.first);
      }
    }
  }

  void checkLocal(std::size_t i) {
    const std::string_view before = i == 0 ? "" : textOf(i - 1);
    const std::size_t end = behindWords(i);
    const TokenRange declaration{i, end};
    if (before == "(" || before == "," || !declaresAt(end) || has(tokens_, declaration, "*")) {
      return;
    }
    add(i,
        "declare the group's local memory as a parameter of the kernel: (NEXUS_LOCAL type, name, "
        "count)");
  }

  void checkNested(const Definition &outer) {
    for (std::size_t i = outer.close + 1; i < outer.end; ++i) {
      if (tokens_[i].in_if && isBrace(tokens_[i])) return;  // its end is unknown
      if (isFunctionHead(map_, i)) add(i, "a function can't be defined inside another one");
    }
  }

  // Without NEXUS_FUNCTION, a function may be a kernel in the CPU's own convention, unless it is
  // static.
  bool isHelper(const Definition &definition) const {
    std::size_t first = definition.begin;
    while (first > 0 && (tokens_[first - 1].isWord() || textOf(first - 1) == "*")) --first;
    return !definition.macro.empty() || has(tokens_, {first, definition.begin}, "static");
  }

  void checkPointers(const Definition &definition) {
    if (!isHelper(definition)) return;
    const std::size_t first = definition.isFunction() ? 0 : definition.hasSizes() ? 2 : 1;
    for (std::size_t i = first; i < definition.arguments.size(); ++i) {
      const TokenRange argument = definition.arguments[i];
      if (definition.isFunction()) {
        checkPointer(argument, argument.empty() ? "" : parameterName(argument),
                     "NEXUS_GLOBAL, NEXUS_CONSTANT, NEXUS_LOCAL or NEXUS_THREAD");
        continue;
      }
      const std::vector<TokenRange> parts = partsOfTuple(map_, argument);
      if (parts.size() == 2 && !parts[1].empty()) {
        checkPointer(parts[0], textOf(parts[1].first),
                     "NEXUS_GLOBAL, NEXUS_CONSTANT or NEXUS_LOCAL");
        checkPlaceOfMemory(parts[0]);
      }
    }
  }

  std::string_view parameterName(TokenRange range) const {
    std::string_view name;
    for (std::size_t i = range.first; i < range.last && textOf(i) != "["; ++i) {
      if (tokens_[i].isWord()) name = textOf(i);
    }
    return name;
  }

  // A macro may expand to anything, and the compiler refuses a misspelt name of a memory.
  bool mayHaveMemory(TokenRange range) const {
    for (std::size_t i = range.first; i < range.last; ++i) {
      const std::string_view word = textOf(i);
      if ((word.starts_with("NEXUS_") && word != "NEXUS_RESTRICT") || contains(macros_, word)) {
        return true;
      }
    }
    return false;
  }

  void checkPointer(TokenRange type, std::string_view name, const std::string &memories) {
    const bool pointer = has(tokens_, type, "*") || has(tokens_, type, "[");
    if (type.empty() || !pointer || mayHaveMemory(type)) return;
    add(type.first, "the parameter '" + std::string(name) +
                        "' does not say whose memory it points to; write " + memories +
                        " before its type");
  }

  // Refuses "float NEXUS_GLOBAL *": C compilers accept it, but macros don't see it.
  void checkPlaceOfMemory(TokenRange type) {
    if (mayHaveMemory({type.first, std::min(type.first + 1, type.last)}) ||
        textOf(type.first) == "const") {
      return;
    }
    for (std::size_t i = type.first; i < type.last; ++i) {
      if (!contains(kMemories, textOf(i))) continue;
      add(i, std::string(textOf(i)) +
                 " belongs before the type: write it right after the parenthesis");
    }
  }

  void add(std::size_t token, std::string words) {
    found_.push_back({tokens_[token].at, std::move(words)});
  }

  const SourceMap &map_;
  const Tokens &tokens_;
  std::vector<std::string> macros_;
  std::vector<Finding> found_;
};

bool isTuple(const SourceMap &map, TokenRange range) {
  return !partsOfTuple(map, range).empty();
}

// Returns whether the range, in the place of bounds, is a parameter, so that the bounds are
// missing.
bool isParameter(const SourceMap &map, TokenRange range) {
  const Tokens &tokens = map.tokens();
  const std::vector<TokenRange> parts = partsOfTuple(map, range);
  if (parts.size() < 2 || parts[0].empty()) return false;
  constexpr std::array<std::string_view, 9> kTypeNames = {
      "float", "double", "int", "unsigned", "char", "short", "long", "signed", "const"};
  const std::string_view first = tokens[parts[0].first].text;
  return contains(kTypeNames, first) || contains(kMemories, first) || first.starts_with("nexus_") ||
         tokens[parts[0].last - 1].text == "*";
}

std::string missingSizes(const Definition &definition, const std::string &name) {
  const std::string begin = std::string(definition.macro) + "(" + name;
  return definition.macro == "NEXUS_KERNEL_BOUNDED"
             ? "the bounds are missing: write " + begin +
                   ", (bound), ...), where the bounds are one to three expressions of the "
                   "parameters"
             : "the group size is missing: write " + begin +
                   ", (size), ...), with one to three constants";
}

// Returns what is wrong with an argument that must be a parameter; empty if nothing is.
std::string wrongParameter(const SourceMap &map, TokenRange range) {
  const Tokens &tokens = map.tokens();
  const std::size_t count = partsOfTuple(map, range).size();
  if (count == 2 || count == 3) return {};
  if (count == 1 && range.last == range.first + 2) {
    return "() is not a parameter; leave it out if the kernel has no parameters";
  }
  const bool two = !range.empty() && tokens[range.first].text == "(" &&
                   closingOf(tokens, range.first) + 1 < range.last &&
                   tokens[closingOf(tokens, range.first) + 1].text == "(";
  return two ? "a ',' is missing after this parameter"
             : "write a parameter as (type, name), or as (NEXUS_LOCAL type, name, count) for an "
               "array in local memory";
}

void checkKernel(const SourceMap &map, const Definition &kernel, std::vector<Finding> &out) {
  const Tokens &tokens = map.tokens();
  const auto at = [&](TokenRange range) {
    return tokens[range.empty() ? kernel.begin : range.first].at;
  };
  const std::vector<TokenRange> &list = kernel.arguments;
  if (list[0].empty() || isTuple(map, list[0])) {
    out.push_back({at(list[0]), "the kernel has no name: write it before its parameters"});
    return;
  }
  const Token &first = tokens[list[0].first];
  const bool one_word = list[0].last == list[0].first + 1 && first.isWord();
  if (!one_word && !contains(map.macros(), first.text)) {
    out.push_back({first.at, "a kernel's name is one word, followed by ','"});
    return;
  }
  std::size_t next = 1;
  std::set<std::string_view> names;
  if (kernel.hasSizes()) {
    if (list.size() < 2 || !isTuple(map, list[1]) || isParameter(map, list[1]) ||
        partsOfTuple(map, list[1])[0].empty()) {
      out.push_back({at(list[std::min<std::size_t>(1, list.size() - 1)]),
                     missingSizes(kernel, std::string(tokens[list[0].first].text))});
      return;
    }
    next = 2;
  }
  for (; next < list.size(); ++next) {
    std::string wrong = wrongParameter(map, list[next]);
    if (!wrong.empty()) {
      out.push_back({at(list[next]), std::move(wrong)});
      return;
    }
    const TokenRange name = partsOfTuple(map, list[next])[1];
    if (!name.empty() && !names.insert(tokens[name.first].text).second) {
      out.push_back({tokens[name.first].at, "the parameter '" +
                                                std::string(tokens[name.first].text) +
                                                "' is declared twice; give each its own name"});
      return;
    }
  }
}

}  // namespace

std::vector<TokenRange> partsOfTuple(const SourceMap &map, TokenRange range) {
  const Tokens &tokens = map.tokens();
  if (range.empty() || tokens[range.first].text != "(" ||
      closingOf(tokens, range.first) + 1 != range.last) {
    return {};
  }
  return partsBetween(tokens, range.first + 1, range.last - 1);
}

std::vector<Definition> definitionsOf(const SourceMap &map) {
  const Tokens &tokens = map.tokens();
  std::vector<Definition> found;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].is_nexus || tokens[i].in_if) continue;
    const bool plain = (found.empty() || i >= found.back().end) && isFunctionHead(map, i);
    if (!plain && !contains(kMacros, tokens[i].text)) continue;
    const std::size_t open = tokens[i].text == "NEXUS_FUNCTION" ? findToken(tokens, i, "(") : i + 1;
    if (open >= tokens.size() || tokens[open].text != "(") continue;
    Definition definition{
        plain ? "" : tokens[i].text, i, {}, closingOf(tokens, open), tokens.size()};
    definition.arguments = partsBetween(tokens, open + 1, definition.close);
    const std::size_t body = definition.close + 1;
    if (body < tokens.size() && tokens[body].text == "{") {
      definition.end = std::min(closingOf(tokens, body) + 1, tokens.size());
    } else {
      definition.end = std::min(body, tokens.size());
    }
    i = std::min(definition.close, tokens.size() - 1);
    found.push_back(std::move(definition));
  }
  return found;
}

std::optional<std::size_t> argumentCount(const SourceMap &map, std::size_t name) {
  const Tokens &tokens = map.tokens();
  if (name + 1 >= tokens.size() || tokens[name + 1].text != "(") return std::nullopt;
  const auto parts = partsBetween(tokens, name + 2, closingOf(tokens, name + 1));
  return parts.size() == 1 && parts[0].empty() ? 0 : parts.size();
}

std::vector<TokenRange> declarationsOf(const SourceMap &map) {
  const Tokens &tokens = map.tokens();
  std::vector<TokenRange> found;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view text = tokens[i].text;
    depth = std::max(0, depth + (opens(text) ? 1 : closes(text) ? -1 : 0));
    if (depth == 0 && (text == ";" || text == "}")) {
      found.push_back({begin, i + 1});
      begin = i + 1;
    }
  }
  if (begin < tokens.size()) found.push_back({begin, tokens.size()});
  return found;
}

std::vector<Finding> unportableParts(const SourceMap &map,
                                     const std::vector<std::string_view> &defines) {
  return UnportableParts(map, defines).run();
}

std::vector<Finding> malformedKernels(const SourceMap &map) {
  std::vector<Finding> found;
  for (const Definition &definition : definitionsOf(map)) {
    if (!definition.isFunction()) checkKernel(map, definition, found);
  }
  return found;
}

std::size_t KernelPlaces::tokenAt(std::size_t offset) const {
  const auto found = std::partition_point(tokens_.begin(), tokens_.end(), [&](const Token &token) {
    return token.at + token.text.size() <= offset;
  });
  return static_cast<std::size_t>(found - tokens_.begin());
}

std::size_t KernelPlaces::placeOfWord(std::string_view word, std::size_t near) const {
  const std::size_t here = tokenAt(near);
  if (here < tokens_.size() && tokens_[here].text == word) return tokens_[here].at;
  const std::string_view line = map_.lineAt(near);
  const Definition *around = definitionAround(near);
  const bool in_macro = around != nullptr && tokens_[around->begin].at == near;
  const auto begin = static_cast<std::size_t>(line.data() - map_.text().data());
  for (std::size_t i = tokenAt(begin); i < tokens_.size(); ++i) {
    const bool on_line = tokens_[i].at < begin + line.size();
    if (!on_line && !(in_macro && i < around->end)) break;
    if (tokens_[i].text == word) return tokens_[i].at;
  }
  return near;
}

const Definition *KernelPlaces::definitionAround(std::size_t offset) const {
  const std::size_t token = tokenAt(offset);
  const auto found =
      std::find_if(definitions_.begin(), definitions_.end(),
                   [&](const Definition &each) { return each.begin <= token && token < each.end; });
  return found == definitions_.end() ? nullptr : &*found;
}

std::size_t KernelPlaces::placeOfParameter(std::string_view name, std::size_t near) const {
  const Definition *kernel = definitionAround(near);
  if (kernel != nullptr) {
    for (const TokenRange argument : kernel->arguments) {
      const std::vector<TokenRange> parts = partsOfTuple(map_, argument);
      if (parts.size() < 2 || parts[0].empty() || parts[1].empty()) continue;
      if (tokens_[parts[1].first].text == name) return tokens_[parts[0].first].at;
    }
  }
  return placeOfWord(name, near);
}

std::size_t KernelPlaces::calledFunction(std::size_t at) const {
  int depth = 0;
  for (std::size_t i = std::min(tokenAt(at) + 1, tokens_.size()); i-- > 1;) {
    const std::string_view text = tokens_[i].text;
    if (tokens_[i].isWord() && i + 1 < tokens_.size() && tokens_[i + 1].text == "(" &&
        tokens_[i].at == at) {
      return i;
    }
    if (tokens_[i].at >= at) continue;
    depth += text == ")" ? 1 : text == "(" ? -1 : 0;
    if (depth < 0) return i - 1;
  }
  return tokenAt(at);
}

std::size_t KernelPlaces::placeOfValue(std::size_t at) const {
  const std::size_t token = tokenAt(at);
  for (std::size_t i = token; i < std::min(token + 2, tokens_.size()); ++i) {
    if (tokens_[i].text == "=" && i + 1 < tokens_.size()) return tokens_[i + 1].at;
  }
  return at;
}

std::size_t KernelPlaces::declarationOf(std::size_t offset) const {
  const std::size_t token = tokenAt(offset);
  const auto found =
      std::partition_point(declarations_.begin(), declarations_.end(),
                           [&](const TokenRange &range) { return range.last <= token; });
  return static_cast<std::size_t>(found - declarations_.begin());
}

std::optional<std::size_t> KernelPlaces::macroParametersOf(std::string_view name) const {
  for (const Directive &directive : map_.directives()) {
    if (directive.name == "define" && definedName(directive) == name) {
      return macroParameters(directive);
    }
  }
  return kernelMacroParameters(name);
}

}  // namespace nexus::core
