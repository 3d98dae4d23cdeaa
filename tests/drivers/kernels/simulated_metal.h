/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands before a program in Metal's language for the host's compiler, in C++14, and the entry
 * that is put behind it for each kernel. metal_stdlib is that of tests/dialects.
 */
#ifndef NEXUS_SIMULATED_METAL_H_
#define NEXUS_SIMULATED_METAL_H_

#include "metal_kernel.h"
#include "simulated_kernel.h"

#define NEXUS_METAL_WEAK __attribute__((weak, visibility("default")))

extern "C" {
NEXUS_METAL_WEAK __thread nexus_simulated_block *nexus_simulated_current = nullptr;
NEXUS_METAL_WEAK __attribute__((aligned(
    1024))) __thread unsigned char nexus_simulated_dynamic[NEXUS_METAL_THREADGROUP_MEMORY] = {};

extern nexus_simulated_kernel *__start_nexus_kernels[] __attribute__((weak, visibility("hidden")));
extern nexus_simulated_kernel *__stop_nexus_kernels[] __attribute__((weak, visibility("hidden")));
extern nexus_metal_static_variable __start_nexus_metal_locals[]
    __attribute__((weak, visibility("hidden")));
extern nexus_metal_static_variable __stop_nexus_metal_locals[]
    __attribute__((weak, visibility("hidden")));

NEXUS_METAL_WEAK struct nexus_simulated_image nexus_simulated_image = {
    NEXUS_SIMULATED_VERSION, __start_nexus_kernels, __stop_nexus_kernels,
    [](nexus_simulated_block *block) { block->dynamic_memory = nexus_simulated_dynamic; }};
NEXUS_METAL_WEAK struct nexus_metal_static_memory nexus_metal_static_memory = {
    __start_nexus_metal_locals, __stop_nexus_metal_locals};
}

/* Where a thread is, by the names of Metal's attributes; before its words become macros. */
namespace nexus_metal {
struct place {
  const nexus_simulated_block *at;
  const nexus_metal_arguments *arguments;

  unsigned thread_position_in_threadgroup(int d) const { return at->thread[d]; }
  unsigned threadgroup_position_in_grid(int d) const { return at->block[d]; }
  unsigned threadgroups_per_grid(int d) const { return at->grid_size[d]; }
  unsigned dispatch_threads_per_threadgroup(int d) const { return at->block_size[d]; }
  unsigned threads_per_grid(int d) const { return arguments->threads[d]; }
  unsigned threads_per_threadgroup(int d) const {
    const unsigned rest = arguments->threads[d] - at->block[d] * at->block_size[d];
    return rest < at->block_size[d] ? rest : at->block_size[d];
  }
  unsigned thread_position_in_grid(int d) const {
    return at->block[d] * at->block_size[d] + at->thread[d];
  }
  unsigned thread_index_in_threadgroup(int) const {
    return (at->thread[2] * threads_per_threadgroup(1) + at->thread[1]) *
               threads_per_threadgroup(0) +
           at->thread[0];
  }
  bool is_in_grid() const {
    return thread_position_in_grid(0) < threads_per_grid(0) &&
           thread_position_in_grid(1) < threads_per_grid(1) &&
           thread_position_in_grid(2) < threads_per_grid(2);
  }
};
} /* namespace nexus_metal */

inline void nexus_metal_synchronise() {
  nexus_simulated_current->synchronise(nexus_simulated_current);
}

#include <metal_stdlib>

