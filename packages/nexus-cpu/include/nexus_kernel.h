/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels for Nexus, in the common subset of C and C++. This is the header for
 * the CPU, version 1; the text of a kernel names nothing that CUDA, HIP, OpenCL
 * C and Metal could not give a meaning to.
 *
 *   #include <nexus_kernel.h>
 *
 *   NEXUS_KERNEL(saxpy, (NEXUS_GLOBAL const float *, x), (NEXUS_GLOBAL float *, y),
 *                (float, a), (int, n)) {
 *     int i = nexus_global_id(0);
 *     if (i < n) y[i] = a * x[i] + y[i];
 *   }
 *
 * or, with the guard said as a bound, which every compiler turns into the end of
 * a loop that it can vectorise:
 *
 *   NEXUS_KERNEL_BOUNDED(saxpy, (n), (NEXUS_GLOBAL const float *, x),
 *                        (NEXUS_GLOBAL float *, y), (float, a), (int, n)) {
 *     int i = nexus_global_id(0);
 *     y[i] = a * x[i] + y[i];
 *   }
 *
 * The body is what one work item does. Whole groups are launched, so more items
 * than asked for may run: a kernel guards its indices, or states its bounds.
 *
 * Build it with, for example
 *   cc -O3 -march=native -fno-math-errno -fno-trapping-math -fPIC -shared kernel.c -o kernel.so
 */
#ifndef NEXUS_KERNEL_H_
#define NEXUS_KERNEL_H_

#define NEXUS_KERNEL_VERSION 1

/* ==== Defining a kernel =============================================== */

/*
 * NEXUS_KERNEL(name, (type, parameter), ...) { body of one work item }
 *
 * Up to 64 parameters, each a type and a name in parentheses. A pointer to
 * memory says which:
 *   NEXUS_GLOBAL    a buffer
 *   NEXUS_CONSTANT  a buffer that is only read, by all items alike
 *   NEXUS_LOCAL     memory of one group, whose size the command gives
 * A parameter that is no pointer is a scalar, passed by value.
 * NEXUS_RESTRICT after the * promises that no other parameter reaches the memory.
 *
 * The ids below are read in the kernel's own body; a function that the kernel
 * calls gets those that it needs as parameters.
 */
#define NEXUS_KERNEL(...) NXK_KERNEL((NXK_UNBOUNDED), __VA_ARGS__)

/*
 * NEXUS_KERNEL_BOUNDED(name, (bound_x, bound_y, bound_z), (type, parameter), ...)
 *
 * As NEXUS_KERNEL, and only items whose global id is below the bound run, in each
 * dimension that has one: 1, 2 or 3 integer expressions of the parameters.
 */
#define NEXUS_KERNEL_BOUNDED(name, bounds, ...) NXK_KERNEL(bounds, name, __VA_ARGS__)

#define NEXUS_GLOBAL
#define NEXUS_CONSTANT const
#define NEXUS_LOCAL __attribute__(()) /* no meaning on the CPU, but macros can tell it */
#if defined(__cplusplus)
#define NEXUS_RESTRICT __restrict__
#else
#define NEXUS_RESTRICT restrict
#endif

/* A function that kernels call. */
#define NEXUS_FUNCTION static inline __attribute__((always_inline))

/* ==== Ids and sizes =================================================== */

/* All are int and take the dimension: 0, 1 or 2 for x, y or z. */
#define nexus_global_id(dimension) NXK_PICK(nxk_item->global, dimension)
#define nexus_group_id(dimension) NXK_PICK(nxk_item->group, dimension)
#define nexus_local_id(dimension) NXK_PICK(nxk_item->local, dimension)
#define nexus_group_size(dimension) NXK_PICK(nxk_sizes->group_size, dimension)
#define nexus_group_count(dimension) NXK_PICK(nxk_sizes->group_count, dimension)
/* The work items asked for, and those launched: whole groups. */
#define nexus_grid_size(dimension) NXK_PICK(nxk_sizes->grid_size, dimension)
#define nexus_launch_size(dimension) (nexus_group_count(dimension) * nexus_group_size(dimension))

/* ==== Types =========================================================== */

