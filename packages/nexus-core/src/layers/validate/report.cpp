// SPDX-License-Identifier: Apache-2.0
#include "layers/validate/report.hpp"

#include <nexus-plugin/base/text.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <mutex>
#include <set>

#include "base/log.hpp"
#include "base/process.hpp"
#include "host/host.hpp"
#include "layers/validate/objects.hpp"

namespace nexus::core::layers::validation {
namespace {

using nexus_plugin::join;

constexpr std::string_view kLogger = "validate";
constexpr std::string_view kReportIt = "Report it to the plug-in's authors: ";
constexpr std::size_t kMaxTold = 10'000;  // distinct messages; further ones are only counted

struct MessageInfo {
  std::string_view slug;
  nxs_log_level level;
  std::string_view remedy;
};

MessageInfo infoOf(Message message) noexcept {
  switch (message) {
#define NXV_MESSAGE(name, number, slug, level, remedy) \
  case Message::name:                                  \
    return {slug, NXS_LogLevel_##level, remedy};
#include "layers/validate/messages.def"
  }
  return {};
}

// "NXV-0107-range".
std::string idOf(Message message) {
  const std::string number = std::to_string(static_cast<int>(message));
  return join("NXV-0", number, "-", infoOf(message).slug);
}

struct Reports {
  std::mutex mutex;
  std::map<Message, uint64_t> counts;  // under mutex, as told
  std::set<std::string> told;
  std::atomic<uint64_t> calls{0};
};

Reports &reports() {
  return ofProcess<Reports>();
}

void writeToFile(const std::string &text) {
  static std::FILE *const file = openNamed("NEXUS_VALIDATE_FILE", kLogger, "");
  if (file == nullptr) return;
  std::fputs(join(text, "\n").c_str(), file);
  std::fflush(file);  // the next call may be the one that ends the process
}

// Counts a message; returns false if it was reported before, or too many were.
bool count(Message message, const std::string &key) {
  Reports &all = reports();
  const std::lock_guard<std::mutex> lock(all.mutex);
  ++all.counts[message];
  return all.told.size() < kMaxTold && all.told.insert(key).second;
}

// Messages with equal keys count as one: those about one function of a plug-in, or about one place
// of a program.
std::string keyOf(uint32_t tag, std::string_view function, const Finding &finding,
                  const std::string &place) {
  const bool by_place = !isAboutPlugin(finding.message) && !place.empty();
  return join(static_cast<int>(finding.message), "|", tag, "|", function, "|",
              by_place ? place : finding.text);
}

std::string wholeText(uint32_t tag, std::string_view function, const Finding &finding) {
  const std::string_view backend = backendOfTag(tag);
  return join(idOf(finding.message), ": ", backend.empty() ? "unknown" : backend, ": ", function,
              function.empty() ? "" : ": ", finding.text, ". ",
              isAboutPlugin(finding.message) ? kReportIt : "", infoOf(finding.message).remedy, ".");
}

// Writes to stderr, since the log's function may be gone by now.
void reportLate(nxs_log_level level, const std::string &text) {
  if (level >= NXS_LogLevel_Warning) writeToFile(text);
  if (!logWanted(level)) return;
  const char *name = level == NXS_LogLevel_Warning ? "warning" : "info";
  std::fputs(join("nexus.", kLogger, ": ", name, ": ", text, "\n").c_str(), stderr);
}

void reportLeaksAndSummary() {
  Reports &all = reports();
  const uint64_t calls = all.calls.load(std::memory_order_relaxed);
  if (calls == 0) return;  // the child of a fork() that used no backend
  for (const Leak &leak : leaks()) {
    count(Message::Leak, leak.text);
    reportLate(NXS_LogLevel_Warning,
               wholeText(leak.tag, {}, {Message::Leak, NXS_Success, leak.text}));
  }
  std::string text;
  const std::lock_guard<std::mutex> lock(all.mutex);
  for (const auto &[message, number] : all.counts) {
    text += join(text.empty() ? "" : ", ", number, " ", idOf(message));
  }
  reportLate(text.empty() ? NXS_LogLevel_Info : NXS_LogLevel_Warning,
             join("summary: ", text.empty() ? "nothing" : text, " in ", calls, " calls."));
}

}  // namespace

nxs_log_level levelOf(Message message) noexcept {
  return infoOf(message).level;
}

bool raises() noexcept {
  static const bool wanted = [] {
    const char *value = std::getenv("NEXUS_VALIDATE");
    return value != nullptr && std::string_view(value) == "raise";
  }();
  return wanted;
}

std::string report(uint32_t tag, std::string_view function, const Finding &finding, bool refused) {
  const Place place = presentPlace();
  const std::string text = wholeText(tag, function, finding) + placeNote("at", place);
  const nxs_log_level level = refused ? NXS_LogLevel_Info : levelOf(finding.message);
  if (level < NXS_LogLevel_Warning) {
    logLine(level, kLogger, text);
  } else if (count(finding.message, keyOf(tag, function, finding, placeText(place)))) {
    writeToFile(text);
    logLine(level, kLogger, text);
  }
  return text;
}

void countCall() noexcept {
  reports().calls.fetch_add(1, std::memory_order_relaxed);
}

void reportAtEnd() {
  static std::once_flag once;
  std::call_once(once, [] {
    std::atexit([] {
      try {
        reportLeaksAndSummary();
      } catch (const std::exception &error) {
        std::fprintf(stderr, "nexus.validate: error: the summary was lost: %s\n", error.what());
      }
    });
  });
}

}  // namespace nexus::core::layers::validation
