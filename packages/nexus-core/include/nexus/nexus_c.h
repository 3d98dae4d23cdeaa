/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C functions of libnexus. Only C crosses the library's border: the C++ Source API
 * (<nexus.h>) is inline code over these functions, and so is the Python module.
 *
 * Rules for all functions
 *   - They return NXS_Success or an error; nexus_get_last_error returns its text. Results are
 *     returned through out_ parameters, written on success only.
 *   - Objects are reference-counted: an object returned through out_ has a reference for the
 *     caller, to be released with nexus_release. Arguments are borrowed. An object keeps alive all
 *     that it needs.
 *   - A NULL object or one of the wrong type gives NXS_Invalid<Object>; other NULL pointers give
 *     NXS_InvalidValue.
 *   - Any thread may call them with any object; only one thread at a time may record a schedule and
 *     its commands.
 *   - timeout is in nanoseconds; NEXUS_FOREVER means no limit. A wait that times out gives
 *     NXS_Timeout; one that the interrupt check ends gives NXS_Cancelled. */
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

/* Any object of libnexus. The typedefs document which type a function takes; the type is checked
 * at run time. */
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

/* The latest error of this thread. The texts live until the thread's next failure. */
typedef struct nexus_error_info {
  uint64_t struct_size;
  nxs_status status;
  int32_t reserved;
  int64_t native_code; /* the driver's error code, or 0 */
  nxs_string backend;  /* the backend that failed; empty: the core */
  nxs_string text;     /* a sentence with the failure and its remedy */
  nxs_string log;      /* the compiler's log of a refused program; else empty */
} nexus_error_info;

NEXUS_API void nexus_get_last_error(nexus_error_info *out_info);

/* Returns "NXS_InvalidBuffer" for a status, "NXS_Unknown" for a number that is none. Lives as
 * long as the process. */
NEXUS_API const char *nexus_status_name(nxs_status status);

/* ---- System ---------------------------------------------------------- */

/* Returns the version of libnexus, such as "0.1.0". Lives as long as the process. */
NEXUS_API const char *nexus_version(void);

/* Adds a backend by the path of its manifest (nxs_plugin.json), without loading it; distribution
 * is the installed package that it came from, or empty. A path added before is ignored. A manifest
 * that can't be used becomes a record, not an error. */
NEXUS_API nxs_status nexus_add_manifest(nxs_string path, nxs_string distribution);

/* Adds the record of a backend that has no usable path of a manifest. */
NEXUS_API nxs_status nexus_add_failure(nxs_string name, nxs_string distribution, nxs_string reason);

/* Adds the manifests that a program without Python can find: those in the folders of
 * NEXUS_PLUGIN_PATH and in the packages beside libnexus. Called by the functions below that need
 * backends, unless nexus_set_discovery turned it off. */
NEXUS_API nxs_status nexus_discover(void);

/* Returns the seconds within which a plug-in must start, and Python's hooks of one backend must
 * answer: NEXUS_PLUGIN_TIMEOUT, which is read once; 5 by default. */
NEXUS_API double nexus_plugin_timeout(void);

/* 0: use only added manifests. Default 1. */
NEXUS_API void nexus_set_discovery(int32_t enabled);

/* Checks the name of a backend in options with settings of several. NXS_InvalidValue: it is
 * neither one of ours, installed or not, nor found; the text has parameter and similar names. */
NEXUS_API nxs_status nexus_check_backend_name(nxs_string name, nxs_string parameter);

/* Sets a value that plug-ins read with get_config. An empty value removes the key. */
NEXUS_API nxs_status nexus_set_config(nxs_string key, nxs_string value);

/* Writes the value that a backend's plug-in reads with get_config; empty if there is none. The
 * text is valid until the process ends. */
NEXUS_API nxs_status nexus_get_config(nxs_string backend, nxs_string key, nxs_string *out_value);

/* Sets the function that gets log lines; NULL: stderr. backend is empty for the core's own lines.
 * Lines below the level of NEXUS_LOG (debug, info, warning, error; default warning) are not sent.
 */
typedef void (*nexus_log_fn)(void *context, nxs_log_level level, nxs_string backend,
                             nxs_string text);
NEXUS_API void nexus_set_log(nexus_log_fn function, void *context);

/* Sets a function that is called between the parts of a wait, on the waiting thread; if it does
 * not return 0, the wait ends with NXS_Cancelled. */
typedef int32_t (*nexus_interrupt_fn)(void *context);
NEXUS_API void nexus_set_interrupt_check(nexus_interrupt_fn function, void *context);

/* Sets the present place of this thread in the user's program, for the messages of the layer
 * `validate`: for the bindings of languages that are not on the C stack. file must live as long as
 * the process; NULL: unknown. */
NEXUS_API void nexus_set_place(const char *file, int32_t line);

/* The state of a backend. */
typedef int32_t nexus_backend_state;
enum {
  NEXUS_BACKEND_PASS = 0,   /* loaded, and has a device */
  NEXUS_BACKEND_FAIL = 1,   /* broken, too new, refused: see reason */
  NEXUS_BACKEND_ABSENT = 2, /* no driver or no device: see reason */
  NEXUS_BACKEND_OFF = 3     /* left out by NEXUS_BACKENDS */
};

/* The record of a backend. The texts live as long as the process. */
typedef struct nexus_backend_info {
  uint64_t struct_size;
  nexus_backend_state state;
  int32_t reserved;
  nxs_string name;
  nxs_string distribution; /* empty if not installed as a package */
  nxs_string version;      /* the plug-in's own; empty if it was not loaded */
  nxs_string manifest;     /* path; may be empty */
  nxs_string library;      /* path; may be empty */
  nxs_string reason;       /* one sentence; empty for PASS */
} nexus_backend_info;

/* Loads untried backends and counts the records, in the order of NEXUS_BACKENDS. */
NEXUS_API nxs_status nexus_backend_count(uint64_t *out_count);
NEXUS_API nxs_status nexus_backend_get(uint64_t index, nexus_backend_info *out_info);

/* The runtimes of the usable backends. NXS_InvalidRuntime: no such index or name; the text has
 * the available names and the reason why one of that name failed. */
NEXUS_API nxs_status nexus_runtime_count(uint64_t *out_count);
NEXUS_API nxs_status nexus_runtime_get(uint64_t index, nexus_runtime **out_runtime);
NEXUS_API nxs_status nexus_runtime_find(nxs_string name, nexus_runtime **out_runtime);

/* Returns the device of a selector such as "cuda:1" or "cpu"; empty: the device of NEXUS_DEVICE,
 * else the first GPU that compiles the portable language or whose package has kernels (the key
 * <backend>.demo_kernels), else cpu:0, else the first device. NXS_DeviceNotFound: none;
 * NXS_InvalidValue: no selector. */
NEXUS_API nxs_status nexus_select_device(nxs_string selector, nexus_device **out_device);

