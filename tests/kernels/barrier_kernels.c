/* SPDX-License-Identifier: Apache-2.0 */
/* Plain C kernels that synchronise their work items. */
#include <stdint.h>

void _cpu_barrier(void *barrier);

static int group_index(const int32_t *size, const int32_t *id) {
  return id[0] + size[0] * (id[1] + size[1] * id[2]);
}

static int item_count(const int32_t *size) {
  return size[3] * size[4] * size[5];
}

/* Within the group, with x fastest. */
static int item_index(const int32_t *size, const int32_t *id) {
  return id[3] + size[3] * (id[4] + size[4] * id[5]);
}

void reverse(int *values, int32_t launch_size[6], int32_t launch_id[6], void *local_memory,
             void *barrier) {
  int *memory = (int *)local_memory;
  int last = launch_size[3] - 1;
  memory[launch_id[3]] = values[launch_id[3]];
  _cpu_barrier(barrier);
  values[launch_id[3]] = memory[last - launch_id[3]];
}

/* Barriers in a loop: groups of a power of two. */
void tree_sum(const float *values, float *sums, int32_t launch_size[6], int32_t launch_id[6],
              void *local_memory, void *barrier) {
  float *memory = (float *)local_memory;
  int item = launch_id[3];
  memory[item] = values[launch_id[0] * launch_size[3] + item];
  _cpu_barrier(barrier);
  for (int width = launch_size[3] / 2; width > 0; width /= 2) {
    if (item < width) memory[item] += memory[item + width];
    _cpu_barrier(barrier);
  }
  if (item == 0) sums[launch_id[0]] = memory[0];
}

/* seen[group, item] = the numbers that the item on the other end of the group wrote in each of
 * the rounds, which must be that item's index plus the round. */
void exchange(int *wrong, const int *rounds, int32_t launch_size[6], int32_t launch_id[6],
              void *local_memory, void *barrier) {
  int *memory = (int *)local_memory;
  int count = item_count(launch_size);
  int item = item_index(launch_size, launch_id);
  int bad = 0;
  for (int round = 0; round < *rounds; ++round) {
    memory[item] = item + round;
    _cpu_barrier(barrier);
    bad += memory[count - 1 - item] != count - 1 - item + round;
    _cpu_barrier(barrier);
  }
  wrong[group_index(launch_size, launch_id) * count + item] += bad;
}

/* What each item sees of itself after a barrier: its place, and that it runs once. */
void place(int *places, int *runs, int32_t launch_size[6], int32_t launch_id[6], void *local_memory,
           void *barrier) {
  int count = item_count(launch_size);
  int at = group_index(launch_size, launch_id) * count + item_index(launch_size, launch_id);
  (void)local_memory;
  launch_id[0] = launch_id[1] = launch_id[2] = -1; /* the array is the item's own */
  _cpu_barrier(barrier);
  places[at] = item_index(launch_size, launch_id) - 3 * launch_id[0];
  runs[at] += 1;
}

static int wait_in_depth(int depth, void *barrier) {
  volatile int below = depth;
  if (depth == 0) {
    _cpu_barrier(barrier);
    return 0;
  }
  return wait_in_depth(depth - 1, barrier) + (below == depth);
}

/* Barriers in a function, called at a depth of calls that differs between items. */
void depths(int *reached, int32_t launch_size[6], int32_t launch_id[6], void *local_memory,
            void *barrier) {
  int item = launch_id[3];
  (void)local_memory;
  reached[launch_id[0] * launch_size[3] + item] =
      wait_in_depth(item % 50, barrier) + wait_in_depth(49 - item % 50, barrier);
}

/* An array on the stack, whole after a barrier. */
void much_stack(int *sums, int32_t launch_size[6], int32_t launch_id[6], void *local_memory,
                void *barrier) {
  volatile int array[10000];
  int item = launch_id[3];
  int sum = 0;
  (void)local_memory;
  for (int i = 0; i < 10000; ++i) array[i] = item;
  _cpu_barrier(barrier);
  for (int i = 0; i < 10000; ++i) sum += array[i] == item;
  sums[launch_id[0] * launch_size[3] + item] = sum;
}

/* As deep as asked for, with 1 KiB each. */
static int descend(int depth) {
  volatile int here[256];
  here[0] = depth;
  return depth == 0 ? 0 : descend(depth - 1) + (here[0] == depth);
}

/* The last item needs *depth KiB of stack after a barrier. */
void deep(int *reached, const int *depth, int32_t launch_size[6], int32_t launch_id[6],
          void *local_memory, void *barrier) {
  (void)local_memory;
  _cpu_barrier(barrier);
  if (launch_id[3] == launch_size[3] - 1) reached[0] = descend(*depth);
}

/* ---- Barriers that not all items reach ---- */

/* Items from *n on end before it. */
void guarded(int *values, const int *n, int32_t launch_size[6], int32_t launch_id[6],
             void *local_memory, void *barrier) {
  int at = launch_id[0] * launch_size[3] + launch_id[3];
  (void)local_memory;
  if (at >= *n) return;
  _cpu_barrier(barrier);
  values[at] = at;
}

/* The item *loner ends at once. */
void all_but_one(const int *loner, int32_t launch_size[6], int32_t launch_id[6], void *local_memory,
                 void *barrier) {
  (void)launch_size;
  (void)local_memory;
  if (launch_id[3] != *loner) _cpu_barrier(barrier);
}

/* The item *loner waits once more than the others, after *rounds together. */
void one_more(const int *loner, const int *rounds, int32_t launch_size[6], int32_t launch_id[6],
              void *local_memory, void *barrier) {
  (void)launch_size;
  (void)local_memory;
  for (int round = 0; round < *rounds; ++round) _cpu_barrier(barrier);
  if (launch_id[3] == *loner) _cpu_barrier(barrier);
}

/* The item *loner waits once less than the others, of *rounds. */
void one_less(const int *loner, const int *rounds, int32_t launch_size[6], int32_t launch_id[6],
              void *local_memory, void *barrier) {
  int own = *rounds - (launch_id[3] == *loner);
  (void)launch_size;
  (void)local_memory;
  for (int round = 0; round < own; ++round) _cpu_barrier(barrier);
}
