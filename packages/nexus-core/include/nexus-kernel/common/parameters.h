/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts a kernel's parameters, applies a macro to each, and checks what the preprocessor can
 * check, for every dialect of the portable kernel language. Uses only the C99 preprocessor, so it
 * works with compilers of C, C++, CUDA, HIP, OpenCL C and Metal. Not for use in kernels.
 *
 * A parameter is (type, name), an argument, or (type, name, count), an array in local memory that
 * the kernel declares itself and that is not an argument. A *list* below is one word that is
 * skipped (the kernel's name, or its bounds), then the parameters: so it is never empty.
 *
 * A dialect defines NXK_STATIC_ASSERT(condition, text), without a semicolon at its end.
 */
#ifndef NEXUS_KERNEL_COMMON_PARAMETERS_H_
#define NEXUS_KERNEL_COMMON_PARAMETERS_H_

#include "keywords.h"

#define NXK_MAX_ARGUMENTS 64
#define NXK_MAX_GROUP_ITEMS 1024   /* of a kernel that says its group size */
#define NXK_MAX_LOCAL_ARRAYS 32768 /* bytes of the arrays that a kernel declares: Metal's limit */

/* ==== Words and lists of words ======================================== */

#define NXK_PASTE(a, b) NXK_PASTE_(a, b)
#define NXK_PASTE_(a, b) a##b
#define NXK_QUOTE(...) NXK_QUOTE_(__VA_ARGS__)
#define NXK_QUOTE_(...) #__VA_ARGS__
#define NXK_NOTHING(...)
#define NXK_UNPACK(...) __VA_ARGS__
#define NXK_FIRST(...) NXK_FIRST_(__VA_ARGS__, ~)
#define NXK_FIRST_(first, ...) first
#define NXK_SECOND(...) NXK_SECOND_(__VA_ARGS__, ~, ~)
#define NXK_SECOND_(first, second, ...) second
#define NXK_THIRD(...) NXK_THIRD_(__VA_ARGS__, ~, ~, ~)
#define NXK_THIRD_(first, second, third, ...) third
/* All but the first of at least two. */
#define NXK_WITHOUT_FIRST(first, ...) __VA_ARGS__

/* 1 if the word is a list in parentheses, else 0. */
#define NXK_IS_TUPLE(word) NXK_SECOND(NXK_IS_TUPLE_ word, 0)
#define NXK_IS_TUPLE_(...) ~, 1

/* Of (x), (x, y) or (x, y, z), where a missing one is the fallback. */
#define NXK_TRIPLE_X(triple, fallback) (NXK_FIRST(NXK_UNPACK triple))
#define NXK_TRIPLE_Y(triple, fallback) (NXK_SECOND(NXK_UNPACK triple, fallback))
#define NXK_TRIPLE_Z(triple, fallback) (NXK_THIRD(NXK_UNPACK triple, fallback, fallback))

/* ==== A kernel's parameters =========================================== */

/*
 * NXK_EACH(for_argument, for_array, list...): for each parameter in its order
 * for_argument(type, name) or for_array(type, name, count). Not one within another.
 */
#define NXK_EACH(for_argument, for_array, ...)        \
  NXK_PASTE(NXK_EACH_, NXK_COUNT_EIGHTS(__VA_ARGS__)) \
  (for_argument, for_array, __VA_ARGS__, 0, 0, 0, 0, 0, 0, 0, 0)
#define NXK_EACH_ARGUMENT(m, ...) NXK_EACH(m, NXK_NOTHING, __VA_ARGS__)
#define NXK_EACH_ARRAY(m, ...) NXK_EACH(NXK_NOTHING, m, __VA_ARGS__)

/* Constant expressions. */
#define NXK_ARGUMENT_COUNT(...) (0 NXK_EACH_ARGUMENT(NXK_PLUS_ONE, __VA_ARGS__))
#define NXK_ARRAY_COUNT(...) (0 NXK_EACH_ARRAY(NXK_PLUS_ONE, __VA_ARGS__))
#define NXK_ARRAY_BYTES(...) (0 NXK_EACH_ARRAY(NXK_PLUS_BYTES, __VA_ARGS__))
#define NXK_PLUS_ONE(...) +1
#define NXK_PLUS_BYTES(type, name, count) +sizeof(type) * (count)

/*
 * Reports mistakes at the kernel, before the kernel is expanded. Used at file scope; each check
 * ends with a semicolon.
 */
/* clang-format off */
#define NXK_CHECK_KERNEL(kernel, ...)                                                             \
  NXK_STATIC_ASSERT(!NXK_IS_KEYWORD(kernel),                                                      \
      "the kernel's name '" NXK_QUOTE(kernel) "' is a keyword of a language that kernels "        \
      "are compiled to; choose another name");                                                    \
  NXK_STATIC_ASSERT(NXK_COUNT(__VA_ARGS__) != 0 &&                                                \
      NXK_ARGUMENT_COUNT(__VA_ARGS__) <= NXK_MAX_ARGUMENTS,                                       \
      "the kernel '" NXK_QUOTE(kernel) "' has more than 64 arguments; pass some in a buffer");    \
  NXK_STATIC_ASSERT(NXK_COUNT(__VA_ARGS__) == 0 || NXK_COUNT(__VA_ARGS__) - 1 ==                  \
      NXK_ARGUMENT_COUNT(__VA_ARGS__) + NXK_ARRAY_COUNT(__VA_ARGS__),                             \
      "a parameter of the kernel '" NXK_QUOTE(kernel) "' is neither (type, name) nor "            \
      "(NEXUS_LOCAL type, name, count)");                                                         \
  NXK_EACH_ARRAY(NXK_CHECK_ARRAY, __VA_ARGS__)                                                    \
  NXK_STATIC_ASSERT(NXK_ARRAY_BYTES(__VA_ARGS__) <= NXK_MAX_LOCAL_ARRAYS,                         \
      "the arrays that the kernel '" NXK_QUOTE(kernel) "' declares in local memory have more "    \
      "than 32768 bytes; make them smaller, or let the command give the size: (NEXUS_LOCAL "      \
      "type *, name)")
#define NXK_CHECK_ARRAY(type, name, count)                                                        \
  NXK_STATIC_ASSERT((count) > 0, "the array '" NXK_QUOTE(name) "' has " NXK_QUOTE(count)          \
      " elements; it must have at least one");
#define NXK_CHECK_BOUNDS(kernel, bounds)                                                          \
  NXK_STATIC_ASSERT(NXK_COUNT bounds <= 3, "the kernel '" NXK_QUOTE(kernel) "' has more than 3 "  \
      "bounds; a grid has at most 3 dimensions")
#define NXK_CHECK_GROUP_SIZE(kernel, sizes)                                                       \
  NXK_STATIC_ASSERT(NXK_COUNT sizes <= 3, "the group size " NXK_QUOTE(sizes) " of the kernel '"   \
      NXK_QUOTE(kernel) "' has more than 3 dimensions");                                          \
  NXK_STATIC_ASSERT(NXK_TRIPLE_X(sizes, 1) > 0 && NXK_TRIPLE_Y(sizes, 1) > 0 &&                   \
      NXK_TRIPLE_Z(sizes, 1) > 0, "the group size " NXK_QUOTE(sizes) " of the kernel '"           \
      NXK_QUOTE(kernel) "' must be positive in each dimension");                                  \
  NXK_STATIC_ASSERT(NXK_TRIPLE_X(sizes, 1) <= NXK_MAX_GROUP_ITEMS &&                              \
      NXK_TRIPLE_Y(sizes, 1) <= NXK_MAX_GROUP_ITEMS &&                                            \
      NXK_TRIPLE_Z(sizes, 1) <= NXK_MAX_GROUP_ITEMS &&                                            \
      NXK_TRIPLE_X(sizes, 1) * NXK_TRIPLE_Y(sizes, 1) * NXK_TRIPLE_Z(sizes, 1) <=                 \
      NXK_MAX_GROUP_ITEMS, "the group size " NXK_QUOTE(sizes) " of the kernel '"                  \
      NXK_QUOTE(kernel) "' is more than 1024 items; make it smaller")

/* ==== How it is made ================================================== */

/* The expansion of one parameter; empty if it does not have the form of one. */
#define NXK_APPLY(for_argument, for_array, parameter) \
  NXK_PASTE(NXK_APPLY_, NXK_SHAPE(parameter))(for_argument, for_array, parameter)
#define NXK_APPLY_0(for_argument, for_array, parameter)
#define NXK_APPLY_2(for_argument, for_array, parameter) for_argument parameter
#define NXK_APPLY_3(for_argument, for_array, parameter) for_array parameter
#define NXK_SHAPE(parameter) NXK_PASTE(NXK_SHAPE_, NXK_IS_TUPLE(parameter))(parameter)
#define NXK_SHAPE_0(parameter) 0
#define NXK_SHAPE_1(parameter) NXK_TUPLE_SIZE parameter
#define NXK_TUPLE_SIZE(...) NXK_TUPLE_SIZE_(__VA_ARGS__, 0, 0, 0, 0, 3, 2, 0, ~)
#define NXK_TUPLE_SIZE_(a, b, c, d, e, f, g, size, ...) size

/* The number of words in a list; 0 if there are too many to count. */
#define NXK_COUNT(...) NXK_COUNTED(NXK_COUNT_STEP(__VA_ARGS__, NXK_NUMBERS, ~))
#define NXK_COUNTED(count) NXK_PASTE(NXK_COUNTED_, NXK_IS_TUPLE(count))(count)
#define NXK_COUNTED_0(count) count
#define NXK_COUNTED_1(count) 0
#define NXK_COUNT_STEP(...) NXK_COUNT_(__VA_ARGS__)
#define NXK_NUMBERS 81, 80, 79, 78, 77, 76, 75, 74, 73, 72, 71, 70, 69, 68, 67, 66, 65, 64, 63, \
  62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, \
  39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, \
  16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1
#define NXK_COUNT_(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, \
  a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, \
  a36, a37, a38, a39, a40, a41, a42, a43, a44, a45, a46, a47, a48, a49, a50, a51, a52, a53, a54, \
  a55, a56, a57, a58, a59, a60, a61, a62, a63, a64, a65, a66, a67, a68, a69, a70, a71, a72, a73, \
  a74, a75, a76, a77, a78, a79, a80, count, ...) count

