/* SPDX-License-Identifier: Apache-2.0 */
/* What a library says that it was compiled for, as other versions of the header would write it. */
#include <nexus-kernel/cpu/descriptor.h>

extern __attribute__((visibility("default"))) const nexus_cpu_target nexus_cpu_compiled_for;
const nexus_cpu_target nexus_cpu_compiled_for = {KNOWN_BYTES, FEATURES};

int kernel(void);
__attribute__((visibility("default"))) int kernel(void) {
  return 1;
}
