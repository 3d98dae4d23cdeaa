/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C functions of libnexus. Only C crosses the library's border: the C++
 * Source API (<nexus.h>) is inline code over these functions, and the Python
 * module is built on that.
 *
 * What holds for every function
 *   - It returns NXS_Success or an error, whose text nexus_get_last_error tells.
 *     Results come back through out_ parameters, written on success only.
 *   - Objects are counted: a function that gives one through out_ gives a
 *     reference, which the caller ends with nexus_release. Arguments are
 *     borrowed. An object keeps alive all that it needs.
 *   - A NULL object or one of the wrong kind gives NXS_Invalid<Object>; other
 *     NULL pointers give NXS_InvalidValue.
 *   - Any thread may call it with any object; a schedule and its commands are
 *     recorded by one thread at a time.
 *   - timeout is in nanoseconds; NEXUS_FOREVER has no end. A wait that runs out
 *     gives NXS_Timeout; one that the interrupt check ends gives NXS_Cancelled.
 */
#ifndef NEXUS_NEXUS_C_H_
#define NEXUS_NEXUS_C_H_

#include <nexus-api/nxs.h>

#if defined(_WIN32)
#define NEXUS_API __declspec(dllimport)
#else
#define NEXUS_API __attribute__((visibility("default")))
#endif

#define NEXUS_FOREVER UINT64_MAX

