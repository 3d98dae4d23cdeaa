/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nxs C-API: what a backend's plug-in and the core say to each other.
 *
 * This header holds the types. nxs_functions.h declares the functions that a
 * plug-in implements and the one that it exports; nxs_enums.h and
 * nxs_propertys.h are generated from the project's schema.
 *
 * Rules that hold everywhere
 *   - C11, and compiles as C++. Only <stdint.h> and <stddef.h> are needed.
 *   - Every struct but nxs_string begins with struct_size: the number of bytes
 *     that its writer knows. A reader looks at no field beyond it, so a field
 *     can be appended without breaking a binary.
 *   - No struct is passed or returned by value: a function takes a pointer to it,
 *     and writes one that it gives to an out_ parameter.
 *   - Strings are UTF-8 with a length; they need no terminating zero and are
 *     valid for the duration of the call unless the field says otherwise.
 *   - Nothing that one side allocates is freed by the other.
 *   - No C++ exception and no longjmp crosses a function of this interface.
 */
#ifndef NEXUS_API_NXS_H_
#define NEXUS_API_NXS_H_

#include <stddef.h>
#include <stdint.h>

#include <nexus-api/nxs_enums.h>
#include <nexus-api/nxs_propertys.h>

/* The version of this interface. A minor number only appends: what was built
 * for 1.0 works with every 1.x. Another major number is refused in words. */
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
 * The name of an object of a plug-in. From the highest bit:
 *
 *   bit 63       0 in a valid id, so a negative number is never one
 *   bits 62..56  nxs_object_type
 *   bits 55..44  the plug-in's tag, given at negotiation
 *   bits 43..24  generation: changes whenever the index is used again
 *   bits 23..0   index into the plug-in's table
 *
 * A stale, foreign or wrongly typed id makes a function return
 * NXS_InvalidBuffer, NXS_InvalidStream and so on. 0 is no object.
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

/* What a property value holds, and the layout of its bytes. */
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
 * Memory of the caller that a property is written to.
 *
 * The plug-in sets type and size; it writes the bytes only where size is at
 * most capacity. A caller that finds size above capacity asks again with more.
 */
typedef struct nxs_value {
  uint64_t struct_size;
  nxs_value_type type; /* out */
  int32_t reserved;    /* 0 */
  void *data;          /* in: the caller's memory, aligned to 8; may be NULL when capacity is 0 */
  uint64_t capacity;   /* in: its bytes */
  uint64_t size;       /* out: bytes that the value has */
} nxs_value;

/* ---- Completion ------------------------------------------------------ */

/* Names work in a stream. The first is 1, and each submission's is greater
 * than the one before; when a ticket is completed, so is every smaller one. */
typedef uint64_t nxs_ticket;

/* What became of a ticket or an event. */
typedef struct nxs_completion {
  uint64_t struct_size;
  nxs_completion_state state; /* out */
  nxs_status status;          /* out: why it failed; NXS_Success otherwise */
  uint64_t error; /* out: the error record, owned by the stream until its release; 0 for none */
  nxs_ticket completed; /* out: the newest ticket known complete; 0 for an event */
} nxs_completion;

/* ---- Kernel arguments and launches ----------------------------------- */

/* One argument of a command, checked by the core as far as the kernel describes its arguments:
 * index, kind, width and data type. A plug-in checks again what protects its memory. It copies what
 * it needs before it returns; a buffer is kept alive until it is replaced and no run uses it. */
typedef struct nxs_argument {
  uint64_t struct_size;
  nxs_argument_kind kind;
  nxs_data_type data_type; /* of a scalar or of a buffer's elements; Undefined where not known */
  nxs_id buffer;           /* kind Buffer: the buffer; else 0 */
  uint64_t offset;         /* kind Buffer: bytes from its start */
  const void *data;        /* kind Scalar: the bytes; else NULL */
  uint64_t size; /* bytes: of the scalar, of the part of the buffer, of the local memory */
} nxs_argument;

/* What a kernel says of one of its arguments. The strings live as long as the kernel. */
typedef struct nxs_argument_info {
  uint64_t struct_size;
  nxs_string name;         /* out: may be empty */
  nxs_argument_kind kind;  /* out */
  nxs_data_type data_type; /* out: of the scalar or of the buffer's elements */
  uint64_t size;   /* out: bytes of a scalar, or of what is Unknown; 0 for others, and not known */
  nxs_string type; /* out: as the program has it, such as "const float *"; may be empty */
} nxs_argument_info;

/* The size of a launch, checked and completed by the core: group_count x group_size covers
 * grid_size in each dimension. Where grid_size has a 0 the launch is empty, and so is group_count
 * there: the command does nothing. All other counts are at least 1.
 * A backend that knows flags and cluster_size says so with the capability bits
 * CooperativeLaunch, ClusterLaunch and ProgrammaticLaunch; the core gives them to no other. */
typedef struct nxs_launch {
  uint64_t struct_size;
  uint64_t group_size[3];  /* work items of a group; all 0: the backend chooses */
  uint64_t grid_size[3];   /* work items asked for */
  uint64_t group_count[3]; /* groups to launch; all 0 when the backend chooses group_size */
  uint64_t local_memory;   /* bytes of one group's memory beyond the arguments' */
  nxs_launch_flags flags;  /* NXS_LaunchFlags_* bits */
  /* Groups of a cluster, whose members run at the same time and reach each other's local memory;
   * all 0: none. group_count is a multiple of it in each dimension; where the backend chooses
   * group_size, it launches whole clusters too. */
  uint64_t cluster_size[3];
} nxs_launch;

