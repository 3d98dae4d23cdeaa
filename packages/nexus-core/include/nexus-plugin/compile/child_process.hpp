// SPDX-License-Identifier: Apache-2.0
// Another program, started without a shell, with a limit of time and of output; and a private
// folder for it.
#ifndef NEXUS_PLUGIN_CHILD_PROCESS_HPP_
#define NEXUS_PLUGIN_CHILD_PROCESS_HPP_

#include <nexus-plugin/base/error.hpp>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>
#if defined(__APPLE__)
#include <crt_externs.h>
#else
extern char **environ;
#endif

namespace nexus_plugin NXS_HIDDEN {

struct ChildRequest {
  std::vector<std::string> command;      // a path and its arguments
  std::vector<std::string> environment;  // "NAME=value", beside or instead of this process's
  std::chrono::steady_clock::time_point deadline;  // when it is ended with all that it started
  std::size_t most_output;                         // bytes that are kept, from the beginning
  bool (*is_interrupted)() noexcept;               // asked now and then; true ends it
};

enum class ChildEnd {
  exited,       // number: its exit code
  killed,       // number: the signal
  timed_out,    // by us
  interrupted,  // by us, since request.is_interrupted said so
  not_started,  // number: errno
  unknown,      // this program lets nobody see how children end (SIGCHLD is ignored)
};

struct ChildResult {
  ChildEnd end = ChildEnd::exited;
  int number = 0;
  std::string output;  // what it wrote to its output and its errors
  bool output_cut = false;
};

namespace child {

using Clock = std::chrono::steady_clock;

// How often to look whether the child has ended although its output is still open: something that
// it started and that lives on may hold it.
inline constexpr std::chrono::milliseconds kLookAfter{50};

// The file that a child gets for ChildLeash.
inline constexpr int kLeashFile = 3;

// A pipe whose ends no other child of this process gets. They are above the files that a child is
// given: giving it one of those is then a copy, which exec does not close.
class Pipe {
 public:
  Pipe() {
#if defined(__APPLE__)
    if (pipe(ends_.data()) != 0) return;
#else
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) return;
#endif
    for (int &end : ends_) {
      const int moved = fcntl(end, F_DUPFD_CLOEXEC, kLeashFile + 1);
      close(end);
      end = moved;
    }
  }
  ~Pipe() {
    if (reader() >= 0) close(reader());
    close_writer();
  }
  Pipe(const Pipe &) = delete;
  Pipe &operator=(const Pipe &) = delete;

  bool made() const noexcept { return reader() >= 0 && writer() >= 0; }
  int reader() const noexcept { return ends_[0]; }
  int writer() const noexcept { return ends_[1]; }
  void close_writer() noexcept {
    if (writer() >= 0) close(std::exchange(ends_[1], -1));
  }

 private:
  std::array<int, 2> ends_ = {-1, -1};
};

#if defined(__linux__) && defined(F_SETSIG)

// Ends a child's process group when this process dies, however it dies: a pipe of which the group
// has the reading end and this process the writing one. When that is closed, the kernel sends
// SIGKILL to the group. A fork of this process closes its copy of the writing end, so that the
// group does not outlive this process for the fork's sake. PR_SET_PDEATHSIG would reach the child
// alone, not what a compiler's driver starts, and would come when the thread ends that started it.
class ChildLeash {
 public:
  ChildLeash() {
    static const int at_fork = pthread_atfork([] { open().mutex.lock(); },
                                              [] { open().mutex.unlock(); }, close_after_fork);
    const std::lock_guard lock(open().mutex);
    if (at_fork != 0) return;
    pipe_ = std::make_unique<Pipe>();
    if (pipe_->made()) open().writers.insert(pipe_->writer());
  }
  ~ChildLeash() {
    const std::lock_guard lock(open().mutex);
    if (made()) open().writers.erase(pipe_->writer());
    pipe_.reset();
  }
  ChildLeash(const ChildLeash &) = delete;
  ChildLeash &operator=(const ChildLeash &) = delete;

