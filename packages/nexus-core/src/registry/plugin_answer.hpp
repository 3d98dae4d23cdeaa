// SPDX-License-Identifier: Apache-2.0
//
// What a plug-in's compilers and linkers say: descriptions in JSON, and words of any bytes.
#pragma once

#include <nexus/nexus_c.h>

#include <string>
#include <string_view>
#include <vector>

#include "json/json.hpp"

namespace nexus::core {

/// Whose answer it is, for errors.
struct PluginAnswer {
  std::string backend;
  const char *function;  // "nxsDescribeCompile"
};

/// Each throws NXS_InternalError, which names the backend and the function, where the answer is not
/// as the C-API says.
json::Value parseAnswer(std::string_view text, const PluginAnswer &from);
std::string textOf(const json::Value &answer, const char *member, const PluginAnswer &from);
/// A list of texts, as JSON.
std::string listOf(const json::Value &answer, const char *member, const PluginAnswer &from);

/// text with what is not UTF-8 replaced by '?', since a compiler may print any bytes.
std::string utf8Of(std::string text);

/// As much of a compiler's words as an error's text bears; the log has all.
std::string shownWords(std::string_view log);

/// The texts as the C-API takes them. Borrows them.
std::vector<nxs_string> stringsOf(const std::vector<std::string_view> &texts);

}  // namespace nexus::core
