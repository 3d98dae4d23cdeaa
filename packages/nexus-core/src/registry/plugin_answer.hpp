// SPDX-License-Identifier: Apache-2.0
//
// Answers of a plug-in's compilers and linkers: descriptions in JSON, and logs with any bytes.
#pragma once

#include <nexus/nexus_c.h>

#include <string>
#include <string_view>
#include <vector>

#include "json/json.hpp"

namespace nexus::core {

/// The origin of an answer, for errors.
struct PluginAnswer {
  std::string backend;
  const char *function;  // "nxsDescribeCompile"
};

/// Parse an answer. Throw NXS_InternalError, with the backend and the function, if the answer
/// violates the C-API.
json::Value parseAnswer(std::string_view text, const PluginAnswer &from);
std::string textOf(const json::Value &answer, const char *member, const PluginAnswer &from);
/// Returns a list of texts, as JSON.
std::string listOf(const json::Value &answer, const char *member, const PluginAnswer &from);

/// Returns text with '?' for bytes that are not UTF-8, since a compiler may print any bytes.
std::string utf8Of(std::string text);

/// Returns the start of a compiler's log for an error's text; the error's log has all of it.
std::string clippedLog(std::string_view log);

/// Returns the texts as strings of the C-API, which borrow them.
std::vector<nxs_string> stringsOf(const std::vector<std::string_view> &texts);

}  // namespace nexus::core
