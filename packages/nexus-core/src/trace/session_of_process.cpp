// SPDX-License-Identifier: Apache-2.0
//
// The session of this process, if it is traced.
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <string>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "layers/wanted.hpp"
#include "trace/session.hpp"

namespace nexus::core::trace {
namespace {

constexpr const char *kUsualFile = "nexus-trace.json";
constexpr uint64_t kUsualLimit = 4096, kMostLimit = uint64_t{1} << 30;  // MiB

std::string wantedFile() {
  const char *path = std::getenv("NEXUS_TRACE_FILE");
  return path == nullptr || *path == '\0' ? kUsualFile : path;
}

// Returns bytes; the environment has MiB.
uint64_t wantedLimit() {
  const char *text = std::getenv("NEXUS_TRACE_LIMIT");
  if (text == nullptr || *text == '\0') return kUsualLimit << 20;
  uint64_t mebibytes = 0;
  const char *const end = text + std::strlen(text);
  const auto read = std::from_chars(text, end, mebibytes);
  if (read.ec != std::errc() || read.ptr != end || mebibytes == 0 || mebibytes > kMostLimit) {
    throw Failure(NXS_InvalidValue, std::string("NEXUS_TRACE_LIMIT is '") + text +
                                        "'; give MiB from 1 to " + std::to_string(kMostLimit) +
                                        ". The process is not traced.");
  }
  return mebibytes << 20;
}

// Writes the events of a program that does not call nexus_shutdown. Asks for no work, since drivers
// may have been unloaded.
void writeAtExit() {
  if (Session *made = madeSession()) made->writeAll();
}

class SessionOfProcess {
 public:
  Session *get() noexcept {
    std::call_once(once_, [this] { session_.store(make(), std::memory_order_release); });
    return made();
  }
  Session *made() const noexcept { return session_.load(std::memory_order_acquire); }

 private:
  static Session *make() noexcept {
    try {
      if (!layers::isWanted("trace")) return nullptr;
      now();  // times start here
      auto *made = new Session(wantedFile(), wantedLimit());
      static const int registered = std::atexit(writeAtExit);
      static_cast<void>(registered);
      return made;
    } catch (const Failure &failure) {
      logLine(NXS_LogLevel_Warning, {}, failure.text());
    } catch (const std::bad_alloc &) {
      logLine(NXS_LogLevel_Warning, {}, "There was no memory for a trace.");
    }
    return nullptr;
  }

  std::once_flag once_;
  std::atomic<Session *> session_{nullptr};
};

}  // namespace

Session *session() noexcept {
  return ofProcess<SessionOfProcess>().get();
}

Session *madeSession() noexcept {
  return ofProcess<SessionOfProcess>().made();
}

}  // namespace nexus::core::trace
