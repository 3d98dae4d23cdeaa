// SPDX-License-Identifier: Apache-2.0
#include "host/memory_check.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>

#if defined(__APPLE__)
#include <mach/mach.h>
#include <mach/mach_vm.h>
#else
#include <link.h>
#endif

namespace nexus::core {
namespace {

constexpr uint64_t kMostPipeBytes = 4096;  // a pipe takes that many at once

#if !defined(__APPLE__)
struct CodeSearch {
  uintptr_t address;
  bool found = false;
};

int lookForCode(dl_phdr_info *library, std::size_t, void *context) noexcept {
  auto &search = *static_cast<CodeSearch *>(context);
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const auto &segment = library->dlpi_phdr[i];
    const uintptr_t start = library->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0 && search.address >= start &&
        search.address - start < segment.p_memsz) {
      search.found = true;
      return 1;
    }
  }
  return 0;
}
#endif

}  // namespace

// Lets the system read the memory, since reading an invalid address ourselves would crash.
bool isReadable(const void *address, uint64_t size) noexcept {
  if (address == nullptr || size > kMostPipeBytes) {
    return false;
  }
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) {
    return true;  // can't be checked
  }
  ssize_t written = 0;
  do {
    written = write(ends[1], address, static_cast<std::size_t>(size));
  } while (written < 0 && errno == EINTR);
  close(ends[0]);
  close(ends[1]);
  return written == static_cast<ssize_t>(size);
}

bool isCode(const void *address) noexcept {
#if defined(__APPLE__)
  mach_vm_address_t start = reinterpret_cast<mach_vm_address_t>(address);
  const mach_vm_address_t wanted = start;
  mach_vm_size_t size = 0;
  vm_region_basic_info_data_64_t info{};
  mach_msg_type_number_t count = VM_REGION_BASIC_INFO_COUNT_64;
  mach_port_t object = MACH_PORT_NULL;
  const kern_return_t result =
      mach_vm_region(mach_task_self(), &start, &size, VM_REGION_BASIC_INFO_64,
                     reinterpret_cast<vm_region_info_t>(&info), &count, &object);
  return result == KERN_SUCCESS && start <= wanted && (info.protection & VM_PROT_EXECUTE) != 0;
#else
  CodeSearch search{reinterpret_cast<uintptr_t>(address)};
  dl_iterate_phdr(&lookForCode, &search);
  return search.found;
#endif
}

}  // namespace nexus::core