/* Returns the device info database: an entry for each device file, by the file's stem, and for
 * each present device without a file, with its own properties. Of two files with one stem, the one
 * in the earlier folder counts: those of NEXUS_DEVICE_PATH (':' in between; read with each call),
 * those of the backends' manifests, also of backends that can't be used here, and libnexus' own.
 * The call lists the folders; a file is read when its entry is read, and all are when the keys are.
 * A file that can't be used is left out, with a warning in the log. */
NEXUS_API nxs_status nexus_get_device_info(nexus_properties **out_properties);
/* Returns the present problems of device files and their folders, as NXS_ValueType_Json: a list
 * of
 * {"File": path, "Line": from 1, "Column": in bytes, from 1, "Reason": a sentence}; Line and Column
 * if they are known. Reads all files that changed since they were last read. */
NEXUS_API nxs_status nexus_get_device_info_problems(nxs_value *out_value);
/* Returns one entry of the database by a name: its stem ("amd-cpu-znver4"); else its
 * Architecture; else its Name, an alias, or those of one of its Variants ("H200"), which is then
 * merged into the file: Name, Aliases and ReleaseYear are the variant's, and there are no Variants.
 * "nvidia-gpu-sm_90/H200" is the variant of one file, if several have one of that name. Ignores
 * case; blanks, '_' and '-' are equal, and the vendor's name may come first. Reads that one file.
 * NXS_InvalidValue: none has the name (the text has similar ones), or several have it (it has up to
 * ten of them), or the file can't be used (it has the reason). */
NEXUS_API nxs_status nexus_lookup_device_info(nxs_string name, nexus_properties **out_properties);
/* Returns the device file of a device, with the variant for the device's Name merged into it, and
 * without the device's own properties. NXS_InvalidValue: it has none; the text has the stem. */
NEXUS_API nxs_status nexus_lookup_device_info_of(nexus_device *device,
                                                 nexus_properties **out_properties);

/* For the end of the process: cancels work held back for an event that nobody signalled
 * (NXS_Cancelled), ends loops of conditions, and waits for running work, for timeout at most. Frees
 * nothing; objects stay usable, but a stream that had work in flight runs no more loops. Drops
 * callbacks that were not called by then. */
NEXUS_API nxs_status nexus_shutdown(uint64_t timeout);

/* ---- Traces ---------------------------------------------------------- */

/* Returns 1 if this process is traced (NEXUS_LAYERS=trace), else 0; that never changes. */
NEXUS_API int32_t nexus_trace_is_on(void);

/* Returns the time of the trace's clock, in nanoseconds. */
NEXUS_API int64_t nexus_trace_time(void);

/* Add a range of this thread to the trace, from begin, a result of nexus_trace_time, until now;
 * and a moment. Do nothing if the process is not traced. NXS_InvalidValue: name is not text. */
NEXUS_API nxs_status nexus_trace_range(nxs_string name, int64_t begin);
NEXUS_API nxs_status nexus_trace_mark(nxs_string name);

/* ---- Every object ---------------------------------------------------- */

/* Add and remove a reference. NULL is ignored. */
NEXUS_API void nexus_retain(nexus_object *object);
NEXUS_API void nexus_release(nexus_object *object);

/* Returns the type; NXS_ObjectType_None for NULL and for properties. */
NEXUS_API nxs_object_type nexus_object_get_type(nexus_object *object);

/* Returns the plug-in's id of the object, 0 if it has none (an event's timeline, properties). */
NEXUS_API nxs_id nexus_object_get_id(nexus_object *object);

/* Closes a buffer, library, stream, event or schedule; later use is NXS_Invalid<Object>. Work
 * that uses it finishes. A second call does nothing. NXS_InvalidOperation: a default stream, a
 * device, a runtime. */
NEXUS_API nxs_status nexus_close(nexus_object *object);

/* One step of a path: a name, or a number if name.data is NULL. In an object a number is an
 * nxs_property, in an array an index. */
typedef struct nexus_key {
  nxs_string name;
  int64_t number;
} nexus_key;

/* Reads a property. wanted converts an int to a flt and nothing else; NXS_ValueType_None returns
 * the value in its own type. The value's memory is the caller's, as for nxs_value.
 * NXS_InvalidProperty: not found (the text has the failed path and similar keys), or of another
 * type (the text has both types). */
NEXUS_API nxs_status nexus_get_property(nexus_object *object, const nexus_key *path, uint64_t depth,
                                        nxs_value_type wanted, nxs_value *out_value);

/* Returns the names of the object's properties, as NXS_ValueType_StrVec. */
NEXUS_API nxs_status nexus_get_property_keys(nexus_object *object, nxs_value *out_value);

/* Returns the source of a value of nexus_device_get_info, nexus_lookup_device_info,
 * nexus_get_device_info, nexus_library_get_info or nexus_kernel_get_info, as NXS_ValueType_Json:
 * - "Kind": "driver" (the device's own value), "device file", "computed" from other values, "mixed"
 *   for a path to values of several kinds, or "library" (what nexus_library_set_info set)
 * - "File": the device file's path, if it has some of the value
 * - "Citations": the documents that the file cites for it, without their "Values"; for a part of
 *   the tree, those of all its values; for a computed value, those of the values that it is
 *   computed from
 * - "From": the paths of the values that it is computed from, such as "CoreSubsystem/Count"
 *
 * NXS_InvalidObject: no properties. NXS_InvalidProperty: as nexus_get_property. */
NEXUS_API nxs_status nexus_get_property_source(nexus_properties *properties, const nexus_key *path,
                                               uint64_t depth, nxs_value *out_value);

/* ---- Runtime and device ---------------------------------------------- */

NEXUS_API nxs_status nexus_runtime_device_count(nexus_runtime *runtime, uint64_t *out_count);
/* NXS_InvalidDevice: no such index. Returns the same object each time. */
NEXUS_API nxs_status nexus_runtime_get_device(nexus_runtime *runtime, uint64_t index,
                                              nexus_device **out_device);

NEXUS_API nxs_status nexus_device_get_runtime(nexus_device *device, nexus_runtime **out_runtime);
/* "cpu:0". Lives as long as the process. */
NEXUS_API nxs_status nexus_device_get_selector(nexus_device *device, nxs_string *out_selector);
/* Returns the device's own properties merged into its device file, with the variant for its Name:
 * objects are merged, entries of lists are merged by their Name, all else is replaced. Missing
 * values are computed from others ("CoreCount" from CoreSubsystem's Count) where possible. */
NEXUS_API nxs_status nexus_device_get_info(nexus_device *device, nexus_properties **out_properties);
/* Returns the stream of functions that are given none; the same object each time. */
NEXUS_API nxs_status nexus_device_get_default_stream(nexus_device *device,
                                                     nexus_stream **out_stream);
/* Waits for all work submitted to the device's streams. NXS_Timeout, NXS_Cancelled, or the first
 * failure. */
