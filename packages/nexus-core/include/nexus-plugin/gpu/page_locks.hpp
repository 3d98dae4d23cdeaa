// SPDX-License-Identifier: Apache-2.0
// Page-locked memory of the program: the device uses it in place, and the driver copies it without
// a detour. G has
//
//   static constexpr Result kIsLocked = ...;  // of lock_pages(): some pages are locked already
//   static Result lock_pages(void *address, uint64_t size) noexcept;  // for all devices, mapped
//   static Result unlock_pages(void *address) noexcept;
//   static constexpr Result kUnknownAddress = ...;
//   // Asks whether the driver knows an address: kSuccess or kUnknownAddress. Other errors do not
//   // tell whether it does.
//   static Result ask_of_address(const void *address) noexcept;
#ifndef NEXUS_PLUGIN_GPU_PAGE_LOCKS_HPP_
#define NEXUS_PLUGIN_GPU_PAGE_LOCKS_HPP_

#include <nexus-plugin/base/error.hpp>
#include <nexus-plugin/gpu/device.hpp>

#include <unistd.h>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace nexus_plugin NXS_HIDDEN {
namespace gpu {

// Those of the process. A device must be current.
template <class G>
class PageLocks {
 public:
  // Page-locks the pages of a range for all devices, unless they are page-locked already. Call
  // unlock() once for each. Throws NXS_InvalidHostPtr.
  static void lock(typename G::Device &device, void *address, uint64_t size) {
    const uintptr_t page = page_size();
    const auto from = reinterpret_cast<uintptr_t>(address);
    const uintptr_t begin = from / page * page;
    const uintptr_t end = (from + size + page - 1) / page * page;
    PageLocks &known = all();
    const std::lock_guard lock(known.mutex_);
    auto found = known.find(begin);
    if (found != known.ranges_.end() && found->second.users == 0) {
      // Its pages may have been unmapped, and others mapped there.
      device.check(G::unlock_pages(reinterpret_cast<void *>(found->first)), kUnlocking);
      known.ranges_.erase(found);
      found = known.ranges_.end();
    }
    if (found != known.ranges_.end() && end <= found->second.end) {
      ++found->second.users;
      return;
    }
    const Result result = G::lock_pages(reinterpret_cast<void *>(begin), end - begin);
    const bool others = result == G::kIsLocked;
    if (result != kSuccess && !others) {
      if (G::errors.is_fatal(result)) device.check(result, "page-locking memory");
      throw Error::with_native_code(result, NXS_InvalidHostPtr, "host_ptr is ", from,
                                    ", and the system can't page-lock its ", size, " bytes (",
                                    G::errors.answer_of(result),
                                    "); check 'ulimit -l', or leave Maintain out");
    }
    const Result told = others ? ask_of_range(address, size) : kSuccess;
    if (told != kSuccess && told != G::kUnknownAddress) {
      device.check(told, "asking whether memory is page-locked");
    }
    if (told != kSuccess) {
      throw Error::with_native_code(
          result, NXS_InvalidHostPtr, "host_ptr is ", from, ", and only part of its ", size,
          " bytes is page-locked already; give memory with pages of its own");
    }
    known.ranges_[begin] = {end, 1, !others};
  }

  static void unlock(const void *address) noexcept {
    PageLocks &known = all();
    const std::lock_guard lock(known.mutex_);
    const auto found = known.find(reinterpret_cast<uintptr_t>(address) / page_size() * page_size());
    if (found == known.ranges_.end() || --found->second.users != 0) return;
    if (found->second.ours) {
      const Result ended = G::unlock_pages(reinterpret_cast<void *>(found->first));
      G::errors.log_unreleased(ended, kUnlocking);
      if (ended != kSuccess) return;
    }
    known.ranges_.erase(found);
  }

  // Returns whether the driver knows the memory, and so copies from and to it directly.
  static bool hold(const void *address, uint64_t size) noexcept {
    return ask_of_range(address, size) == kSuccess;
  }

 private:
  // A page-locked range of whole pages. The driver locks no page twice.
  struct Range {
    uintptr_t end = 0;
    uint64_t users = 0;  // 0: the driver refused to unlock it, and the next lock() retries
    bool ours = false;   // else another library locked it, and unlocks it
  };

  static constexpr const char *kUnlocking = "unlocking memory";

  static PageLocks &all() {
    static PageLocks *const made = new PageLocks;
    return *made;
  }

  static uintptr_t page_size() noexcept {
    static const auto size = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    return size;
  }

  // Returns the range that contains the address; end() if there is none.
  std::map<uintptr_t, Range>::iterator find(uintptr_t address) {
    auto after = ranges_.upper_bound(address);
    if (after == ranges_.begin()) return ranges_.end();
    --after;
    return address < after->second.end ? after : ranges_.end();
  }

  // Asks for the first and last byte of a range.
  static Result ask_of_range(const void *address, uint64_t size) noexcept {
    const Result first = G::ask_of_address(address);
    if (first != kSuccess || size <= 1) return first;
    return G::ask_of_address(static_cast<const char *>(address) + size - 1);
  }

  std::mutex mutex_;
  std::map<uintptr_t, Range> ranges_;  // by their begin
};

}  // namespace gpu
}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_GPU_PAGE_LOCKS_HPP_