typedef __INT8_TYPE__ nexus_int8;
typedef __INT16_TYPE__ nexus_int16;
typedef __INT32_TYPE__ nexus_int32;
typedef __INT64_TYPE__ nexus_int64;
typedef __UINT8_TYPE__ nexus_uint8;
typedef __UINT16_TYPE__ nexus_uint16;
typedef __UINT32_TYPE__ nexus_uint32;
typedef __UINT64_TYPE__ nexus_uint64;
#if defined(__cplusplus)
typedef bool nexus_bool;
#else
typedef _Bool nexus_bool;
#endif

/* ==== Mathematics ===================================================== */

/* Of float. */
#define nexus_sqrt(x) __builtin_sqrtf(x)
#define nexus_fabs(x) __builtin_fabsf(x)

/* ==== What the CPU backend reads ====================================== */

/*
 * A kernel is exported as a constant nexus_cpu_kernel named nexus_cpu_kernel_<name>.
 * Each struct begins with the bytes that its writer knows, and a reader looks at
 * no field beyond them: fields can be appended without breaking a library.
 */

enum {
  NEXUS_CPU_ARGUMENT_BUFFER = 0,
  NEXUS_CPU_ARGUMENT_SCALAR = 1,
  NEXUS_CPU_ARGUMENT_LOCAL_MEMORY = 2
};

/* The numbers of nxs_data_type. */
enum {
  NEXUS_CPU_UNDEFINED = 0,
  NEXUS_CPU_F32 = 1,
  NEXUS_CPU_F16 = 2,
  NEXUS_CPU_BF16 = 3,
  NEXUS_CPU_I32 = 8,
  NEXUS_CPU_U32 = 9,
  NEXUS_CPU_I16 = 10,
  NEXUS_CPU_U16 = 11,
  NEXUS_CPU_I8 = 12,
  NEXUS_CPU_U8 = 13,
  NEXUS_CPU_F64 = 16,
  NEXUS_CPU_I64 = 17,
  NEXUS_CPU_U64 = 18,
  NEXUS_CPU_BOOL = 19
};

typedef struct nexus_cpu_argument {
  nexus_uint64 struct_size;
  const char *name;
  const char *type;       /* as the kernel's text has it */
  nexus_int32 kind;       /* NEXUS_CPU_ARGUMENT_* */
  nexus_int32 data_type;  /* of the scalar, or of what the pointer points to */
  nexus_uint64 size;      /* bytes of a scalar; 0 for others */
  nexus_uint32 read_only; /* 1 where a pointer points to const */
  nexus_uint32 reserved;  /* 0 */
} nexus_cpu_argument;

/* The sizes of a launch, each in x, y and z. */
typedef struct nexus_cpu_sizes {
  nexus_int32 grid_size[3]; /* work items asked for */
  nexus_int32 group_size[3];
  nexus_int32 group_count[3];
  nexus_int32 reserved; /* 0 */
} nexus_cpu_sizes;

/* Part of a launch: the groups from group_begin to before group_end, counted
 * with x fastest, then y, then z. */
typedef struct nexus_cpu_range {
  nexus_uint64 struct_size;
  nexus_uint64 group_begin;
  nexus_uint64 group_end;
  const nexus_cpu_sizes *sizes;
  void *const *arguments; /* each points to the argument's value: a scalar, or an address */
} nexus_cpu_range;

typedef struct nexus_cpu_kernel {
  nexus_uint64 struct_size;
  nexus_uint32 version; /* NEXUS_KERNEL_VERSION */
  nexus_uint32 argument_count;
  const char *name;
  const nexus_cpu_argument *arguments;
  void (*run)(const nexus_cpu_range *range); /* any thread, with disjoint ranges */
} nexus_cpu_kernel;

/* ==== How it is made; nothing below is for use in kernels ============= */

/* Preprocessor: the number of arguments, their first, and a macro for each of the rest. */
#define NXK_PASTE(a, b) NXK_PASTE_(a, b)
#define NXK_PASTE_(a, b) a##b
#define NXK_FIRST(...) NXK_FIRST_(__VA_ARGS__, ~)
#define NXK_FIRST_(first, ...) first
#define NXK_SECOND(...) NXK_SECOND_(__VA_ARGS__, ~)
#define NXK_SECOND_(first, second, ...) second
#define NXK_THIRD_(first, second, third, ...) third
#define NXK_UNPACK(...) __VA_ARGS__
#define NXK_COUNT(...)                                                                             \
  NXK_COUNT_(__VA_ARGS__, 65, 64, 63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48,  \
             47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27,   \
             26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, \
             3, 2, 1, 0)