NEXUS_API nxs_status nexus_device_synchronize(nexus_device *device, uint64_t timeout);

/* Returns free memory that the backend keeps for new buffers to the driver, until it keeps at
 * most keep bytes. Does nothing if the backend keeps none. NP_MemoryReserved is the present amount.
 */
NEXUS_API nxs_status nexus_device_trim_memory(nexus_device *device, uint64_t keep);
/* While the backend has more than bytes of the driver for buffers, including used ones, it
 * returns unused memory whenever work was waited for or an idle buffer is released. UINT64_MAX, the
 * default: it keeps all until it is trimmed. NP_ReleaseThreshold is the present value. Has no other
 * effect if the backend keeps no memory. NXS_InvalidValue: above INT64_MAX. */
NEXUS_API nxs_status nexus_device_set_release_threshold(nexus_device *device, uint64_t bytes);
/* Sets NP_MemoryPeak to the present NP_MemoryUsed. */
NEXUS_API nxs_status nexus_device_reset_memory_peak(nexus_device *device);

/* An allocator of the program for the buffers of a device. Any thread may call its functions.
 *
 * allocate(context, size, out_address, text) returns the address of size bytes, at least 1, of the
 * device's memory. It is a multiple of 16 and of the device's NP_BufferOffsetAlignment, and work in
 * any stream may use the memory at once. If there is none, allocate returns another status than
 * NXS_Success and writes the reason to text. deallocate(context, address, size) is called once for
 * each allocation, when no work uses the memory any more. release(context) is called once, on any
 * thread, when neither a device nor an allocation uses the allocator; NULL: nothing to release. */
typedef struct nexus_memory_resource {
  uint64_t struct_size;
  nxs_status (*allocate)(void *context, uint64_t size, uint64_t *out_address, const nxs_sink *text);
  void (*deallocate)(void *context, uint64_t address, uint64_t size);
  void *context;
  void (*release)(void *context);
} nexus_memory_resource;

/* Sets the allocator of nexus_device_create_buffer for buffers without settings, or with OnDevice
 * or ReadOnly only; NULL, the default: the backend. Empty buffers, scratch memory and buffers that
 * exist keep theirs. If this function fails, release is not called. NXS_NotSupported: the backend
 * does not use memory by its address. */
NEXUS_API nxs_status nexus_device_set_memory_resource(nexus_device *device,
                                                      const nexus_memory_resource *resource);
/* Calls see(context, resource) once, during the call, with the allocator that was set; NULL: none.
 * It is valid until see returns. */
NEXUS_API nxs_status nexus_device_get_memory_resource(
    nexus_device *device, void (*see)(void *context, const nexus_memory_resource *resource),
    void *context);
/* Allocates size bytes of the backend's memory, for allocators over it, and returns the address.
 * NXS_InvalidBufferSize: size is 0. NXS_MemObjectAllocationFailure; NXS_NotSupported: as above. */
NEXUS_API nxs_status nexus_device_allocate(nexus_device *device, uint64_t size,
                                           uint64_t *out_address);
/* Frees memory of nexus_device_allocate, which no work may use any more. NXS_InvalidValue: address
 * is none of the device's, or was freed before. */
NEXUS_API nxs_status nexus_device_deallocate(nexus_device *device, uint64_t address);

/* Returns the objects of one type that were made on the device and are not released or closed:
 * buffers, libraries, streams (not the default one), events or schedules, in the order in which
 * they were made. Writes at most capacity of them, each with a reference for the caller, and always
 * their total number. NXS_InvalidValue: another type. */
NEXUS_API nxs_status nexus_device_get_objects(nexus_device *device, nxs_object_type type,
                                              uint64_t capacity, nexus_object **out_objects,
                                              uint64_t *out_count);

/* ---- Buffer ---------------------------------------------------------- */

/* The data type of elements that are C structs of so many bytes, at most NEXUS_RECORD_MOST. number,
 * from 0 to 16383, is the program's own: types with other numbers differ. Kernels take such buffers
 * as bytes. */
#define NEXUS_RECORD_TYPE(size, number) ((nxs_data_type)(0x40000000 | (number) << 16 | (size)))
#define NEXUS_RECORD_SIZE(data_type) ((data_type) >= 0x40000000 ? (data_type) & 0xffff : 0)
#define NEXUS_RECORD_MOST 0xffff

/* The description of a buffer to be made. shape may be NULL with rank 0: size bytes in one
 * dimension; rank 0 with another shape is one element without dimensions. A size of 0, or a length
 * of 0, makes an empty buffer. */
typedef struct nexus_buffer_desc {
  uint64_t struct_size;
  uint64_t size; /* bytes */
  nxs_buffer_settings settings;
  nxs_data_type data_type;
  uint32_t rank;
  const uint64_t *shape;
  void *host_data; /* copied during the call; with Maintain: the storage */
  void (*host_release)(
      void *); /* with Maintain: called once, on any thread, when the storage is no longer used */
  void *host_context;
} nexus_buffer_desc;

NEXUS_API nxs_status nexus_device_create_buffer(nexus_device *device, const nexus_buffer_desc *desc,
                                                nexus_buffer **out_buffer);
/* Makes a buffer over a part of another, which shares its memory. It is read-only if the other
 * is, or if settings are NXS_BufferSettings_ReadOnly. NXS_InvalidValue: outside the buffer, or
 * shape and size differ. */
NEXUS_API nxs_status nexus_buffer_slice(nexus_buffer *buffer, uint64_t offset,
                                        const nexus_buffer_desc *desc, nexus_buffer **out_buffer);
/* Makes a buffer over elements of another that need not lie side by side. strides[i] is the
 * distance in bytes of two neighbours along dimension i, also 0 or negative; offset is that of the
 * element at index 0 from the lowest byte of the buffer. Schedules take only views in C order
 * without gaps (NXS_InvalidValue for others). Copies and fills outside of schedules take all: host
 * memory then holds the elements in C order, offset is 0, size the view's, and blocking 1.
 * NXS_InvalidValue: outside the buffer. NXS_NotSupported: a 4-bit data type. */
NEXUS_API nxs_status nexus_buffer_view(nexus_buffer *buffer, uint64_t offset,
                                       nxs_data_type data_type, uint32_t rank,
                                       const uint64_t *shape, const int64_t *strides,
                                       nexus_buffer **out_buffer);
/* Writes at most capacity strides in bytes, and always the distance of the element at index 0 from
 * the buffer's lowest byte, which is not 0 only with negative strides. NXS_NotSupported: a 4-bit
 * data type. */
NEXUS_API nxs_status nexus_buffer_get_strides(nexus_buffer *buffer, uint64_t capacity,
                                              int64_t *out_strides, uint64_t *out_first);
/* Returns whether the elements are in C order without gaps. */
NEXUS_API nxs_status nexus_buffer_is_contiguous(nexus_buffer *buffer, int32_t *out_contiguous);

