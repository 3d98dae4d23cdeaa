/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Describes the parameters of a kernel compiled for the CPU by their types, and rejects unsupported
 * types. Not for use in kernels.
 */
#ifndef NEXUS_KERNEL_CPU_DESCRIBE_H_
#define NEXUS_KERNEL_CPU_DESCRIBE_H_

/* A type that begins with NEXUS_LOCAL; one that begins with any memory, of which NEXUS_CONSTANT is
 * const; and the text of the type without NEXUS_LOCAL and NEXUS_GLOBAL. */
#define NXK_IS_LOCAL(type) NXK_SECOND(NXK_IS_LOCAL_##type, 0)
#define NXK_IS_LOCAL___attribute__(empty) ~, 1,
#define NXK_HAS_MEMORY(type) NXK_SECOND(NXK_HAS_MEMORY_##type, 0)
#define NXK_HAS_MEMORY___attribute__(empty) ~, 1,
#define NXK_HAS_MEMORY___attribute(empty) ~, 1,
#define NXK_HAS_MEMORY_const ~, 1,
#define NXK_IS_MARKED(type) NXK_SECOND(NXK_IS_MARKED_##type, 0)
#define NXK_IS_MARKED___attribute__(empty) ~, 1,
#define NXK_IS_MARKED___attribute(empty) ~, 1,
#define NXK_TEXT(type) NXK_PASTE(NXK_TEXT_, NXK_IS_MARKED(type))(type)
#define NXK_TEXT_0(type) #type
#define NXK_TEXT_1(type) NXK_QUOTE(NXK_WITHOUT_##type)
#define NXK_WITHOUT___attribute__(empty)
#define NXK_WITHOUT___attribute(empty)

/* X(type, number) for each type that an argument, or what it points to, may have. */
#if defined(__CHAR_UNSIGNED__)
#define NXK_PLAIN_CHAR NEXUS_CPU_U8
#else
#define NXK_PLAIN_CHAR NEXUS_CPU_I8
#endif
#define NXK_LONG (sizeof(long) == 8 ? NEXUS_CPU_I64 : NEXUS_CPU_I32)
#define NXK_UNSIGNED_LONG (sizeof(long) == 8 ? NEXUS_CPU_U64 : NEXUS_CPU_U32)
#define NXK_FOR_EACH_NUMBER(X)        \
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
#define NXK_FOR_EACH_VECTOR(X)   \
  X(nexus_float2, NEXUS_CPU_F32) \
  X(nexus_float4, NEXUS_CPU_F32) \
  X(nexus_int2, NEXUS_CPU_I32)   \
  X(nexus_int4, NEXUS_CPU_I32)   \
  X(nexus_uint2, NEXUS_CPU_U32)  \
  X(nexus_uint4, NEXUS_CPU_U32)

/* Facts of a type, as constant expressions. A vector passed by value has no scalar data type; a
 * pointer to vectors has the data type of the components. */
#if defined(__cplusplus)
extern "C++" {
struct nxk_facts {
  int known, pointer, read_only, data_type;
};
/* Chosen by a pointer to the type. A type without an entry is unknown. */
constexpr nxk_facts nxk_facts_of(const volatile void *) {
  return {0, 0, 0, NEXUS_CPU_UNDEFINED};
}
#define NXK_FACTS_OF_POINTERS(T, number)                            \
  constexpr nxk_facts nxk_facts_of(T *const __restrict__ *) {       \
    return {1, 1, 0, (number)};                                     \
  }                                                                 \
  constexpr nxk_facts nxk_facts_of(const T *const __restrict__ *) { \
    return {1, 1, 1, (number)};                                     \
  }
#define NXK_FACTS_OF_NUMBER(T, number)          \
  constexpr nxk_facts nxk_facts_of(const T *) { \
    return {1, 0, 0, (number)};                 \
  }                                             \
  NXK_FACTS_OF_POINTERS(T, number)
#define NXK_FACTS_OF_VECTOR(T, number)          \
  constexpr nxk_facts nxk_facts_of(const T *) { \
    return {1, 0, 0, NEXUS_CPU_UNDEFINED};      \
  }                                             \
  NXK_FACTS_OF_POINTERS(T, number)
NXK_FOR_EACH_NUMBER(NXK_FACTS_OF_NUMBER)
NXK_FOR_EACH_VECTOR(NXK_FACTS_OF_VECTOR)
NXK_FACTS_OF_POINTERS(void, NEXUS_CPU_UNDEFINED)

template <typename T>
constexpr int nxk_int(const T &) {
  return 0;
}
constexpr int nxk_int(const int &value) {
  return value;
}
}
#define NXK_FACTS(type) nxk_facts_of((type *)0)
#define NXK_IS_KNOWN(type) NXK_FACTS(type).known
#define NXK_IS_POINTER(type) NXK_FACTS(type).pointer
#define NXK_DATA_TYPE(type) NXK_FACTS(type).data_type
#define NXK_READ_ONLY(type) NXK_FACTS(type).read_only
#define NXK_IS_INT(type) (!NXK_IS_POINTER(type) && NXK_DATA_TYPE(type) == NEXUS_CPU_I32)
#define NXK_INT(name) nxk_int(name)
#define NXK_EXPORT extern "C" __attribute__((visibility("default")))
#else
/* clang-format off */
#define NXK_NUMBER_OF(T, number) T: (number), T *: (number), const T *: (number),
#define NXK_NUMBER_OF_VECTOR(T, number) T *: (number), const T *: (number),
#define NXK_ONE(T, number) T: 1, T *: 1, const T *: 1,
#define NXK_ONE_IF_CONST(T, number) const T *: 1,
/* clang-format on */
#define NXK_IS_KNOWN(type)                                                 \
  _Generic(*(type *)0,                                                     \
      NXK_FOR_EACH_NUMBER(NXK_ONE) NXK_FOR_EACH_VECTOR(NXK_ONE) void *: 1, \
      const void *: 1,                                                     \
      default: 0)
