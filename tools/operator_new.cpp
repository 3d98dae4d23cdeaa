// SPDX-License-Identifier: Apache-2.0
// The allocation functions of C++ for libraries on macOS that carry a static libc++. The system's
// loader would replace libc++'s by the system's, which throw another std::bad_alloc than our
// handlers catch. It does not replace what is hidden, and tools/wheelhouse.py compiles these so.
#include <cstdlib>
#include <new>

namespace {

template <typename Attempt>
void *allocated(Attempt attempt) {
  for (;;) {
    if (void *memory = attempt()) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

}  // namespace

void *operator new(std::size_t size) {
  return allocated([=] { return std::malloc(size == 0 ? 1 : size); });
}
void *operator new(std::size_t size, std::align_val_t alignment) {
  const auto asked = static_cast<std::size_t>(alignment);
  const std::size_t bytes = asked < sizeof(void *) ? sizeof(void *) : asked;
  return allocated([=] {
    void *memory = nullptr;
    return posix_memalign(&memory, bytes, size == 0 ? 1 : size) == 0 ? memory : nullptr;
  });
}
void operator delete(void *memory) noexcept {
  std::free(memory);
}

// The others are made of these. None may be missing: the linker would take them from libc++'s
// object file, and show all that the file has.
void *operator new(std::size_t size, const std::nothrow_t &) noexcept {
  try {
    return operator new(size);
  } catch (...) {
    return nullptr;
  }
}
void *operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t &) noexcept {
  try {
    return operator new(size, alignment);
  } catch (...) {
    return nullptr;
  }
}
void *operator new[](std::size_t size) {
  return operator new(size);
}
void *operator new[](std::size_t size, std::align_val_t alignment) {
  return operator new(size, alignment);
}
void *operator new[](std::size_t size, const std::nothrow_t &nothrow) noexcept {
  return operator new(size, nothrow);
}
void *operator new[](std::size_t size, std::align_val_t alignment,
                     const std::nothrow_t &nothrow) noexcept {
  return operator new(size, alignment, nothrow);
}

#define DELETE(...)                                            \
  void operator delete(void *memory, __VA_ARGS__) noexcept {   \
    std::free(memory);                                         \
  }                                                            \
  void operator delete[](void *memory, __VA_ARGS__) noexcept { \
    std::free(memory);                                         \
  }
void operator delete[](void *memory) noexcept {
  std::free(memory);
}
DELETE(std::size_t)
DELETE(std::align_val_t)
DELETE(std::size_t, std::align_val_t)
DELETE(const std::nothrow_t &)
DELETE(std::align_val_t, const std::nothrow_t &)