/* Makes a system buffer: host memory, aligned to a page, that is an argument on every device and
 * used there in place; a device that can't use it refuses it as an argument (NXS_NotSupported).
 * settings must be 0, or have Maintain: then the buffer is the memory of host_data, which need not
 * be aligned, and settings may have ReadOnly. Copies in a schedule take such a buffer also where
 * the device can't use it in place. Without a stream, the host copies and fills a system buffer, in
 * the call, after all submitted work that uses it; blocking must then be 1 (else
 * NXS_InvalidValue). */
NEXUS_API nxs_status nexus_create_system_buffer(const nexus_buffer_desc *desc,
                                                nexus_buffer **out_buffer);

/* Makes a buffer over memory that another library allocated for the device, by its native handle
 * (nxsCreateBufferFromHandle): desc's bytes from offset on. The memory must stay valid until
 * host_release, which is called once, on any thread, when it is no longer needed; settings are 0 or
 * NXS_BufferSettings_ReadOnly, and host_data is NULL. Work outside of Nexus must be ordered by the
 * program. NXS_NotSupported: the backend can't. */
NEXUS_API nxs_status nexus_device_create_buffer_from_handle(nexus_device *device, uint64_t handle,
                                                            uint64_t offset,
                                                            const nexus_buffer_desc *desc,
                                                            nexus_buffer **out_buffer);
/* Writes a handle with which other processes of this machine import the memory of a buffer made
 * with NXS_BufferSettings_Shareable, while the buffer exists. For a slice it is the whole memory's;
 * NP_Offset is the slice's offset in it. NXS_InvalidOperation: not made so, or imported. */
NEXUS_API nxs_status nexus_buffer_export(nexus_buffer *buffer, const nxs_sink *handle);
/* Imports memory that another process exported: desc's bytes from offset on; settings are 0 or
 * NXS_BufferSettings_ReadOnly, host_data and host_release NULL. Work of the two processes is not
 * ordered. NXS_InvalidValue: no such handle, or desc exceeds the memory. NXS_InvalidOperation: the
 * memory no longer exists. */
NEXUS_API nxs_status nexus_device_import_buffer(nexus_device *device, const void *handle,
                                                uint64_t handle_size, uint64_t offset,
                                                const nexus_buffer_desc *desc,
                                                nexus_buffer **out_buffer);

/* Returns NULL for a system buffer. */
NEXUS_API nxs_status nexus_buffer_get_device(nexus_buffer *buffer, nexus_device **out_device);
NEXUS_API nxs_status nexus_buffer_get_size(nexus_buffer *buffer, uint64_t *out_bytes);
NEXUS_API nxs_status nexus_buffer_get_data_type(nexus_buffer *buffer, nxs_data_type *out_type);
/* Returns whether it was made with NXS_BufferSettings_ReadOnly, or from such a buffer. It is
 * refused as the destination of copies and fills (NXS_InvalidOperation), and as an argument unless
 * the parameter is known to be a pointer to const (NXS_InvalidArgValue). */
NEXUS_API nxs_status nexus_buffer_is_read_only(nexus_buffer *buffer, int32_t *out_read_only);
/* Writes at most capacity lengths, and always the rank. */
NEXUS_API nxs_status nexus_buffer_get_shape(nexus_buffer *buffer, uint64_t capacity,
                                            uint64_t *out_shape, uint32_t *out_rank);

/* Copies and fills. stream may be NULL: the work then starts after all submitted work that uses
 * the buffer. With blocking 0 the call returns at once, and the host memory must stay valid until
 * the copy in the stream is done; else the call waits. Ranges are in bytes. NXS_InvalidValue:
 * outside the buffer. */
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
/* Waits for all submitted work that uses the memory and returns its host address, which is valid
 * while the buffer is held and not closed; of a view, the address of the element at index 0.
 * NXS_NotSupported: the memory is not host-visible; the text names the copy to use instead. */
NEXUS_API nxs_status nexus_buffer_get_host_pointer(nexus_buffer *buffer, void **out_pointer);

/* ---- Programs and object code ---------------------------------------- */

/* The text of a program and its options. Lists may be NULL if their count is 0. */
typedef struct nexus_program_info {
  uint64_t struct_size;
  nxs_string source;
  nxs_string language;       /* empty: "nexus", the portable one */
  nxs_string name;           /* names the source in messages; empty: "program" */
  nxs_string standard;       /* such as "c11"; empty: the backend's choice */
  nxs_compile_flags flags;   /* NXS_CompileFlags_* bits */
  int32_t optimization;      /* 0 to 3 */
  int32_t reserved;          /* 0 */
  const nxs_string *defines; /* "NAME" or "NAME=value" */
  uint64_t define_count;
  const nxs_string *include_paths; /* folders, searched in order */
  uint64_t include_path_count;
  const nxs_string *options; /* extra flags of the compiler, one in each string */
  uint64_t option_count;
  const nxs_string *name_expressions; /* instances of kernel templates, such as "scale<float>" */
  uint64_t name_expression_count;
} nexus_program_info;

/* The origin of object code. */
typedef int32_t nexus_code_origin;
enum {
  NEXUS_CODE_COMPILED = 0,    /* by a compiler, in this call */
  NEXUS_CODE_FROM_MEMORY = 1, /* the cache of this process */
  NEXUS_CODE_FROM_DISK = 2,   /* the cache on disk */
  NEXUS_CODE_READ = 3         /* nexus_object_code_read */
};

/* The description of object code. The texts live as long as the object. */
typedef struct nexus_object_code_info {
  uint64_t struct_size;
  nxs_string name;    /* the program's */
  nxs_string runtime; /* the backend that compiled it and can load it, such as "cpu" */
  nxs_string target;  /* the architecture's full name */
  nxs_string format;  /* such as "elf" */
  nxs_string code;    /* the bytes */
  nxs_string log;     /* the compiler's messages: warnings */
  nxs_string flags;   /* a JSON list: the compiler's flags */
  nxs_string kernels; /* a JSON list with an object for each kernel: "name", "arguments" (missing
                         if the kernel does not describe them; each has "name", "kind" such as
                         "Buffer", "dtype" such as "float32", "type" such as "const float *", and
                         "size"), "required_group_size", "local_memory", "max_group_size" if it has
                         one; empty if the code's architecture can't be loaded here */
  nexus_code_origin origin;
  int32_t reserved;
} nexus_object_code_info;

/* Compiles a program, or takes its code from the caches. If device is NULL, target names it:
 * "cpu" and "cuda:0" are selectors, for the architecture of that device, "cpu:x86-64-v3" and
 * "cuda:sm_90" are a runtime and an architecture. Otherwise target is an architecture in the
 * backend's words, or empty for the device's own. NXS_CompileProgramFailure: the compiler refused
 * it; nexus_get_last_error has its log. NXS_InvalidProgram: the source is empty, has no kernel, or
 * an include can't be found. NXS_NotSupported: the backend has no compiler, or not for this
 * language; the text lists its languages. NXS_CompilerNotAvailable, NXS_InvalidCompilerOptions,
 * NXS_InvalidValue: as nxsCompileProgram. */
