/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions of kernels as other versions of the header would write them, and broken ones. */
#include <nexus-kernel/cpu/descriptor.h>

static void set_to_one(const nexus_cpu_range *range) {
  int *out = *(int **)range->arguments[0];
  const int size = range->sizes->group_size[0];
  for (nexus_uint64 i = range->group_begin * (nexus_uint64)size;
       i < range->group_end * (nexus_uint64)size; ++i) {
    out[i] = 1;
  }
}

static const nexus_cpu_argument arguments[65] = {{.struct_size = sizeof(nexus_cpu_argument),
                                                  .name = "out",
                                                  .type = "int *",
                                                  .data_type = NEXUS_CPU_I32}};

#define KERNEL(kernel_name, bytes, header_version, count, local, ...)                   \
  extern const nexus_cpu_kernel nexus_cpu_kernel_##kernel_name;                         \
  __attribute__((visibility("default")))                                                \
  const nexus_cpu_kernel nexus_cpu_kernel_##kernel_name = {.struct_size = (bytes),      \
                                                           .version = (header_version), \
                                                           .argument_count = (count),   \
                                                           .name = #kernel_name,        \
                                                           .arguments = arguments,      \
                                                           .run = set_to_one,           \
                                                           .group_size = __VA_ARGS__,   \
                                                           .local_memory = (local)};

/* What version 1 knew ends where version 2's group_size begins; these bytes must not be read. */
#define VERSION_1 __builtin_offsetof(nexus_cpu_kernel, group_size)
#define VERSION_2 sizeof(nexus_cpu_kernel)

KERNEL(of_version_1, VERSION_1, 1, 1, 1ull << 40, {-5, -5, -5})
KERNEL(of_version_2, VERSION_2, 2, 1, 64, {8, 1, 1})
KERNEL(any_group_size, VERSION_2, 2, 1, 0, {0, 0, 0})
KERNEL(of_version_3, VERSION_2 + 64, 3, 1, 0, {0, 0, 0})
KERNEL(cut_short, VERSION_1, 2, 1, 0, {0, 0, 0})
KERNEL(of_version_0, VERSION_2, 0, 1, 0, {0, 0, 0})
KERNEL(half_a_group_size, VERSION_2, 2, 1, 0, {8, 0, 1})
KERNEL(negative_group_size, VERSION_2, 2, 1, 0, {8, -1, 1})
KERNEL(huge_group_size, VERSION_2, 2, 1, 0, {64, 64, 2})
KERNEL(overflowing_group_size, VERSION_2, 2, 1, 0, {0x7fffffff, 0x7fffffff, 0x7fffffff})
KERNEL(huge_local_memory, VERSION_2, 2, 1, 1ull << 40, {8, 1, 1})
KERNEL(too_many_arguments, VERSION_2, 2, 65, 0, {0, 0, 0})