#define NXK_COUNT_(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, \
                   a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, \
                   a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45, a46, a47, a48, a49, \
                   a50, a51, a52, a53, a54, a55, a56, a57, a58, a59, a60, a61, a62, a63, a64,      \
                   count, ...)                                                                     \
  count

/* m applied to each (type, name) after the first argument, which is the kernel's name. */
#define NXK_EACH(m, ...) NXK_PASTE(NXK_EACH_, NXK_COUNT(__VA_ARGS__))(m, __VA_ARGS__)
#define NXK_EACH_1(m, k)
#define NXK_EACH_2(m, k, p) m p
#define NXK_EACH_3(m, k, p, ...) m p NXK_EACH_2(m, k, __VA_ARGS__)
#define NXK_EACH_4(m, k, p, ...) m p NXK_EACH_3(m, k, __VA_ARGS__)
#define NXK_EACH_5(m, k, p, ...) m p NXK_EACH_4(m, k, __VA_ARGS__)
#define NXK_EACH_6(m, k, p, ...) m p NXK_EACH_5(m, k, __VA_ARGS__)
#define NXK_EACH_7(m, k, p, ...) m p NXK_EACH_6(m, k, __VA_ARGS__)
#define NXK_EACH_8(m, k, p, ...) m p NXK_EACH_7(m, k, __VA_ARGS__)
#define NXK_EACH_9(m, k, p, ...) m p NXK_EACH_8(m, k, __VA_ARGS__)
#define NXK_EACH_10(m, k, p, ...) m p NXK_EACH_9(m, k, __VA_ARGS__)
#define NXK_EACH_11(m, k, p, ...) m p NXK_EACH_10(m, k, __VA_ARGS__)
#define NXK_EACH_12(m, k, p, ...) m p NXK_EACH_11(m, k, __VA_ARGS__)
#define NXK_EACH_13(m, k, p, ...) m p NXK_EACH_12(m, k, __VA_ARGS__)
#define NXK_EACH_14(m, k, p, ...) m p NXK_EACH_13(m, k, __VA_ARGS__)
#define NXK_EACH_15(m, k, p, ...) m p NXK_EACH_14(m, k, __VA_ARGS__)
#define NXK_EACH_16(m, k, p, ...) m p NXK_EACH_15(m, k, __VA_ARGS__)
#define NXK_EACH_17(m, k, p, ...) m p NXK_EACH_16(m, k, __VA_ARGS__)
#define NXK_EACH_18(m, k, p, ...) m p NXK_EACH_17(m, k, __VA_ARGS__)
#define NXK_EACH_19(m, k, p, ...) m p NXK_EACH_18(m, k, __VA_ARGS__)
#define NXK_EACH_20(m, k, p, ...) m p NXK_EACH_19(m, k, __VA_ARGS__)
#define NXK_EACH_21(m, k, p, ...) m p NXK_EACH_20(m, k, __VA_ARGS__)
#define NXK_EACH_22(m, k, p, ...) m p NXK_EACH_21(m, k, __VA_ARGS__)
#define NXK_EACH_23(m, k, p, ...) m p NXK_EACH_22(m, k, __VA_ARGS__)
#define NXK_EACH_24(m, k, p, ...) m p NXK_EACH_23(m, k, __VA_ARGS__)
#define NXK_EACH_25(m, k, p, ...) m p NXK_EACH_24(m, k, __VA_ARGS__)
#define NXK_EACH_26(m, k, p, ...) m p NXK_EACH_25(m, k, __VA_ARGS__)
#define NXK_EACH_27(m, k, p, ...) m p NXK_EACH_26(m, k, __VA_ARGS__)
#define NXK_EACH_28(m, k, p, ...) m p NXK_EACH_27(m, k, __VA_ARGS__)
#define NXK_EACH_29(m, k, p, ...) m p NXK_EACH_28(m, k, __VA_ARGS__)
#define NXK_EACH_30(m, k, p, ...) m p NXK_EACH_29(m, k, __VA_ARGS__)
#define NXK_EACH_31(m, k, p, ...) m p NXK_EACH_30(m, k, __VA_ARGS__)
#define NXK_EACH_32(m, k, p, ...) m p NXK_EACH_31(m, k, __VA_ARGS__)
#define NXK_EACH_33(m, k, p, ...) m p NXK_EACH_32(m, k, __VA_ARGS__)
#define NXK_EACH_34(m, k, p, ...) m p NXK_EACH_33(m, k, __VA_ARGS__)
#define NXK_EACH_35(m, k, p, ...) m p NXK_EACH_34(m, k, __VA_ARGS__)
#define NXK_EACH_36(m, k, p, ...) m p NXK_EACH_35(m, k, __VA_ARGS__)
#define NXK_EACH_37(m, k, p, ...) m p NXK_EACH_36(m, k, __VA_ARGS__)
#define NXK_EACH_38(m, k, p, ...) m p NXK_EACH_37(m, k, __VA_ARGS__)
#define NXK_EACH_39(m, k, p, ...) m p NXK_EACH_38(m, k, __VA_ARGS__)
#define NXK_EACH_40(m, k, p, ...) m p NXK_EACH_39(m, k, __VA_ARGS__)
#define NXK_EACH_41(m, k, p, ...) m p NXK_EACH_40(m, k, __VA_ARGS__)
#define NXK_EACH_42(m, k, p, ...) m p NXK_EACH_41(m, k, __VA_ARGS__)
#define NXK_EACH_43(m, k, p, ...) m p NXK_EACH_42(m, k, __VA_ARGS__)
#define NXK_EACH_44(m, k, p, ...) m p NXK_EACH_43(m, k, __VA_ARGS__)
#define NXK_EACH_45(m, k, p, ...) m p NXK_EACH_44(m, k, __VA_ARGS__)
#define NXK_EACH_46(m, k, p, ...) m p NXK_EACH_45(m, k, __VA_ARGS__)
#define NXK_EACH_47(m, k, p, ...) m p NXK_EACH_46(m, k, __VA_ARGS__)
#define NXK_EACH_48(m, k, p, ...) m p NXK_EACH_47(m, k, __VA_ARGS__)
#define NXK_EACH_49(m, k, p, ...) m p NXK_EACH_48(m, k, __VA_ARGS__)
#define NXK_EACH_50(m, k, p, ...) m p NXK_EACH_49(m, k, __VA_ARGS__)
#define NXK_EACH_51(m, k, p, ...) m p NXK_EACH_50(m, k, __VA_ARGS__)
#define NXK_EACH_52(m, k, p, ...) m p NXK_EACH_51(m, k, __VA_ARGS__)
#define NXK_EACH_53(m, k, p, ...) m p NXK_EACH_52(m, k, __VA_ARGS__)
#define NXK_EACH_54(m, k, p, ...) m p NXK_EACH_53(m, k, __VA_ARGS__)
#define NXK_EACH_55(m, k, p, ...) m p NXK_EACH_54(m, k, __VA_ARGS__)
#define NXK_EACH_56(m, k, p, ...) m p NXK_EACH_55(m, k, __VA_ARGS__)
#define NXK_EACH_57(m, k, p, ...) m p NXK_EACH_56(m, k, __VA_ARGS__)
#define NXK_EACH_58(m, k, p, ...) m p NXK_EACH_57(m, k, __VA_ARGS__)
#define NXK_EACH_59(m, k, p, ...) m p NXK_EACH_58(m, k, __VA_ARGS__)
#define NXK_EACH_60(m, k, p, ...) m p NXK_EACH_59(m, k, __VA_ARGS__)
#define NXK_EACH_61(m, k, p, ...) m p NXK_EACH_60(m, k, __VA_ARGS__)
#define NXK_EACH_62(m, k, p, ...) m p NXK_EACH_61(m, k, __VA_ARGS__)
#define NXK_EACH_63(m, k, p, ...) m p NXK_EACH_62(m, k, __VA_ARGS__)
#define NXK_EACH_64(m, k, p, ...) m p NXK_EACH_63(m, k, __VA_ARGS__)
#define NXK_EACH_65(m, k, p, ...) m p NXK_EACH_64(m, k, __VA_ARGS__)

