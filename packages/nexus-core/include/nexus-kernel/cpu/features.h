/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists the processor features that a library compiled for the CPU needs: those that its compiler
 * was allowed to use, spelled as in the device's property Features. Features that no compiler uses
 * by itself, such as AES instructions, are omitted: code that uses them checks the processor. Not
 * for use in kernels.
 */
#ifndef NEXUS_KERNEL_CPU_FEATURES_H_
#define NEXUS_KERNEL_CPU_FEATURES_H_

/* " name" if the compiler defines the macro as 1, else "". */
#define NXK_FEATURE(name, macro) NXK_SECOND(NXK_PASTE(NXK_DEFINED_, macro) " " name, "")
#define NXK_DEFINED_1 ~,

#if defined(__x86_64__)
#define NXK_FEATURES                                  \
  NXK_FEATURE("sse3", __SSE3__)                       \
  NXK_FEATURE("ssse3", __SSSE3__)                     \
  NXK_FEATURE("fma", __FMA__)                         \
  NXK_FEATURE("sse4.1", __SSE4_1__)                   \
  NXK_FEATURE("sse4.2", __SSE4_2__)                   \
  NXK_FEATURE("movbe", __MOVBE__)                     \
  NXK_FEATURE("popcnt", __POPCNT__)                   \
  NXK_FEATURE("avx", __AVX__)                         \
  NXK_FEATURE("f16c", __F16C__)                       \
  NXK_FEATURE("bmi", __BMI__)                         \
  NXK_FEATURE("avx2", __AVX2__)                       \
  NXK_FEATURE("bmi2", __BMI2__)                       \
  NXK_FEATURE("avx512f", __AVX512F__)                 \
  NXK_FEATURE("avx512dq", __AVX512DQ__)               \
  NXK_FEATURE("avx512ifma", __AVX512IFMA__)           \
  NXK_FEATURE("avx512cd", __AVX512CD__)               \
  NXK_FEATURE("avx512bw", __AVX512BW__)               \
  NXK_FEATURE("avx512vl", __AVX512VL__)               \
  NXK_FEATURE("avx512vbmi", __AVX512VBMI__)           \
  NXK_FEATURE("avx512vbmi2", __AVX512VBMI2__)         \
  NXK_FEATURE("gfni", __GFNI__)                       \
  NXK_FEATURE("avx512vnni", __AVX512VNNI__)           \
  NXK_FEATURE("avx512bitalg", __AVX512BITALG__)       \
  NXK_FEATURE("avx512vpopcntdq", __AVX512VPOPCNTDQ__) \
  NXK_FEATURE("avx512fp16", __AVX512FP16__)           \
  NXK_FEATURE("avxvnni", __AVXVNNI__)                 \
  NXK_FEATURE("avx512bf16", __AVX512BF16__)           \
  NXK_FEATURE("avxifma", __AVXIFMA__)                 \
  NXK_FEATURE("avxvnniint8", __AVXVNNIINT8__)         \
  NXK_FEATURE("avxneconvert", __AVXNECONVERT__)       \
  NXK_FEATURE("avxvnniint16", __AVXVNNIINT16__)       \
  NXK_FEATURE("egpr", __APX_F__)                      \
  NXK_FEATURE("lzcnt", __LZCNT__)                     \
  NXK_FEATURE("sse4a", __SSE4A__)                     \
  NXK_FEATURE("xop", __XOP__)                         \
  NXK_FEATURE("fma4", __FMA4__)                       \
  NXK_FEATURE("tbm", __TBM__)
#elif defined(__aarch64__) && defined(__APPLE__)
#define NXK_FEATURES                                             \
  NXK_FEATURE("FEAT_FP16", __ARM_FEATURE_FP16_VECTOR_ARITHMETIC) \
  NXK_FEATURE("FEAT_DotProd", __ARM_FEATURE_DOTPROD)             \
  NXK_FEATURE("FEAT_BF16", __ARM_FEATURE_BF16)                   \
  NXK_FEATURE("FEAT_I8MM", __ARM_FEATURE_MATMUL_INT8)
#elif defined(__aarch64__)
#define NXK_FEATURES                                           \
  NXK_FEATURE("asimdrdm", __ARM_FEATURE_QRDMX)                 \
  NXK_FEATURE("atomics", __ARM_FEATURE_ATOMICS)                \
  NXK_FEATURE("asimdhp", __ARM_FEATURE_FP16_VECTOR_ARITHMETIC) \
  NXK_FEATURE("asimdfhm", __ARM_FEATURE_FP16_FML)              \
  NXK_FEATURE("asimddp", __ARM_FEATURE_DOTPROD)                \
  NXK_FEATURE("jscvt", __ARM_FEATURE_JCVT)                     \
  NXK_FEATURE("fcma", __ARM_FEATURE_COMPLEX)                   \
  NXK_FEATURE("sve", __ARM_FEATURE_SVE)                        \
  NXK_FEATURE("sve2", __ARM_FEATURE_SVE2)                      \
  NXK_FEATURE("bf16", __ARM_FEATURE_BF16)                      \
  NXK_FEATURE("i8mm", __ARM_FEATURE_MATMUL_INT8)
#else
#define NXK_FEATURES ""
#endif

/* Weak: if several files are linked, one definition serves the library. */
NXK_EXPORT __attribute__((weak)) const nexus_cpu_target nexus_cpu_compiled_for;
const nexus_cpu_target nexus_cpu_compiled_for = {sizeof(nexus_cpu_target), NXK_FEATURES};

#endif /* NEXUS_KERNEL_CPU_FEATURES_H_ */
