/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars, vectors, address spaces. */

NEXUS_CONSTANT_DATA float weights[3] = {0.25f, 0.5f, 0.25f};
NEXUS_SETTABLE_DATA float gain[1] = {1.0f};

NEXUS_FUNCTION float weighted(NEXUS_CONSTANT float *table, NEXUS_GLOBAL const float *x, int i) {
  return table[0] * x[i - 1] + table[1] * x[i] + table[2] * x[i + 1];
}

NEXUS_KERNEL_BOUNDED(smooth, (n), (NEXUS_GLOBAL const float *, x), (NEXUS_CONSTANT float *, table),
                     (NEXUS_GLOBAL float *, y), (NEXUS_GLOBAL float *, z), (int, n)) {
  int i = nexus_global_id(0) + 1;
  y[i] = weighted(table, x, i);
  z[i] = gain[0] * (weights[0] * x[i - 1] + weights[1] * x[i] + weights[2] * x[i + 1]);
}

/* A function that writes to its caller's own variables. */
NEXUS_FUNCTION void order(NEXUS_THREAD float *low, NEXUS_THREAD float *high) {
  float first = *low;
  *low = nexus_min(first, *high);
  *high = nexus_max(first, *high);
}

NEXUS_KERNEL_BOUNDED(sort_pairs, (n), (NEXUS_GLOBAL float *, x), (NEXUS_GLOBAL float *, y),
                     (int, n)) {
  int i = nexus_global_id(0);
  float low = x[i];
  float high = y[i];
  order(&low, &high);
  x[i] = low;
  y[i] = high;
}

/* Each type as an argument, with its size. */
NEXUS_KERNEL(all_scalars, (NEXUS_GLOBAL float *, out), (nexus_int8, a), (nexus_int16, b),
             (nexus_int32, c), (nexus_int64, d), (nexus_uint8, e), (nexus_uint16, f),
             (nexus_uint32, g), (nexus_uint64, h), (nexus_bool, i), (int, j), (float, k)) {
  if (nexus_global_id(0) != 0) return;
  out[0] = (float)a;
  out[1] = (float)b;
  out[2] = (float)c;
  out[3] = (float)d;
  out[4] = (float)e;
  out[5] = (float)f;
  out[6] = (float)g;
  out[7] = (float)h;
  out[8] = i ? 1.0f : 0.0f;
  out[9] = (float)j;
  out[10] = k;
  out[11] = (float)(sizeof(a) + 2 * sizeof(b) + 4 * sizeof(c) + 8 * sizeof(d));
  out[12] = (float)(sizeof(e) + 2 * sizeof(f) + 4 * sizeof(g) + 8 * sizeof(h) + 16 * sizeof(i));
}

NEXUS_KERNEL(narrow_buffers, (NEXUS_GLOBAL const nexus_int8 *, a), (NEXUS_GLOBAL nexus_uint16 *, b),
             (NEXUS_GLOBAL nexus_int64 *, c), (NEXUS_GLOBAL nexus_bool *, d)) {
  int i = nexus_global_id(0);
  b[i] = (nexus_uint16)(a[i] * a[i]);
  c[i] = (nexus_int64)a[i] * 4000000000;
  d[i] = a[i] > 0;
}

NEXUS_KERNEL(float_vectors, (NEXUS_GLOBAL const nexus_float4 *, a),
             (NEXUS_GLOBAL nexus_float4 *, b), (NEXUS_GLOBAL nexus_float2 *, c),
             (NEXUS_GLOBAL float *, dots)) {
  int i = nexus_global_id(0);
  nexus_float4 at = a[i];
  nexus_float4 v = nexus_make_float4(1.0f, 2.0f, 3.0f, 4.0f);
  nexus_float4 sum = (at + v) * (at - v) / (v * 2.0f + 1.0f);
  nexus_float2 low = nexus_make_float2(nexus_x(at), nexus_y(at));
  nexus_float2 high = nexus_make_float2(nexus_z(at), nexus_w(at));
  nexus_w(sum) = nexus_x(v);
  b[i] = 1.0f - sum;
  c[i] = (low + high) * (low - high) / 4.0f + 0.5f;
  dots[2 * i] = nexus_dot(at, v);
  dots[2 * i + 1] = nexus_dot(low, high);
}

NEXUS_KERNEL(vectors_by_value, (NEXUS_GLOBAL float *, out), (nexus_float4, a), (nexus_int2, b),
             (float, c)) {
  out[0] = nexus_x(a) + 2.0f * nexus_y(a) + 3.0f * nexus_z(a) + 4.0f * nexus_w(a);
  out[1] = (float)(nexus_x(b) - nexus_y(b));
  out[2] = c;
}

NEXUS_KERNEL(int_vectors, (NEXUS_GLOBAL nexus_int4 *, a), (NEXUS_GLOBAL nexus_uint4 *, b),
             (NEXUS_GLOBAL nexus_int2 *, c), (NEXUS_GLOBAL nexus_uint2 *, d)) {
  int i = nexus_global_id(0);
  nexus_int4 s = nexus_make_int4(i, i + 1, i + 2, i + 3);
  nexus_uint4 u = nexus_make_uint4(7u, 8u, 9u, 10u);
  nexus_int2 s2 = nexus_make_int2(nexus_x(s), nexus_w(s));
  nexus_uint2 u2 = nexus_make_uint2(nexus_y(u), nexus_z(u));
  a[i] = (s * 3 - s / 2 + s) * s;
  b[i] = (u + u * u - u / 3u) * 2u;
  c[i] = s2 * s2 - s2 / 2 + 1;
  d[i] = (u2 + u2) * 5u / u2;
}

#if NEXUS_TARGET_CPU + NEXUS_TARGET_CUDA + NEXUS_TARGET_HIP + NEXUS_TARGET_OPENCL + \
        NEXUS_TARGET_METAL !=                                                       \
    1
#error "one target is 1, the others are 0"
#endif
