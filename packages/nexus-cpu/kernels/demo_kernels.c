/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels for machines without a compiler: those that `nexus demo` and the examples
 * would otherwise build.
 */
#include <nexus_kernel.h>

NEXUS_KERNEL_BOUNDED(add_vectors, (n), (NEXUS_GLOBAL const float *, a),
                     (NEXUS_GLOBAL const float *, b), (NEXUS_GLOBAL float *, c), (int, n)) {
  int i = nexus_global_id(0);
  c[i] = a[i] + b[i];
}

NEXUS_KERNEL_BOUNDED(saxpy, (n), (NEXUS_GLOBAL const float *, x), (NEXUS_GLOBAL float *, y),
                     (float, a), (int, n)) {
  int i = nexus_global_id(0);
  y[i] = a * x[i] + y[i];
}

/* The gradients of a picture of width x height, by Sobel's filter. Its outermost pixels,
 * which lack neighbours, get 0. */
NEXUS_KERNEL_BOUNDED(sobel_gradients, (width, height), (NEXUS_GLOBAL const float *, picture),
                     (NEXUS_GLOBAL float *, gradient_x), (NEXUS_GLOBAL float *, gradient_y),
                     (int, width), (int, height)) {
  int x = nexus_global_id(0);
  int y = nexus_global_id(1);
  int at = y * width + x;
  float across = 0.0f;
  float down = 0.0f;
  if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
    NEXUS_GLOBAL const float *above = picture + at - width;
    NEXUS_GLOBAL const float *here = picture + at;
    NEXUS_GLOBAL const float *below = picture + at + width;
    across = above[1] - above[-1] + 2.0f * (here[1] - here[-1]) + below[1] - below[-1];
    down = below[-1] + 2.0f * below[0] + below[1] - above[-1] - 2.0f * above[0] - above[1];
  }
  gradient_x[at] = across;
  gradient_y[at] = down;
}

/* The lengths of the gradients of a whole number of values. */
NEXUS_KERNEL_BOUNDED(gradient_magnitude, (n), (NEXUS_GLOBAL const float *, gradient_x),
                     (NEXUS_GLOBAL const float *, gradient_y), (NEXUS_GLOBAL float *, magnitude),
                     (int, n)) {
  int i = nexus_global_id(0);
  magnitude[i] = nexus_sqrt(gradient_x[i] * gradient_x[i] + gradient_y[i] * gradient_y[i]);
}

/* The Mandelbrot set: the kernel of `nexus demo`, as in nexus/cli/demo_kernels.c. */
NEXUS_PHASED_KERNEL(mandelbrot, (64, 1, 1), (NEXUS_GLOBAL int *, turns), (int, width),
                    (int, height), (float, left), (float, top), (float, pixel), (int, limit)) {
  NEXUS_PRIVATE(float, z_re);
  NEXUS_PRIVATE(float, z_im);
  NEXUS_PRIVATE(int, inside);
  NEXUS_PRIVATE(int, count);
  NEXUS_STEP {
    NEXUS_MINE(z_re) = 0.0f;
    NEXUS_MINE(z_im) = 0.0f;
    NEXUS_MINE(inside) = 1;
    NEXUS_MINE(count) = 0;
  }
  for (int turn = 0; turn < limit; ++turn) {
    NEXUS_STEP {
      float re = NEXUS_MINE(z_re);
      float im = NEXUS_MINE(z_im);
      NEXUS_MINE(inside) &= re * re + im * im <= 4.0f;
      NEXUS_MINE(count) += NEXUS_MINE(inside);
      NEXUS_MINE(z_im) = 2.0f * re * im + (top + (float)nexus_global_id(1) * pixel);
      NEXUS_MINE(z_re) = re * re - im * im + (left + (float)nexus_global_id(0) * pixel);
    }
    if (!NEXUS_ANY(NEXUS_MINE(inside))) break;
  }
  NEXUS_STEP {
    int column = nexus_global_id(0);
    int row = nexus_global_id(1);
    if (column < width && row < height) turns[row * width + column] = NEXUS_MINE(count);
  }
}
