/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels as plain C functions, as somebody writes them who knows nothing of Nexus but
 * the signature: no header of ours.
 */
#include <stdint.h>

void add(float *a, float *b, float *c, int32_t launch_size[6], int32_t launch_id[6],
         void *local_memory, void *barrier) {
  (void)local_memory;
  (void)barrier;
  int i = launch_id[0] * launch_size[3] + launch_id[3];
  c[i] = a[i] + b[i];
}

void count_3d(int *counts, int *width, int *height, int32_t launch_size[6], int32_t launch_id[6],
              void *local_memory, void *barrier) {
  (void)local_memory;
  (void)barrier;
  int x = launch_id[0] * launch_size[3] + launch_id[3];
  int y = launch_id[1] * launch_size[4] + launch_id[4];
  int z = launch_id[2] * launch_size[5] + launch_id[5];
  counts[(z * *height + y) * *width + x] += 1;
  launch_id[3] = -1; /* ours to write to: the next call is not disturbed */
  launch_size[0] = -1;
}

/* Copies what it is called with: 12 numbers for each item of a one-dimensional launch. */
void tell_ids(int *out, int32_t launch_size[6], int32_t launch_id[6], void *local_memory,
              void *barrier) {
  (void)local_memory;
  (void)barrier;
  int at = launch_id[0] * launch_size[3] + launch_id[3];
  for (int i = 0; i < 6; ++i) out[at * 12 + i] = launch_size[i];
  for (int i = 0; i < 6; ++i) out[at * 12 + 6 + i] = launch_id[i];
}

void no_arguments(int32_t launch_size[6], int32_t launch_id[6], void *local_memory, void *barrier) {
  (void)launch_size;
  (void)launch_id;
  (void)local_memory;
  (void)barrier;
}

/* Counts its runs in a variable of the library. */
void count_runs(int *runs, int32_t launch_size[6], int32_t launch_id[6], void *local_memory,
                void *barrier) {
  static int count = 0;
  (void)launch_size;
  (void)launch_id;
  (void)local_memory;
  (void)barrier;
  *runs = ++count;
}

/* The largest number of arguments: the first gets the sum of the others. */
#define P(n) int *a##n
#define V(n) *a##n
#define EIGHT(m, t) m(t##0), m(t##1), m(t##2), m(t##3), m(t##4), m(t##5), m(t##6), m(t##7)
void sum_64(EIGHT(P, 0), EIGHT(P, 1), EIGHT(P, 2), EIGHT(P, 3), EIGHT(P, 4), EIGHT(P, 5),
            EIGHT(P, 6), EIGHT(P, 7), int32_t launch_size[6], int32_t launch_id[6],
            void *local_memory, void *barrier) {
  (void)launch_size;
  (void)launch_id;
  (void)local_memory;
  (void)barrier;
  int values[64] = {EIGHT(V, 0), EIGHT(V, 1), EIGHT(V, 2), EIGHT(V, 3),
                    EIGHT(V, 4), EIGHT(V, 5), EIGHT(V, 6), EIGHT(V, 7)};
  int sum = 0;
  for (int i = 1; i < 64; ++i) sum += values[i];
  *a00 = sum;
}

/* Group memory: as an argument, and the command's own. */
void local_sum(int *argument_memory, int *in, int *out, int32_t launch_size[6],
               int32_t launch_id[6], void *local_memory, void *barrier) {
  (void)barrier;
  int *own = (int *)local_memory;
  int i = launch_id[0] * launch_size[3] + launch_id[3];
  if (launch_id[3] == 0) argument_memory[0] = own[0] = 0;
  argument_memory[0] += in[i];
  own[0] += 1;
  if (launch_id[3] == launch_size[3] - 1) out[launch_id[0]] = argument_memory[0] * own[0];
}
