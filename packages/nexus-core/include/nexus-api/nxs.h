/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nxs C-API: the interface between a backend's plug-in and the core.
 *
 * This header holds the types. nxs_functions.h declares the functions that a
 * plug-in implements and the one that it exports; nxs_enums.h and
 * nxs_propertys.h are generated from the project's schema.
 *
 * Rules that hold everywhere
 *   - C11, and compiles as C++. Only <stdint.h> and <stddef.h> are needed.
 *   - Every struct but nxs_string begins with struct_size: the size that its
 *     writer knows. A reader reads no field beyond it, so fields can be appended
 *     without breaking binaries.
 *   - No struct is passed or returned by value: a function takes a pointer to it,
 *     and writes one that it returns to an out_ parameter.
 *   - Strings are UTF-8 with a length; they need no terminating zero and are
 *     valid for the duration of the call unless the field says otherwise.
 *   - Nothing that one side allocates is freed by the other.
 *   - No C++ exception and no longjmp leaves a function of this interface.
 */
#ifndef NEXUS_API_NXS_H_
#define NEXUS_API_NXS_H_

#include <stddef.h>
#include <stdint.h>

#include <nexus-api/nxs_enums.h>
#include <nexus-api/nxs_propertys.h>

/* The version of this interface. A new minor version only appends: binaries built
 * for 1.0 work with every 1.x. Another major version is refused with an error text. */
#define NXS_API_VERSION_MAJOR 1
#define NXS_API_VERSION_MINOR 0

#if defined(_WIN32)
#define NXS_HIDDEN
#define NXS_EXPORT __declspec(dllexport)
#else
#define NXS_HIDDEN __attribute__((visibility("hidden")))
#define NXS_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Ids ------------------------------------------------------------- */

/*
 * Identifies an object of a plug-in. From the highest bit:
 *
 *   bit 63       0 in a valid id, so a negative number is never one
 *   bits 62..56  nxs_object_type
 *   bits 55..44  the plug-in's tag, given at negotiation
 *   bits 43..24  generation: changes whenever the index is used again
 *   bits 23..0   index into the plug-in's table
 *
 * A stale, foreign or wrongly typed id makes a function return
 * NXS_InvalidBuffer, NXS_InvalidStream and so on. 0 names no object.
 */
typedef int64_t nxs_id;

#define NXS_ID_INDEX_BITS 24
#define NXS_ID_GENERATION_BITS 20
#define NXS_ID_TAG_BITS 12
#define NXS_ID_TYPE_BITS 7

#define NXS_ID_INDEX(id) ((uint32_t)((uint64_t)(id) & UINT64_C(0xFFFFFF)))
#define NXS_ID_GENERATION(id) ((uint32_t)(((uint64_t)(id) >> 24) & UINT64_C(0xFFFFF)))
#define NXS_ID_TAG(id) ((uint32_t)(((uint64_t)(id) >> 44) & UINT64_C(0xFFF)))
#define NXS_ID_TYPE(id) ((nxs_object_type)(((uint64_t)(id) >> 56) & UINT64_C(0x7F)))
#define NXS_ID_MAKE(type, tag, generation, index)                                                 \
  ((nxs_id)(((uint64_t)(type) << 56) | ((uint64_t)(tag) << 44) | ((uint64_t)(generation) << 24) | \
            (uint64_t)(index)))

/* ---- Strings --------------------------------------------------------- */

/* UTF-8 text. data may be NULL when size is 0. */
typedef struct nxs_string {
  const char *data;
  uint64_t size; /* bytes, without any terminating zero */
} nxs_string;

/* ---- Property values ------------------------------------------------- */

/* The type of a property value, and the layout of its bytes. */
typedef int32_t nxs_value_type;
enum {
  NXS_ValueType_None = 0,   /* not set */
  NXS_ValueType_Int = 1,    /* one int64_t */
  NXS_ValueType_Flt = 2,    /* one double */
  NXS_ValueType_Str = 3,    /* UTF-8 bytes */
  NXS_ValueType_IntVec = 4, /* int64_t, one after the other */
  NXS_ValueType_FltVec = 5, /* double, one after the other */
  NXS_ValueType_StrVec = 6, /* UTF-8 strings, a zero byte after each */
  NXS_ValueType_Json = 7    /* a JSON text (RFC 8259): objects and lists of objects */
};

/*
 * The caller's memory for a property value.
 *
 * The plug-in sets type and size; it writes the bytes only if size is at most
 * capacity. If size is above capacity, the caller asks again with more memory.
 */
typedef struct nxs_value {
  uint64_t struct_size;
  nxs_value_type type; /* out */
  int32_t reserved;    /* 0 */
  void *data;          /* in: the caller's memory, aligned to 8; may be NULL when capacity is 0 */
  uint64_t capacity;   /* in: bytes of that memory */
  uint64_t size;       /* out: bytes of the value */
} nxs_value;

