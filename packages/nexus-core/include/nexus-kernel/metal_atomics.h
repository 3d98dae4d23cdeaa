/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomics of the portable kernel language in Metal. Its float atomics are newer than Metal 2 and in
 * device memory only, so float atomics use a compare-exchange of the bits. It may fail spuriously,
 * so it is retried as long as the value equals the expected one.
 */
#ifndef NEXUS_KERNEL_METAL_ATOMICS_H_
#define NEXUS_KERNEL_METAL_ATOMICS_H_

#define NXK_ATOMIC(space, T, atomic_T, operation, function)                                 \
  NEXUS_FUNCTION T nexus_atomic_##operation(space T *p, T value) {                          \
    return metal::function((space metal::atomic_T *)p, value, metal::memory_order_relaxed); \
  }
#define NXK_ATOMICS(space, T, atomic_T)                                                        \
  NXK_ATOMIC(space, T, atomic_T, add, atomic_fetch_add_explicit)                               \
  NXK_ATOMIC(space, T, atomic_T, min, atomic_fetch_min_explicit)                               \
  NXK_ATOMIC(space, T, atomic_T, max, atomic_fetch_max_explicit)                               \
  NXK_ATOMIC(space, T, atomic_T, exchange, atomic_exchange_explicit)                           \
  NEXUS_FUNCTION T nexus_atomic_compare_exchange(space T *p, T expected, T desired) {          \
    T seen = expected;                                                                         \
    while (!metal::atomic_compare_exchange_weak_explicit((space metal::atomic_T *)p, &seen,    \
                                                         desired, metal::memory_order_relaxed, \
                                                         metal::memory_order_relaxed) &&       \
           seen == expected) {                                                                 \
    }                                                                                          \
    return seen;                                                                               \
  }

/* Retries while other items interfere; writes nothing if the value does not change. */
#define NXK_ATOMIC_OF_FLOAT(space, operation, changes, result)                                    \
  NEXUS_FUNCTION float nexus_atomic_##operation(space float *p, float value) {                    \
    float old = as_type<float>(                                                                   \
        metal::atomic_load_explicit((space metal::atomic_uint *)p, metal::memory_order_relaxed)); \
    while (changes) {                                                                             \
      const float seen = nexus_atomic_compare_exchange(p, old, result);                           \
      if (as_type<unsigned int>(seen) == as_type<unsigned int>(old)) break;                       \
      old = seen;                                                                                 \
    }                                                                                             \
    return old;                                                                                   \
  }
#define NXK_ATOMICS_OF_FLOAT(space)                                                       \
  NEXUS_FUNCTION float nexus_atomic_exchange(space float *p, float value) {               \
    return as_type<float>(                                                                \
        nexus_atomic_exchange((space unsigned int *)p, as_type<unsigned int>(value)));    \
  }                                                                                       \
  NEXUS_FUNCTION float nexus_atomic_compare_exchange(space float *p, float expected,      \
                                                     float desired) {                     \
    return as_type<float>(nexus_atomic_compare_exchange((space unsigned int *)p,          \
                                                        as_type<unsigned int>(expected),  \
                                                        as_type<unsigned int>(desired))); \
  }                                                                                       \
  NXK_ATOMIC_OF_FLOAT(space, add, true, old + value)                                      \
  NXK_ATOMIC_OF_FLOAT(space, min, value < old, value)                                     \
  NXK_ATOMIC_OF_FLOAT(space, max, value > old, value)

NXK_ATOMICS(device, int, atomic_int)
NXK_ATOMICS(device, unsigned int, atomic_uint)
NXK_ATOMICS_OF_FLOAT(device)
NXK_ATOMICS(threadgroup, int, atomic_int)
NXK_ATOMICS(threadgroup, unsigned int, atomic_uint)
NXK_ATOMICS_OF_FLOAT(threadgroup)

#endif /* NEXUS_KERNEL_METAL_ATOMICS_H_ */