NEXUS_API nxs_status nexus_compile(nexus_device *device, nxs_string target,
                                   const nexus_program_info *info, nexus_object_code **out_code);
/* Describes what nexus_compile would do, without running a compiler: the JSON object of
 * nxsDescribeCompile. info's source may be empty. */
NEXUS_API nxs_status nexus_describe_compile(nexus_device *device, nxs_string target,
                                            const nexus_program_info *info, const nxs_sink *json);

/* Pieces of code to be linked, and options. Lists may be NULL if their count is 0. */
typedef struct nexus_link_info {
  uint64_t struct_size;
  const nxs_string *codes; /* the bytes of each; at least one */
  const nxs_string *names; /* names of the pieces in messages; as many */
  uint64_t code_count;
  nxs_string name;           /* of the linked program; empty: "program" */
  nxs_compile_flags flags;   /* NXS_CompileFlags_* bits */
  int32_t optimization;      /* 0 to 3 */
  int32_t reserved;          /* 0 */
  const nxs_string *options; /* extra flags of the linker, one in each string */
  uint64_t option_count;
} nexus_link_info;

/* Links one program from pieces that were compiled separately, with NXS_CompileFlags_Relocatable,
 * or made by other tools in a form that the backend links. device and target as in nexus_compile;
 * does not use the caches. NXS_LinkProgramFailure: the pieces don't fit; nexus_get_last_error has
 * the log. NXS_InvalidBinary: a piece is invalid. NXS_LinkerNotAvailable, NXS_NotSupported: the
 * backend has no linker. NXS_InvalidProgram: the result has no kernel. */
NEXUS_API nxs_status nexus_link(nexus_device *device, nxs_string target,
                                const nexus_link_info *info, nexus_object_code **out_code);
NEXUS_API nxs_status nexus_object_code_get_info(nexus_object_code *code,
                                                nexus_object_code_info *out_info);
/* Writes all of it as bytes for nexus_object_code_read, also in another process or version. */
NEXUS_API nxs_status nexus_object_code_write(nexus_object_code *code, const nxs_sink *bytes);
/* NXS_InvalidBinary: the bytes are not object code, cut short, or changed. */
NEXUS_API nxs_status nexus_object_code_read(const void *data, uint64_t size,
                                            nexus_object_code **out_code);
/* Reads a file with such bytes. NXS_InvalidValue: there is none, or it can't be read.
 * NXS_InvalidBinary: as above, and for a pipe, a device, or a file of more than 1 GiB. */
NEXUS_API nxs_status nexus_object_code_read_file(nxs_string path, nexus_object_code **out_code);

/* The cache of object code on disk, and this process' use of the caches. The texts live until the
 * thread's next call. */
typedef struct nexus_cache_info {
  uint64_t struct_size;
  nxs_string folder; /* empty if there is none */
  nxs_string off;    /* a sentence: why the cache on disk is off; empty if it is on */
  uint64_t entries;
  uint64_t bytes;
  uint64_t limit; /* bytes; beyond it the least recently used entries are removed */
  uint64_t from_memory;
  uint64_t from_disk;
  uint64_t compiled;
} nexus_cache_info;

NEXUS_API nxs_status nexus_cache_get_info(nexus_cache_info *out_info);
/* Clears the cache on disk and the process' own; code in use stays usable. */
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
/* Makes a buffer of a variable of the library's code, of bytes, by the variable's symbol. Nothing
 * is copied, and the buffer keeps the code loaded. Kernels have the variable without an argument,
 * so a copy or fill without a stream waits for all work submitted to the device. NXS_InvalidValue:
 * no such variable, or one that can't be written. */
NEXUS_API nxs_status nexus_library_get_global(nexus_library *library, nxs_string name,
                                              nexus_buffer **out_buffer);
/* Sets the description of the library that nexus_library_get_info and nexus_kernel_get_info return:
 * a JSON object, such as a library's entry in a kernel catalog. Its "Kernels", if it has any, is a
 * list of objects with a "Name". NXS_InvalidValue: it is not a JSON object. */
NEXUS_API nxs_status nexus_library_set_info(nexus_library *library, nxs_string info);
/* Returns that description; without one, no properties. */
NEXUS_API nxs_status nexus_library_get_info(nexus_library *library,
                                            nexus_properties **out_properties);
/* NXS_InvalidBinary: compiled for another backend. */
NEXUS_API nxs_status nexus_device_load_object_code(nexus_device *device, nexus_object_code *code,
                                                   nexus_library **out_library);
/* NXS_KernelArgInfoNotAvailable: the kernel does not describe its arguments. */
NEXUS_API nxs_status nexus_kernel_get_argument_count(nexus_kernel *kernel, uint32_t *out_count);
/* The name lives as long as the kernel. */
NEXUS_API nxs_status nexus_kernel_get_argument(nexus_kernel *kernel, uint32_t index,
                                               nxs_argument_info *out_info);

NEXUS_API nxs_status nexus_kernel_get_device(nexus_kernel *kernel, nexus_device **out_device);
/* Returns the kernel's entry in "Kernels" of its library's description; without one, no properties.
 * Also after the library was closed. */
NEXUS_API nxs_status nexus_kernel_get_info(nexus_kernel *kernel, nexus_properties **out_properties);

/* Writes the code that the kernel's library was loaded from, for nexus_device_load_library; also
 * after the library was closed. NXS_InvalidValue: it was a file, which can't be read any more. */
NEXUS_API nxs_status nexus_kernel_get_code(nexus_kernel *kernel, const nxs_sink *code);

/* Makes an empty schedule of the kernel's device, for calls of the kernel: nexus_device_get_objects
 * does not list it, and it does not keep memory for its next run. It closes when the program has no
 * buffer any more over a memory that its commands use; runs in flight finish. */
NEXUS_API nxs_status nexus_kernel_create_schedule(nexus_kernel *kernel,
                                                  nexus_schedule **out_schedule);

/* The sizes of a launch, in work items. group_size all 0: the backend chooses. Exactly one of
 * grid_size and group_count is not all 0. One with a 0 beside other numbers, (0, 1, 1), is an empty
 * launch, which does nothing. */
typedef struct nexus_launch_desc {
  uint64_t struct_size;
  uint64_t group_size[3];
  uint64_t grid_size[3];
  uint64_t group_count[3];
  uint64_t local_memory;    /* bytes */
  nxs_launch_flags flags;   /* NXS_LaunchFlags_* bits */
  uint64_t cluster_size[3]; /* groups; all 0: no clusters, or those that the kernel requires */
} nexus_launch_desc;

