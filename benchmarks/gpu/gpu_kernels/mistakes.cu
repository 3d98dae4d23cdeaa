// SPDX-License-Identifier: Apache-2.0
// Kernels with mistakes, and one without.

extern "C" __global__ void add_one(int *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1;
}

// Never ends by itself; the compiler may not assume that the flag stays 0.
extern "C" __global__ void forever(volatile int *flag) {
  while (*flag == 0) {
  }
}

// Runs for about so many cycles.
extern "C" __global__ void take_time(int *x, long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
  if (threadIdx.x == 0 && blockIdx.x == 0) x[0] += 1;
}

extern "C" __global__ void write_nowhere(int *x) {
  x[1LL << 40] = 1;
}

extern "C" __global__ void much_shared_memory(int *x) {
  extern __shared__ int shared[];
  shared[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) x[0] = shared[blockDim.x - 1];
}
