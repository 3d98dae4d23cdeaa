// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

#include "base/log.hpp"
#include "host/host.hpp"
#include "layers/calls_text.hpp"

namespace nexus::core::layers {
namespace {

// Returns the file of NEXUS_CALLS_FILE, opened once and never closed; stderr if it is not set.
std::FILE *callsFile() {
  static std::FILE *const file = [] {
    const char *path = std::getenv("NEXUS_CALLS_FILE");
    if (path == nullptr || *path == '\0') {
      return stderr;
    }
    std::FILE *opened = std::fopen(path, "ae");  // e: not inherited by child processes
    if (opened == nullptr) {
      logLine(NXS_LogLevel_Warning, {},
              std::string("NEXUS_CALLS_FILE is '") + path +
                  "', which can't be opened for writing; the calls go to stderr.");
      return stderr;
    }
    return opened;
  }();
  return file;
}

}  // namespace

void writeCallLine(uint32_t tag, std::string_view line) noexcept {
  try {
    const std::string_view backend = backendOfTag(tag);
    std::string text = "nexus: calls: ";
    text += backend.empty() ? std::string_view("unknown") : backend;
    text += ": ";
    text += line;
    text += '\n';
    std::FILE *file = callsFile();
    std::fwrite(text.data(), 1, text.size(), file);
    std::fflush(file);  // the next call may crash
  } catch (const std::bad_alloc &) {
    // Without memory for the line, the call itself goes on.
    return;
  }
}

}  // namespace nexus::core::layers