/* Returns the number of the kernel's groups that the device runs at the same time; of desc it
 * reads group_size (all 0: the best), local_memory and cluster_size. NXS_NotSupported: the backend
 * can't tell, or has no clusters. NXS_InvalidWorkGroupSize, NXS_OutOfResources: as
 * nexus_command_finalize. */
NEXUS_API nxs_status nexus_kernel_get_occupancy(nexus_kernel *kernel, const nexus_launch_desc *desc,
                                                nxs_occupancy *out_occupancy);

/* ---- Stream ---------------------------------------------------------- */

NEXUS_API nxs_status nexus_device_create_stream(nexus_device *device, int32_t priority,
                                                nexus_stream **out_stream);
/* Makes a stream over another library's stream of the driver, by its native handle
 * (nxsCreateStreamFromHandle). That one must stay valid until release, which may be NULL: it is
 * called once with context, on any thread, when the stream is no longer needed. Waiting for the
 * stream includes work that others submit to it. NXS_NotSupported: the backend can't.
 * NXS_InvalidValue: no such stream. */
NEXUS_API nxs_status nexus_device_create_stream_from_handle(nexus_device *device, uint64_t handle,
                                                            void (*release)(void *), void *context,
                                                            nexus_stream **out_stream);
NEXUS_API nxs_status nexus_stream_get_device(nexus_stream *stream, nexus_device **out_device);
/* Waits for all work submitted so far. NXS_Timeout, NXS_Cancelled, or the cause of the stream's
 * failure. */
NEXUS_API nxs_status nexus_stream_synchronize(nexus_stream *stream, uint64_t timeout);
/* Returns 1 if all work submitted so far is done. */
NEXUS_API nxs_status nexus_stream_is_idle(nexus_stream *stream, int32_t *out_idle);
/* Makes the stream's later work wait until all work submitted to other so far is done. If that
 * fails, so does this stream. other may be of another device. */
NEXUS_API nxs_status nexus_stream_wait_stream(nexus_stream *stream, nexus_stream *other);
/* Makes the stream's later work, and work that another library submits to the driver's stream
 * after this call, wait until all submitted work that uses the buffer is done. The call itself
 * waits for what the driver can't order yet, such as work that is held back for an event. */
NEXUS_API nxs_status nexus_stream_wait_buffer(nexus_stream *stream, nexus_buffer *buffer);
/* Makes a Signal event of the stream's device that is signalled after the stream's earlier work;
 * with Timing if the backend has it. */
NEXUS_API nxs_status nexus_stream_record(nexus_stream *stream, nexus_event **out_event);
/* Calls function(context, status) once when the stream's earlier work is done, or has failed with
 * that status; nexus_get_last_error then has the cause. It is called without locks on libnexus' one
 * thread for callbacks, in the order in which they become due, and may call any function; the
 * stream's later work does not wait for it. If nexus_stream_add_callback fails, it is never called.
 */
typedef void (*nexus_callback_fn)(void *context, nxs_status status);
NEXUS_API nxs_status nexus_stream_add_callback(nexus_stream *stream, nexus_callback_fn function,
                                               void *context);

/* ---- Event ----------------------------------------------------------- */

/* settings: NXS_ExecutionSettings_Timing for an event whose signals in streams are timed;
 * NXS_ExecutionSettings_Shareable for a Signal or Fence event that other processes can import,
 * which is signalled in streams of its device only; else 0. NXS_NotSupported: the backend lacks the
 * setting. NXS_InvalidValue: a Shared event with Shareable. */
NEXUS_API nxs_status nexus_device_create_event(nexus_device *device, nxs_event_type type,
                                               nxs_execution_settings settings,
                                               nexus_event **out_event);
/* Writes a handle with which other processes of this machine import the event, which was made
 * with NXS_ExecutionSettings_Shareable, while it exists. NXS_InvalidOperation: not made so, or
 * imported.
 */
NEXUS_API nxs_status nexus_event_export(nexus_event *event, const nxs_sink *handle);
/* Imports another process' event, of the type Signal. This process can query it and wait for it,
 * on the host and in streams; each applies to the newest signal submitted by then. A wait on the
 * host also waits for a first signal; a stream can't, and refuses with NXS_InvalidOperation. This
 * process can't signal it. NXS_InvalidValue: no such handle. NXS_InvalidOperation: the event no
 * longer exists, here and in later waits. NXS_NotSupported: the backend shares no events. */
NEXUS_API nxs_status nexus_device_import_event(nexus_device *device, const void *handle,
                                               uint64_t handle_size, nexus_event **out_event);
NEXUS_API nxs_status nexus_event_get_device(nexus_event *event, nexus_device **out_device);
/* Signals from the host. NXS_InvalidValue: value is below the event's. */
NEXUS_API nxs_status nexus_event_signal(nexus_event *event, uint64_t value);
/* Waits on the host until the event reaches value. NXS_Timeout, NXS_Cancelled, or the cause of
 * the failure of the work that was to signal it. */
NEXUS_API nxs_status nexus_event_wait(nexus_event *event, uint64_t value, uint64_t timeout);
NEXUS_API nxs_status nexus_event_get_value(nexus_event *event, uint64_t *out_value);
/* Returns 1 if there was a signal and all signals submitted so far have happened. If one failed,
 * its cause, until a later signal has reached its value. */
NEXUS_API nxs_status nexus_event_is_done(nexus_event *event, int32_t *out_done);
/* Returns the nanoseconds from the newest signal of start to the newest signal of end, both
 * signalled in streams of one device. NXS_ProfilingInfoNotAvailable: one has no timing;
 * NXS_InvalidOperation: one was not signalled in a stream, or (with another text) its newest signal
 * has not happened yet; NXS_InvalidValue: end happened before start; the cause if a signal failed.
 */
NEXUS_API nxs_status nexus_event_get_elapsed_time(nexus_event *start, nexus_event *end,
                                                  double *out_nanoseconds);
NEXUS_API nxs_status nexus_event_get_event_type(nexus_event *event, nxs_event_type *out_type);
/* In a stream: set the value after its earlier work; make its later work wait until the value is
 * reached. */
NEXUS_API nxs_status nexus_stream_signal(nexus_stream *stream, nexus_event *event, uint64_t value);
NEXUS_API nxs_status nexus_stream_wait(nexus_stream *stream, nexus_event *event, uint64_t value);

/* ---- Schedule and command -------------------------------------------- */

NEXUS_API nxs_status nexus_device_create_schedule(nexus_device *device,
                                                  nexus_schedule **out_schedule);
NEXUS_API nxs_status nexus_schedule_get_device(nexus_schedule *schedule, nexus_device **out_device);
/* Prepares the first run, so that it is as fast as later ones; stream as in nexus_schedule_run.
 * NXS_InvalidCommand: a command is not finalized. */
