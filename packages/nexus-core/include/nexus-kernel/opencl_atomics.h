/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomics of the portable kernel language in OpenCL C: those of version 1.2, which every device
 * has. The missing float atomics use a compare-exchange of the bits.
 */
#ifndef NEXUS_KERNEL_OPENCL_ATOMICS_H_
#define NEXUS_KERNEL_OPENCL_ATOMICS_H_

#define NXK_ATOMICS_OF_INT(space, T)                                                           \
  NXK_OVERLOADED T nexus_atomic_add(volatile space T *p, T value) {                            \
    return atomic_add(p, value);                                                               \
  }                                                                                            \
  NXK_OVERLOADED T nexus_atomic_min(volatile space T *p, T value) {                            \
    return atomic_min(p, value);                                                               \
  }                                                                                            \
  NXK_OVERLOADED T nexus_atomic_max(volatile space T *p, T value) {                            \
    return atomic_max(p, value);                                                               \
  }                                                                                            \
  NXK_OVERLOADED T nexus_atomic_exchange(volatile space T *p, T value) {                       \
    return atomic_xchg(p, value);                                                              \
  }                                                                                            \
  NXK_OVERLOADED T nexus_atomic_compare_exchange(volatile space T *p, T expected, T desired) { \
    return atomic_cmpxchg(p, expected, desired);                                               \
  }

/* Retries while other items interfere; writes nothing if the value does not change. */
#define NXK_ATOMIC_OF_FLOAT(space, operation, changes, result)                          \
  NXK_OVERLOADED float nexus_atomic_##operation(volatile space float *p, float value) { \
    float old = *p;                                                                     \
    while (changes) {                                                                   \
      const float seen = nexus_atomic_compare_exchange(p, old, result);                 \
      if (as_int(seen) == as_int(old)) break;                                           \
      old = seen;                                                                       \
    }                                                                                   \
    return old;                                                                         \
  }
#define NXK_ATOMICS_OF_FLOAT(space)                                                              \
  NXK_OVERLOADED float nexus_atomic_exchange(volatile space float *p, float value) {             \
    return atomic_xchg(p, value);                                                                \
  }                                                                                              \
  NXK_OVERLOADED float nexus_atomic_compare_exchange(volatile space float *p, float expected,    \
                                                     float desired) {                            \
    return as_float(atomic_cmpxchg((volatile space int *)p, as_int(expected), as_int(desired))); \
  }                                                                                              \
  NXK_ATOMIC_OF_FLOAT(space, add, 1, old + value)                                                \
  NXK_ATOMIC_OF_FLOAT(space, min, value < old, value)                                            \
  NXK_ATOMIC_OF_FLOAT(space, max, value > old, value)

NXK_ATOMICS_OF_INT(__global, int)
NXK_ATOMICS_OF_INT(__global, uint)
NXK_ATOMICS_OF_FLOAT(__global)
NXK_ATOMICS_OF_INT(__local, int)
NXK_ATOMICS_OF_INT(__local, uint)
NXK_ATOMICS_OF_FLOAT(__local)

#endif /* NEXUS_KERNEL_OPENCL_ATOMICS_H_ */
