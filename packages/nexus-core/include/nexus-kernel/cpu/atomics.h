/* SPDX-License-Identifier: Apache-2.0 */
/* Atomics of the portable kernel language on the CPU: relaxed, each returns the old value. */
#ifndef NEXUS_KERNEL_CPU_ATOMICS_H_
#define NEXUS_KERNEL_CPU_ATOMICS_H_

/* C++ picks a function by its parameters; C does so in the macros at the end. */
#if defined(__cplusplus)
#define NXK_ATOMIC(operation, suffix) nexus_atomic_##operation
#else
#define NXK_ATOMIC(operation, suffix) nxk_atomic_##operation##_##suffix
#endif

/* Operations that hardware has for all three types. */
#define NXK_ATOMICS_EXCHANGE(T, suffix)                                                       \
  NEXUS_FUNCTION T NXK_ATOMIC(exchange, suffix)(T * pointer, T value) {                       \
    T old;                                                                                    \
    __atomic_exchange(pointer, &value, &old, __ATOMIC_RELAXED);                               \
    return old;                                                                               \
  }                                                                                           \
  NEXUS_FUNCTION T NXK_ATOMIC(compare_exchange, suffix)(T * pointer, T expected, T desired) { \
    __atomic_compare_exchange(pointer, &expected, &desired, 0, __ATOMIC_RELAXED,              \
                              __ATOMIC_RELAXED);                                              \
    return expected;                                                                          \
  }

/* Retries while other threads interfere; writes nothing if the value does not change. */
#define NXK_ATOMIC_LOOP(T, suffix, operation, changes, result)                    \
  NEXUS_FUNCTION T NXK_ATOMIC(operation, suffix)(T * pointer, T value) {          \
    T old;                                                                        \
    __atomic_load(pointer, &old, __ATOMIC_RELAXED);                               \
    while (changes) {                                                             \
      T desired = (result);                                                       \
      if (__atomic_compare_exchange(pointer, &old, &desired, 1, __ATOMIC_RELAXED, \
                                    __ATOMIC_RELAXED)) {                          \
        break;                                                                    \
      }                                                                           \
    }                                                                             \
    return old;                                                                   \
  }
#define NXK_ATOMICS(T, suffix)                        \
  NXK_ATOMICS_EXCHANGE(T, suffix)                     \
  NXK_ATOMIC_LOOP(T, suffix, min, value < old, value) \
  NXK_ATOMIC_LOOP(T, suffix, max, value > old, value)
#define NXK_ATOMIC_ADD(T, suffix)                                  \
  NEXUS_FUNCTION T NXK_ATOMIC(add, suffix)(T * pointer, T value) { \
    return __atomic_fetch_add(pointer, value, __ATOMIC_RELAXED);   \
  }

NXK_ATOMICS(int, int)
NXK_ATOMICS(nexus_uint32, uint32)
NXK_ATOMICS(float, float)
NXK_ATOMIC_ADD(int, int)
NXK_ATOMIC_ADD(nexus_uint32, uint32)
NXK_ATOMIC_LOOP(float, float, add, 1, old + value)

#if !defined(__cplusplus)
#define NXK_ATOMIC_PICK(operation, pointer)            \
  _Generic((pointer),                                  \
      int *: nxk_atomic_##operation##_int,             \
      nexus_uint32 *: nxk_atomic_##operation##_uint32, \
      float *: nxk_atomic_##operation##_float)
#define nexus_atomic_add(pointer, value) NXK_ATOMIC_PICK(add, pointer)(pointer, value)
#define nexus_atomic_min(pointer, value) NXK_ATOMIC_PICK(min, pointer)(pointer, value)
#define nexus_atomic_max(pointer, value) NXK_ATOMIC_PICK(max, pointer)(pointer, value)
#define nexus_atomic_exchange(pointer, value) NXK_ATOMIC_PICK(exchange, pointer)(pointer, value)
#define nexus_atomic_compare_exchange(pointer, expected, desired) \
  NXK_ATOMIC_PICK(compare_exchange, pointer)(pointer, expected, desired)
#endif

#endif /* NEXUS_KERNEL_CPU_ATOMICS_H_ */