NEXUS_API nxs_status nexus_schedule_prepare(nexus_schedule *schedule, nexus_stream *stream);
/* Submits that many runs, one after the other, in the stream; NULL: the device's default stream.
 * settings are NXS_ExecutionSettings_* bits: without NonBlocking the call waits for the runs, for
 * timeout at most; with Timing they are timed as a whole (NXS_NotSupported if the backend can't).
 * If it fails, or the interrupt check ends it, runs that were submitted before go on. */
NEXUS_API nxs_status nexus_schedule_run(nexus_schedule *schedule, nexus_stream *stream,
                                        nxs_execution_settings settings, uint64_t timeout,
                                        uint64_t times);
/* Returns the nanoseconds that the newest call with Timing took on the device.
 * NXS_ProfilingInfoNotAvailable: there was none; NXS_InvalidOperation: it has not finished; the
 * cause if it failed. */
NEXUS_API nxs_status nexus_schedule_get_elapsed_time(nexus_schedule *schedule,
                                                     double *out_nanoseconds);
NEXUS_API nxs_status nexus_schedule_command_count(nexus_schedule *schedule, uint64_t *out_count);
NEXUS_API nxs_status nexus_schedule_get_command(nexus_schedule *schedule, uint64_t index,
                                                nexus_command **out_command);

/* Removes all commands, as nexus_command_remove does. */
NEXUS_API nxs_status nexus_schedule_clear(nexus_schedule *schedule);

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
/* Adds a run of another schedule of the device, as that is when the outer one runs. It counts as a
 * run of the nested schedule, so no command is added to that meanwhile. A schedule may be in
 * several others, and several times in one. After nexus_close the outer ones still run it.
 * NXS_InvalidOperation: nested is the schedule itself or contains it; the text has the path. */
NEXUS_API nxs_status nexus_schedule_create_schedule_command(nexus_schedule *schedule,
                                                            nexus_schedule *nested,
                                                            nexus_command **out_command);
/* Run n of the schedule uses value + (n - 1) x step. */
NEXUS_API nxs_status nexus_schedule_create_signal_command(nexus_schedule *schedule,
                                                          nexus_event *event, uint64_t value,
                                                          uint64_t step,
                                                          nexus_command **out_command);
NEXUS_API nxs_status nexus_schedule_create_wait_command(nexus_schedule *schedule,
                                                        nexus_event *event, uint64_t value,
                                                        uint64_t step, nexus_command **out_command);

/* Makes a buffer of scratch memory for the commands of the schedule; desc has neither settings nor
 * contents. The first run, or nexus_schedule_prepare, after a command uses the buffer allocates its
 * memory (NXS_MemObjectAllocationFailure), which is freed once the schedule is closed and no run
 * uses it. Two buffers may share memory if all uses of one come before all uses of the other. So
 * the contents are undefined when a run begins, and outside of runs there are none: only commands
 * of this schedule use the buffer, and the host functions that it was given to, which may copy and
 * fill it; any other use is NXS_InvalidOperation. NP_ScratchSize is the size of the memory. */
NEXUS_API nxs_status nexus_schedule_create_buffer(nexus_schedule *schedule,
                                                  const nexus_buffer_desc *desc,
                                                  nexus_buffer **out_buffer);

/* A function of the program. call(context, text, log) does its work and returns a status. If that
 * is not NXS_Success, the run fails with it: what call wrote to text says why, in the error's text,
 * and what it wrote to log, such as a traceback, is the error's log. Both are valid during the
 * call. release(context) is called once, on any thread, when nothing can call the function any
 * more; NULL: nothing to release. */
typedef struct nexus_host_function {
  uint64_t struct_size;
  nxs_string name; /* for errors and lists; may be empty */
  nxs_status (*call)(void *context, const nxs_sink *text, const nxs_sink *log);
  void *context;
  void (*release)(void *context);
  nexus_buffer *const
      *buffers; /* the scratch memory that it uses; other buffers need not be here */
  uint64_t buffer_count;
} nexus_host_function;

/* Adds a call of a function. It begins after the commands before it, on a thread of libnexus, and
 * those after it begin when it returned. It may use libnexus and wait, but not for work that comes
 * after it: NXS_InvalidOperation if that is in the stream of the run. If the call fails, so does
 * the stream; commands after it do not run. If this function fails, release is not called. */
NEXUS_API nxs_status nexus_schedule_create_host_command(nexus_schedule *schedule,
                                                        const nexus_host_function *function,
                                                        nexus_command **out_command);
/* Conditions read the first element of a buffer of int32 or uint32 when the run has come to them,
 * and run other schedules of the device by it, each with its commands and arguments as they are
 * when the outer schedule runs. Such a schedule is a nested one, as in
 * nexus_schedule_create_schedule_command; it counts one run for each run of the outer schedule,
 * however often it runs there. It may have no signal and no wait command, nor may those that it
 * contains. NXS_InvalidValue: the buffer is empty or has another data type. NXS_InvalidOperation: a
 * schedule contains the outer one; it has a signal or a wait, also at the run if that was added
 * later. */

/* Adds a command that runs `then` if the integer is not 0, and else `otherwise`; NULL: nothing. */
NEXUS_API nxs_status nexus_schedule_create_if_command(nexus_schedule *schedule,
                                                      nexus_buffer *condition, nexus_schedule *then,
                                                      nexus_schedule *otherwise,
                                                      nexus_command **out_command);
/* Adds a command that runs body while the integer, read before each iteration, is not 0: at most
 * max_count iterations; UINT64_MAX: any number. A wait for the run may end before such a loop
 * does. It ends with NXS_Cancelled, between two turns, when the stream is closed or the process
 * ends. NXS_InvalidOperation: condition is scratch memory, which no command of body can change. */
NEXUS_API nxs_status nexus_schedule_create_while_command(nexus_schedule *schedule,
                                                         nexus_buffer *condition,
                                                         nexus_schedule *body, uint64_t max_count,
                                                         nexus_command **out_command);
/* Adds a command that runs the case whose number, counted from 0, is the integer; nothing if there
 * is none. */
NEXUS_API nxs_status nexus_schedule_create_switch_command(nexus_schedule *schedule,
                                                          nexus_buffer *selector,
                                                          nexus_schedule *const *cases,
                                                          uint64_t count,
                                                          nexus_command **out_command);
/* Begin and end a capture: work that other libraries submit to the driver's stream
 * (NP_NativeHandle) between the two calls does not run, and becomes one command of the schedule.
 * stream is one of libnexus, or over that of another library, and not NULL. Until the end it takes
 * no work of libnexus (NXS_InvalidOperation); other streams and threads are not disturbed. Closing
 * the stream throws the work away. The memory that the work uses belongs to the other library: keep
 * it, at its address, as long as the command can run.
 *
 * The capture is over after nexus_schedule_end_capture, also if that fails. out_command NULL throws
 * the work away. NXS_NotSupported: the backend captures nothing (NXS_Capability_Capture), or the
 * work allocates memory in the stream. NXS_InvalidOperation: a run of the schedule is in flight;
 * the stream captures already, or nothing; a call during the capture made it invalid, such as one
 * that waits for the stream. */
