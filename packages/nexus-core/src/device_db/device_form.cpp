// SPDX-License-Identifier: Apache-2.0
#include "device_db/device_form.hpp"

#include <algorithm>
#include <set>

#include "device_db/device_name.hpp"

namespace nexus::core {
namespace {

using Mistake = std::optional<FormMistake>;

bool isTexts(const json::Value &value) {
  const json::Value::Array *list = value.array();
  return list != nullptr && std::all_of(list->begin(), list->end(),
                                        [](const json::Value &one) { return one.isString(); });
}

Mistake mistakeOfStem(const json::Value &tree, std::string_view stem) {
  std::string words[3];
  const char *keys[] = {"Vendor", "Type", "Architecture"};
  for (int i = 0; i < 3; ++i) {
    const json::Value *value = tree.find(keys[i]);
    if (value == nullptr || !value->isString() || value->string()->empty()) {
      return FormMistake{value == nullptr ? "" : keys[i], std::string("it has no ") + keys[i] +
                                                              ", which is a text and a part of " +
                                                              "the file's name."};
    }
    words[i] = *value->string();
  }
  const std::string wanted = stemOfParts(words[0], words[1], words[2]);
  if (stem != wanted) {
    return FormMistake{"Vendor", "it is called " + std::string(stem) +
                                     ".json, and by its Vendor, Type and Architecture it is " +
                                     wanted + ".json."};
  }
  return std::nullopt;
}

Mistake mistakeOfVariants(const json::Value &variants) {
  const json::Value::Array *list = variants.array();
  if (list == nullptr) {
    return FormMistake{"Variants", std::string("its Variants are ") + variants.typeName() +
                                       "; write a list of objects."};
  }
  std::set<std::string> names;
  for (const json::Value &variant : *list) {
    const json::Value *name = variant.find("Name");
    if (name == nullptr || !name->isString() || name->string()->empty()) {
      return FormMistake{"Variants", "it has a variant that is no object with a Name."};
    }
    if (!names.insert(*name->string()).second) {
      return FormMistake{"Variants", "it has two variants of the Name '" + *name->string() + "'."};
    }
  }
  return std::nullopt;
}

Mistake mistakeOfSources(const json::Value &sources) {
  const json::Value::Array *list = sources.array();
  if (list == nullptr) {
    return FormMistake{"Sources", std::string("its Sources are ") + sources.typeName() +
                                      "; write a list of objects."};
  }
  for (const json::Value &source : *list) {
    if (!source.isObject()) {
      return FormMistake{"Sources", std::string("it has a source that is ") + source.typeName() +
                                        "; write an object."};
    }
    const json::Value *values = source.find("Values");
    if (values != nullptr && !isTexts(*values)) {
      return FormMistake{"Sources", "it has a source whose Values are no list of texts."};
    }
  }
  return std::nullopt;
}

// Returns the end of the string that begins at a quote.
std::size_t skipString(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    at += text[at] == '\\' ? 1 : 0;
  }
  return at + 1;
}

// Returns the offset of a top-level member's name, in its quotes.
std::size_t offsetOfMember(std::string_view text, const std::string &quoted) {
  int depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '"') {
      const std::size_t end = skipString(text, at);
      const std::size_t next = text.find_first_not_of(" \t\r\n", end);
      if (depth == 1 && text.substr(at, end - at) == quoted && next != std::string_view::npos &&
          text[next] == ':') {
        return at;
      }
      at = end;
      continue;
    }
    depth += text[at] == '{' || text[at] == '[' ? 1 : 0;
    depth -= text[at] == '}' || text[at] == ']' ? 1 : 0;
    ++at;
  }
  return std::string_view::npos;
}

}  // namespace

std::optional<FormMistake> mistakeOfDeviceFile(const json::Value &tree, std::string_view stem) {
  if (!tree.isObject()) {
    return FormMistake{"", std::string("it holds ") + tree.typeName() + ", and no object."};
  }
  if (Mistake mistake = mistakeOfStem(tree, stem)) {
    return mistake;
  }
  if (const json::Value *variants = tree.find("Variants")) {
    if (Mistake mistake = mistakeOfVariants(*variants)) {
      return mistake;
    }
  }
  const json::Value *sources = tree.find("Sources");
  return sources == nullptr ? std::nullopt : mistakeOfSources(*sources);
}

std::optional<FormMistake> mistakeOfIndex(const json::Value &tree) {
  if (!tree.isObject()) {
    return FormMistake{"", std::string("it holds ") + tree.typeName() + ", and no object."};
  }
  for (const json::Member &entry : *tree.object()) {
    const json::Value *names = entry.value.find("Names");
    if (names == nullptr || !isTexts(*names)) {
      return FormMistake{entry.name, "its entry '" + entry.name + "' has no list of Names."};
    }
    const json::Value *variants = entry.value.find("Variants");
    const json::Value::Object *members = variants == nullptr ? nullptr : variants->object();
    if (variants != nullptr &&
        (members == nullptr || !std::all_of(members->begin(), members->end(),
                                            [](const auto &one) { return isTexts(one.value); }))) {
      return FormMistake{entry.name,
                         "its entry '" + entry.name + "' has Variants that are no lists of names."};
    }
  }
  return std::nullopt;
}

TextPlace placeOfMember(std::string_view text, std::string_view key) {
  std::size_t at = std::string_view::npos;
  if (!key.empty()) {
    at = offsetOfMember(text, json::write(json::Value(key)));
  }
  if (at == std::string_view::npos) {
    at = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  }
  const std::string_view before = text.substr(0, at);
  const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return {static_cast<uint64_t>(std::count(before.begin(), before.end(), '\n')) + 1,
          at - line_begin + 1};
}

}  // namespace nexus::core