namespace nexus_metal {

template <class T>
struct plain {
  typedef T type;
};
template <class T>
struct plain<const T> : plain<T> {};
template <class T>
struct plain<volatile T> : plain<T> {};
template <class T>
struct plain<const volatile T> : plain<T> {};

template <class T>
struct is_const {
  static const bool value = false;
};
template <class T>
struct is_const<const T> {
  static const bool value = true;
};
template <class T>
struct is_const<const volatile T> {
  static const bool value = true;
};

/* What a parameter of that type points to. */
template <class T>
struct pointee {
  typedef T type;
};
template <class T>
struct pointee<T *> : pointee<T> {};
template <class T>
struct pointee<T &> : pointee<T> {};

template <class T>
struct target;
template <class T>
struct target<T *> {
  static T *at(void *place) { return static_cast<T *>(place); }
};
template <class T>
struct target<T &> {
  static T &at(void *place) { return *static_cast<T *>(place); }
};

/* The type of a kernel's parameter. */
template <unsigned index, class Kernel>
struct parameter;
template <class First, class... Rest>
struct parameter<0, void(First, Rest...)> {
  typedef First type;
};
template <unsigned index, class First, class... Rest>
struct parameter<index, void(First, Rest...)> : parameter<index - 1, void(Rest...)> {};

/* MTLDataType. */
template <class T>
struct data_type {
  static const unsigned long value = 1; /* a structure */
};
#define NEXUS_METAL_TYPE(T, number)            \
  template <>                                  \
  struct data_type<T> {                        \
    static const unsigned long value = number; \
  };
NEXUS_METAL_TYPE(float, 3)
NEXUS_METAL_TYPE(metal::float2, 4)
NEXUS_METAL_TYPE(metal::float4, 6)
NEXUS_METAL_TYPE(int, 29)
NEXUS_METAL_TYPE(metal::int2, 30)
NEXUS_METAL_TYPE(metal::int4, 32)
NEXUS_METAL_TYPE(unsigned int, 33)
NEXUS_METAL_TYPE(metal::uint2, 34)
NEXUS_METAL_TYPE(metal::uint3, 35)
NEXUS_METAL_TYPE(metal::uint4, 36)
NEXUS_METAL_TYPE(short, 37)
NEXUS_METAL_TYPE(unsigned short, 41)
NEXUS_METAL_TYPE(signed char, 45)
NEXUS_METAL_TYPE(char, 45)
NEXUS_METAL_TYPE(unsigned char, 49)
NEXUS_METAL_TYPE(bool, 53)
NEXUS_METAL_TYPE(long, 81)
NEXUS_METAL_TYPE(unsigned long, 85)

/* Where a thread is, in the type that the kernel asks for. */
template <class T>
struct position {
  static T of(unsigned x, unsigned, unsigned) { return static_cast<T>(x); }
};
template <>
struct position<metal::uint2> {
  static metal::uint2 of(unsigned x, unsigned y, unsigned) { return {x, y}; }
};
template <>
struct position<metal::uint3> {
  static metal::uint3 of(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }
};

} /* namespace nexus_metal */

/* Behind the declaration of a variable in threadgroup memory. */
#define NEXUS_METAL_LOCAL(variable)                               \
  static nexus_metal_static_variable nexus_metal_local_##variable \
      __attribute__((section("nexus_metal_locals"), used)) = {__func__, sizeof(variable)};

#define NEXUS_METAL_TYPE_OF(i, kernel_name) nexus_metal::parameter<i, decltype(kernel_name)>::type
#define NEXUS_METAL_BUFFER(i, kernel_name, place) \
  nexus_metal::target<NEXUS_METAL_TYPE_OF(i, kernel_name)>::at(arguments->buffers[place])
#define NEXUS_METAL_THREADGROUP(i, kernel_name, place)                                   \
  nexus_metal::target<NEXUS_METAL_TYPE_OF(i, kernel_name)>::at(nexus_simulated_dynamic + \
                                                               arguments->locals[place])
#define NEXUS_METAL_POSITION(i, kernel_name, where)                                         \
  nexus_metal::position<nexus_metal::plain<NEXUS_METAL_TYPE_OF(i, kernel_name)>::type>::of( \
      here.where(0), here.where(1), here.where(2))

#define NEXUS_METAL_BINDING(i, kernel_name, name, kind, place)                                     \
  {name,                                                                                           \
   kind,                                                                                           \
   place,                                                                                          \
   !nexus_metal::is_const<nexus_metal::pointee<NEXUS_METAL_TYPE_OF(i, kernel_name)>::type>::value, \
   sizeof(nexus_metal::pointee<NEXUS_METAL_TYPE_OF(i, kernel_name)>::type),                        \
   alignof(nexus_metal::pointee<NEXUS_METAL_TYPE_OF(i, kernel_name)>::type),                       \
   nexus_metal::data_type<nexus_metal::plain<                                                      \
       nexus_metal::pointee<NEXUS_METAL_TYPE_OF(i, kernel_name)>::type>::type>::value},

/* Behind the program. (...): the arguments of the call, by the macros above. */
#define NEXUS_METAL_KERNEL(number, kernel_name, most, barriers, ...)                     \
  static void nexus_metal_run_##number(nexus_simulated_block *at,                        \
                                       const unsigned char *parameters) {                \
    nexus_simulated_current = at;                                                        \
    const auto *arguments = reinterpret_cast<const nexus_metal_arguments *>(parameters); \
    const nexus_metal::place here = {at, arguments};                                     \
    if (!here.is_in_grid()) return;                                                      \
    kernel_name(__VA_ARGS__);                                                            \
  }                                                                                      \
  static nexus_simulated_kernel nexus_metal_kernel_##number = {                          \
      reinterpret_cast<void (*)()>(&kernel_name),                                        \
      nexus_metal_run_##number,                                                          \
      nullptr,                                                                           \
      nullptr,                                                                           \
      nullptr,                                                                           \
      0,                                                                                 \
      sizeof(nexus_metal_arguments),                                                     \
      most,                                                                              \
      barriers,                                                                          \
      number};                                                                           \
  __attribute__((section("nexus_kernels"),                                               \
                 used)) static nexus_simulated_kernel *nexus_metal_entry_##number =      \
      &nexus_metal_kernel_##number;

#endif /* NEXUS_SIMULATED_METAL_H_ */