NEXUS_API nxs_status nexus_schedule_begin_capture(nexus_schedule *schedule, nexus_stream *stream);
NEXUS_API nxs_status nexus_schedule_end_capture(nexus_schedule *schedule, nexus_stream *stream,
                                                nexus_command **out_command);
/* Sets the predecessors of the next command of the schedule, by default the command before it.
 * In each run it sees the effects of its direct and indirect predecessors, and may run at the
 * same time as all others. count 0: no predecessors. after NULL cancels the call; adding the
 * next command consumes it, a refused command does not. NXS_InvalidCommand: one is a command of
 * another schedule, or was removed. */
NEXUS_API nxs_status nexus_schedule_set_after(nexus_schedule *schedule, nexus_command *const *after,
                                              uint64_t count);
/* Commands that are added between the two calls do not follow each other: each follows what the
 * first of them would follow. The next command behind them follows them all. NXS_InvalidOperation:
 * there is an open block already; there is none. */
NEXUS_API nxs_status nexus_schedule_begin_parallel(nexus_schedule *schedule);
NEXUS_API nxs_status nexus_schedule_end_parallel(nexus_schedule *schedule);

NEXUS_API nxs_status nexus_command_get_command_type(nexus_command *command,
                                                    nxs_command_type *out_type);
/* NXS_InvalidOperation: the command has none. */
NEXUS_API nxs_status nexus_command_get_kernel(nexus_command *command, nexus_kernel **out_kernel);
NEXUS_API nxs_status nexus_command_get_event(nexus_command *command, nexus_event **out_event);
NEXUS_API nxs_status nexus_command_get_schedule(nexus_command *command,
                                                nexus_schedule **out_schedule);
/* The schedules of a condition: `then` and, if it has one, `otherwise`; the body; the cases.
 * NXS_InvalidOperation: the command is not a condition. NXS_InvalidValue: there is none with that
 * index. */
NEXUS_API nxs_status nexus_command_body_count(nexus_command *command, uint64_t *out_count);
NEXUS_API nxs_status nexus_command_get_body(nexus_command *command, uint64_t index,
                                            nexus_schedule **out_schedule);
/* Makes a buffer over the memory of a kernel's argument as it was last set. The buffers of a copy
 * are 0, the destination, and 1, the source; that of a fill or a condition is 0.
 * NXS_InvalidArgIndex: there is no buffer with that index. NXS_InvalidArgValue: the argument is a
 * scalar or local memory. */
NEXUS_API nxs_status nexus_command_get_buffer(nexus_command *command, uint32_t index,
                                              nexus_buffer **out_buffer);
/* Writes what was recorded as a JSON object: "type" such as "Dispatch"; "enabled"; for a kernel its
 * name, "kernel"; "arguments", the buffers as in nexus_command_get_buffer: null if it was not set,
 * {"data", "data_type"} of a scalar, {"local_memory"} in bytes, and of a buffer {"device" (empty
 * for a system buffer), "memory", "memory_size", "scratch", "offset", "size", "data_type",
 * "shape"}, where buffers of one device with the same "memory" and "scratch" share it; for a kernel
 * that is finalized "launch", the members of nexus_launch_desc as the plug-in got them, with
 * group_size and group_count all 0 if the backend chose them; of a fill "pattern"; of a signal or
 * wait "value" and "step"; of a while with a bound "max_count". Bytes are hexadecimal. */
NEXUS_API nxs_status nexus_command_describe(nexus_command *command, const nxs_sink *json);

/* Sets the value of a signal or wait command: the schedule's next run uses value, the one after
 * it value + step, and so on. May be called while runs are in flight, which keep their values.
 * NXS_InvalidOperation: another command. NXS_InvalidValue: as when the command was made. */
NEXUS_API nxs_status nexus_command_set_value(nexus_command *command, uint64_t value, uint64_t step);

/* Set arguments, also after finalize, for later runs. NXS_InvalidArgIndex: above 63. A copy command
 * has the buffers 0, its destination, and 1, its source; a fill command has the buffer 0 and, for
 * nexus_command_set_scalar, the pattern 1: NXS_InvalidArgIndex for others, and what making the
 * command returns, with the sizes that it has now. */
NEXUS_API nxs_status nexus_command_set_buffer(nexus_command *command, uint32_t index,
                                              nexus_buffer *buffer);
NEXUS_API nxs_status nexus_command_set_scalar(nexus_command *command, uint32_t index,
                                              const void *data, uint64_t size,
                                              nxs_data_type data_type);
NEXUS_API nxs_status nexus_command_set_local_memory(nexus_command *command, uint32_t index,
                                                    uint64_t size);

/* Checks the arguments against the kernel's description, and sets the launch. NXS_NotSupported:
 * flags, or clusters, that the backend or the device lacks. */
NEXUS_API nxs_status nexus_command_finalize(nexus_command *command, const nexus_launch_desc *desc);

/* A command that is not enabled does nothing in later runs. The others keep their order. Each
 * command is enabled when it is made. May be called while runs are in flight. */
NEXUS_API nxs_status nexus_command_set_enabled(nexus_command *command, int32_t enabled);
NEXUS_API nxs_status nexus_command_is_enabled(nexus_command *command, int32_t *out_enabled);

/* Removes the command from its schedule, as if it had not been made. Later use of the command is
 * NXS_InvalidCommand. NXS_InvalidOperation: a run of the schedule is in flight. */
NEXUS_API nxs_status nexus_command_remove(nexus_command *command);

/* ---- Plug-ins, for tests of plug-ins -------------------------------------- */

/* A loaded plug-in without libnexus in between: no layers, no lock, no objects. Calls through the
 * table follow the C-API's own rules; libnexus does not see them. */
typedef struct nexus_plugin_info {
  uint64_t struct_size;
  const void *functions; /* the nxs_functions that it filled, with stubs for missing functions,
                            which return NXS_NotSupported. Lives as long as the process. */
  nxs_id runtime;
  uint64_t capabilities; /* NXS_Capability_* bits */
  nxs_thread_model thread_model;
  uint32_t tag; /* in every id that it makes */
} nexus_plugin_info;

NEXUS_API nxs_status nexus_runtime_get_plugin(nexus_runtime *runtime, nexus_plugin_info *out_info);

/* Returns an error record of a plug-in; error 0 is this thread's latest one, which is then
 * forgotten. The texts live until the thread's next call of this function. NXS_InvalidValue: no
 * such record, or this thread made none since. */
NEXUS_API nxs_status nexus_get_plugin_error(uint64_t error, nexus_error_info *out_info);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* NEXUS_NEXUS_C_H_ */
