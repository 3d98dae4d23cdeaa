// SPDX-License-Identifier: Apache-2.0
#include "registry/plugin_answer.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace nexus::core {
namespace {

constexpr std::size_t kMaxLog = 16384;  // bytes of a compiler's log in an error's text

[[noreturn]] void refuseAnswer(const PluginAnswer &from, const std::string &how) {
  throw Failure(NXS_InternalError, "The backend '" + from.backend + "' answers " + from.function +
                                       " " + how + "; report this to its author.");
}

const json::Value &memberOf(const json::Value &answer, const char *member,
                            const PluginAnswer &from) {
  const json::Value *value = answer.find(member);
  if (value == nullptr || !(value->isString() || value->isArray())) {
    refuseAnswer(from, std::string("without '") + member + "'");
  }
  return *value;
}

}  // namespace

json::Value parseAnswer(std::string_view text, const PluginAnswer &from) {
  try {
    return json::parse(text);
  } catch (const json::ParseError &error) {
    refuseAnswer(from, std::string("with text that is not JSON (") + error.what() + ")");
  }
}

std::string textOf(const json::Value &answer, const char *member, const PluginAnswer &from) {
  const json::Value &value = memberOf(answer, member, from);
  return value.isString() ? *value.string() : json::write(value);
}

std::string listOf(const json::Value &answer, const char *member, const PluginAnswer &from) {
  const json::Value &value = memberOf(answer, member, from);
  if (!value.isArray()) {
    refuseAnswer(from, std::string("with '") + member + "' that are no list");
  }
  return json::write(value);
}

std::string utf8Of(std::string text) {
  for (std::size_t good = 0; good < text.size(); ++good) {
    good += utf8Prefix(std::string_view(text).substr(good));
    if (good < text.size()) text[good] = '?';
  }
  return text;
}

std::string clippedLog(std::string_view log) {
  if (log.size() <= kMaxLog) {
    return std::string(log);
  }
  const std::string_view begin = log.substr(0, kMaxLog);
  return std::string(begin.substr(0, utf8Prefix(begin))) + "\n... (the log has all of it)\n";
}

std::vector<nxs_string> stringsOf(const std::vector<std::string_view> &texts) {
  std::vector<nxs_string> strings(texts.size());
  std::transform(texts.begin(), texts.end(), strings.begin(), stringOf);
  return strings;
}

}  // namespace nexus::core
