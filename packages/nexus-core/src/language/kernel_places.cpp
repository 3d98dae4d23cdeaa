// SPDX-License-Identifier: Apache-2.0
#include "language/kernel_places.hpp"

#include <algorithm>

#include "language/kernel_names.hpp"

namespace nexus::core {

std::size_t KernelPlaces::tokenAt(std::size_t offset) const {
  const auto found = std::partition_point(tokens_.begin(), tokens_.end(), [&](const Token &token) {
    return token.at + token.text.size() <= offset;
  });
  return static_cast<std::size_t>(found - tokens_.begin());
}

std::size_t KernelPlaces::placeOfWord(std::string_view word, std::size_t near) const {
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
      if (tokens_[parts[1].first].text == name) {
        return tokens_[parts[0].first].at;
      }
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
    if (depth < 0) {
      return i - 1;
    }
  }
  return tokenAt(at);
}

std::size_t KernelPlaces::placeOfValue(std::size_t at) const {
  const std::size_t token = tokenAt(at);
  for (std::size_t i = token; i < std::min(token + 2, tokens_.size()); ++i) {
    if (tokens_[i].text == "=" && i + 1 < tokens_.size()) {
      return tokens_[i + 1].at;
    }
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