  // The file that the child is to have as kLeashFile; negative: none.
  int reader() const noexcept { return made() ? pipe_->reader() : -1; }

  // Called after the child started. If this process dies between the two, the group lives on.
  void tie(pid_t group) noexcept {
    if (!made()) return;
    fcntl(reader(), F_SETOWN, -group);
    fcntl(reader(), F_SETSIG, SIGKILL);
    fcntl(reader(), F_SETFL, O_ASYNC);
  }

 private:
  struct Open {
    std::mutex mutex;
    std::set<int> writers;
  };
  static Open &open() {
    static auto *const all = new Open;  // a thread may compile while the process ends
    return *all;
  }
  static void close_after_fork() {
    for (const int file : open().writers) close(file);
    open().writers.clear();
    open().mutex.unlock();
  }
  bool made() const noexcept { return pipe_ != nullptr && pipe_->made(); }

  std::unique_ptr<Pipe> pipe_;
};

#else

struct ChildLeash {
  static int reader() noexcept { return -1; }
  void tie(pid_t) noexcept {}
};

#endif

// Returns pointers as exec takes them, into texts that live longer.
inline std::vector<char *> pointers_to(const std::vector<std::string> &texts) {
  std::vector<char *> out;
  for (const std::string &text : texts) out.push_back(const_cast<char *>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

inline std::vector<char *> merged_environment(const std::vector<std::string> &changes) {
#if defined(__APPLE__)
  char **environ = *_NSGetEnviron();
#endif
  std::vector<char *> out = pointers_to(changes);
  out.pop_back();
  for (char **variable = environ; variable != nullptr && *variable; ++variable) {
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

// Starts the child with its files, a process group of its own, and the default signals. Returns
// errno, or 0.
inline int spawn(pid_t &id, const ChildRequest &request, int output, int leash) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  if (leash >= 0) posix_spawn_file_actions_adddup2(&actions, leash, kLeashFile);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (const int signal : {SIGPIPE, SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGALRM, SIGUSR1,
                           SIGUSR2, SIGXCPU, SIGXFSZ}) {
    sigaddset(&defaults, signal);
  }
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0);
  short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
#if defined(POSIX_SPAWN_CLOEXEC_DEFAULT)
  flags = static_cast<short>(flags | POSIX_SPAWN_CLOEXEC_DEFAULT);
#endif
  posix_spawnattr_setflags(&attributes, flags);
  const std::vector<char *> environment = merged_environment(request.environment);
  const int failed = posix_spawn(&id, request.command.front().c_str(), &actions, &attributes,
                                 pointers_to(request.command).data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return failed;
}

class Child {
 public:
  explicit Child(const ChildRequest &request) : request_(request) {}

  ChildResult run() {
    const int failed =
        output_.made() ? spawn(id_, request_, output_.writer(), leash_.reader()) : errno;
    output_.close_writer();
    if (failed != 0) return {ChildEnd::not_started, failed, {}, false};
    leash_.tie(id_);
    read_output();
    if (!ended_ && !interrupted()) wait_for_end();
    finish();
    return std::move(result_);
  }

 private:
  // Reads until nobody has the pipe's other end, the child has ended, or there is no time left.
  void read_output() {
    fcntl(output_.reader(), F_SETFL, O_NONBLOCK);
    Clock::time_point look = Clock::now() + kLookAfter;
    for (bool last = false; !last;) {
      const Clock::time_point now = Clock::now();
      if (now >= request_.deadline) return;
      if (now >= look) {
        last = has_ended();
        if (!last && interrupted()) return;
        look = now + kLookAfter;
      }
      const auto wait =
          std::chrono::ceil<std::chrono::milliseconds>(std::min(look, request_.deadline) - now);
      pollfd waited{output_.reader(), POLLIN, 0};
      const int ready = poll(&waited, 1, last ? 0 : static_cast<int>(wait.count()));
      if (ready > 0 && !take_output()) return;
    }
  }

  bool interrupted() {
    if (request_.is_interrupted()) result_.end = ChildEnd::interrupted;
    return result_.end == ChildEnd::interrupted;
  }

  // Reads at most as much as a pipe holds: another program may write without end. Returns false at
  // the end.
  bool take_output() {
    std::array<char, 1 << 16> bytes;
    for (std::size_t taken = 0; taken < 16 * bytes.size();) {
      const ssize_t count = read(output_.reader(), bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return errno == EAGAIN;
      if (count == 0) return false;
      const auto size = static_cast<std::size_t>(count);
      const std::size_t room = request_.most_output - result_.output.size();
      result_.output.append(bytes.data(), std::min(size, room));
      result_.output_cut = result_.output_cut || size > room;
      taken += size;
    }
    return true;
  }

  // Looks without reaping the child, so that its id stays its own.
  bool has_ended() {
    siginfo_t info{};
    int failed = 0;
    do {
      failed = waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOWAIT | WNOHANG);
    } while (failed != 0 && errno == EINTR);
    gone_ = failed != 0;  // somebody else has reaped it
    ended_ = gone_ || info.si_pid == id_;
    return ended_;
  }

  void wait_for_end() {
    std::chrono::microseconds pause{20};  // most often it is as good as done
    while (!has_ended()) {
      if (interrupted()) return;
      if (Clock::now() >= request_.deadline) {
        result_.end = ChildEnd::timed_out;
        return;
      }
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, std::chrono::microseconds(10'000));
    }
  }

  // Ends what is left of the group and reaps the child.
  void finish() {
    int status = 0;
    pid_t taken = -1;
    if (!gone_) {
      kill(-id_, SIGKILL);
      do {
        taken = waitpid(id_, &status, 0);
      } while (taken < 0 && errno == EINTR);
      if (result_.end != ChildEnd::exited) return;  // timed out or interrupted
    }
    if (taken < 0) {
      result_.end = ChildEnd::unknown;
    } else if (WIFSIGNALED(status)) {
      result_.end = ChildEnd::killed;
      result_.number = WTERMSIG(status);
    } else {
      result_.number = WEXITSTATUS(status);
    }
  }

  const ChildRequest &request_;
  Pipe output_;
  ChildLeash leash_;
  pid_t id_ = -1;
  bool ended_ = false;
  bool gone_ = false;
  ChildResult result_;
};

}  // namespace child

// Runs it to its end with nothing to read, in a process group of its own. Nothing of the group is
// left when this returns, nor, on Linux, when this process dies before. Thread-safe; the program's
// own handling of signals stays as it is.
inline ChildResult run_child(const ChildRequest &request) {
  return child::Child(request).run();
}

// Throws an error for a child that did not exit by itself: NXS_CompilerNotAvailable, NXS_Cancelled
// or NXS_OutOfResources. Returns for other ends. title: "the compiler gcc (gcc)"; timeout: seconds
// of its deadline; variable: sets them.
inline void check_child_end(const ChildResult &result, const std::string &title, double timeout,
                            std::string_view variable) {
  switch (result.end) {
    case ChildEnd::timed_out:
      throw Error(NXS_CompilerNotAvailable, title, " did not end within ", timeout,
                  " s and was ended; set ", variable, " to more seconds to wait longer");
    case ChildEnd::interrupted:
      throw Error(NXS_Cancelled, title, " was interrupted");
    case ChildEnd::killed:
      throw Error(NXS_CompilerNotAvailable, title, " died of signal ", result.number, " (",
                  strsignal(result.number), ")");
    case ChildEnd::not_started:
      break;
    default:
      return;
  }
  if (result.number == EAGAIN || result.number == ENOMEM || result.number == EMFILE ||
      result.number == ENFILE) {
    throw Error(NXS_OutOfResources, title, " could not be started: ", std::strerror(result.number),
                "; end other programs, or raise the limits of this one");
  }
}

// ---- Folders ----------------------------------------------------------

// A new folder that only this user may look into, removed with all that is in it.
class PrivateFolder {
 public:
  // In TMPDIR, else /tmp. The first of a process removes those there whose process died without
  // doing so. Throws NXS_OutOfResources.
  PrivateFolder();
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder &) = delete;
  PrivateFolder &operator=(const PrivateFolder &) = delete;

  // Absolute, without a slash at its end.
  const std::string &path() const noexcept { return path_; }

 private:
  bool open_and_lock();
  void close_kept() noexcept;

  std::string path_;
  // Open files that removing needs, one for each level of folders: it works also if the process
  // has no other left.
  std::array<int, 6> kept_ = {-1, -1, -1, -1, -1, -1};
};

namespace child {

inline constexpr const char *kPrefix = "nexus-compile-";

inline std::string temporary_base() {
  const char *named = std::getenv("TMPDIR");
  const std::filesystem::path folder = named != nullptr && *named != '\0' ? named : "/tmp";
  std::error_code failed;
  const std::filesystem::path absolute = std::filesystem::absolute(folder, failed);
  std::string path = failed ? folder.string() : absolute.string();
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

[[noreturn]] inline void throw_not_made(const std::string &path, int reason) {
  if (reason == EMFILE || reason == ENFILE) {
    throw Error(NXS_OutOfResources, "no file can be opened for the compiler in '", path,
                "': ", std::strerror(reason),
                "; close some files, or raise the limit of open files");
  }
  throw Error(NXS_OutOfResources, "no temporary folder can be made as '", path,
              "': ", std::strerror(reason), "; set TMPDIR to a folder that can be written");
}

inline int open_folder(const std::string &path) {
  return open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// Removes the folders of processes that died: those of this user that no living process has locked.
inline void remove_abandoned(const std::string &base) {
  std::error_code failed;
  for (std::filesystem::directory_iterator entry(base, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (!entry->path().filename().string().starts_with(kPrefix)) continue;
    const int folder = open_folder(entry->path().string());
    if (folder < 0) continue;
    struct stat status{};
    if (fstat(folder, &status) == 0 && status.st_uid == geteuid() &&
        flock(folder, LOCK_EX | LOCK_NB) == 0) {
      std::error_code ignored;
      std::filesystem::remove_all(entry->path(), ignored);
    }
    close(folder);
  }
}

}  // namespace child

inline PrivateFolder::PrivateFolder() {
  static std::once_flag cleaned;
  const std::string base = child::temporary_base();
  std::call_once(cleaned, [&] { child::remove_abandoned(base); });
  do {
    path_ = base + "/" + child::kPrefix + "XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) child::throw_not_made(path_, errno);  // mode 0700
  } while (!open_and_lock());
}

// Locks the folder for as long as this process has the file, which dies with it. Returns false if
// another process took it for an abandoned one. Where a file system knows no locks, none is
// removed.
inline bool PrivateFolder::open_and_lock() {
  for (int &kept : kept_) {
    kept = child::open_folder(path_);
    if (kept >= 0) continue;
    const int reason = errno;
    close_kept();
    if (reason == ENOENT) return false;
    rmdir(path_.c_str());
    child::throw_not_made(path_, reason);
  }
  const bool refused = flock(kept_[0], LOCK_EX | LOCK_NB) != 0;
  if (refused ? errno != EWOULDBLOCK : access(path_.c_str(), F_OK) == 0) return true;
  close_kept();
  return false;
}

inline PrivateFolder::~PrivateFolder() {
  close_kept();
  // Twice: a program that was just killed may have been writing while the first went through.
  std::error_code failed;
  std::filesystem::remove_all(path_, failed);
  if (failed) std::filesystem::remove_all(path_, failed);
}

inline void PrivateFolder::close_kept() noexcept {
  for (int &kept : kept_) {
    if (kept >= 0) close(kept);
    kept = -1;
  }
}

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_CHILD_PROCESS_HPP_