/* The same with the number of parameters, in steps of eight. */
#define NXK_COUNT_EIGHTS(...) NXK_COUNTED(NXK_COUNT_STEP(__VA_ARGS__, NXK_EIGHTS, ~))
#define NXK_EIGHTS 10, 10, 10, 10, 10, 10, 10, 10, 9, 9, 9, 9, 9, 9, 9, 9, 8, 8, 8, 8, 8, 8, 8, \
  8, 7, 7, 7, 7, 7, 7, 7, 7, 6, 6, 6, 6, 6, 6, 6, 6, 5, 5, 5, 5, 5, 5, 5, 5, 4, 4, 4, 4, 4, 4, \
  4, 4, 3, 3, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 0

#define NXK_EACH_EIGHT(a, b, p, q, r, t, u, v, w, x) \
  NXK_APPLY(a, b, p) NXK_APPLY(a, b, q) NXK_APPLY(a, b, r) NXK_APPLY(a, b, t) \
  NXK_APPLY(a, b, u) NXK_APPLY(a, b, v) NXK_APPLY(a, b, w) NXK_APPLY(a, b, x)
#define NXK_EACH_0(a, b, ...)
#define NXK_EACH_1(a, b, s, p, q, r, t, u, v, w, x, ...) \
  NXK_EACH_EIGHT(a, b, p, q, r, t, u, v, w, x)
