// SPDX-License-Identifier: Apache-2.0
#include "layers/validate/report.hpp"

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
#include "layers/validate/call.hpp"
#include "layers/validate/leaks.hpp"
#include "layers/validate/place.hpp"

namespace nexus::core::layers::validation {
namespace {

constexpr std::string_view kLogger = "validate";
constexpr std::size_t kMaxTold = 10'000;  // messages that differ; further ones are only counted

struct Reports {
  std::mutex mutex;
  std::map<Message, uint64_t> counts;  // under mutex, as told
  std::set<std::string> told;
  std::atomic<uint64_t> calls{0};
};

Reports &reports() {
  return ofProcess<Reports>();
}

// The file of NEXUS_VALIDATE_FILE, opened once and never closed; NULL without one.
std::FILE *reportFile() {
  static std::FILE *const file = []() -> std::FILE * {
    const char *path = std::getenv("NEXUS_VALIDATE_FILE");
    if (path == nullptr || *path == '\0') {
      return nullptr;
    }
    std::FILE *opened = std::fopen(path, "ae");  // e: not open in programs that we start
    if (opened == nullptr) {
      logLine(NXS_LogLevel_Warning, kLogger,
              join("NEXUS_VALIDATE_FILE is '", path, "', which can't be opened for writing."));
    }
    return opened;
  }();
  return file;
}

void writeToFile(std::string text) {
  if (std::FILE *file = reportFile()) {
    text += '\n';
    std::fwrite(text.data(), 1, text.size(), file);
    std::fflush(file);  // the next call may be the one that ends the process
  }
}

// Counts a message; false where this one was told before, or too many were.
bool count(const Finding &finding, const std::string &key) {
  Reports &all = reports();
  const std::lock_guard<std::mutex> lock(all.mutex);
  ++all.counts[finding.message];
  return all.told.size() < kMaxTold && all.told.insert(key).second;
}

// What makes two messages one: a plug-in's mistake is its function's, a program's its place's.
std::string keyOf(uint32_t tag, std::string_view function, const Finding &finding,
                  const std::string &place) {
  std::string key =
      join(static_cast<int>(finding.message), "|", tag, "|", function, "|",
           isAboutPlugin(finding.message) || place.empty() ? finding.text : std::string());
  return isAboutPlugin(finding.message) ? key : key + "|" + place;
}

std::string whole(uint32_t tag, std::string_view function, const Finding &finding) {
  const std::string_view backend = backendOfTag(tag);
  return join(idOf(finding.message), ": ", backend.empty() ? "unknown" : backend, ": ",
              function.empty() ? "" : join(function, ": "), finding.text, ". ",
              infoOf(finding.message).remedy, ".");
}

// The log's function may be gone by now, so this goes to stderr itself.
void tellAtEnd(nxs_log_level level, const std::string &text) {
  if (level >= NXS_LogLevel_Warning) {
    writeToFile(text);
  }
  if (logWanted(level)) {
    const char *name = level == NXS_LogLevel_Warning ? "warning" : "info";
    std::fputs(join("nexus.", kLogger, ": ", name, ": ", text, "\n").c_str(), stderr);
  }
}

void tellEnd() {
  Reports &all = reports();
  const uint64_t calls = all.calls.load(std::memory_order_relaxed);
  if (calls == 0) {
    return;  // the child of a fork() that used no backend
  }
  for (const Leak &leak : leaks()) {
    const Finding finding{Message::Leak, NXS_Success, leak.text};
    count(finding, leak.text);
    tellAtEnd(NXS_LogLevel_Warning, whole(leak.tag, {}, finding));
  }
  std::string text;
  const std::lock_guard<std::mutex> lock(all.mutex);
  for (const auto &[message, number] : all.counts) {
    text += join(text.empty() ? "" : ", ", number, " ", idOf(message));
  }
  tellAtEnd(text.empty() ? NXS_LogLevel_Info : NXS_LogLevel_Warning,
            join("summary: ", text.empty() ? "nothing" : text, " in ", calls, " calls."));
}

}  // namespace

bool raises() noexcept {
  static const bool wanted = [] {
    const char *value = std::getenv("NEXUS_VALIDATE");
    return value != nullptr && std::string_view(value) == "raise";
  }();
  return wanted;
}

std::string report(uint32_t tag, std::string_view function, const Finding &finding, bool refused) {
  const Place place = presentPlace();
  const std::string text = whole(tag, function, finding) + placeNote("at", place);
  const nxs_log_level level = refused ? NXS_LogLevel_Info : infoOf(finding.message).level;
  if (level < NXS_LogLevel_Warning) {
    logLine(level, kLogger, text);
  } else if (count(finding, keyOf(tag, function, finding, placeText(place)))) {
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
        tellEnd();
      } catch (const std::exception &error) {
        std::fprintf(stderr, "nexus.validate: error: the summary was lost: %s\n", error.what());
      }
    });
  });
}

}  // namespace nexus::core::layers::validation
