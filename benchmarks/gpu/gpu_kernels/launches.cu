// SPDX-License-Identifier: Apache-2.0
// Kernels whose launches are measured, and kernels that check the order of arguments.

extern "C" __global__ void empty_0() {}

extern "C" __global__ void empty_4(float *, float *, float *, float *) {}

#define SIXTEEN(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14)
#define POINTER(n) float *p##n,
extern "C" __global__ void empty_16(SIXTEEN(POINTER) float *) {}

// Each argument gets its own number, so a wrong order shows.
#define STORE(n) p##n[0] += n + 1;
extern "C" __global__ void number_4(float *p0, float *p1, float *p2, float *p3) {
  STORE(0) STORE(1) STORE(2) STORE(3)
}
extern "C" __global__ void number_16(SIXTEEN(POINTER) float *p15) {
  SIXTEEN(STORE) STORE(15)
}

// A small piece of work: each launch adds to each value.
extern "C" __global__ void add_to(float *x, const float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += y[i];
}

// A loop that counts down to 0.
extern "C" __global__ void start_count(int *left, int turns) { *left = turns; }
extern "C" __global__ void count_down(int *left) { --*left; }

// Four values a thread: loads of one float each don't fill the memory's width.
extern "C" __global__ void add_vectors(const float4 *a, const float4 *b, float4 *c, int quarter) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= quarter) return;
  const float4 x = a[i], y = b[i];
  c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

// The work between an upload and a download.
extern "C" __global__ void scale(float *x, int turns, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float value = x[i];
    for (int turn = 0; turn < turns; ++turn) value = value * 1.0001f + 0.0001f;
    x[i] = value;
  }
}