#define NXK_EACH_2(a, b, s, p, q, r, t, u, v, w, x, ...) \
  NXK_EACH_EIGHT(a, b, p, q, r, t, u, v, w, x) NXK_EACH_1(a, b, s, __VA_ARGS__)
#define NXK_EACH_3(a, b, s, p, q, r, t, u, v, w, x, ...) \
  NXK_EACH_EIGHT(a, b, p, q, r, t, u, v, w, x) NXK_EACH_2(a, b, s, __VA_ARGS__)
#define NXK_EACH_4(a, b, s, p, q, r, t, u, v, w, x, ...) \
  NXK_EACH_EIGHT(a, b, p, q, r, t, u, v, w, x) NXK_EACH_3(a, b, s, __VA_ARGS__)
#define NXK_EACH_5(a, b, s, p, q, r, t, u, v, w, x, ...) \
  NXK_EACH_EIGHT(a, b, p, q, r, t, u, v, w, x) NXK_EACH_4(a, b, s, __VA_ARGS__)
#define NXK_EACH_6(a, b, s, p, q, r, t, u, v, w, x, ...) \
  NXK_EACH_EIGHT(a, b, p, q, r, t, u, v, w, x) NXK_EACH_5(a, b, s, __VA_ARGS__)
#define NXK_EACH_7(a, b, s, p, q, r, t, u, v, w, x, ...) \
  NXK_EACH_EIGHT(a, b, p, q, r, t, u, v, w, x) NXK_EACH_6(a, b, s, __VA_ARGS__)
#define NXK_EACH_8(a, b, s, p, q, r, t, u, v, w, x, ...) \
  NXK_EACH_EIGHT(a, b, p, q, r, t, u, v, w, x) NXK_EACH_7(a, b, s, __VA_ARGS__)
#define NXK_EACH_9(a, b, s, p, q, r, t, u, v, w, x, ...) \
  NXK_EACH_EIGHT(a, b, p, q, r, t, u, v, w, x) NXK_EACH_8(a, b, s, __VA_ARGS__)
#define NXK_EACH_10(a, b, s, p, q, r, t, u, v, w, x, ...) \
  NXK_EACH_EIGHT(a, b, p, q, r, t, u, v, w, x) NXK_EACH_9(a, b, s, __VA_ARGS__)
/* clang-format on */

#endif /* NEXUS_KERNEL_COMMON_PARAMETERS_H_ */