/* ---- Completion ------------------------------------------------------ */

/* Identifies submitted work in a stream. The first ticket is 1, and each submission
 * gets a greater one; when a ticket is completed, so is every smaller one. */
typedef uint64_t nxs_ticket;

/* The state of a ticket or an event. */
typedef struct nxs_completion {
  uint64_t struct_size;
  nxs_completion_state state; /* out */
  nxs_status status;          /* out: why it failed; NXS_Success otherwise */
  uint64_t error; /* out: the error record, owned by the stream until its release; 0 for none */
  nxs_ticket completed; /* out: the newest ticket known to be completed; 0 for an event */
} nxs_completion;

/* ---- Kernel arguments and launches ----------------------------------- */

/* One argument of a command. The core checks its index, kind, width and data type, as far as the
 * kernel describes its arguments; a plug-in checks again what protects its memory. It copies what
 * it needs before it returns, and keeps a buffer alive until it is replaced and no run uses it. */
typedef struct nxs_argument {
  uint64_t struct_size;
  nxs_argument_kind kind;
  nxs_data_type data_type; /* of a scalar or of a buffer's elements; Undefined if not known */
  nxs_id buffer;           /* kind Buffer: the buffer; else 0 */
  uint64_t offset;         /* kind Buffer: bytes from its start */
  const void *data;        /* kind Scalar: the bytes; else NULL */
  uint64_t size; /* bytes of the scalar, of the range of the buffer, or of the local memory */
} nxs_argument;

/* A kernel's description of one of its arguments. The strings live as long as the kernel. */
typedef struct nxs_argument_info {
  uint64_t struct_size;
  nxs_string name;         /* out: may be empty */
  nxs_argument_kind kind;  /* out */
  nxs_data_type data_type; /* out: of the scalar or of the buffer's elements */
  uint64_t size;   /* out: bytes of a scalar or Unknown argument; 0 for others, or if not known */
  nxs_string type; /* out: as the program declares it, "const float *"; may be empty */
} nxs_argument_info;

/* The size of a launch, checked and completed by the core: group_count x group_size covers
 * grid_size in each dimension. If grid_size is 0 in a dimension, group_count is 0 there too, and
 * the launch is empty: the command does nothing. All other counts are at least 1.
 * A backend that supports flags and cluster_size says so with the capability bits
 * CooperativeLaunch, ClusterLaunch and ProgrammaticLaunch; the core passes them to no other. */
typedef struct nxs_launch {
  uint64_t struct_size;
  uint64_t group_size[3];  /* work items of a group; all 0: the backend chooses */
  uint64_t grid_size[3];   /* work items that the program wants */
  uint64_t group_count[3]; /* groups to launch; all 0 when the backend chooses group_size */
  uint64_t local_memory;   /* bytes of local memory of a group, beside that of arguments */
  nxs_launch_flags flags;  /* NXS_LaunchFlags_* bits */
  /* Groups of a cluster, which run at the same time and can access each other's local memory;
   * all 0: no clusters. group_count is a multiple of it in each dimension; a backend that chooses
   * group_size also launches whole clusters. */
  uint64_t cluster_size[3];
} nxs_launch;

/* How many groups of a kernel the device runs at the same time. */
typedef struct nxs_occupancy {
  uint64_t struct_size;
  uint64_t active_groups;   /* out: groups that a compute unit runs at once; 0: not even one fits */
  uint64_t max_groups;      /* out: groups that the device runs at once: the most for a launch with
                               NXS_LaunchFlags_Cooperative */
  uint64_t best_group_size; /* out: work items of the groups that keep the device busiest */
  uint64_t free_local_memory; /* out: bytes of local memory, beside what the kernel declares, that
                                 each group can have while active_groups run at once; 0 if that
                                 is 0 */
  uint64_t max_cluster_size;  /* out: groups of a cluster, at most; 0: the device has no clusters */
  uint64_t active_clusters;   /* out: clusters that the device runs at once; 0 for a launch without
                                 clusters */
} nxs_occupancy;

/* A range of a buffer. */
typedef struct nxs_buffer_range {
  uint64_t struct_size;
  nxs_id buffer;
  uint64_t offset; /* bytes */
  uint64_t size;   /* bytes */
} nxs_buffer_range;

/* The rows of a copy between two ranges, one after the other in memory but for gaps. */
typedef struct nxs_rows {
  uint64_t struct_size;
  uint64_t bytes;           /* of a row, at least 1 */
  uint64_t counts[2];       /* rows of a slice, and slices; both at least 1 */
  uint64_t to_pitches[2];   /* bytes from row to row and from slice to slice in the destination;
                               the first from bytes to 2^31 - 1, the second a multiple of the
                               first, and at least counts[0] times it */
  uint64_t from_pitches[2]; /* the same of the source */
} nxs_rows;

