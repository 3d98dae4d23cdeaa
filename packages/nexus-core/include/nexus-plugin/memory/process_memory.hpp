// SPDX-License-Identifier: Apache-2.0
// Host memory that processes of one machine share: for buffers with NXS_BufferSettings_Shareable of
// backends whose device works in host memory.
//
// On Linux the memory has no name: other processes open it through the process that created it, so
// nothing remains when that process ends. On other systems it has a name, which is removed with the
// object.
#ifndef NEXUS_PLUGIN_PROCESS_MEMORY_HPP_
#define NEXUS_PLUGIN_PROCESS_MEMORY_HPP_

#include <nexus-plugin/base/error.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace nexus_plugin NXS_HIDDEN {

namespace detail {

// Tells other processes where to find the memory, and how to check that it is the right one.
struct MemoryPlace {
  uint64_t process = 0;
  uint64_t number = 0;  // of the file in that process
  uint64_t inode = 0;
  uint64_t size = 0;  // bytes

  static constexpr std::string_view kHead = "nexus-memory 1";

  std::string text() const {
    return join(kHead, " ", process, " ", number, " ", inode, " ", size, "\n");
  }

  // Throws NXS_InvalidValue if the text is not one of text().
  static MemoryPlace parse(std::string_view text) {
    MemoryPlace place;
    const char *at = text.data() + kHead.size();
    const char *const end = text.data() + text.size();
    bool good = text.starts_with(kHead) && text.ends_with('\n');
    for (uint64_t *field : {&place.process, &place.number, &place.inode, &place.size}) {
      if (!good) break;
      const auto read = std::from_chars(at + 1, end, *field);
      good = *at == ' ' && read.ec == std::errc();
      at = read.ptr;
    }
    if (good && at + 1 == end && place.size != 0) return place;
    throw Error(NXS_InvalidValue,
                "handle is not an exported buffer; give all bytes that nxsExportBuffer wrote");
  }

#if defined(__linux__)
  std::string path() const { return join("/proc/", process, "/fd/", number); }
  int open() const { return ::open(path().c_str(), O_RDWR | O_CLOEXEC); }
#else
  std::string path() const { return join("/nexus-", process, "-", number); }
  int open() const { return shm_open(path().c_str(), O_RDWR, 0600); }
#endif
};

// Makes a file in memory, and writes its process and number to place. Returns its descriptor, or
// -1 with errno.
inline int make_memory_file(MemoryPlace &place) {
  place.process = static_cast<uint64_t>(getpid());
#if defined(SYS_memfd_create)
  constexpr unsigned close_on_exec = 1, allow_sealing = 2;  // older headers do not name them
  const auto file =
      static_cast<int>(syscall(SYS_memfd_create, "nexus-buffer", close_on_exec | allow_sealing));
  place.number = static_cast<uint64_t>(file);
  return file;
#elif defined(__linux__)
  errno = ENOSYS;
  return -1;
#else
  static std::atomic<uint64_t> newest{0};
  place.number = ++newest;
  return shm_open(place.path().c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
#endif
}

// Seals the file's size: a shorter file would crash the processes that have mapped it.
inline void keep_size(int file) noexcept {
#if defined(__linux__)
  constexpr int add_seals = 1033, seal_and_shrink_and_grow = 1 | 2 | 4;
  fcntl(file, add_seals, seal_and_shrink_and_grow);
#else
  (void)file;
#endif
}

}  // namespace detail

// Memory that this process made and others can map, or that it mapped from another process. May be
// empty.
class ProcessMemory {
 public:
  ProcessMemory() = default;
  ProcessMemory(ProcessMemory &&other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        file_(std::exchange(other.file_, -1)),
        place_(other.place_),
        made_here_(other.made_here_) {}
  ProcessMemory &operator=(ProcessMemory other) noexcept {
    std::swap(data_, other.data_);
    std::swap(file_, other.file_);
    std::swap(place_, other.place_);
    std::swap(made_here_, other.made_here_);
    return *this;
  }
  ~ProcessMemory() {
    if (data_ != nullptr) munmap(data_, static_cast<std::size_t>(place_.size));
    if (file_ >= 0) close(file_);
#if !defined(__linux__)
    // The child of a fork() keeps the name, since its parent still uses it.
    const bool own = place_.process == static_cast<uint64_t>(getpid());
    if (file_ >= 0 && made_here_ && own) shm_unlink(place_.path().c_str());
#endif
  }

  // Makes memory of zeros. Throws NXS_MemObjectAllocationFailure.
  static ProcessMemory make(uint64_t size) {
    // The system could also overcommit, and kill the process on access.
    const uint64_t most = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                          static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    ProcessMemory made;
    made.made_here_ = true;
    made.place_.size = size;
    struct stat state{};
    if (size <= most) made.file_ = detail::make_memory_file(made.place_);
    if (made.file_ < 0 || ftruncate(made.file_, static_cast<off_t>(size)) != 0 ||
        fstat(made.file_, &state) != 0 || !made.map()) {
      throw Error(NXS_MemObjectAllocationFailure, "the host has no shareable memory for a buffer ",
                  "of ", size, " bytes; release buffers or make a smaller one");
    }
    detail::keep_size(made.file_);
    made.place_.inode = static_cast<uint64_t>(state.st_ino);
    return made;
  }

  // Maps memory of another process, or of this one, by its handle(). Throws NXS_InvalidValue for an
  // invalid handle, NXS_InvalidOperation if the memory is gone or can't be opened.
  static ProcessMemory open(std::string_view handle) {
    ProcessMemory opened;
    opened.place_ = detail::MemoryPlace::parse(handle);
    opened.file_ = opened.place_.open();
    struct stat state{};
    const bool same = opened.file_ >= 0 && fstat(opened.file_, &state) == 0 &&
                      static_cast<uint64_t>(state.st_ino) == opened.place_.inode &&
                      static_cast<uint64_t>(state.st_size) >= opened.place_.size;
    if (!same || !opened.map()) {
      throw Error(NXS_InvalidOperation, "the memory of handle is gone or belongs to another user; ",
                  "keep the buffer open in process ", opened.place_.process);
    }
    return opened;
  }

  explicit operator bool() const noexcept { return data_ != nullptr; }
  std::byte *data() const noexcept { return data_; }
  uint64_t size() const noexcept { return place_.size; }
  bool made_here() const noexcept { return made_here_; }
  // Returns a text with which other processes can open the memory, as long as this object lives.
  std::string handle() const { return place_.text(); }

 private:
  bool map() {
    void *mapped = mmap(nullptr, static_cast<std::size_t>(place_.size), PROT_READ | PROT_WRITE,
                        MAP_SHARED, file_, 0);
    if (mapped == MAP_FAILED) return false;
    data_ = static_cast<std::byte *>(mapped);
    return true;
  }

  std::byte *data_ = nullptr;
  int file_ = -1;
  detail::MemoryPlace place_;
  bool made_here_ = false;
};

// Implements nxsExportBuffer. Throws NXS_InvalidOperation if the memory is empty or was imported.
inline void export_memory(const ProcessMemory &memory, const nxs_sink &handle) {
  if (!memory || !memory.made_here()) {
    throw Error(NXS_InvalidOperation, "the buffer was ",
                memory ? "imported; export it in the process that created it"
                       : "not created shareable; create it with shareable=True (in C "
                         "NXS_BufferSettings_Shareable)");
  }
  const std::string text = memory.handle();
  handle.write(handle.context, text.data(), text.size());
}

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_PROCESS_MEMORY_HPP_