/* The bounds in x, y and z, where (NXK_UNBOUNDED) or a missing one is all there is. */
#define NXK_UNBOUNDED 0x7fffffff
#define NXK_BOUND_X(bounds) nxk_bound(NXK_FIRST(NXK_UNPACK bounds))
#define NXK_BOUND_Y(bounds) nxk_bound(NXK_BOUND_Y_(NXK_UNPACK bounds, NXK_UNBOUNDED, ~))
#define NXK_BOUND_Y_(...) NXK_SECOND_(__VA_ARGS__)
#define NXK_BOUND_Z(bounds) \
  nxk_bound(NXK_BOUND_Z_(NXK_UNPACK bounds, NXK_UNBOUNDED, NXK_UNBOUNDED, ~))
#define NXK_BOUND_Z_(...) NXK_THIRD_(__VA_ARGS__)

/* A type that begins with NEXUS_LOCAL, and the type without it. */
#define NXK_IS_LOCAL(type) NXK_SECOND(NXK_IS_LOCAL_##type, 0, ~)
#define NXK_IS_LOCAL___attribute__(empty) ~, 1,
#define NXK_TEXT(type) NXK_PASTE(NXK_TEXT_, NXK_IS_LOCAL(type))(type)
#define NXK_TEXT_0(type) #type
#define NXK_TEXT_1(type) NXK_QUOTE(NXK_WITHOUT_##type)
#define NXK_WITHOUT___attribute__(empty)
#define NXK_QUOTE(...) NXK_QUOTE_(__VA_ARGS__)
#define NXK_QUOTE_(...) #__VA_ARGS__

