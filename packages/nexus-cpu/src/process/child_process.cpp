// SPDX-License-Identifier: Apache-2.0
#include "process/child_process.hpp"

#include "process/child_leash.hpp"
#include "system/clock.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#if defined(__APPLE__)
#include <crt_externs.h>
#else
extern char **environ;
#endif

namespace nexus_cpu NXS_HIDDEN {
namespace {

// While the child may have ended without its output's end being seen: something that it started
// and that lives on may hold it open.
constexpr uint64_t kLookAfterNanoseconds = 50'000'000;

char **current_environment() {
#if defined(__APPLE__)
  return *_NSGetEnviron();
#else
  return environ;
#endif
}

// A pipe whose ends no other child of this process gets.
class Pipe {
 public:
  Pipe() {
#if defined(__APPLE__)
    made_ = pipe(ends_.data()) == 0;
    for (const int end : ends_) {
      if (made_) fcntl(end, F_SETFD, FD_CLOEXEC);
    }
#else
    made_ = pipe2(ends_.data(), O_CLOEXEC) == 0;
#endif
    for (int &end : ends_) {
      if (made_) move_from_standard_files(end);
    }
    if (made_) fcntl(ends_[0], F_SETFL, O_NONBLOCK);
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe &) = delete;
  Pipe &operator=(const Pipe &) = delete;

  bool made() const noexcept { return made_; }
  int reader() const noexcept { return ends_[0]; }
  int writer() const noexcept { return ends_[1]; }
  void close_writer() noexcept { close_end(1); }

 private:
  // Where this process has closed its own input or output, the pipe would come to lie there, and
  // the child's files over it.
  static void move_from_standard_files(int &end) {
    if (end > STDERR_FILENO) return;
    const int moved = fcntl(end, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (moved < 0) return;
    close(end);
    end = moved;
  }
  void close_end(std::size_t end) noexcept {
    if (ends_[end] >= 0) close(ends_[end]);
    ends_[end] = -1;
  }

  std::array<int, 2> ends_ = {-1, -1};
  bool made_ = false;
};

// Sets up the child: its files, its process group, and the default signals.
class SpawnSettings {
 public:
  SpawnSettings(int output, int leash) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, output, STDERR_FILENO);
    if (leash >= 0) posix_spawn_file_actions_adddup2(&actions_, leash, ChildLeash::kFile);
    posix_spawnattr_init(&attributes_);
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    for (const int signal : {SIGPIPE, SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGALRM, SIGUSR1,
                             SIGUSR2, SIGXCPU, SIGXFSZ}) {
      sigaddset(&defaults, signal);
    }
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &defaults);
    posix_spawnattr_setpgroup(&attributes_, 0);
    short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
#if defined(POSIX_SPAWN_CLOEXEC_DEFAULT)
    flags = static_cast<short>(flags | POSIX_SPAWN_CLOEXEC_DEFAULT);
#endif
    posix_spawnattr_setflags(&attributes_, flags);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings &) = delete;
  SpawnSettings &operator=(const SpawnSettings &) = delete;

