/* SPDX-License-Identifier: Apache-2.0 */
/* The three kinds of kernels, ids and sizes, barriers and phases. */

NEXUS_KERNEL(nothing) {}

/* Every id and size, in three dimensions: 21 numbers an item, where the item's number is that of
 * the launch, x fastest. */
NEXUS_KERNEL(all_ids, (NEXUS_GLOBAL nexus_int32 *, seen)) {
  int item =
      (nexus_global_id(2) * nexus_launch_size(1) + nexus_global_id(1)) * nexus_launch_size(0) +
      nexus_global_id(0);
  for (int d = 0; d < 3; ++d) {
    seen[item * 21 + d] = nexus_global_id(d);
    seen[item * 21 + 3 + d] = nexus_group_id(d);
    seen[item * 21 + 6 + d] = nexus_local_id(d);
    seen[item * 21 + 9 + d] = nexus_group_size(d);
    seen[item * 21 + 12 + d] = nexus_group_count(d);
    seen[item * 21 + 15 + d] = nexus_grid_size(d);
    seen[item * 21 + 18 + d] = nexus_launch_size(d);
  }
}

NEXUS_KERNEL_BOUNDED(saxpy, (n), (NEXUS_GLOBAL const float *NEXUS_RESTRICT, x),
                     (NEXUS_GLOBAL float *NEXUS_RESTRICT, y), (float, a), (int, n)) {
  int i = nexus_global_id(0);
  y[i] = a * x[i] + y[i];
}

NEXUS_KERNEL_BOUNDED(fill_plane, (width, height), (NEXUS_GLOBAL int *, out), (int, width),
                     (int, height)) {
  out[nexus_global_id(1) * width + nexus_global_id(0)] += 1;
}

NEXUS_KERNEL_BOUNDED(fill_box, (nexus_grid_size(0), nexus_grid_size(1), depth),
                     (NEXUS_GLOBAL int *, out), (nexus_int64, depth)) {
  int row = nexus_global_id(2) * nexus_grid_size(1) + nexus_global_id(1);
  out[row * nexus_grid_size(0) + nexus_global_id(0)] += 1 + (int)depth;
}

/* Local memory of both kinds; groups of 64 items. */
NEXUS_KERNEL(reverse_groups, (NEXUS_GLOBAL int *, values), (NEXUS_LOCAL int *, scratch),
             (NEXUS_LOCAL int, copy, 64)) {
  int l = nexus_local_id(0);
  int last = nexus_group_size(0) - 1;
  scratch[l] = values[nexus_global_id(0)];
  nexus_barrier();
  copy[l] = scratch[last - l];
  nexus_barrier();
  values[nexus_global_id(0)] = copy[l];
}

/* Two arguments in local memory, of unlike types, with another between them. */
NEXUS_KERNEL(two_locals, (NEXUS_LOCAL float *, first), (NEXUS_GLOBAL float *, out),
             (NEXUS_LOCAL int *, second)) {
  int l = nexus_local_id(0);
  first[l] = (float)l;
  second[l] = 2 * l;
  nexus_barrier();
  int other = nexus_group_size(0) - 1 - l;
  out[nexus_global_id(0)] = first[other] + (float)second[other];
}

NEXUS_FUNCTION float sum_of_two(NEXUS_LOCAL const float *part, int i, int j) {
  return part[i] + part[j];
}

NEXUS_PHASED_KERNEL(sum_groups, (256, 1, 1), (NEXUS_GLOBAL const float *, x),
                    (NEXUS_GLOBAL float *, sums), (int, n), (NEXUS_LOCAL float, part, 256)) {
  NEXUS_PHASE {
    int i = nexus_global_id(0);
    part[nexus_local_id(0)] = i < n ? x[i] : 0.0f;
  }
  for (int width = 128; width > 0; width /= 2) {
    NEXUS_PHASE {
      int l = nexus_local_id(0);
      if (l >= width) continue;
      part[l] = sum_of_two(part, l, l + width);
    }
  }
  NEXUS_PHASE {
    if (nexus_local_id(0) == 0) sums[nexus_group_id(0)] = part[0];
  }
}

/* Values that live across phases, steps that end early, and a uniform value from local memory. A
 * group of 8 x 4 items counts Collatz steps, shares the largest, and writes both. */
NEXUS_PHASED_KERNEL(longest_collatz, (8, 4), (NEXUS_GLOBAL const int *, starts),
                    (NEXUS_GLOBAL int *, steps), (NEXUS_GLOBAL int *, longest),
                    (NEXUS_LOCAL int, most, 1)) {
  NEXUS_PRIVATE(int, at);
  NEXUS_PRIVATE(int, count);
  NEXUS_PHASE {
    int row = nexus_global_id(1) * nexus_launch_size(0);
    NEXUS_MINE(at) = starts[row + nexus_global_id(0)];
    NEXUS_MINE(count) = 0;
    if (nexus_local_id(0) == 0 && nexus_local_id(1) == 0) most[0] = 0;
  }
  for (int i = 0; i < 200; ++i) {
    NEXUS_STEP {
      int more = NEXUS_MINE(at) != 1;
      int next = NEXUS_MINE(at) % 2 ? 3 * NEXUS_MINE(at) + 1 : NEXUS_MINE(at) / 2;
      NEXUS_MINE(at) = more ? next : 1;
      NEXUS_MINE(count) += more;
    }
    if (!NEXUS_ANY(NEXUS_MINE(at) != 1)) break;
  }
  NEXUS_PHASE {
    nexus_atomic_max(&most[0], NEXUS_MINE(count));
  }
  int largest = most[0];
  NEXUS_PHASE {
    int row = nexus_global_id(1) * nexus_launch_size(0);
    steps[row + nexus_global_id(0)] = NEXUS_MINE(count);
    longest[row + nexus_global_id(0)] = largest;
  }
}
