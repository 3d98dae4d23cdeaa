// SPDX-License-Identifier: Apache-2.0
#include "memory/buffer.hpp"

#include <unistd.h>
#include <map>
#include <mutex>

namespace nexus_cuda NXS_HIDDEN {
namespace {

// A page-locked range of whole pages. The driver locks no page twice.
struct Registered {
  uintptr_t end = 0;
  uint64_t users = 0;  // 0: the driver refused to unlock it, and the next register_memory() retries
  bool ours = false;   // else another library locked it, and unlocks it
};

struct Registry {
  std::mutex mutex;
  std::map<uintptr_t, Registered> ranges;  // by their begin
};

Registry &registry() {
  static Registry *const made = new Registry;
  return *made;
}

uintptr_t page_size() noexcept {
  static const auto size = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  return size;
}

// Returns the range that contains the address; end() if there is none.
std::map<uintptr_t, Registered>::iterator find_range(Registry &known, uintptr_t address) {
  auto after = known.ranges.upper_bound(address);
  if (after == known.ranges.begin()) return known.ranges.end();
  --after;
  return address < after->second.end ? after : known.ranges.end();
}

// Returns CUDA_ERROR_INVALID_VALUE if the driver does not know the address; other errors do not
// tell whether it does.
CUresult ask_of_address(const void *address) noexcept {
  CUmemorytype type{};
  const CUresult result = cu.PointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                                 reinterpret_cast<CUdeviceptr>(address));
  return result == CUDA_SUCCESS && type == 0 ? CUDA_ERROR_INVALID_VALUE : result;
}

// Does the same for the first and last byte of a range.
CUresult ask_of_range(const void *address, uint64_t size) noexcept {
  const CUresult first = ask_of_address(address);
  if (first != CUDA_SUCCESS || size <= 1) return first;
  return ask_of_address(static_cast<const char *>(address) + size - 1);
}

constexpr const char *kUnlocking = "unlocking memory";

}  // namespace

void register_memory(Device &device, void *address, uint64_t size) {
  const uintptr_t page = page_size();
  const auto from = reinterpret_cast<uintptr_t>(address);
  const uintptr_t begin = from / page * page;
  const uintptr_t end = (from + size + page - 1) / page * page;
  Registry &known = registry();
  const std::lock_guard lock(known.mutex);
  auto found = find_range(known, begin);
  if (found != known.ranges.end() && found->second.users == 0) {
    // Its pages may have been unmapped, and others mapped there.
    device.check(cu.MemHostUnregister(reinterpret_cast<void *>(found->first)), kUnlocking);
    known.ranges.erase(found);
    found = known.ranges.end();
  }
  if (found != known.ranges.end() && end <= found->second.end) {
    ++found->second.users;
    return;
  }
  const CUresult result =
      cu.MemHostRegister(reinterpret_cast<void *>(begin), end - begin,
                         CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP);
  const bool others = result == CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  if (result != CUDA_SUCCESS && !others) {
    if (is_fatal(result)) device.check(result, "page-locking memory");
    throw Error::with_native_code(result, NXS_InvalidHostPtr, "host_ptr is ", from,
                                  ", and the system can't page-lock its ", size, " bytes (",
                                  answer_of(result), "); check 'ulimit -l', or leave Maintain out");
  }
  const CUresult told = others ? ask_of_range(address, size) : CUDA_SUCCESS;
  if (told != CUDA_SUCCESS && told != CUDA_ERROR_INVALID_VALUE) {
    device.check(told, "asking whether memory is page-locked");
  }
  if (told != CUDA_SUCCESS) {
    throw Error::with_native_code(
        result, NXS_InvalidHostPtr, "host_ptr is ", from, ", and only part of its ", size,
        " bytes is page-locked already; give memory with pages of its own");
  }
  known.ranges[begin] = {end, 1, !others};
}

void unregister_memory(const void *address) noexcept {
  Registry &known = registry();
  const std::lock_guard lock(known.mutex);
  const auto found =
      find_range(known, reinterpret_cast<uintptr_t>(address) / page_size() * page_size());
  if (found == known.ranges.end() || --found->second.users != 0) return;
  if (found->second.ours) {
    const CUresult ended = cu.MemHostUnregister(reinterpret_cast<void *>(found->first));
    log_unreleased(ended, kUnlocking);
    if (ended != CUDA_SUCCESS) return;
  }
  known.ranges.erase(found);
}

bool is_page_locked(const void *address, uint64_t size) noexcept {
  return ask_of_range(address, size) == CUDA_SUCCESS;
}

}  // namespace nexus_cuda
