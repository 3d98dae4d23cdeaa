/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plug-in in C11, without the kit: one device in host memory, one kernel, fill_i32(out, value),
 * and work that is done when its call returns. It negotiates as every plug-in has to, so that it
 * serves hosts that know fewer functions than its headers.
 *
 *   NAME       the backend's name
 *   MIN_MINOR  the oldest host that it serves; 0 if it is not defined
 */
#include <nexus-api/nxs_functions.h>
#include <stdlib.h>
#include <string.h>

#ifndef NAME
#define NAME "plain"
#endif
#ifndef MIN_MINOR
#define MIN_MINOR 0
#endif
#define MOST_OBJECTS 256

/* An object of any type; free where its type is 0. */
typedef struct object {
  nxs_object_type type;
  uint32_t generation;
  unsigned char *bytes; /* a buffer's */
  uint64_t size;   /* of a buffer in bytes, of a launch in work items; a stream's last ticket */
  nxs_id schedule; /* a command's */
  nxs_id buffer;   /* a command's argument 0 */
  int32_t value;   /* a command's argument 1 */
} object;

static const nxs_host *the_host;
static object objects[MOST_OBJECTS]; /* calls come one at a time: NXS_ThreadModel_Serialized */

static nxs_string text(const char *words) {
  nxs_string string;
  string.data = words;
  string.size = strlen(words);
  return string;
}

static nxs_status fail(nxs_status status, const char *why) {
  const nxs_string words = text(why);
  the_host->make_error(the_host->tag, 0, &words);
  return status;
}

/* ---- Objects ---- */

static nxs_id id_of(const object *it) {
  return NXS_ID_MAKE(it->type, the_host->tag, it->generation, (uint64_t)(it - objects));
}

static object *find(nxs_id id, nxs_object_type type) {
  object *it = NXS_ID_INDEX(id) < MOST_OBJECTS ? &objects[NXS_ID_INDEX(id)] : NULL;
  return it != NULL && it->type == type && id_of(it) == id ? it : NULL;
}

static object *make(nxs_object_type type) {
  for (object *it = objects; it != objects + MOST_OBJECTS; ++it) {
    if (it->type == 0) {
      const uint32_t generation = it->generation + 1;
      memset(it, 0, sizeof(*it));
      it->type = type;
      it->generation = generation;
      return it;
    }
  }
  return NULL;
}

static nxs_status create(nxs_object_type type, nxs_id *out_id) {
  const object *it = make(type);
  if (it == NULL) return fail(NXS_OutOfResources, "256 objects are the most");
  *out_id = id_of(it);
  return NXS_Success;
}

static nxs_status release(nxs_id id, nxs_object_type type, nxs_status invalid) {
  object *it = find(id, type);
  if (it == NULL) return fail(invalid, "the id names no object of that type");
  free(it->bytes);
  it->bytes = NULL;
  it->type = 0;
  return NXS_Success;
}

static nxs_status next_ticket(nxs_id stream, nxs_ticket *out_ticket) {
  object *it = find(stream, NXS_ObjectType_Stream);
  if (it == NULL) return fail(NXS_InvalidStream, "the id names no stream");
  *out_ticket = ++it->size;
  return NXS_Success;
}

/* ---- Properties ---- */

static nxs_status give(nxs_value *value, nxs_value_type type, const void *data, uint64_t size) {
  value->type = type;
  value->size = size;
  if (size <= value->capacity) memcpy(value->data, data, size);
  return NXS_Success;
}

static nxs_status property(nxs_id id, nxs_property key, nxs_value *value) {
  const object *it = NXS_ID_INDEX(id) < MOST_OBJECTS ? &objects[NXS_ID_INDEX(id)] : objects;
  const int64_t keys[] = {NP_Name, NP_Keys};
  const int64_t number = it->type == NXS_ObjectType_Runtime ? 1 : (int64_t)it->size;
  switch (key) {
    case NP_Name:
    case NP_Vendor:
    case NP_Architecture:
      return give(value, NXS_ValueType_Str, NAME, strlen(NAME));
    case NP_Type:
      return give(value, NXS_ValueType_Str, "cpu", 3);
    case NP_Size:
    case NP_LastTicket:
      return give(value, NXS_ValueType_Int, &number, sizeof(number));
    case NP_Keys:
      return give(value, NXS_ValueType_IntVec, keys, sizeof(keys));
    default:
      return fail(NXS_InvalidProperty, "there is no such property");
  }
}

/* ---- The functions that a kernel needs ---- */

static nxs_status get_device(nxs_id runtime, uint32_t index, nxs_id *out_device) {
  if (find(runtime, NXS_ObjectType_Runtime) == NULL) {
    return fail(NXS_InvalidRuntime, "the id names no runtime");
  }
  if (index != 0) return fail(NXS_InvalidDevice, "there is one device");
  *out_device = NXS_ID_MAKE(NXS_ObjectType_Device, the_host->tag, 1, MOST_OBJECTS);
  return NXS_Success;
}