#define NXK_UNUSED __attribute__((unused))

/* X(type, number) for each elementary type. */
#if defined(__CHAR_UNSIGNED__)
#define NXK_PLAIN_CHAR NEXUS_CPU_U8
#else
#define NXK_PLAIN_CHAR NEXUS_CPU_I8
#endif
#define NXK_LONG (sizeof(long) == 8 ? NEXUS_CPU_I64 : NEXUS_CPU_I32)
#define NXK_UNSIGNED_LONG (sizeof(long) == 8 ? NEXUS_CPU_U64 : NEXUS_CPU_U32)
#define NXK_FOR_EACH_TYPE(X)          \
  X(float, NEXUS_CPU_F32)             \
  X(double, NEXUS_CPU_F64)            \
  X(nexus_bool, NEXUS_CPU_BOOL)       \
  X(char, NXK_PLAIN_CHAR)             \
  X(signed char, NEXUS_CPU_I8)        \
  X(unsigned char, NEXUS_CPU_U8)      \
  X(short, NEXUS_CPU_I16)             \
  X(unsigned short, NEXUS_CPU_U16)    \
  X(int, NEXUS_CPU_I32)               \
  X(unsigned int, NEXUS_CPU_U32)      \
  X(long, NXK_LONG)                   \
  X(unsigned long, NXK_UNSIGNED_LONG) \
  X(long long, NEXUS_CPU_I64)         \
  X(unsigned long long, NEXUS_CPU_U64)

