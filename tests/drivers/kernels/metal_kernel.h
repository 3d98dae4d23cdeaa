/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between the simulated Metal and a kernel's code, beside simulated_kernel.h: what a kernel is
 * launched with, and what its code tells of it.
 */
#ifndef NEXUS_METAL_KERNEL_H_
#define NEXUS_METAL_KERNEL_H_

#define NEXUS_METAL_PLACES 31                /* of buffers, and of threadgroup memory */
#define NEXUS_METAL_THREADGROUP_MEMORY 32768 /* bytes */

/* What `parameters` of a kernel's run() points to. */
struct nexus_metal_arguments {
  void *buffers[NEXUS_METAL_PLACES];
  unsigned locals[NEXUS_METAL_PLACES]; /* where each begins in the dynamic memory of a block */
  unsigned threads[3];                 /* of the grid: the last blocks may have fewer */
};

/* A parameter: the variable nexus_metal_bindings_<kernel> has all, and one without a name. Numbers
 * are Metal's. */
struct nexus_metal_binding {
  const char *name;
  unsigned long type; /* 0: a buffer, 1: threadgroup memory */
  unsigned long index;
  unsigned long access;          /* 0: read only, 1: read and write */
  unsigned long size, alignment; /* of what it points to */
  unsigned long data_type;
};

/* A variable in threadgroup memory: nexus_metal_static_memory has all. */
struct nexus_metal_static_variable {
  const char *kernel;
  unsigned long size;
};
struct nexus_metal_static_memory {
  struct nexus_metal_static_variable *begin, *end;
};

#endif /* NEXUS_METAL_KERNEL_H_ */