static nxs_status create_buffer(nxs_id device, uint64_t size, nxs_buffer_settings settings,
                                void *host_ptr, nxs_id *out_buffer) {
  (void)device;
  (void)settings;
  const nxs_status status = create(NXS_ObjectType_Buffer, out_buffer);
  if (status != NXS_Success) return status;
  object *it = find(*out_buffer, NXS_ObjectType_Buffer);
  it->bytes = malloc(size);
  it->size = size;
  if (it->bytes == NULL) {
    it->type = 0;
    return fail(NXS_MemObjectAllocationFailure, "there is no memory left");
  }
  if (host_ptr != NULL) memcpy(it->bytes, host_ptr, size);
  return NXS_Success;
}
static nxs_status release_buffer(nxs_id buffer) {
  return release(buffer, NXS_ObjectType_Buffer, NXS_InvalidBuffer);
}

static nxs_status copy_buffer(nxs_id buffer, uint64_t offset, void *host_ptr, uint64_t size,
                              nxs_id stream, nxs_ticket *out_ticket) {
  const object *it = find(buffer, NXS_ObjectType_Buffer);
  if (it == NULL) return fail(NXS_InvalidBuffer, "the id names no buffer");
  if (offset > it->size || size > it->size - offset) {
    return fail(NXS_InvalidValue, "the range lies outside the buffer");
  }
  const nxs_status status = next_ticket(stream, out_ticket);
  if (status == NXS_Success) memcpy(host_ptr, it->bytes + offset, size);
  return status;
}

static nxs_status create_library(nxs_id device, const void *data, uint64_t size, nxs_id *out) {
  (void)device;
  (void)data;
  (void)size;
  return create(NXS_ObjectType_Library, out);
}
static nxs_status release_library(nxs_id library) {
  return release(library, NXS_ObjectType_Library, NXS_InvalidLibrary);
}
static nxs_status get_kernel(nxs_id library, const nxs_string *name, nxs_id *out_kernel) {
  (void)library;
  if (name->size != 8 || memcmp(name->data, "fill_i32", 8) != 0) {
    return fail(NXS_InvalidKernelName, "there is the kernel fill_i32 alone");
  }
  return create(NXS_ObjectType_Kernel, out_kernel);
}
static nxs_status release_kernel(nxs_id kernel) {
  return release(kernel, NXS_ObjectType_Kernel, NXS_InvalidKernel);
}

static nxs_status create_stream(nxs_id device, int32_t priority, nxs_id *out_stream) {
  (void)device;
  (void)priority;
  return create(NXS_ObjectType_Stream, out_stream);
}
static nxs_status release_stream(nxs_id stream) {
  return release(stream, NXS_ObjectType_Stream, NXS_InvalidStream);
}
static nxs_status query_stream(nxs_id stream, nxs_ticket ticket, nxs_completion *out) {
  const object *it = find(stream, NXS_ObjectType_Stream);
  (void)ticket;
  if (it == NULL) return fail(NXS_InvalidStream, "the id names no stream");
  out->state = NXS_CompletionState_Completed;
  out->status = NXS_Success;
  out->error = 0;
  out->completed = it->size;
  return NXS_Success;
}
static nxs_status wait_stream(nxs_id stream, nxs_ticket ticket, uint64_t timeout,
                              nxs_completion *out) {
  (void)timeout;
  return query_stream(stream, ticket, out);
}

static nxs_status create_schedule(nxs_id device, nxs_id *out_schedule) {
  (void)device;
  return create(NXS_ObjectType_Schedule, out_schedule);
}
static nxs_status release_schedule(nxs_id schedule) {
  for (object *it = objects; it != objects + MOST_OBJECTS; ++it) {
    if (it->type == NXS_ObjectType_Command && it->schedule == schedule) it->type = 0;
  }
  return release(schedule, NXS_ObjectType_Schedule, NXS_InvalidSchedule);
}
static nxs_status create_command(nxs_id schedule, nxs_id kernel, nxs_id *out_command) {
  (void)kernel;
  const nxs_status status = create(NXS_ObjectType_Command, out_command);
  if (status == NXS_Success) find(*out_command, NXS_ObjectType_Command)->schedule = schedule;
  return status;
}
static nxs_status set_argument(nxs_id command, uint32_t index, const nxs_argument *argument) {
  object *it = find(command, NXS_ObjectType_Command);
  if (it == NULL) return fail(NXS_InvalidCommand, "the id names no command");
  if (index > 1) return fail(NXS_InvalidArgIndex, "there are two arguments");
  if (index == 0) {
    it->buffer = argument->buffer;
  } else if (argument->kind == NXS_ArgumentKind_Scalar && argument->size == sizeof(it->value)) {
    memcpy(&it->value, argument->data, sizeof(it->value));
  } else {
    return fail(NXS_InvalidArgValue, "argument 1 is an int32");
  }
  return NXS_Success;
}
static nxs_status finalize(nxs_id command, const nxs_launch *launch) {
  object *it = find(command, NXS_ObjectType_Command);
  if (it == NULL) return fail(NXS_InvalidCommand, "the id names no command");
  it->size = launch->grid_size[0];
  return NXS_Success;
}
static nxs_status release_command(nxs_id command) {
  object *it = find(command, NXS_ObjectType_Command);
  return it == NULL ? fail(NXS_InvalidCommand, "the id names no command") : NXS_Success;
}

