// SPDX-License-Identifier: Apache-2.0
//
// Whether and where this process is traced.
#include <atomic>
#include <cstdlib>
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

std::string wantedFile() {
  const char *path = std::getenv("NEXUS_TRACE_FILE");
  return path == nullptr || *path == '\0' ? kUsualFile : path;
}

// What a program without nexus_shutdown leaves to be written. A driver may have ended by now, so
// nobody is asked what became of work.
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
      now();  // times begin here
      auto *made = new Session(wantedFile());
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