#if defined(__cplusplus)
extern "C++" {
template <typename T>
struct nxk_type {
  static constexpr int data_type = NEXUS_CPU_UNDEFINED, read_only = 0, pointer = 0;
};
template <typename T>
struct nxk_type<const T> : nxk_type<T> {
  static constexpr int read_only = 1;
};
template <typename T>
struct nxk_type<T *> : nxk_type<T> {
  static constexpr int pointer = 1;
};
template <typename T>
struct nxk_type<T *__restrict__> : nxk_type<T *> {};
#define NXK_TYPE(T, number)                                                \
  template <>                                                              \
  struct nxk_type<T> {                                                     \
    static constexpr int data_type = (number), read_only = 0, pointer = 0; \
  };
NXK_FOR_EACH_TYPE(NXK_TYPE)
}
extern "C++" {
template <typename T>
inline int nxk_int(const T &) {
  return 0;
}
inline int nxk_int(int value) {
  return value;
}
}
#define NXK_IS_INT(type) (!nxk_type<type>::pointer && nxk_type<type>::data_type == NEXUS_CPU_I32)
#define NXK_INT(name) nxk_int(name)
#define NXK_IS_POINTER(type) nxk_type<type>::pointer
#define NXK_DATA_TYPE(type) nxk_type<type>::data_type
#define NXK_READ_ONLY(type) (nxk_type<type>::pointer && nxk_type<type>::read_only)
#define NXK_EXPORT extern "C" __attribute__((visibility("default")))
#else
/* clang-format off */
#define NXK_TYPE_NUMBER(T, number) T: (number), T *: (number), const T *: (number),
#define NXK_TYPE_CONST(T, number) const T *: 1,
/* clang-format on */
#define NXK_IS_INT(type) _Generic(*(type *)0, int: 1, default: 0)
#define NXK_INT(name) _Generic((name), int: (name), default: 0)
#define NXK_IS_POINTER(type) (__builtin_classify_type(*(type *)0) == 5)
#define NXK_DATA_TYPE(type) \
  _Generic(*(type *)0, NXK_FOR_EACH_TYPE(NXK_TYPE_NUMBER) default: NEXUS_CPU_UNDEFINED)
#define NXK_READ_ONLY(type) \
  _Generic(*(type *)0, NXK_FOR_EACH_TYPE(NXK_TYPE_CONST) const void *: 1, default: 0)
#define NXK_EXPORT extern __attribute__((visibility("default")))
#endif

/* What is made of each (type, name). */
#define NXK_PARAMETER(type, name) NXK_UNUSED type name,
#define NXK_PASS(type, name) name,
#define NXK_LOAD(type, name) type name = *(type *)*nxk_argument++;
#define NXK_FIND_GUARD(type, name)          \
  if (!nxk_has_guard && NXK_IS_INT(type)) { \
    nxk_guard = NXK_INT(name);              \
    nxk_has_guard = 1;                      \
  }
#define NXK_DESCRIBE(type, name)                            \
  {sizeof(nexus_cpu_argument),                              \
   #name,                                                   \
   NXK_TEXT(type),                                          \
   NXK_IS_LOCAL(type)     ? NEXUS_CPU_ARGUMENT_LOCAL_MEMORY \
   : NXK_IS_POINTER(type) ? NEXUS_CPU_ARGUMENT_BUFFER       \
                          : NEXUS_CPU_ARGUMENT_SCALAR,      \
   NXK_DATA_TYPE(type),                                     \
   NXK_IS_POINTER(type) ? 0 : sizeof(type),                 \
   NXK_READ_ONLY(type),                                     \
   0},

/* Clang only: gcc vectorises less where it is told than where it is not. */
#if defined(__clang__)
#define NXK_ASSUME(condition) __builtin_assume(condition)
#define NXK_GUARD_HOLDS (nxk_guard >= nxk_items && nxk_first <= nxk_guard - nxk_items)
#else
#define NXK_ASSUME(condition) (void)0
#define NXK_GUARD_HOLDS 0
#endif

#define NXK_PICK(triple, dimension) \
  ((dimension) == 0 ? (triple)[0] : (dimension) == 1 ? (triple)[1] : (triple)[2])

typedef struct nxk_item_ids {
  int global[3], group[3], local[3];
} nxk_item_ids;

/* Neighbouring groups in x, within one range. */
typedef struct nxk_row {
  nexus_uint64 next, end; /* linear group numbers that are still to be walked */
  int group[3];           /* the first group of the row */
  int count;              /* groups in the row */
} nxk_row;

NEXUS_FUNCTION int nxk_bound(long long bound) {
  return bound < 0 ? 0 : bound > NXK_UNBOUNDED ? NXK_UNBOUNDED : (int)bound;
}

/* How many items from first on, at most count, are below the bound. */
NEXUS_FUNCTION int nxk_below(int first, int count, int bound) {
  return bound <= first ? 0 : bound - first < count ? bound - first : count;
}

