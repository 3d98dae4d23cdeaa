/* SPDX-License-Identifier: Apache-2.0 */
/* Stands in for cuBLAS, or with HIP defined for hipBLAS, on a simulated driver, whose memory the
 * host sees: a product is computed in its place in the stream, and takes 20 ms. */
#include <stdlib.h>
#include <unistd.h>

#ifdef HIP
#define NAME(name) hipblas##name
#define LAUNCH hipLaunchHostFunc
#define AS_IT_IS 111
#else
#define NAME(name) cublas##name##_v2
#define LAUNCH cuLaunchHostFunc
#define AS_IT_IS 0
int cuCtxGetCurrent(void **context);
#endif
int LAUNCH(void *stream, void (*function)(void *), void *argument);

int fail_create, fail_gemm, math, products; /* for the tests */

const char *cublasGetStatusName(int status) {
  return status == 13 ? "EXECUTION_FAILED" : "NOT_INITIALIZED";
}

int NAME(Create)(void ***handle) {
#ifndef HIP
  void *context = NULL;
  if (cuCtxGetCurrent(&context) != 0 || context == NULL) return 1;
#endif
  return (*handle = calloc(1, sizeof(void *))) == NULL || fail_create;
}
int NAME(SetStream)(void **handle, void *stream) {
  *handle = stream;
  return 0;
}
int cublasSetMathMode(void **handle, int mode) {
  math = mode;
  return handle == NULL;
}

#define GEMM(T, name)                                                                              \
  typedef struct {                                                                                 \
    int m, n, k, lda, ldb, ldc;                                                                    \
    const T *a, *b;                                                                                \
    T *c;                                                                                          \
  } name;                                                                                          \
  static void T##_multiply(void *argument) {                                                       \
    const name p = *(name *)argument;                                                              \
    free(argument);                                                                                \
    usleep(20000);                                                                                 \
    for (int at = 0; at < p.m * p.n; ++at) {                                                       \
      const int i = at % p.m, j = at / p.m;                                                        \
      T sum = 0;                                                                                   \
      for (int l = 0; l < p.k; ++l) sum += p.a[i + l * p.lda] * p.b[l + j * p.ldb];                \
      p.c[i + j * p.ldc] = sum;                                                                    \
    }                                                                                              \
    ++products;                                                                                    \
  }                                                                                                \
  int NAME(name)(void **handle, int op_a, int op_b, int m, int n, int k, const T *alpha,           \
                 const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc) {         \
    if (op_a != AS_IT_IS || op_b != AS_IT_IS || *alpha != 1 || *beta != 0 || fail_gemm) return 13; \
    name *product = malloc(sizeof(name));                                                          \
    *product = (name){m, n, k, lda, ldb, ldc, a, b, c};                                            \
    return LAUNCH(*handle, T##_multiply, product);                                                 \
  }
GEMM(float, Sgemm)
GEMM(double, Dgemm)