/* How many groups of a kernel the device runs at the same time. */
typedef struct nxs_occupancy {
  uint64_t struct_size;
  uint64_t active_groups;   /* out: groups that a compute unit runs at once; 0: there is no room */
  uint64_t max_groups;      /* out: groups that the device runs at once: those of a launch with
                               NXS_LaunchFlags_Cooperative, at most */
  uint64_t best_group_size; /* out: work items of the groups that keep the device busiest */
  uint64_t free_local_memory; /* out: bytes of local memory, beyond what the kernel declares, that
                                 each group can have while as many run at once; 0 without room */
  uint64_t max_cluster_size;  /* out: groups of a cluster, at most; 0: the device has no clusters */
  uint64_t active_clusters;   /* out: clusters that the device runs at once; 0 where none is asked
                                 for */
} nxs_occupancy;

/* Bytes of a buffer, an end of a copy. */
typedef struct nxs_buffer_range {
  uint64_t struct_size;
  nxs_id buffer;
  uint64_t offset; /* bytes */
  uint64_t size;   /* bytes */
} nxs_buffer_range;

/* ---- Compiling ------------------------------------------------------- */

/* Takes bytes as they are made. Valid for the duration of the call that got it. */
typedef struct nxs_sink {
  uint64_t struct_size;
  void *context;
  void (*write)(void *context, const void *data, uint64_t size);
} nxs_sink;

/* A source text and how to compile it. Lists may be NULL where their count is 0. */
typedef struct nxs_compile_info {
  uint64_t struct_size;
  nxs_string source;         /* what the core could resolve of its includes is in it, with #line */
  nxs_string language;       /* "nexus" (the portable one), "c", "c++", "cuda", "opencl", ... */
  nxs_string name;           /* what the compiler's messages call the source */
  nxs_string target;         /* architecture in the backend's words; empty: the device's own */
  nxs_string standard;       /* such as "c11" or "c++20"; empty: the backend's choice */
  nxs_compile_flags flags;   /* NXS_CompileFlags_* bits */
  int32_t optimization;      /* 0 to 3 */
  int32_t reserved;          /* 0 */
  const nxs_string *defines; /* "NAME" or "NAME=value" */
  uint64_t define_count;
  const nxs_string *include_paths; /* folders, for what the core could not resolve */
  uint64_t include_path_count;
  const nxs_string *options; /* extra flags in the compiler's words, one a string */
  uint64_t option_count;
  /* Kernels of templates that the code is to have, such as "scale<float>": nxsGetKernel finds each
   * by this text. */
  const nxs_string *name_expressions;
  uint64_t name_expression_count;
} nxs_compile_info;

/* Pieces of code to make one program of, and how. Lists may be NULL where their count is 0. */
typedef struct nxs_link_info {
  uint64_t struct_size;
  const nxs_string *codes;   /* the bytes of each, which may be no text */
  const nxs_string *names;   /* what messages call each; as many */
  uint64_t code_count;       /* at least 1 */
  nxs_string target;         /* as in nxs_compile_info */
  nxs_compile_flags flags;   /* NXS_CompileFlags_* bits */
  int32_t optimization;      /* 0 to 3 */
  int32_t reserved;          /* 0 */
  const nxs_string *options; /* extra flags in the linker's words, one a string */
  uint64_t option_count;
} nxs_link_info;

/* ---- The host's services --------------------------------------------- */

/*
 * Functions of the core that a plug-in may call at any time, from any thread,
 * after nxsQueryPlugin was entered. They live as long as the process. Each
 * takes the plug-in's tag or an error record first. None blocks for long; none
 * throws. A string that is NULL is taken for an empty one.
 */
typedef struct nxs_host {
  uint64_t struct_size;
  uint32_t api_major; /* the version that the core speaks */
  uint32_t api_minor;
  uint32_t min_minor; /* the oldest minor that the core can use with that major */
  uint32_t tag;       /* the plug-in's tag: goes into every id that it makes */

  /* Writes one line to the user's log. */
  void (*log)(uint32_t tag, nxs_log_level level, const nxs_string *text);

  /* Makes an error record and notes it as this thread's latest, which the core
   * reads when the function that is running here returns an error. native_code
   * is the driver's own number, 0 for none. Returns the record's id, never 0.
   * The record lives until the thread makes the next one, unless retained. */
  uint64_t (*make_error)(uint32_t tag, int64_t native_code, const nxs_string *text);

  /* Keep a record, or let it go: failed work keeps its own. Id 0 does nothing. */
  void (*retain_error)(uint64_t error);
  void (*release_error)(uint64_t error);

  /* Writes the value of a configuration key such as "cc" to out_value, or an
   * empty string where nobody set it. The text lives as long as the process. */
  void (*get_config)(uint32_t tag, const nxs_string *key, nxs_string *out_value);

  /* The number of a vendor's own property, the same for the same name in one
   * process; NXS_PROPERTY_INVALID where the name is empty or not UTF-8. */
  nxs_property (*intern_property)(uint32_t tag, const nxs_string *name);

  /* 1 where the caller of this thread's nxsCompileProgram wants it to end, as by Ctrl-C, else 0,
   * as also on threads and in functions that the core does not wait for like that. To be asked now
   * and then by a plug-in that waits for its compiler: it ends what it started and returns
   * NXS_Cancelled. It may run the caller's code: hold no lock. */
  int32_t (*is_interrupted)(uint32_t tag);
} nxs_host;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* NEXUS_API_NXS_H_ */
