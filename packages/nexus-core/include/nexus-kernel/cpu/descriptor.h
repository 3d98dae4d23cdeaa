/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Describes a kernel compiled for the CPU, and how the CPU backend calls it. Used by the portable
 * header when it compiles for the CPU, and by the backend. Not for use in kernels.
 *
 * A kernel is exported as a constant nexus_cpu_kernel named nexus_cpu_kernel_<name>. Each struct
 * begins with the bytes that its writer knows, and a reader looks at no field beyond them: fields
 * can be appended without breaking a library. The constant nexus_cpu_compiled_for names the
 * processor features that the library was compiled for.
 */
#ifndef NEXUS_KERNEL_CPU_DESCRIPTOR_H_
#define NEXUS_KERNEL_CPU_DESCRIPTOR_H_

/* 1: without barriers and what the kernel requires. 2: nexus_cpu_range has barrier,
 * nexus_cpu_kernel has group_size and local_memory. */
#define NEXUS_KERNEL_VERSION 2

typedef __INT8_TYPE__ nexus_int8;
typedef __INT16_TYPE__ nexus_int16;
typedef __INT32_TYPE__ nexus_int32;
typedef __INT64_TYPE__ nexus_int64;
typedef __UINT8_TYPE__ nexus_uint8;
typedef __UINT16_TYPE__ nexus_uint16;
typedef __UINT32_TYPE__ nexus_uint32;
typedef __UINT64_TYPE__ nexus_uint64;
#if defined(__cplusplus)
typedef bool nexus_bool;
#else
typedef _Bool nexus_bool;
#endif

enum {
  NEXUS_CPU_ARGUMENT_BUFFER = 0,
  NEXUS_CPU_ARGUMENT_SCALAR = 1,
  NEXUS_CPU_ARGUMENT_LOCAL_MEMORY = 2
};

/* The numbers of nxs_data_type. */
enum {
  NEXUS_CPU_UNDEFINED = 0,
  NEXUS_CPU_F32 = 1,
  NEXUS_CPU_F16 = 2,
  NEXUS_CPU_BF16 = 3,
  NEXUS_CPU_I32 = 8,
  NEXUS_CPU_U32 = 9,
  NEXUS_CPU_I16 = 10,
  NEXUS_CPU_U16 = 11,
  NEXUS_CPU_I8 = 12,
  NEXUS_CPU_U8 = 13,
  NEXUS_CPU_F64 = 16,
  NEXUS_CPU_I64 = 17,
  NEXUS_CPU_U64 = 18,
  NEXUS_CPU_BOOL = 19
};

typedef struct nexus_cpu_argument {
  nexus_uint64 struct_size;
  const char *name;
  const char *type;       /* as the kernel's text has it */
  nexus_int32 kind;       /* NEXUS_CPU_ARGUMENT_* */
  nexus_int32 data_type;  /* of the scalar, or of what the pointer points to */
  nexus_uint64 size;      /* bytes of a scalar; 0 for others */
  nexus_uint32 read_only; /* 1 where a pointer points to const */
  nexus_uint32 reserved;  /* 0 */
} nexus_cpu_argument;

/* The sizes of a launch, each in x, y and z. */
typedef struct nexus_cpu_sizes {
  nexus_int32 grid_size[3]; /* work items asked for */
  nexus_int32 group_size[3];
  nexus_int32 group_count[3];
  nexus_int32 reserved; /* 0 */
} nexus_cpu_sizes;

struct nexus_cpu_group;

/* Part of a launch: the groups from group_begin to before group_end, counted
 * with x fastest, then y, then z. */
typedef struct nexus_cpu_range {
  nexus_uint64 struct_size;
  nexus_uint64 group_begin;
  nexus_uint64 group_end;
  const nexus_cpu_sizes *sizes;
  void *const *arguments; /* each points to the argument's value: a scalar, or an address */
  /* Version 2. Waits until all items of the group are here. item: x, y and z within the group.
   * site: a number of the barrier in the kernel's text, the same for the same barrier. Does not
   * return where the group can't go on; whatever was on its stack is then gone. */
  void (*barrier)(struct nexus_cpu_group *group, const nexus_int32 *item, nexus_int32 site);
  void *context; /* the backend's own */
} nexus_cpu_range;

/* A group in which a barrier was reached, in the frame of the function that runs the range. */
typedef struct nexus_cpu_group {
  nexus_uint64 struct_size;
  const nexus_cpu_range *range;
  nexus_int32 id[3]; /* the group's, in x, y and z */
  /* Set by the backend before the barrier returns to the item that reached it first: all other
   * items of the group have run, or will have run when that one ends. Initially 0. */
  nexus_int32 others_done;
  /* Runs one item of the group to its end. local_arrays: as below. */
  void (*run_item)(const struct nexus_cpu_group *group, const nexus_int32 *item);
  void *const *
      local_arrays; /* the group's own arrays in local memory, in the layout of the kernel's code */
} nexus_cpu_group;

typedef struct nexus_cpu_kernel {
  nexus_uint64 struct_size;
  nexus_uint32 version; /* NEXUS_KERNEL_VERSION */
  nexus_uint32 argument_count;
  const char *name;
  const nexus_cpu_argument *arguments;
  void (*run)(const nexus_cpu_range *range); /* any thread, with disjoint ranges */
  /* Version 2. */
  nexus_int32 group_size[3]; /* required in x, y and z; all 0: any */
  nexus_int32 reserved;      /* 0 */
  nexus_uint64 local_memory; /* bytes of the arrays in local memory that the kernel declares */
} nexus_cpu_kernel;

/* What a library was compiled for. The backend refuses one that may use what its processor lacks.
 */
typedef struct nexus_cpu_target {
  nexus_uint64 struct_size;
  const char *features; /* that the compiler was free to use: the device's names, blanks between */
} nexus_cpu_target;

#endif /* NEXUS_KERNEL_CPU_DESCRIPTOR_H_ */
