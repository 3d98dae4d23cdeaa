/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is put behind a program: an entry for each kernel, and the image that they are found in.
 *
 *   NEXUS_SIMULATED_KERNEL(index, max_threads, has_barriers, kernel...)
 */
#ifndef NEXUS_SIMULATED_ENTRIES_H_
#define NEXUS_SIMULATED_ENTRIES_H_

namespace nexus_simulated __attribute__((visibility("hidden"))) {

  constexpr unsigned long place(unsigned long offset, unsigned long alignment) {
    return (offset + alignment - 1) / alignment * alignment;
  }

  /* Takes one parameter after the other. */
  struct Reader {
    const unsigned char *bytes;
    unsigned long offset = 0;

    template <class T>
    T next() {
      offset = place(offset, alignof(T));
      union Room {
        Room() {}
        ~Room() {}
        T value;
      } room;
      __builtin_memcpy(static_cast<void *>(&room), bytes + offset, sizeof(T));
      offset += sizeof(T);
      return room.value;
    }
  };

  template <class T>
  constexpr bool is_pointer = false;
  template <class T>
  constexpr bool is_pointer<T *> = true;

  template <auto kernel>
  struct Entry;

  template <class... Types, void (*kernel)(Types...)>
  struct Entry<kernel> {
    struct Layout {
      unsigned long offsets[sizeof...(Types) + 1];
      unsigned long sizes[sizeof...(Types) + 1];
      bool pointers[sizeof...(Types) + 1];
      unsigned long bytes;
    };
    static constexpr Layout make_layout() {
      Layout made{{}, {}, {is_pointer<Types>..., false}, 0};
      const unsigned long sizes[] = {sizeof(Types)..., 0}, alignments[] = {alignof(Types)..., 1};
      for (unsigned long i = 0; i < sizeof...(Types); ++i) {
        made.offsets[i] = place(made.bytes, alignments[i]);
        made.sizes[i] = sizes[i];
        made.bytes = made.offsets[i] + sizes[i];
      }
      return made;
    }
    static constexpr Layout layout = make_layout();

    struct Call {
      explicit Call(Types... arguments) { kernel(arguments...); }
    };
    static void run(nexus_simulated_block *block, const unsigned char *parameters) {
      nexus_simulated_current = block;
      [[maybe_unused]] Reader reader{parameters};
      (void)Call{reader.template next<Types>()...}; /* braces: from left to right */
    }
  };

  constexpr unsigned long kMostSharedMemory = 232448;

}  // namespace nexus_simulated

extern "C" {

__attribute__((weak, aligned(1024))) constinit thread_local unsigned char
    nexus_simulated_dynamic[nexus_simulated::kMostSharedMemory] = {};

/* A name that the program gives to the dynamic shared memory. */
#define NEXUS_SIMULATED_DYNAMIC(name) \
  asm(".weak " #name "\n.type " #name \
      ", @tls_object\n"               \
      ".set " #name ", nexus_simulated_dynamic\n");

extern nexus_simulated_kernel *__start_nexus_kernels[] __attribute__((weak, visibility("hidden")));
extern nexus_simulated_kernel *__stop_nexus_kernels[] __attribute__((weak, visibility("hidden")));

__attribute__((weak, visibility("default"))) nexus_simulated_image nexus_simulated_image = {
    NEXUS_SIMULATED_VERSION, __start_nexus_kernels, __stop_nexus_kernels,
    [](nexus_simulated_block *block) { block->dynamic_memory = nexus_simulated_dynamic; }};
}

#define NEXUS_SIMULATED_KERNEL(index, max_threads, has_barriers, ...)                         \
  static nexus_simulated_kernel nexus_simulated_kernel_##index = {                            \
      reinterpret_cast<void (*)()>(static_cast<decltype(&__VA_ARGS__)>(&__VA_ARGS__)),        \
      nexus_simulated::Entry<&__VA_ARGS__>::run,                                              \
      nexus_simulated::Entry<&__VA_ARGS__>::layout.offsets,                                   \
      nexus_simulated::Entry<&__VA_ARGS__>::layout.sizes,                                     \
      nexus_simulated::Entry<&__VA_ARGS__>::layout.pointers,                                  \
      sizeof(nexus_simulated::Entry<&__VA_ARGS__>::layout.sizes) / sizeof(unsigned long) - 1, \
      static_cast<unsigned>(nexus_simulated::Entry<&__VA_ARGS__>::layout.bytes),              \
      max_threads,                                                                            \
      has_barriers,                                                                           \
      index};                                                                                 \
  __attribute__((section("nexus_kernels"),                                                    \
                 used)) static nexus_simulated_kernel *nexus_simulated_entry_##index =        \
      &nexus_simulated_kernel_##index;

#endif /* NEXUS_SIMULATED_ENTRIES_H_ */
