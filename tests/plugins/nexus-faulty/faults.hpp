// SPDX-License-Identifier: Apache-2.0
// Which calls of a plug-in are to fail, and how: the text of the key `faults`, read again at
// each call, so that a test changes it between calls. See README.md.
#ifndef FAULTS_HPP_
#define FAULTS_HPP_

#include <nexus-plugin/plugin.hpp>

#include <charconv>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace faulty NXS_HIDDEN {

using namespace nexus_plugin;

// The planned outcome of one call.
struct Fault {
  enum class Kind {
    kNone,
    kNow,    // the call fails
    kBreak,  // the call fails, and its stream with it
    kLate,   // the call succeeds, its work fails
    kHold,   // its work begins when the key `gate` is set
    kSlow,   // its work begins so many milliseconds later
    kPause   // the call itself begins when the key `gate` is set
  };
  Kind kind = Kind::kNone;
  nxs_status status = NXS_Success;
  uint64_t milliseconds = 0;
};

inline nxs_status status_called(std::string_view name) {
#define FAULTY_STATUS(word, number) \
  if (name == "NXS_" #word) return number;
  NXS_FOR_EACH_STATUS(FAULTY_STATUS)
#undef FAULTY_STATUS
  throw Error(NXS_InvalidValue, "faults names the status ", name, ", and there is none");
}

inline uint64_t number_in(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw Error(NXS_InvalidValue, "faults has ", text, " where a number belongs");
  }
  return number;
}

// The text before the first mark, which is taken off the front of text with the mark.
inline std::string_view take_until(std::string_view &text, char mark) {
  const std::string_view part = text.substr(0, text.find(mark));
  text.remove_prefix(part.size() < text.size() ? part.size() + 1 : part.size());
  return part;
}

// One entry of the text: which calls, and what becomes of them.
struct Rule {
  std::string function;  // without nxs, or * for each
  uint64_t call = 0;     // which one, from 1; 0: each
  Fault fault;

  // "CreateBuffer:2=NXS_OutOfResources"
  static Rule parse(std::string_view text) {
    Rule rule;
    std::string_view calls = take_until(text, '=');
    rule.function = take_until(calls, ':');
    if (!calls.empty()) rule.call = number_in(calls);
    if (text == "hold") {
      rule.fault.kind = Fault::Kind::kHold;
    } else if (text == "pause") {
      rule.fault.kind = Fault::Kind::kPause;
    } else if (text.starts_with("slow:")) {
      rule.fault = {Fault::Kind::kSlow, NXS_Success, number_in(text.substr(5))};
    } else if (text.starts_with("late:")) {
      rule.fault = {Fault::Kind::kLate, status_called(text.substr(5)), 0};
    } else if (text.starts_with("break:")) {
      rule.fault = {Fault::Kind::kBreak, status_called(text.substr(6)), 0};
    } else {
      rule.fault = {Fault::Kind::kNow, status_called(text), 0};
    }
    return rule;
  }
};

// Counts the calls of each function since the text was set. Any thread.
class Faults {
 public:
  // Returns the outcome of the next call of a function.
  Fault next(std::string_view function) {
    const std::lock_guard lock(mutex_);
    if (const std::string_view text = get_config("faults"); text != text_) read(text);
    if (rules_.empty()) return {};
    const uint64_t call = ++calls_[std::string(function)];
    for (const Rule &rule : rules_) {
      if ((rule.function == "*" || rule.function == function) &&
          (rule.call == 0 || rule.call == call)) {
        return rule.fault;
      }
    }
    return {};
  }

 private:
  // The text is entries with commas between; "#7 " before them makes it differ from the last.
  void read(std::string_view text) {
    text_ = text;
    calls_.clear();
    rules_.clear();
    if (text.starts_with('#')) take_until(text, ' ');
    while (!text.empty()) rules_.push_back(Rule::parse(take_until(text, ',')));
  }

  std::mutex mutex_;
  std::string text_;
  std::vector<Rule> rules_;
  std::map<std::string, uint64_t> calls_;
};

inline Faults &faults() {
  static Faults &all = *new Faults;  // never destroyed: streams work on while the process ends
  return all;
}

}  // namespace faulty

#endif  // FAULTS_HPP_