/* A command stays in the table until its schedule ends: the table is the list of commands. */
static nxs_status run_schedule(nxs_id schedule, nxs_id stream, nxs_execution_settings settings,
                               nxs_ticket *out_ticket) {
  (void)settings;
  for (const object *it = objects; it != objects + MOST_OBJECTS; ++it) {
    if (it->type != NXS_ObjectType_Command || it->schedule != schedule) continue;
    const object *out = find(it->buffer, NXS_ObjectType_Buffer);
    if (out == NULL || out->size / sizeof(it->value) < it->size) {
      return fail(NXS_InvalidCommand, "argument 0 is not a buffer of that many elements");
    }
    for (uint64_t i = 0; i < it->size; ++i) {
      memcpy(out->bytes + i * sizeof(it->value), &it->value, sizeof(it->value));
    }
  }
  return next_ticket(stream, out_ticket);
}

/* What a newer version of the interface brought, where this is built with its headers. */
#ifdef NEWER
static nxs_status count_stars(nxs_id device, uint64_t *out_stars) {
  (void)device;
  *out_stars = 42;
  return NXS_Success;
}
#endif

/* ---- Negotiation ---- */

/* All others, each returning NXS_NotSupported. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
#define NXS_FUNCTION(need, since, name, parameters)              \
  static nxs_status stub_##name parameters {                     \
    return fail(NXS_NotSupported, "this plug-in can't do that"); \
  }
#include <nexus-api/nxs_functions.def>

static void fill_table(nxs_functions *table) {
  memset(table, 0, sizeof(*table));
#define REQUIRED(name) stub_##name
#define OPTIONAL(name) (1 ? NULL : stub_##name)
#define NXS_FUNCTION(need, since, name, parameters) table->name = need(name);
#include <nexus-api/nxs_functions.def>
  table->GetRuntimeProperty = property;
  table->GetDeviceProperty = property;
  table->GetBufferProperty = property;
  table->GetLibraryProperty = property;
  table->GetKernelProperty = property;
  table->GetStreamProperty = property;
  table->GetScheduleProperty = property;
  table->GetCommandProperty = property;
  table->GetDevice = get_device;
  table->CreateBuffer = create_buffer;
  table->ReleaseBuffer = release_buffer;
  table->CopyBuffer = copy_buffer;
  table->CreateLibrary = create_library;
  table->ReleaseLibrary = release_library;
  table->GetKernel = get_kernel;
  table->ReleaseKernel = release_kernel;
  table->CreateStream = create_stream;
  table->ReleaseStream = release_stream;
  table->QueryStream = query_stream;
  table->WaitStream = wait_stream;
  table->CreateSchedule = create_schedule;
  table->ReleaseSchedule = release_schedule;
  table->RunSchedule = run_schedule;
  table->CreateCommand = create_command;
  table->SetCommandArgument = set_argument;
  table->FinalizeCommand = finalize;
  table->ReleaseCommand = release_command;
#ifdef NEWER
  table->CountStars = count_stars;
#endif
}

static int is_older(uint32_t minor, uint32_t than) {
  return minor < than;
}

/* Takes out what came after a version that both speak. */
static void remove_newer(nxs_functions *table, uint32_t minor) {
#define NXS_FUNCTION(need, since, name, parameters) \
  if (is_older(minor, since)) table->name = NULL;
#include <nexus-api/nxs_functions.def>
}

NXS_EXPORT nxs_status nxsQueryPlugin(const nxs_host *host, nxs_plugin *plugin) {
  nxs_functions table;
  uint64_t known = plugin->functions->struct_size; /* the host's: nothing is written beyond */
  const uint32_t minor =
      is_older(host->api_minor, NXS_API_VERSION_MINOR) ? host->api_minor : NXS_API_VERSION_MINOR;
  the_host = host;
  if (host->api_major != NXS_API_VERSION_MAJOR || is_older(minor, MIN_MINOR) ||
      is_older(minor, host->min_minor)) {
    return fail(NXS_IncompatibleVersion, NAME
                " and this Nexus share no version of the plug-in interface; "
                "install versions that fit");
  }
  fill_table(&table);
  remove_newer(&table, minor);
  if (known > sizeof(table)) known = sizeof(table);
  memcpy((char *)plugin->functions + sizeof(uint64_t), (char *)&table + sizeof(uint64_t),
         known - sizeof(uint64_t));
  plugin->api_major = NXS_API_VERSION_MAJOR;
  plugin->api_minor = minor;
  plugin->name = text(NAME);
  plugin->version = text("1.0.0");
  plugin->capabilities = NXS_Capability_LibraryFromMemory;
  plugin->thread_model = NXS_ThreadModel_Serialized;
  return create(NXS_ObjectType_Runtime, &plugin->runtime);
}
