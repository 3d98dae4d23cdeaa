// SPDX-License-Identifier: Apache-2.0
#include "host/stubs.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <new>

#if defined(__APPLE__)
#include <mach/mach.h>
#else
#include <link.h>
#endif

#include "base/error.hpp"
#include "host/function_list.hpp"
#include "host/host.hpp"

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
  if (address == nullptr || size > kMostPipeBytes) return false;
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

// Returns whether the address lies in the code of the program or of a loaded library.
static bool isCode(const void *address) noexcept {
#if defined(__APPLE__)
  vm_address_t start = reinterpret_cast<vm_address_t>(address);
  const vm_address_t wanted = start;
  vm_size_t size = 0;
  vm_region_basic_info_data_64_t info{};
  mach_msg_type_number_t count = VM_REGION_BASIC_INFO_COUNT_64;
  mach_port_t object = MACH_PORT_NULL;
  const kern_return_t result =
      vm_region_64(mach_task_self(), &start, &size, VM_REGION_BASIC_INFO_64,
                   reinterpret_cast<vm_region_info_t>(&info), &count, &object);
  return result == KERN_SUCCESS && start <= wanted && (info.protection & VM_PROT_EXECUTE) != 0;
#else
  CodeSearch search{reinterpret_cast<uintptr_t>(address)};
  dl_iterate_phdr(&lookForCode, &search);
  return search.found;
#endif
}

namespace {

nxs_status refuse(nxs_id id, std::string_view function) noexcept {
  const uint32_t tag = NXS_ID_TAG(id);
  try {
    const std::string_view backend = backendOfTag(tag);
    const std::string who =
        backend.empty() ? "The plug-in" : "The plug-in '" + std::string(backend) + "'";
    makeErrorRecord(tag, 0,
                    who + " has no " + std::string(function) + ", which is an optional function.");
  } catch (const std::bad_alloc &) {
    makeErrorRecord(tag, 0, function);  // with a shorter text, or the record for no memory
  }
  return NXS_NotSupported;
}

template <typename Condition>
std::vector<std::string> namesWhere(Condition &&condition) {
  std::vector<std::string> names;
  functions::forEach([&](auto function) {
    if (condition(function)) names.emplace_back(function.name);
  });
  return names;
}

template <typename Function, typename Pointer = typename Function::Pointer>
struct Stub;

template <typename Function, typename... Rest>
struct Stub<Function, nxs_status (*)(nxs_id, Rest...)> {
  static nxs_status call(nxs_id first, Rest...) noexcept { return refuse(first, Function::name); }
};

}  // namespace

std::vector<std::string> missingFunctions(const nxs_functions &table) {
  return namesWhere(
      [&](auto function) { return function.required && table.*function.member == nullptr; });
}

std::vector<std::string> functionsWithoutCode(const nxs_functions &table) {
  return namesWhere([&](auto function) {
    const auto address = table.*function.member;
    return address != nullptr && !isCode(reinterpret_cast<const void *>(address));
  });
}

void fillStubs(nxs_functions &table) {
  table.struct_size = sizeof(nxs_functions);
  functions::forEach([&](auto function) {
    using Function = decltype(function);
    if (table.*Function::member == nullptr) {
      table.*Function::member = &Stub<Function>::call;
    }
  });
}

}  // namespace nexus::core