/* ---- Compiling ------------------------------------------------------- */

/* Receives bytes as they are made. Valid during the call that gets it. */
typedef struct nxs_sink {
  uint64_t struct_size;
  void *context;
  void (*write)(void *context, const void *data, uint64_t size);
} nxs_sink;

/* A source text and how to compile it. Lists may be NULL if their count is 0. */
typedef struct nxs_compile_info {
  uint64_t struct_size;
  nxs_string source;         /* contains the includes that the core could resolve, with #line */
  nxs_string language;       /* "nexus" (the portable one), "c", "c++", "cuda", "opencl", ... */
  nxs_string name;           /* of the source in the compiler's messages */
  nxs_string target;         /* architecture, as the backend names it; empty: the device's own */
  nxs_string standard;       /* such as "c11" or "c++20"; empty: the backend's choice */
  nxs_compile_flags flags;   /* NXS_CompileFlags_* bits */
  int32_t optimization;      /* 0 to 3 */
  int32_t reserved;          /* 0 */
  const nxs_string *defines; /* "NAME" or "NAME=value" */
  uint64_t define_count;
  const nxs_string *include_paths; /* folders of includes that the core could not resolve */
  uint64_t include_path_count;
  const nxs_string *options; /* extra flags of the compiler, one in each string */
  uint64_t option_count;
  /* Kernels to make from templates, such as "scale<float>": nxsGetKernel finds each by this
   * text. */
  const nxs_string *name_expressions;
  uint64_t name_expression_count;
} nxs_compile_info;

/* Pieces of code, and how to link one program of them. Lists may be NULL if their count is 0. */
typedef struct nxs_link_info {
  uint64_t struct_size;
  const nxs_string *codes;   /* the bytes of each piece, which need not be text */
  const nxs_string *names;   /* the name of each piece in messages; as many as codes */
  uint64_t code_count;       /* at least 1 */
  nxs_string target;         /* as in nxs_compile_info */
  nxs_compile_flags flags;   /* NXS_CompileFlags_* bits */
  int32_t optimization;      /* 0 to 3 */
  int32_t reserved;          /* 0 */
  const nxs_string *options; /* extra flags of the linker, one in each string */
  uint64_t option_count;
} nxs_link_info;

/* ---- The host's services --------------------------------------------- */

/*
 * Functions of the core that a plug-in may call at any time, from any thread,
 * once nxsQueryPlugin was entered. They live as long as the process. The first
 * parameter of each is the plug-in's tag or an error record. None blocks for
 * long; none throws. A NULL string counts as an empty one.
 */
typedef struct nxs_host {
  uint64_t struct_size;
  uint32_t api_major; /* the core's version of this interface */
  uint32_t api_minor;
  uint32_t min_minor; /* the oldest minor version that the core can use with that major one */
  uint32_t tag;       /* the plug-in's tag, a part of every id that it makes */

  /* Writes one line to the user's log. */
  void (*log)(uint32_t tag, nxs_log_level level, const nxs_string *text);

  /* Makes an error record, this thread's latest. The core reads that one when the
   * plug-in's function on this thread returns an error. native_code is the
   * driver's own error code, 0 for none. Returns the record's id, never 0. The
   * record lives until the thread makes the next one, unless retained. */
  uint64_t (*make_error)(uint32_t tag, int64_t native_code, const nxs_string *text);

  /* Retain or release a record: failed work retains its own. Id 0 does nothing. */
  void (*retain_error)(uint64_t error);
  void (*release_error)(uint64_t error);

  /* Writes the value of a configuration key such as "cc" to out_value, or an
   * empty string if it is not set. The text lives as long as the process. */
  void (*get_config)(uint32_t tag, const nxs_string *key, nxs_string *out_value);

  /* Returns the number of a vendor's own property, always the same for a name in
   * one process; NXS_PROPERTY_INVALID if the name is empty or not UTF-8. */
  nxs_property (*intern_property)(uint32_t tag, const nxs_string *name);

  /* Returns 1 if the program wants this thread's nxsCompileProgram or nxsLinkProgram to stop, as
   * after Ctrl-C, else 0; also 0 on other threads and in other functions. A plug-in that waits for
   * its compiler calls this now and then; at 1 it stops the compiler and returns NXS_Cancelled.
   * It may run the program's code: hold no lock. */
  int32_t (*is_interrupted)(uint32_t tag);
} nxs_host;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* NEXUS_API_NXS_H_ */
