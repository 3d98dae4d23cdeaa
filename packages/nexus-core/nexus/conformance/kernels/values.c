/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers passed by value. Narrow and wide ones alternate, so that a wrong offset shows. */
#include <nexus_kernel.h>

NEXUS_KERNEL_BOUNDED(store_integers, (1), (nexus_int8, a), (NEXUS_GLOBAL nexus_int64 *, signed_out),
                     (nexus_bool, b), (nexus_int64, c), (nexus_uint8, d), (nexus_uint64, e),
                     (nexus_int16, f), (NEXUS_GLOBAL nexus_uint64 *, unsigned_out),
                     (nexus_int32, g), (nexus_uint16, h), (nexus_uint32, i)) {
  signed_out[0] = a;
  signed_out[1] = f;
  signed_out[2] = g;
  signed_out[3] = c;
  unsigned_out[0] = b;
  unsigned_out[1] = d;
  unsigned_out[2] = h;
  unsigned_out[3] = i;
  unsigned_out[4] = e;
}

NEXUS_KERNEL_BOUNDED(store_f32, (1), (NEXUS_GLOBAL float *, out), (float, value)) {
  out[0] = value;
}

NEXUS_KERNEL_BOUNDED(store_vector, (1), (NEXUS_GLOBAL float *, out), (nexus_float4, value)) {
  out[0] = nexus_x(value);
  out[1] = nexus_y(value);
  out[2] = nexus_z(value);
  out[3] = nexus_w(value);
}

/* Sixteen arguments, each with a different weight. */
NEXUS_KERNEL_BOUNDED(sum_16, (1), (NEXUS_GLOBAL int *, out), (int, v1), (int, v2), (int, v3),
                     (int, v4), (int, v5), (int, v6), (int, v7), (int, v8), (int, v9), (int, v10),
                     (int, v11), (int, v12), (int, v13), (int, v14), (int, v15)) {
  out[0] = v1 + 2 * v2 + 3 * v3 + 4 * v4 + 5 * v5 + 6 * v6 + 7 * v7 + 8 * v8 + 9 * v9 + 10 * v10 +
           11 * v11 + 12 * v12 + 13 * v13 + 14 * v14 + 15 * v15;
}