NEXUS_FUNCTION int nxk_next_row(nxk_row *row, const nexus_cpu_sizes *sizes) {
  const nexus_uint64 count_x = (nexus_uint64)sizes->group_count[0];
  const nexus_uint64 count_y = (nexus_uint64)sizes->group_count[1];
  nexus_uint64 x, left;
  if (row->next >= row->end) return 0;
  x = row->next % count_x;
  left = row->end - row->next;
  row->group[0] = (int)x;
  row->group[1] = (int)(row->next / count_x % count_y);
  row->group[2] = (int)(row->next / count_x / count_y);
  row->count = (int)(left < count_x - x ? left : count_x - x);
  row->next += (nexus_uint64)row->count;
  return 1;
}

/* Narrow groups leave a vectoriser too little: their rows are joined to one loop. */
#define NXK_NARROW_GROUP 64

/* clang-format off */
#define NXK_KERNEL(bounds, ...) \
  NXK_KERNEL_(bounds, NXK_FIRST(__VA_ARGS__), NXK_COUNT(__VA_ARGS__) - 1, __VA_ARGS__)

/*
 * nxk_body_<name>  one work item: the text that follows
 * nxk_rows_<name>  the loops; the parameters are its own, so that restrict holds
 * nxk_run_<name>   unpacks the arguments
 */
#define NXK_KERNEL_(bounds, kernel, count, ...)                                                   \
  NEXUS_FUNCTION void NXK_PASTE(nxk_body_, kernel)(                                               \
      NXK_EACH(NXK_PARAMETER, __VA_ARGS__) const nxk_item_ids *nxk_item,                          \
      const nexus_cpu_sizes *nxk_sizes);                                                          \
  static __attribute__((noinline)) void NXK_PASTE(nxk_rows_, kernel)(                             \
      NXK_EACH(NXK_PARAMETER, __VA_ARGS__) const nexus_cpu_range *nxk_range) {                    \
    const nexus_cpu_sizes nxk_copy = *nxk_range->sizes;                                           \
    const nexus_cpu_sizes *const nxk_sizes = &nxk_copy;                                           \
    const int nxk_bounds[3] = {NXK_BOUND_X(bounds), NXK_BOUND_Y(bounds), NXK_BOUND_Z(bounds)};    \
    int nxk_guard = 0;                                                                            \
    int nxk_has_guard = 0;                                                                        \
    NXK_EACH(NXK_FIND_GUARD, __VA_ARGS__)                                                         \
    (void)nxk_has_guard, (void)nxk_guard;                                                         \
    nxk_row nxk_at = {nxk_range->group_begin, nxk_range->group_end, {0, 0, 0}, 0};                \
    while (nxk_next_row(&nxk_at, nxk_sizes)) {                                                    \
      const int nxk_x = nxk_at.group[0] * nxk_sizes->group_size[0];                               \
      const int nxk_y = nxk_at.group[1] * nxk_sizes->group_size[1];                               \
      const int nxk_z = nxk_at.group[2] * nxk_sizes->group_size[2];                               \
      const int nxk_items_y = nxk_below(nxk_y, nxk_sizes->group_size[1], nxk_bounds[1]);          \
      const int nxk_items_z = nxk_below(nxk_z, nxk_sizes->group_size[2], nxk_bounds[2]);          \
      for (int nxk_k = 0; nxk_k < nxk_items_z; ++nxk_k) {                                         \
        for (int nxk_j = 0; nxk_j < nxk_items_y; ++nxk_j) {                                       \
          NXK_LOOP_X(NXK_PASTE(nxk_body_, kernel), NXK_EACH(NXK_PASS, __VA_ARGS__))               \
        }                                                                                         \
      }                                                                                           \
    }                                                                                             \
  }                                                                                               \
  static void NXK_PASTE(nxk_run_, kernel)(const nexus_cpu_range *nxk_range) {                     \
    void *const *nxk_argument = nxk_range->arguments;                                             \
    (void)nxk_argument;                                                                           \
    NXK_EACH(NXK_LOAD, __VA_ARGS__)                                                               \
    NXK_PASTE(nxk_rows_, kernel)(NXK_EACH(NXK_PASS, __VA_ARGS__) nxk_range);                      \
  }                                                                                               \
  static const nexus_cpu_argument NXK_PASTE(nxk_arguments_, kernel)[] = {                         \
      NXK_EACH(NXK_DESCRIBE, __VA_ARGS__){sizeof(nexus_cpu_argument), "", "", 0, 0, 0, 0, 0}};    \
  NXK_EXPORT const nexus_cpu_kernel NXK_PASTE(nexus_cpu_kernel_, kernel);                         \
  const nexus_cpu_kernel NXK_PASTE(nexus_cpu_kernel_, kernel) = {                                 \
      sizeof(nexus_cpu_kernel),          NEXUS_KERNEL_VERSION,       count, NXK_QUOTE(kernel),    \
      NXK_PASTE(nxk_arguments_, kernel), NXK_PASTE(nxk_run_, kernel)};                            \
  NEXUS_FUNCTION void NXK_PASTE(nxk_body_, kernel)(                                               \
      NXK_EACH(NXK_PARAMETER, __VA_ARGS__) NXK_UNUSED const nxk_item_ids *nxk_item,               \
      NXK_UNUSED const nexus_cpu_sizes *nxk_sizes)

