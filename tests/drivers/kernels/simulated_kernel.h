/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between the simulated driver and a kernel's code, which is a shared object for the host. It has
 * the symbol nexus_simulated_image, and comes inside an ELF file that says that it is for NVIDIA's
 * GPUs (a cubin) or AMD's (a code object), in the section NEXUS_SIMULATED_SECTION.
 */
#ifndef NEXUS_SIMULATED_KERNEL_H_
#define NEXUS_SIMULATED_KERNEL_H_

#define NEXUS_SIMULATED_SECTION ".nexus.simulated"
#define NEXUS_SIMULATED_VERSION 2

/* Where a thread of a kernel is. The driver changes `thread` when it goes on with another one. */
struct nexus_simulated_block {
  unsigned thread[3];
  unsigned block[3];
  unsigned block_size[3];
  unsigned grid_size[3];
  unsigned cluster_size[3];
  void *dynamic_memory; /* set by the kernel's code; the driver fills it with garbage */
  unsigned long dynamic_bytes;
  void (*synchronise)(struct nexus_simulated_block *block); /* __syncthreads() */
  void (*trap)(struct nexus_simulated_block *block);        /* does not return */
};

struct nexus_simulated_kernel {
  void (*function)(void); /* its symbol is the kernel's name */
  /* Runs one thread with the parameters, packed as offsets says. */
  void (*run)(struct nexus_simulated_block *block, const unsigned char *parameters);
  const unsigned long *offsets;
  const unsigned long *sizes;
  const bool *pointers; /* whether each is one */
  unsigned parameter_count;
  unsigned parameter_bytes;
  unsigned max_threads;  /* __launch_bounds__; 0: none */
  unsigned has_barriers; /* threads may call synchronise */
  unsigned index;        /* in the order of the program */
};

struct nexus_simulated_image {
  unsigned version;
  struct nexus_simulated_kernel **begin;
  struct nexus_simulated_kernel **end;
  /* Sets dynamic_memory for this thread. */
  void (*enter)(struct nexus_simulated_block *block);
};

#endif /* NEXUS_SIMULATED_KERNEL_H_ */
