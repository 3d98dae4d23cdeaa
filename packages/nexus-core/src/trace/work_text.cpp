// SPDX-License-Identifier: Apache-2.0
#include "trace/work_text.hpp"

#include <algorithm>

namespace nexus::core::trace {
namespace {

constexpr std::size_t kListed = 64;  // commands of a run in its details
constexpr std::size_t kNamed = 3;    // commands in its name

std::string shortList(const std::vector<const CommandText *> &commands) {
  std::string text = std::to_string(commands.size()) + " commands: ";
  for (std::size_t i = 0; i < std::min(kNamed, commands.size()); ++i) {
    text += (i == 0 ? "" : ", ") + commands[i]->name;
  }
  return text + (commands.size() > kNamed ? ", ..." : "");
}

std::vector<std::string> longList(const std::vector<const CommandText *> &commands) {
  std::vector<std::string> list;
  for (std::size_t i = 0; i < std::min(kListed, commands.size()); ++i) {
    const CommandText &command = *commands[i];
    list.push_back(command.name + (command.size.empty() ? "" : " (" + command.size + ")"));
  }
  if (commands.size() > kListed) {
    list.push_back("and " + std::to_string(commands.size() - kListed) + " more");
  }
  return list;
}

}  // namespace

WorkTextPtr runText(const std::string &schedule, const std::vector<const CommandText *> &commands) {
  auto text = std::make_shared<WorkText>();
  for (const CommandText *command : commands) text->copied += command->copied;
  if (commands.size() == 1) {
    const CommandText &only = *commands[0];
    text->name = only.name;
    text->category = only.category;
    if (!only.size.empty()) text->details.add("size", only.size);
  } else {
    text->name = shortList(commands);
    text->category = "schedule";
    text->details.addList("commands", longList(commands));
  }
  text->details.add("schedule", schedule);
  return text;
}

WorkTextPtr transferText(std::string_view name, std::string_view category, uint64_t bytes) {
  auto text = std::make_shared<WorkText>();
  text->name = name;
  text->category = category;
  text->copied = category == "copy" ? bytes : 0;
  text->details.add("bytes", bytes);
  return text;
}

WorkTextPtr orderText(std::string_view name, std::string_view category, std::string_view event) {
  auto text = std::make_shared<WorkText>();
  text->name = name;
  text->category = category;
  text->takes_time = category == "wait";
  if (!event.empty()) text->details.add("event", event);
  return text;
}

std::string lengthsText(const uint64_t (&lengths)[3]) {
  std::string text = std::to_string(lengths[0]);
  for (int i = 1; i < 3; ++i) {
    if (lengths[i] > 1 || (i == 1 && lengths[2] > 1)) text += " x " + std::to_string(lengths[i]);
  }
  return text;
}

}  // namespace nexus::core::trace
