/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The description of a kernel for CUDA or HIP: the variable nexus_kernel_<name> in global memory,
 * of the form below, all of it little-endian. It holds no pointers, so a backend reads it with one
 * copy from the device, or without a device from the bytes of the symbol in the object code (ELF).
 *
 *   int32 version            NXK_DESCRIPTION_VERSION
 *   int32 argument_count
 *   int32 group_size[3]      required; all 0: any
 *   int32 local_memory       bytes of the arrays that the kernel declares
 *   argument_count times, and once more with all 0:
 *     int32 kind             0 buffer, 1 scalar, 2 local memory: as in cpu/descriptor.h
 *     int32 data_type        the number of an nxs_data_type: the scalar's, or what is pointed to
 *     int32 size             bytes of a scalar; 0 for others
 *     int32 read_only        1 where a pointer points to const
 *   text                     "name\0type\0" for each argument, then "\0"
 */
#ifndef NEXUS_KERNEL_CUDA_DESCRIPTION_H_
#define NEXUS_KERNEL_CUDA_DESCRIPTION_H_

#define NXK_DESCRIPTION_VERSION 1

struct nxk_argument {
  int kind, data_type, size, read_only;
};

template <int count, unsigned int bytes>
struct nxk_description {
  int version, argument_count, group_size[3], local_memory;
  nxk_argument arguments[count + 1];
  char text[bytes];
};

/* The numbers of nxs_data_type; 0 for what has none. */
template <typename T>
struct nxk_type {
  enum { number = 0, read_only = 0, pointer = 0 };
};
template <typename T>
struct nxk_type<const T> : nxk_type<T> {
  enum { read_only = 1 };
};
template <typename T>
struct nxk_type<T *> : nxk_type<T> {
  enum { pointer = 1 };
};
template <typename T>
struct nxk_type<T *__restrict__> : nxk_type<T *> {};

#define NXK_TYPE(T, value)                               \
  template <>                                            \
  struct nxk_type<T> {                                   \
    enum { number = value, read_only = 0, pointer = 0 }; \
  };
NXK_TYPE(float, 1)
NXK_TYPE(int, 8)
NXK_TYPE(unsigned int, 9)
NXK_TYPE(short, 10)
NXK_TYPE(unsigned short, 11)
NXK_TYPE(signed char, 12)
NXK_TYPE(unsigned char, 13)
NXK_TYPE(char, static_cast<char>(-1) < 0 ? 12 : 13)
NXK_TYPE(double, 16)
NXK_TYPE(long long, 17)
NXK_TYPE(unsigned long long, 18)
NXK_TYPE(long, sizeof(long) == 8 ? 17 : 8)
NXK_TYPE(unsigned long, sizeof(long) == 8 ? 18 : 9)
NXK_TYPE(bool, 19)
#undef NXK_TYPE

/* clang-format off */
#define NXK_DESCRIBE(size, name, ...)                                                             \
  extern "C" NXK_DEVICE NXK_KEPT                                                                  \
  nxk_description<NXK_ARGUMENT_COUNT(__VA_ARGS__),                                                \
                  sizeof(NXK_EACH_ARGUMENT(NXK_DESCRIBE_TEXT, __VA_ARGS__) "")>                   \
      NXK_PASTE(nexus_kernel_, name) = {                                                          \
          NXK_DESCRIPTION_VERSION,                                                                \
          NXK_ARGUMENT_COUNT(__VA_ARGS__),                                                        \
          {NXK_TRIPLE_X(size, 1), NXK_TRIPLE_Y(size, 1), NXK_TRIPLE_Z(size, 1)},                  \
          static_cast<int>(NXK_ARRAY_BYTES(__VA_ARGS__)),                                         \
          {NXK_EACH_ARGUMENT(NXK_DESCRIBE_ARGUMENT, __VA_ARGS__) {0, 0, 0, 0}},                   \
          NXK_EACH_ARGUMENT(NXK_DESCRIBE_TEXT, __VA_ARGS__) ""};
#define NXK_DESCRIBE_TEXT(type, name) #name "\0" NXK_TYPE_TEXT(type) "\0"
#define NXK_TYPE_TEXT(type) NXK_PASTE(NXK_TYPE_TEXT_, NXK_IS_LOCAL(type))(type)
#define NXK_TYPE_TEXT_0(type) #type
#define NXK_TYPE_TEXT_1(type) NXK_QUOTE(NXK_WITHOUT_LOCAL(type))
#define NXK_DESCRIBE_ARGUMENT(type, name)                                                         \
  {NXK_IS_LOCAL(type) ? 2 : nxk_type<type>::pointer ? 0 : 1, nxk_type<type>::number,              \
   nxk_type<type>::pointer ? 0 : static_cast<int>(sizeof(type)),                                  \
   nxk_type<type>::pointer ? nxk_type<type>::read_only : 0},
/* clang-format on */

#endif /* NEXUS_KERNEL_CUDA_DESCRIPTION_H_ */
