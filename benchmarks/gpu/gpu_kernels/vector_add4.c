/* SPDX-License-Identifier: Apache-2.0 */
/* c = a + b, four values a work item: loads of one float each don't fill a GPU's memory width. */
#include <nexus_kernel.h>

NEXUS_KERNEL_BOUNDED(vector_add4, (quarter), (NEXUS_GLOBAL const nexus_float4 *NEXUS_RESTRICT, a),
                     (NEXUS_GLOBAL const nexus_float4 *NEXUS_RESTRICT, b),
                     (NEXUS_GLOBAL nexus_float4 *, c), (int, quarter)) {
  int i = nexus_global_id(0);
  c[i] = a[i] + b[i];
}