#define NXK_IS_POINTER(type) (__builtin_classify_type(*(type *)0) == 5)
#define NXK_DATA_TYPE(type)              \
  _Generic(*(type *)0,                   \
      NXK_FOR_EACH_NUMBER(NXK_NUMBER_OF) \
          NXK_FOR_EACH_VECTOR(NXK_NUMBER_OF_VECTOR) default: NEXUS_CPU_UNDEFINED)
#define NXK_READ_ONLY(type)                                                                        \
  _Generic(*(type *)0,                                                                             \
      NXK_FOR_EACH_NUMBER(NXK_ONE_IF_CONST) NXK_FOR_EACH_VECTOR(NXK_ONE_IF_CONST) const void *: 1, \
      default: 0)
#define NXK_IS_INT(type) _Generic(*(type *)0, int: 1, default: 0)
#define NXK_INT(name) _Generic((name), int: (name), default: 0)
#define NXK_EXPORT extern __attribute__((visibility("default")))
#endif

/* The description of each argument. */
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
#define NXK_CHECK_ARGUMENT_TYPE(type, name)                                                         \
  NXK_STATIC_ASSERT(NXK_IS_KNOWN(type), "the parameter '" #name "' is of type '" NXK_TEXT(type)   \
                    "', which a kernel can't take; it takes numbers, vectors of 2 and 4, and "     \
                    "pointers to those"); \
  NXK_STATIC_ASSERT(!NXK_IS_POINTER(type) || NXK_HAS_MEMORY(type), "the parameter '" #name        \
                    "' is of type '" NXK_TEXT(type) "', which does not say whose memory it "      \
                    "points to; write NEXUS_GLOBAL, NEXUS_CONSTANT or NEXUS_LOCAL before it");
#define NXK_CHECK_ARRAY_TYPE(type, name, count)                                                     \
  NXK_STATIC_ASSERT(NXK_IS_LOCAL(type),                                                           \
                    "the array '" #name "' is of type '" NXK_TEXT(type)                           \
                    "'; a kernel can declare only local memory: write NEXUS_LOCAL before the "    \
                    "type"); \
  NXK_STATIC_ASSERT(NXK_IS_KNOWN(type) && !NXK_IS_POINTER(type), "the array '" #name              \
                    "' has elements of type '" NXK_TEXT(type) "'; elements are numbers or "       \
                    "vectors of 2 and 4");

/*
 * The checks and the description that the backend looks for: nexus_cpu_kernel_<name>, which points
 * to nxk_run_<name>. sizes: the group size that the kernel requires, or (0, 0, 0).
 */
/* The compiler rejects invalid names such as 2nd. */
#define NXK_CHECK_NAME(kernel)                                                                    \
  NXK_STATIC_ASSERT(sizeof(#kernel) > 1, "a kernel has no name: write it before its parameters"); \
  typedef struct {                                                                                \
    int kernel;                                                                                   \
  } NXK_PASTE(nxk_name_of_, kernel)
#define NXK_CHECK(kernel, ...)                                        \
  enum { NXK_PASTE(NXK_PASTE(nxk_one_kernel_is_named_, kernel), _) }; \
  NXK_CHECK_NAME(kernel);                                             \
  NXK_CHECK_KERNEL(kernel, __VA_ARGS__);                              \
  NXK_EACH(NXK_CHECK_ARGUMENT_TYPE, NXK_CHECK_ARRAY_TYPE, __VA_ARGS__)
#define NXK_DESCRIPTION(kernel, sizes, ...)                                                 \
  static const nexus_cpu_argument NXK_PASTE(nxk_arguments_, kernel)[] = {NXK_EACH_ARGUMENT( \
      NXK_DESCRIBE, __VA_ARGS__){sizeof(nexus_cpu_argument), "", "", 0, 0, 0, 0, 0}};       \
  NXK_EXPORT const nexus_cpu_kernel NXK_PASTE(nexus_cpu_kernel_, kernel);                   \
  const nexus_cpu_kernel NXK_PASTE(nexus_cpu_kernel_, kernel) = {                           \
      sizeof(nexus_cpu_kernel),                                                             \
      NEXUS_KERNEL_VERSION,                                                                 \
      NXK_ARGUMENT_COUNT(__VA_ARGS__),                                                      \
      NXK_QUOTE(kernel),                                                                    \
      NXK_PASTE(nxk_arguments_, kernel),                                                    \
      NXK_PASTE(nxk_run_, kernel),                                                          \
      {NXK_TRIPLE_X(sizes, 1), NXK_TRIPLE_Y(sizes, 1), NXK_TRIPLE_Z(sizes, 1)},             \
      0,                                                                                    \
      NXK_ARRAY_BYTES(__VA_ARGS__)};

#endif /* NEXUS_KERNEL_CPU_DESCRIBE_H_ */