#ifdef __cplusplus
extern "C" {
#endif

/* Any object of libnexus. The names tell which kind a function takes; what is
 * given is checked when it runs. */
typedef struct nexus_object nexus_object;
typedef nexus_object nexus_runtime;
typedef nexus_object nexus_device;
typedef nexus_object nexus_buffer;
typedef nexus_object nexus_library;
typedef nexus_object nexus_kernel;
typedef nexus_object nexus_stream;
typedef nexus_object nexus_event;
typedef nexus_object nexus_schedule;
typedef nexus_object nexus_command;
typedef nexus_object nexus_properties;
typedef nexus_object nexus_object_code;

/* ---- Errors ---------------------------------------------------------- */

/* Why this thread's latest failing call failed. The texts live until the thread's next failure. */
typedef struct nexus_error_info {
  uint64_t struct_size;
  nxs_status status;
  int32_t reserved;
  int64_t native_code; /* the driver's own number, 0 for none */
  nxs_string backend;  /* the backend that failed; empty: the core */
  nxs_string text;     /* a sentence that says what to do */
  nxs_string log;      /* all that the compiler said, where one refused a program; else empty */
} nexus_error_info;

NEXUS_API void nexus_get_last_error(nexus_error_info *out_info);

/* "NXS_InvalidBuffer" for a status, "NXS_Unknown" for a number that is none. Lives as long as the
 * process. */
NEXUS_API const char *nexus_status_name(nxs_status status);

/* ---- System ---------------------------------------------------------- */

/* The version of libnexus, such as "0.1.0". Lives as long as the process. */
NEXUS_API const char *nexus_version(void);

/* Adds a backend by the path of its manifest (nxs_plugin.json), without loading
 * it; distribution names the installed package it came from, or is empty. A path that was
 * added before does nothing. A manifest that can't be used becomes a record, not an error. */
NEXUS_API nxs_status nexus_add_manifest(nxs_string path, nxs_string distribution);

/* Adds the record of a backend that could not even name a manifest. */
NEXUS_API nxs_status nexus_add_failure(nxs_string name, nxs_string distribution, nxs_string reason);

/* Adds what a program without Python can find: the manifests in the folders of
 * NEXUS_PLUGIN_PATH and in the packages beside libnexus. Called by the
 * functions below that need backends, unless nexus_set_discovery turned it off. */
NEXUS_API nxs_status nexus_discover(void);

/* The seconds that a plug-in may take to start, and Python's hooks of one backend to answer, before
 * they are given up: NEXUS_PLUGIN_TIMEOUT, which is read once; 5 where it is not set. */
NEXUS_API double nexus_plugin_timeout(void);

/* 0: only manifests that were added count. Default 1. */
NEXUS_API void nexus_set_discovery(int32_t enabled);

/* Checks the name of a backend in options that hold settings of several. NXS_InvalidValue: it is
 * neither one of ours, installed or not, nor was found; parameter and near names are in the text.
 */
NEXUS_API nxs_status nexus_check_backend_name(nxs_string name, nxs_string parameter);

/* What plug-ins read with get_config. An empty value removes the key. */
NEXUS_API nxs_status nexus_set_config(nxs_string key, nxs_string value);

/* Where log lines go; NULL: to stderr. backend is empty for the core's own lines. Lines below the
 * level of NEXUS_LOG (debug, info, warning, error; default warning) are not sent. */
typedef void (*nexus_log_fn)(void *context, nxs_log_level level, nxs_string backend,
                             nxs_string text);
NEXUS_API void nexus_set_log(nexus_log_fn function, void *context);

/* Called between the parts of a wait, on the waiting thread; not 0 ends the wait with
 * NXS_Cancelled. */
typedef int32_t (*nexus_interrupt_fn)(void *context);
NEXUS_API void nexus_set_interrupt_check(nexus_interrupt_fn function, void *context);

/* Where in the user's program this thread is from now on, for the messages of the layer `validate`:
 * for the bindings of languages whose calls the C stack does not show. file lives as long as the
 * process; NULL: not known. */
NEXUS_API void nexus_set_place(const char *file, int32_t line);

/* What became of a backend. */
typedef int32_t nexus_backend_state;
enum {
  NEXUS_BACKEND_PASS = 0,   /* loaded, and has a device */
  NEXUS_BACKEND_FAIL = 1,   /* broken, too new, refused: reason says */
  NEXUS_BACKEND_ABSENT = 2, /* no driver or no device: reason says */
  NEXUS_BACKEND_OFF = 3     /* left out by NEXUS_BACKENDS */
};

/* The record of a backend. The texts live as long as the process. */
typedef struct nexus_backend_info {
  uint64_t struct_size;
  nexus_backend_state state;
  int32_t reserved;
  nxs_string name;
  nxs_string distribution; /* empty where not installed as a package */
  nxs_string version;      /* the plug-in's own; empty where it was not loaded */
  nxs_string manifest;     /* path; may be empty */
  nxs_string library;      /* path; may be empty */
  nxs_string reason;       /* one sentence; empty for PASS */
} nexus_backend_info;

/* Loads what was not tried yet and counts the records, in the order of NEXUS_BACKENDS. */
NEXUS_API nxs_status nexus_backend_count(uint64_t *out_count);
NEXUS_API nxs_status nexus_backend_get(uint64_t index, nexus_backend_info *out_info);

/* The runtimes of the backends that passed. NXS_InvalidRuntime: no such index or name; the text
 * names the backends that there are and why one of that name failed. */
NEXUS_API nxs_status nexus_runtime_count(uint64_t *out_count);
NEXUS_API nxs_status nexus_runtime_get(uint64_t index, nexus_runtime **out_runtime);
NEXUS_API nxs_status nexus_runtime_find(nxs_string name, nexus_runtime **out_runtime);

/* The device of a selector such as "cuda:1" or "cpu"; empty: what NEXUS_DEVICE says, else the first
 * GPU that compiles the portable language or whose package carries kernels (the key
 * <backend>.demo_kernels), else cpu:0, else the first device. NXS_DeviceNotFound: none;
 * NXS_InvalidValue: no selector. */
NEXUS_API nxs_status nexus_select_device(nxs_string selector, nexus_device **out_device);

/* The device info database: an entry for each device file, by the file's stem, and one for each
 * device here that has no file, of what it says of itself. Of two files of one stem that of the
 * first folder counts: those of NEXUS_DEVICE_PATH (':' between; read with each call), those that
 * the backends' manifests name, also of backends that can't be used here, and libnexus's own. The
 * folders are listed in the call; a file is read when its entry is asked for, and all when the keys
 * are. A file that can't be used is left out, with a warning in the log. */
NEXUS_API nxs_status nexus_get_device_info(nexus_properties **out_properties);
/* What is wrong with device files and their folders now, as NXS_ValueType_Json: a list of
 * {"File": path, "Line": from 1, "Column": in bytes, from 1, "Reason": a sentence}; Line and Column
 * where there are some. Reads all files that changed since they were last read. */
NEXUS_API nxs_status nexus_get_device_info_problems(nxs_value *out_value);
/* One entry of the database, by what it is called: its stem ("amd-cpu-znver4"); else its
 * Architecture; else its Name, an alias, or those of one of its Variants ("H200"), which is then
 * laid over the file: Name, Aliases and ReleaseYear are its own, and there are no Variants.
 * "nvidia-gpu-sm_90/H200" is the variant of one file, where several have one of that name. Case
 * does not count, blanks, '_' and '-' are alike, and the vendor's name may stand before. Reads that
 * one file. NXS_InvalidValue: none is called so (the text names near ones), or several are (it
 * names up to ten of them), or its file can't be used (it says why). */
NEXUS_API nxs_status nexus_lookup_device_info(nxs_string name, nexus_properties **out_properties);
/* The device file of a device, with the variant that the device's Name is of laid over it, and
 * without what the device says of itself. NXS_InvalidValue: it has none; the text names the stem.
 */
NEXUS_API nxs_status nexus_lookup_device_info_of(nexus_device *device,
                                                 nexus_properties **out_properties);

/* Before the process ends: work held back for an event that nobody signalled fails with
 * NXS_Cancelled, and the call waits for what runs, timeout at most. Frees nothing; objects stay
 * usable. Callbacks that were not called by then are dropped. */
NEXUS_API nxs_status nexus_shutdown(uint64_t timeout);

/* ---- Traces ---------------------------------------------------------- */

/* 1 where this process is traced (NEXUS_LAYERS=trace), else 0; it stays so. */
NEXUS_API int32_t nexus_trace_is_on(void);

/* The time of the trace's clock, in nanoseconds. */
NEXUS_API int64_t nexus_trace_time(void);

/* Shows a range of this thread in the trace, from begin, which nexus_trace_time gave, until now;
 * and a moment. Nothing where the process is not traced. NXS_InvalidValue: name is no text. */
NEXUS_API nxs_status nexus_trace_range(nxs_string name, int64_t begin);
NEXUS_API nxs_status nexus_trace_mark(nxs_string name);

/* ---- Every object ---------------------------------------------------- */

/* One more, one less reference. NULL does nothing. */
NEXUS_API void nexus_retain(nexus_object *object);
NEXUS_API void nexus_release(nexus_object *object);

/* The kind; NXS_ObjectType_None for NULL and for properties. */
NEXUS_API nxs_object_type nexus_object_get_type(nexus_object *object);

/* The plug-in's id of the object, 0 where it has none (an event's timeline, properties). */
NEXUS_API nxs_id nexus_object_get_id(nexus_object *object);

/* Ends a buffer, library, stream, event or schedule now; later use is NXS_Invalid<Object>. Work
 * that uses it finishes. Twice does nothing. NXS_InvalidOperation: a default stream, a device, a
 * runtime. */
NEXUS_API nxs_status nexus_close(nexus_object *object);

/* One step of a path: a name, or a number where name.data is NULL. In an object
 * a number is an nxs_property, in an array an index. */
typedef struct nexus_key {
  nxs_string name;
  int64_t number;
} nexus_key;

/* Reads a property. wanted converts an int to a flt and nothing else; NXS_ValueType_None takes the
 * value as it is. The value's memory is the caller's, as nxs_value says.
 * NXS_InvalidProperty: not found (the text names the path up to where it failed and near keys), or
 * of another type (the text names the wanted and the actual one). */
NEXUS_API nxs_status nexus_get_property(nexus_object *object, const nexus_key *path, uint64_t depth,
                                        nxs_value_type wanted, nxs_value *out_value);

/* The names of the properties that the object answers, as NXS_ValueType_StrVec. */
NEXUS_API nxs_status nexus_get_property_keys(nexus_object *object, nxs_value *out_value);

/* Where a value of nexus_device_get_info, nexus_lookup_device_info or nexus_get_device_info comes
 * from, as NXS_ValueType_Json:
 *   "Kind"       "driver": the device says it; "device file"; "computed" from other values;
 * "mixed": the path leads to values of several kinds "File"       the device file's path, where it
 * tells some of it "Citations"  what the file cites for it, without the "Values"; of a part of the
 * tree, for all values in it; of a computed value, for what it is computed from "From"       the
 * paths of what a computed value is computed from, such as "CoreSubsystem/Count" NXS_InvalidObject:
 * not of properties. NXS_InvalidProperty: as nexus_get_property. */
NEXUS_API nxs_status nexus_get_property_source(nexus_properties *properties, const nexus_key *path,
                                               uint64_t depth, nxs_value *out_value);

/* ---- Runtime and device ---------------------------------------------- */

NEXUS_API nxs_status nexus_runtime_device_count(nexus_runtime *runtime, uint64_t *out_count);
/* NXS_InvalidDevice: no such index. The same object each time. */
NEXUS_API nxs_status nexus_runtime_get_device(nexus_runtime *runtime, uint64_t index,
                                              nexus_device **out_device);

NEXUS_API nxs_status nexus_device_get_runtime(nexus_device *device, nexus_runtime **out_runtime);
/* "cpu:0". Lives as long as the process. */
NEXUS_API nxs_status nexus_device_get_selector(nexus_device *device, nxs_string *out_selector);
/* What the device says of itself laid over its device file, with the variant that its Name is of:
 * objects are merged, entries of lists are merged by their Name, all else is replaced; and what
 * follows from that ("CoreCount" from CoreSubsystem's Count) where nobody says it. */
NEXUS_API nxs_status nexus_device_get_info(nexus_device *device, nexus_properties **out_properties);
/* The stream that functions without one use; the same object each time. */
NEXUS_API nxs_status nexus_device_get_default_stream(nexus_device *device,
                                                     nexus_stream **out_stream);
/* Waits for all work submitted to the device's streams. NXS_Timeout, NXS_Cancelled, or the first
 * failure. */
NEXUS_API nxs_status nexus_device_synchronize(nexus_device *device, uint64_t timeout);

/* Gives memory that the backend keeps for new buffers back to the driver, until it keeps at most
 * keep bytes. Does nothing where the backend keeps none. NP_MemoryReserved tells what it has. */
NEXUS_API nxs_status nexus_device_trim_memory(nexus_device *device, uint64_t keep);
/* Where the backend has more than bytes of the driver for buffers, those in use included, it gives
 * what no buffer uses back whenever work was waited for or an idle buffer is released. UINT64_MAX,
 * as it is at first: it keeps all until it is trimmed. NP_ReleaseThreshold tells it. Does nothing
 * else where the backend keeps none. NXS_InvalidValue: above INT64_MAX. */
NEXUS_API nxs_status nexus_device_set_release_threshold(nexus_device *device, uint64_t bytes);
/* NP_MemoryPeak is NP_MemoryUsed from now on, and grows from there. */
NEXUS_API nxs_status nexus_device_reset_memory_peak(nexus_device *device);

/* The objects of one type that were made on the device, live, and are not closed: buffers,
 * libraries, streams (not the default one), events or schedules, in the order of their making.
 * Writes at most capacity of them, each with a reference for the caller, and always how many there
 * are. NXS_InvalidValue: another type. */
NEXUS_API nxs_status nexus_device_get_objects(nexus_device *device, nxs_object_type type,
                                              uint64_t capacity, nexus_object **out_objects,
                                              uint64_t *out_count);

/* ---- Buffer ---------------------------------------------------------- */

/* What to make. shape may be NULL with rank 0: size bytes in one dimension; rank 0 and another
 * shape is one element without dimensions. A size of 0, or a length of 0, makes an empty buffer. */
typedef struct nexus_buffer_desc {
  uint64_t struct_size;
  uint64_t size; /* bytes */
  nxs_buffer_settings settings;
  nxs_data_type data_type;
  uint32_t rank;
  const uint64_t *shape;
  void *host_data; /* copied during the call; with Maintain: the storage */
  void (*host_release)(
      void *); /* with Maintain: called once, on any thread, when the storage is free */
  void *host_context;
} nexus_buffer_desc;

NEXUS_API nxs_status nexus_device_create_buffer(nexus_device *device, const nexus_buffer_desc *desc,
                                                nexus_buffer **out_buffer);
/* A part of a buffer that shares its memory, and is read-only where that is, or where settings are
 * NXS_BufferSettings_ReadOnly. NXS_InvalidValue: outside it, or shape and size differ. */
NEXUS_API nxs_status nexus_buffer_slice(nexus_buffer *buffer, uint64_t offset,
                                        const nexus_buffer_desc *desc, nexus_buffer **out_buffer);

/* A system buffer: host memory that begins at a page and is an argument on every device, each of
 * which uses it in place; a device that can't says so when it is given one (NXS_NotSupported).
 * settings are 0. A copy or fill without a stream is done by the host, in the call, after all
 * submitted work that uses the buffer; it takes blocking 1 only (else NXS_InvalidValue). */
NEXUS_API nxs_status nexus_create_system_buffer(const nexus_buffer_desc *desc,
                                                nexus_buffer **out_buffer);

/* A buffer of memory that another library got for the device: desc's bytes from offset on of what
 * has the native handle (nxsCreateBufferFromHandle). host_release keeps the owner: it is called
 * once, on any thread, when the memory is not needed any more; settings are 0 or
 * NXS_BufferSettings_ReadOnly, and host_data is NULL. What others do with the memory is theirs to
 * order. NXS_NotSupported: the backend can't. */
NEXUS_API nxs_status nexus_device_create_buffer_from_handle(nexus_device *device, uint64_t handle,
                                                            uint64_t offset,
                                                            const nexus_buffer_desc *desc,
                                                            nexus_buffer **out_buffer);
/* Writes bytes by which other processes of this machine open the memory of a buffer that was made
 * with NXS_BufferSettings_Shareable, as long as the buffer lives. Of a slice: the whole memory's;
 * NP_Offset says where the slice is in it. NXS_InvalidOperation: it was not made so, or imported.
 */
NEXUS_API nxs_status nexus_buffer_export(nexus_buffer *buffer, const nxs_sink *handle);
/* A buffer of memory that another process exported: desc's bytes from offset on; settings are 0 or
 * NXS_BufferSettings_ReadOnly, host_data and host_release NULL. Work of the two processes is not
 * ordered. NXS_InvalidValue: no such bytes, or desc is beyond the memory. NXS_InvalidOperation: the
 * memory is gone. */
NEXUS_API nxs_status nexus_device_import_buffer(nexus_device *device, const void *handle,
                                                uint64_t handle_size, uint64_t offset,
                                                const nexus_buffer_desc *desc,
                                                nexus_buffer **out_buffer);

/* NULL for a system buffer, which has none. */
NEXUS_API nxs_status nexus_buffer_get_device(nexus_buffer *buffer, nexus_device **out_device);
NEXUS_API nxs_status nexus_buffer_get_size(nexus_buffer *buffer, uint64_t *out_bytes);
NEXUS_API nxs_status nexus_buffer_get_data_type(nexus_buffer *buffer, nxs_data_type *out_type);
/* Whether it was made with NXS_BufferSettings_ReadOnly, or from such a buffer. It is refused as the
 * destination of copies and fills (NXS_InvalidOperation), and as an argument where the parameter
 * is not known to be a pointer to const (NXS_InvalidArgValue). */
NEXUS_API nxs_status nexus_buffer_is_read_only(nexus_buffer *buffer, int32_t *out_read_only);
/* Writes at most capacity lengths, and always the rank. */
NEXUS_API nxs_status nexus_buffer_get_shape(nexus_buffer *buffer, uint64_t capacity,
                                            uint64_t *out_shape, uint32_t *out_rank);

/* Copies and fills. stream may be NULL: the work then starts after all submitted work that uses the
 * buffer. blocking 0 returns at once, and the host memory is the caller's to keep until the stream
 * has passed it; else the call waits. Ranges are bytes. NXS_InvalidValue: outside the buffer. */
NEXUS_API nxs_status nexus_buffer_copy_to_host(nexus_buffer *buffer, uint64_t offset, void *host,
                                               uint64_t size, nexus_stream *stream,
                                               int32_t blocking);
NEXUS_API nxs_status nexus_buffer_copy_from_host(nexus_buffer *buffer, uint64_t offset,
                                                 const void *host, uint64_t size,
                                                 nexus_stream *stream, int32_t blocking);
/* Between two devices stream is of either; NULL: the default streams of both. NXS_InvalidValue:
 * sizes differ. NXS_InvalidDevice: the stream is of another device. */
NEXUS_API nxs_status nexus_buffer_copy_to_buffer(nexus_buffer *source, nexus_buffer *destination,
                                                 nexus_stream *stream, int32_t blocking);
NEXUS_API nxs_status nexus_buffer_fill(nexus_buffer *buffer, const void *pattern,
                                       uint64_t pattern_size, nexus_stream *stream,
                                       int32_t blocking);
/* The host's pointer to the memory, after all submitted work that uses it. NXS_NotSupported where
 * the memory is not host-visible; the text names the copy. Valid while the buffer is held and not
 * closed. */
NEXUS_API nxs_status nexus_buffer_get_host_pointer(nexus_buffer *buffer, void **out_pointer);

/* ---- Programs and object code ---------------------------------------- */

/* The text of a program and how to compile it. Lists may be NULL where their count is 0. */
typedef struct nexus_program_info {
  uint64_t struct_size;
  nxs_string source;
  nxs_string language;       /* empty: "nexus", the portable one */
  nxs_string name;           /* what messages call the source; empty: "program" */
  nxs_string standard;       /* such as "c11"; empty: the backend's choice */
  nxs_compile_flags flags;   /* NXS_CompileFlags_* bits */
  int32_t optimization;      /* 0 to 3 */
  int32_t reserved;          /* 0 */
  const nxs_string *defines; /* "NAME" or "NAME=value" */
  uint64_t define_count;
  const nxs_string *include_paths; /* folders, searched in their order */
  uint64_t include_path_count;
  const nxs_string *options; /* extra flags in the compiler's words, one a string */
  uint64_t option_count;
  const nxs_string *name_expressions; /* kernels of templates, such as "scale<float>" */
  uint64_t name_expression_count;
} nexus_program_info;

/* Where object code came from. */
typedef int32_t nexus_code_origin;
enum {
  NEXUS_CODE_COMPILED = 0,    /* by a compiler, in this call */
  NEXUS_CODE_FROM_MEMORY = 1, /* the cache of this process */
  NEXUS_CODE_FROM_DISK = 2,   /* the cache on disk */
  NEXUS_CODE_READ = 3         /* nexus_object_code_read */
};

/* What object code is. The texts live as long as the object. */
typedef struct nexus_object_code_info {
  uint64_t struct_size;
  nxs_string name;    /* the program's */
  nxs_string runtime; /* the backend that compiled it and can load it, such as "cpu" */
  nxs_string target;  /* the architecture, spelled out */
  nxs_string format;  /* such as "elf" */
  nxs_string code;    /* the bytes */
  nxs_string log;     /* what the compiler said: warnings */
  nxs_string flags;   /* a JSON list: the compiler's flags */
  nxs_string kernels; /* a JSON list, an object a kernel: "name", "arguments" (absent where the
                         kernel says nothing of them; else "name", "kind" as "Buffer", "dtype" as
                         "float32", "type" as "const float *" and "size" each),
                         "required_group_size", "local_memory", "max_group_size" where it says so;
                         empty where the code is for another architecture and can't be looked at
                         here */
  nexus_code_origin origin;
  int32_t reserved;
} nexus_object_code_info;

/* Compiles a program, or takes what the caches have.
 * device NULL: target names it: "cpu" and "cuda:0" are selectors of devices and compile for what
 * the device is, "cpu:znver4" and "cuda:sm_90" are a runtime and an architecture. Otherwise target
 * is an architecture in the backend's words, or empty for the device's own.
 * NXS_CompileProgramFailure: the compiler refused it; nexus_get_last_error has its log.
 * NXS_InvalidProgram: the source is empty, has no kernel, or an include can't be found.
 * NXS_NotSupported: the backend compiles nothing, or not this language; the text lists what it
 * does. NXS_CompilerNotAvailable, NXS_InvalidCompilerOptions, NXS_InvalidValue: as
 * nxsCompileProgram. */
NEXUS_API nxs_status nexus_compile(nexus_device *device, nxs_string target,
                                   const nexus_program_info *info, nexus_object_code **out_code);
/* What nexus_compile would do, without starting a compiler: the JSON object of nxsDescribeCompile.
 * info's source may be empty. */
NEXUS_API nxs_status nexus_describe_compile(nexus_device *device, nxs_string target,
                                            const nexus_program_info *info, const nxs_sink *json);

/* Pieces of code to make one program of, and how. Lists may be NULL where their count is 0. */
typedef struct nexus_link_info {
  uint64_t struct_size;
  const nxs_string *codes; /* the bytes of each; at least one */
  const nxs_string *names; /* what messages call each; as many */
  uint64_t code_count;
  nxs_string name;           /* of the whole; empty: "program" */
  nxs_compile_flags flags;   /* NXS_CompileFlags_* bits */
  int32_t optimization;      /* 0 to 3 */
  int32_t reserved;          /* 0 */
  const nxs_string *options; /* extra flags in the linker's words, one a string */
  uint64_t option_count;
} nexus_link_info;

/* Makes one program of pieces that were compiled apart, with NXS_CompileFlags_Relocatable, or came
 * from elsewhere in a form that the backend links. device and target as in nexus_compile; the
 * caches are not asked. NXS_LinkProgramFailure: the pieces don't fit; nexus_get_error has the log.
 * NXS_InvalidBinary: a piece is none. NXS_LinkerNotAvailable, NXS_NotSupported: the backend has no
 * linker. NXS_InvalidProgram: the whole has no kernel. */
NEXUS_API nxs_status nexus_link(nexus_device *device, nxs_string target,
                                const nexus_link_info *info, nexus_object_code **out_code);
NEXUS_API nxs_status nexus_object_code_get_info(nexus_object_code *code,
                                                nexus_object_code_info *out_info);
/* The whole of it as bytes that nexus_object_code_read takes, in another process or version too. */
NEXUS_API nxs_status nexus_object_code_write(nexus_object_code *code, const nxs_sink *bytes);
/* NXS_InvalidBinary: not such bytes, cut short, or changed. */
NEXUS_API nxs_status nexus_object_code_read(const void *data, uint64_t size,
                                            nexus_object_code **out_code);
/* The same of a file. NXS_InvalidValue: there is none, or it can't be read. NXS_InvalidBinary: also
 * for a pipe or a device, and for a file of more than 1 GiB. */
NEXUS_API nxs_status nexus_object_code_read_file(nxs_string path, nexus_object_code **out_code);

/* The cache of object code on disk, and this process's use of the caches. The texts live until the
 * thread's next call. */
typedef struct nexus_cache_info {
  uint64_t struct_size;
  nxs_string folder; /* empty where there is none */
  nxs_string off;    /* a sentence: why nothing is kept on disk; empty where it is */
  uint64_t entries;
  uint64_t bytes;
  uint64_t limit; /* bytes; beyond it what was not used for longest goes */
  uint64_t from_memory;
  uint64_t from_disk;
  uint64_t compiled;
} nexus_cache_info;

NEXUS_API nxs_status nexus_cache_get_info(nexus_cache_info *out_info);
/* Empties the cache on disk and the process's own; what is in use stays usable. */
NEXUS_API nxs_status nexus_cache_clear(uint64_t *out_entries);

/* ---- Library and kernel ---------------------------------------------- */

NEXUS_API nxs_status nexus_device_load_library(nexus_device *device, const void *data,
                                               uint64_t size, nexus_library **out_library);
/* NXS_InvalidValue: no such file. NXS_InvalidBinary: not a library for the device, or cut short. */
NEXUS_API nxs_status nexus_device_load_library_file(nexus_device *device, nxs_string path,
                                                    nexus_library **out_library);
NEXUS_API nxs_status nexus_library_get_device(nexus_library *library, nexus_device **out_device);
NEXUS_API nxs_status nexus_library_get_kernel(nexus_library *library, nxs_string name,
                                              nexus_kernel **out_kernel);
/* NXS_InvalidBinary: compiled for another backend. */
NEXUS_API nxs_status nexus_device_load_object_code(nexus_device *device, nexus_object_code *code,
                                                   nexus_library **out_library);
/* NXS_KernelArgInfoNotAvailable where the kernel does not describe itself. */
NEXUS_API nxs_status nexus_kernel_get_argument_count(nexus_kernel *kernel, uint32_t *out_count);
/* The name lives as long as the kernel. */
NEXUS_API nxs_status nexus_kernel_get_argument(nexus_kernel *kernel, uint32_t index,
                                               nxs_argument_info *out_info);

/* Sizes in work items. group_size all 0: the backend chooses. Exactly one of grid_size and
 * group_count is not all 0. One with a 0 beside other numbers, (0, 1, 1), is an empty launch, which
 * does nothing. */
typedef struct nexus_launch_desc {
  uint64_t struct_size;
  uint64_t group_size[3];
  uint64_t grid_size[3];
  uint64_t group_count[3];
  uint64_t local_memory;    /* bytes */
  nxs_launch_flags flags;   /* NXS_LaunchFlags_* bits */
  uint64_t cluster_size[3]; /* groups; all 0: no clusters, or those that the kernel requires */
} nexus_launch_desc;

/* How many groups of the kernel the device runs at the same time; of desc group_size (all 0: the
 * best), local_memory and cluster_size are read. NXS_NotSupported: the backend does not tell, or
 * has no clusters. NXS_InvalidWorkGroupSize, NXS_OutOfResources: as nexus_command_finalize. */
NEXUS_API nxs_status nexus_kernel_get_occupancy(nexus_kernel *kernel, const nexus_launch_desc *desc,
                                                nxs_occupancy *out_occupancy);

/* ---- Stream ---------------------------------------------------------- */

NEXUS_API nxs_status nexus_device_create_stream(nexus_device *device, int32_t priority,
                                                nexus_stream **out_stream);
/* A stream over one of the driver's that another library made, by its native handle
 * (nxsCreateStreamFromHandle). release keeps the owner: it is called once with context, on any
 * thread, when the stream is not needed any more; may be NULL. What others give to it counts where
 * the stream is waited for. NXS_NotSupported: the backend can't. NXS_InvalidValue: no such stream.
 */
NEXUS_API nxs_status nexus_device_create_stream_from_handle(nexus_device *device, uint64_t handle,
                                                            void (*release)(void *), void *context,
                                                            nexus_stream **out_stream);
NEXUS_API nxs_status nexus_stream_get_device(nexus_stream *stream, nexus_device **out_device);
/* Waits for all work submitted so far. NXS_Timeout, NXS_Cancelled, or the cause of the stream's
 * failure. */
NEXUS_API nxs_status nexus_stream_synchronize(nexus_stream *stream, uint64_t timeout);
/* 1 where all work submitted so far is done. */
NEXUS_API nxs_status nexus_stream_is_idle(nexus_stream *stream, int32_t *out_idle);
/* Holds the stream's later work until all work submitted to other so far is done. Where that fails,
 * so does this stream. other may be of another device. */
NEXUS_API nxs_status nexus_stream_wait_stream(nexus_stream *stream, nexus_stream *other);
/* Holds the stream's later work, and what another library gives to the driver's stream from the
 * return on, until all submitted work that uses the buffer is done. The call waits for what the
 * driver can't order yet, such as work that is held back for an event. */
NEXUS_API nxs_status nexus_stream_wait_buffer(nexus_stream *stream, nexus_buffer *buffer);
/* A new Signal event of the stream's device, signalled after the stream's earlier work; with Timing
 * where the backend has it. */
NEXUS_API nxs_status nexus_stream_record(nexus_stream *stream, nexus_event **out_event);
/* Calls function(context, status) once when the stream's earlier work is done, or with its status
 * has failed; nexus_get_last_error then tells why. It is called on the one thread that libnexus has
 * for callbacks, in the order in which they fall due, holding no lock, and may call any function;
 * the stream's later work does not wait for it. Where this fails, it never is called. */
typedef void (*nexus_callback_fn)(void *context, nxs_status status);
NEXUS_API nxs_status nexus_stream_add_callback(nexus_stream *stream, nexus_callback_fn function,
                                               void *context);

/* ---- Event ----------------------------------------------------------- */

/* settings: NXS_ExecutionSettings_Timing where its signals in streams are to be timed;
 * NXS_ExecutionSettings_Shareable for a Signal or Fence event that other processes can be given,
 * which is signalled in streams of its device only; else 0. NXS_NotSupported: the backend lacks the
 * setting. NXS_InvalidValue: a Shared event with Shareable. */
NEXUS_API nxs_status nexus_device_create_event(nexus_device *device, nxs_event_type type,
                                               nxs_execution_settings settings,
                                               nexus_event **out_event);
/* Writes bytes by which other processes of this machine import the event, which was made with
 * NXS_ExecutionSettings_Shareable, as long as it lives. NXS_InvalidOperation: it was not made so,
 * or imported. */
NEXUS_API nxs_status nexus_event_export(nexus_event *event, const nxs_sink *handle);
/* An event that another process exported, of the type Signal. It can be waited for, on the host and
 * in streams, and asked; it is for the newest signal submitted there by then. A wait on the host
 * waits for the first one too; a stream can't, and refuses with NXS_InvalidOperation. This process
 * can't signal it. NXS_InvalidValue: no such bytes. NXS_InvalidOperation: the event is gone, here
 * and in later waits. NXS_NotSupported: the backend shares no events. */
NEXUS_API nxs_status nexus_device_import_event(nexus_device *device, const void *handle,
                                               uint64_t handle_size, nexus_event **out_event);
NEXUS_API nxs_status nexus_event_get_device(nexus_event *event, nexus_device **out_device);
/* From the host. NXS_InvalidValue: value is below the event's. */
NEXUS_API nxs_status nexus_event_signal(nexus_event *event, uint64_t value);
/* On the host, until the event reaches value. NXS_Timeout, NXS_Cancelled, or the cause of the
 * failure of the work that would have signalled it. */
NEXUS_API nxs_status nexus_event_wait(nexus_event *event, uint64_t value, uint64_t timeout);
NEXUS_API nxs_status nexus_event_get_value(nexus_event *event, uint64_t *out_value);
/* 1 where every signal submitted so far has happened, and there was one. The cause where one
 * failed, until a later signal has reached its value. */
NEXUS_API nxs_status nexus_event_is_done(nexus_event *event, int32_t *out_done);
/* The nanoseconds from the newest signal of start to that of end, both signalled in streams of one
 * device. NXS_ProfilingInfoNotAvailable: one has no timing; NXS_InvalidOperation: one was not
 * signalled in a stream, or (another text) its newest signal has not happened yet;
 * NXS_InvalidValue: end happened before start; the cause where it failed. */
NEXUS_API nxs_status nexus_event_get_elapsed_time(nexus_event *start, nexus_event *end,
                                                  double *out_nanoseconds);
NEXUS_API nxs_status nexus_event_get_event_type(nexus_event *event, nxs_event_type *out_type);
/* In a stream: set the value after its earlier work; hold its later work until the value is
 * reached. */
NEXUS_API nxs_status nexus_stream_signal(nexus_stream *stream, nexus_event *event, uint64_t value);
NEXUS_API nxs_status nexus_stream_wait(nexus_stream *stream, nexus_event *event, uint64_t value);

/* ---- Schedule and command -------------------------------------------- */

NEXUS_API nxs_status nexus_device_create_schedule(nexus_device *device,
                                                  nexus_schedule **out_schedule);
NEXUS_API nxs_status nexus_schedule_get_device(nexus_schedule *schedule, nexus_device **out_device);
/* Makes ready what a first run would, so that the first is as fast as the next; stream as in
 * nexus_schedule_run. NXS_InvalidCommand: one is not finalized. */
NEXUS_API nxs_status nexus_schedule_prepare(nexus_schedule *schedule, nexus_stream *stream);
/* Submits a run in the stream; NULL: the device's default stream. settings are
 * NXS_ExecutionSettings_* bits: without NonBlocking the call waits for the run, timeout at most;
 * with Timing its time is taken (NXS_NotSupported where the backend can't). */
NEXUS_API nxs_status nexus_schedule_run(nexus_schedule *schedule, nexus_stream *stream,
                                        nxs_execution_settings settings, uint64_t timeout);
/* How long the newest run with Timing took on the device. NXS_ProfilingInfoNotAvailable: there was
 * none; NXS_InvalidOperation: it has not finished; the cause where it failed. */
NEXUS_API nxs_status nexus_schedule_get_elapsed_time(nexus_schedule *schedule,
                                                     double *out_nanoseconds);
NEXUS_API nxs_status nexus_schedule_command_count(nexus_schedule *schedule, uint64_t *out_count);
NEXUS_API nxs_status nexus_schedule_get_command(nexus_schedule *schedule, uint64_t index,
                                                nexus_command **out_command);

NEXUS_API nxs_status nexus_schedule_create_command(nexus_schedule *schedule, nexus_kernel *kernel,
                                                   nexus_command **out_command);
NEXUS_API nxs_status nexus_schedule_create_copy_command(nexus_schedule *schedule,
                                                        nexus_buffer *destination,
                                                        nexus_buffer *source,
                                                        nexus_command **out_command);
NEXUS_API nxs_status nexus_schedule_create_fill_command(nexus_schedule *schedule,
                                                        nexus_buffer *buffer, const void *pattern,
                                                        uint64_t pattern_size,
                                                        nexus_command **out_command);
/* Run n of the schedule uses value + (n - 1) x step. */
NEXUS_API nxs_status nexus_schedule_create_signal_command(nexus_schedule *schedule,
                                                          nexus_event *event, uint64_t value,
                                                          uint64_t step,
                                                          nexus_command **out_command);
NEXUS_API nxs_status nexus_schedule_create_wait_command(nexus_schedule *schedule,
                                                        nexus_event *event, uint64_t value,
                                                        uint64_t step, nexus_command **out_command);

NEXUS_API nxs_status nexus_command_get_command_type(nexus_command *command,
                                                    nxs_command_type *out_type);
/* NXS_InvalidOperation where the command has none. */
NEXUS_API nxs_status nexus_command_get_kernel(nexus_command *command, nexus_kernel **out_kernel);
NEXUS_API nxs_status nexus_command_get_event(nexus_command *command, nexus_event **out_event);

/* A signal or wait command: the schedule's next run uses value, the one after it value + step, and
 * so on. May be called while runs are in flight, which keep what they had. NXS_InvalidOperation:
 * another command. NXS_InvalidValue: as when the command was made. */
NEXUS_API nxs_status nexus_command_set_value(nexus_command *command, uint64_t value, uint64_t step);

/* Arguments, also after finalize: for later runs. NXS_InvalidArgIndex: above 63. */
NEXUS_API nxs_status nexus_command_set_buffer(nexus_command *command, uint32_t index,
                                              nexus_buffer *buffer);
NEXUS_API nxs_status nexus_command_set_scalar(nexus_command *command, uint32_t index,
                                              const void *data, uint64_t size,
                                              nxs_data_type data_type);
NEXUS_API nxs_status nexus_command_set_local_memory(nexus_command *command, uint32_t index,
                                                    uint64_t size);

/* Checks the arguments against what the kernel says of itself, and fixes the launch.
 * NXS_NotSupported: flags, or clusters, that the backend or the device lacks. */
NEXUS_API nxs_status nexus_command_finalize(nexus_command *command, const nexus_launch_desc *desc);

/* Takes a kernel command that was never finalized out of its schedule, as if it had not been made:
 * for one whose arguments or sizes were refused. Later use of the command is NXS_InvalidCommand.
 * NXS_InvalidOperation: it is finalized, or runs no kernel; a schedule keeps such commands. */
NEXUS_API nxs_status nexus_command_discard(nexus_command *command);

/* ---- Plug-ins, for those who test them ------------------------------- */

/* A loaded plug-in without anything of libnexus between: no layers, no lock, no objects. What is
 * called through the table is called as the C-API says; libnexus knows nothing of it. */
typedef struct nexus_plugin_info {
  uint64_t struct_size;
  const void *functions; /* the nxs_functions that it filled; what it lacks is a stub that returns
                            NXS_NotSupported. Lives as long as the process. */
  nxs_id runtime;
  uint64_t capabilities; /* NXS_Capability_* bits */
  nxs_thread_model thread_model;
  uint32_t tag; /* in every id that it makes */
} nexus_plugin_info;

NEXUS_API nxs_status nexus_runtime_get_plugin(nexus_runtime *runtime, nexus_plugin_info *out_info);

/* What an error record of a plug-in says; error 0 is this thread's latest one, which is forgotten
 * then. The texts live until the thread's next call of this function. NXS_InvalidValue: no such
 * record, or this thread made none since. */
NEXUS_API nxs_status nexus_get_plugin_error(uint64_t error, nexus_error_info *out_info);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* NEXUS_NEXUS_C_H_ */