  const posix_spawn_file_actions_t *actions() const noexcept { return &actions_; }
  const posix_spawnattr_t *attributes() const noexcept { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// Pointers as exec takes them, into texts that live longer.
std::vector<char *> pointers_to(const std::vector<std::string> &texts) {
  std::vector<char *> out;
  for (const std::string &text : texts) out.push_back(const_cast<char *>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

std::vector<char *> merged_environment(const std::vector<std::string> &changes) {
  std::vector<char *> out = pointers_to(changes);
  out.pop_back();
  for (char **variable = current_environment(); variable != nullptr && *variable; ++variable) {
    const std::string_view entry = *variable;
    const std::string_view name = entry.substr(0, entry.find('=') + 1);
    const bool changed = std::any_of(changes.begin(), changes.end(), [&](const auto &change) {
      return !name.empty() && change.starts_with(name);
    });
    if (!changed) out.push_back(*variable);
  }
  out.push_back(nullptr);
  return out;
}

class Child {
 public:
  Child(const ChildRequest &request)
      : deadline_(now_ns() + request.timeout),
        most_output_(request.most_output),
        is_interrupted_(request.is_interrupted) {}

  ChildResult run(const ChildRequest &request) {
    if (!start(request)) return std::move(result_);
    read_output();
    if (!ended_ && !interrupted()) wait_for_end();
    finish();
    return std::move(result_);
  }

 private:
  bool start(const ChildRequest &request) {
    int failed = output_.made() ? 0 : errno;
    if (failed == 0) {
      const SpawnSettings settings(output_.writer(), leash_.reader());
      const std::vector<char *> arguments = pointers_to(request.command);
      const std::vector<char *> environment = merged_environment(request.environment);
      failed = posix_spawn(&id_, request.command.front().c_str(), settings.actions(),
                           settings.attributes(), arguments.data(), environment.data());
    }
    output_.close_writer();
    if (failed == 0) leash_.tie(id_);
    if (failed != 0) result_ = {ChildEnd::not_started, failed, {}, false};
    return failed == 0;
  }

  // Until nobody has the pipe's other end, the child has ended, or there is no time left.
  void read_output() {
    uint64_t look = now_ns() + kLookAfterNanoseconds;
    while (true) {
      const uint64_t now = now_ns();
      if (now >= deadline_) return;
      const bool last = now >= look && has_ended();
      if (now >= look && !last && interrupted()) return;
      if (now >= look) look = now + kLookAfterNanoseconds;
      pollfd waited{output_.reader(), POLLIN, 0};
      const int ready = poll(&waited, 1, last ? 0 : milliseconds_until(std::min(look, deadline_)));
      if ((ready > 0 && !take_output()) || last) return;
    }
  }

  static int milliseconds_until(uint64_t time) {
    const uint64_t now = now_ns();
    return now < time ? static_cast<int>((time - now) / 1'000'000 + 1) : 0;
  }

  bool interrupted() {
    if (is_interrupted_()) result_.end = ChildEnd::interrupted;
    return result_.end == ChildEnd::interrupted;
  }

  // What there is to read, as much as a pipe holds: another program may write without end. False
  // at the end.
  bool take_output() {
    std::array<char, 1 << 16> bytes;
    for (std::size_t taken = 0; taken < 16 * bytes.size();) {
      const ssize_t count = read(output_.reader(), bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return errno == EAGAIN;
      if (count == 0) return false;
      keep({bytes.data(), static_cast<std::size_t>(count)});
      taken += static_cast<std::size_t>(count);
    }
    return true;
  }

  void keep(std::string_view words) {
    const std::size_t room = most_output_ - std::min(most_output_, result_.output.size());
    result_.output += words.substr(0, room);
    result_.output_cut = result_.output_cut || words.size() > room;
  }

  // Looks without taking its place in the system's tables, so that its id stays its own.
  bool has_ended() {
    siginfo_t info{};
    int failed = 0;
    do {
      failed = waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOWAIT | WNOHANG);
    } while (failed != 0 && errno == EINTR);
    gone_ = failed != 0;  // somebody else has taken its end
    ended_ = gone_ || info.si_pid == id_;
    return ended_;
  }

  void wait_for_end() {
    uint64_t pause = 20'000;  // nanoseconds: most often it is as good as done
    while (!has_ended()) {
      if (interrupted()) return;
      if (now_ns() >= deadline_) {
        result_.end = ChildEnd::timed_out;
        return;
      }
      const timespec duration{0, static_cast<long>(pause)};
      nanosleep(&duration, nullptr);
      pause = std::min<uint64_t>(pause * 2, 10'000'000);
    }
  }

  // Ends what is left of the group and takes the child's end.
  void finish() {
    if (gone_) {
      result_.end = ChildEnd::unknown;
      return;
    }
    kill(-id_, SIGKILL);
    int status = 0;
    pid_t taken = 0;
    do {
      taken = waitpid(id_, &status, 0);
    } while (taken < 0 && errno == EINTR);
    if (result_.end == ChildEnd::timed_out || result_.end == ChildEnd::interrupted) return;
    if (taken < 0) {
      result_.end = ChildEnd::unknown;
    } else if (WIFSIGNALED(status)) {
      result_.end = ChildEnd::killed;
      result_.number = WTERMSIG(status);
    } else {
      result_.end = ChildEnd::exited;
      result_.number = WEXITSTATUS(status);
    }
  }

  Pipe output_;
  ChildLeash leash_;
  pid_t id_ = -1;
  const uint64_t deadline_;
  const std::size_t most_output_;
  bool (*const is_interrupted_)() noexcept;
  bool ended_ = false;
  bool gone_ = false;
  ChildResult result_{ChildEnd::exited, 0, {}, false};
};

}  // namespace

ChildResult run_child(const ChildRequest &request) {
  return Child(request).run(request);
}

}  // namespace nexus_cpu