/* The items of a group with the same y and z. The usual guard compares the global id
 * with the first int parameter. Where it holds for all items, the compiler is told so:
 * the loop then needs no masks, with which memory was measured at a third of its speed. */
#define NXK_LOOP_GROUP(body, fact, ...)                                                           \
  for (int nxk_i = 0; nxk_i < nxk_items; ++nxk_i) {                                               \
    const nxk_item_ids nxk_ids = {                                                                \
        {nxk_first + nxk_i, nxk_y + nxk_j, nxk_z + nxk_k},                                        \
        {nxk_at.group[0] + nxk_g, nxk_at.group[1], nxk_at.group[2]},                              \
        {nxk_i, nxk_j, nxk_k}};                                                                   \
    fact;                                                                                         \
    body(__VA_ARGS__ &nxk_ids, nxk_sizes);                                                        \
  }

/* The items of a row with the same y and z. Wide groups: a loop over the groups and
 * one over their items. Narrow ones: one loop, where the group's and the local id
 * count along and cost nothing in a kernel that does not read them. */
#define NXK_LOOP_X(body, ...)                                                                     \
  if (nxk_sizes->group_size[0] >= NXK_NARROW_GROUP || nxk_at.count == 1) {                        \
    for (int nxk_g = 0; nxk_g < nxk_at.count; ++nxk_g) {                                          \
      const int nxk_first = nxk_x + nxk_g * nxk_sizes->group_size[0];                             \
      const int nxk_items = nxk_below(nxk_first, nxk_sizes->group_size[0], nxk_bounds[0]);        \
      if (nxk_guard - nxk_first >= nxk_items) {                                                   \
        NXK_LOOP_GROUP(body, NXK_ASSUME(nxk_first + nxk_i < nxk_guard), __VA_ARGS__)              \
      } else {                                                                                    \
        NXK_LOOP_GROUP(body, (void)0, __VA_ARGS__)                                                \
      }                                                                                           \
    }                                                                                             \
  } else {                                                                                        \
    const int nxk_items =                                                                         \
        nxk_below(nxk_x, nxk_at.count * nxk_sizes->group_size[0], nxk_bounds[0]);                 \
    int nxk_g = nxk_at.group[0];                                                                  \
    int nxk_l = 0;                                                                                \
    for (int nxk_i = 0; nxk_i < nxk_items; ++nxk_i) {                                             \
      const nxk_item_ids nxk_ids = {{nxk_x + nxk_i, nxk_y + nxk_j, nxk_z + nxk_k},                \
                                    {nxk_g, nxk_at.group[1], nxk_at.group[2]},                    \
                                    {nxk_l, nxk_j, nxk_k}};                                       \
      body(__VA_ARGS__ &nxk_ids, nxk_sizes);                                                      \
      nxk_l = nxk_l + 1 == nxk_sizes->group_size[0] ? 0 : nxk_l + 1;                              \
      nxk_g += nxk_l == 0;                                                                        \
    }                                                                                             \
  }
/* clang-format on */

#endif /* NEXUS_KERNEL_H_ */
