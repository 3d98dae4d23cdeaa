/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A host of the version of its headers, in C11: opens a plug-in, negotiates, runs its kernel
 * fill_i32, and prints what it saw, a fact a line.
 *
 *   host PLUGIN [MIN_MINOR]   MIN_MINOR: the oldest plug-in that this host can use; default 0
 */
#include <dlfcn.h>
#include <nexus-api/nxs_functions.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ITEMS 4
#define AFTER 64 /* bytes behind the table, which no plug-in may touch */

static char last_error[1024];

/* ---- The services of the host ---- */

static void log_line(uint32_t tag, nxs_log_level level, const nxs_string *text) {
  (void)tag;
  (void)level;
  (void)text;
}
static uint64_t make_error(uint32_t tag, int64_t native_code, const nxs_string *text) {
  (void)tag;
  (void)native_code;
  snprintf(last_error, sizeof(last_error), "%.*s", (int)text->size, text->data);
  return 1;
}
static void keep_error(uint64_t error) {
  (void)error;
}
static void get_config(uint32_t tag, const nxs_string *key, nxs_string *out_value) {
  (void)tag;
  (void)key;
  out_value->data = "";
  out_value->size = 0;
}
static nxs_property intern_property(uint32_t tag, const nxs_string *name) {
  (void)tag;
  (void)name;
  return NXS_PROPERTY_VENDOR_FIRST;
}
static int32_t is_interrupted(uint32_t tag) {
  (void)tag;
  return 0;
}

static nxs_host the_host; /* lives as long as the process */

static void make_host(uint32_t min_minor) {
  the_host.struct_size = sizeof(the_host);
  the_host.api_major = NXS_API_VERSION_MAJOR;
  the_host.api_minor = NXS_API_VERSION_MINOR;
  the_host.min_minor = min_minor;
  the_host.tag = 5;
  the_host.log = log_line;
  the_host.make_error = make_error;
  the_host.retain_error = keep_error;
  the_host.release_error = keep_error;
  the_host.get_config = get_config;
  the_host.intern_property = intern_property;
  the_host.is_interrupted = is_interrupted;
}

/* ---- A kernel ---- */

static void check(nxs_status status, const char *call) {
  if (status != NXS_Success) {
    printf("failed: %s: %d %s\n", call, (int)status, last_error);
    exit(0);
  }
}
#define DO(call) check(call, #call)

static void set_arguments(const nxs_functions *nxs, nxs_id command, nxs_id buffer) {
  const int32_t seven = 7;
  nxs_argument argument;
  memset(&argument, 0, sizeof(argument));
  argument.struct_size = sizeof(argument);
  argument.kind = NXS_ArgumentKind_Buffer;
  argument.buffer = buffer;
  argument.size = ITEMS * sizeof(seven);
  DO(nxs->SetCommandArgument(command, 0, &argument));
  argument.kind = NXS_ArgumentKind_Scalar;
  argument.buffer = 0;
  argument.data = &seven;
  argument.size = sizeof(seven);
  DO(nxs->SetCommandArgument(command, 1, &argument));
}

static void launch(const nxs_functions *nxs, nxs_id command) {
  nxs_launch size;
  memset(&size, 0, sizeof(size));
  size.struct_size = sizeof(size);
  for (int i = 0; i < 3; ++i) {
    size.group_size[i] = size.group_count[i] = size.grid_size[i] = 1;
  }
  size.group_size[0] = size.grid_size[0] = ITEMS;
  DO(nxs->FinalizeCommand(command, &size));
}

static void wait(const nxs_functions *nxs, nxs_id stream, nxs_ticket ticket) {
  nxs_completion out;
  memset(&out, 0, sizeof(out));
  out.struct_size = sizeof(out);
  do {
    DO(nxs->WaitStream(stream, ticket, UINT64_C(1000000000), &out));
  } while (out.state == NXS_CompletionState_Running);
  check(out.status, "the work");
}

static void run_kernel(const nxs_functions *nxs, nxs_id runtime) {
  static const char library_text[] = "nexus-reference 1\nfill_i32\n";
  const nxs_string name = {"fill_i32", 8};
  int32_t items[ITEMS] = {0};
  nxs_id device, buffer, library, kernel, stream, schedule, command;
  nxs_ticket ticket;
  DO(nxs->GetDevice(runtime, 0, &device));
  DO(nxs->CreateBuffer(device, sizeof(items), 0, items, &buffer));
  DO(nxs->CreateLibrary(device, library_text, sizeof(library_text) - 1, &library));
  DO(nxs->GetKernel(library, &name, &kernel));
  DO(nxs->CreateStream(device, 0, &stream));
  DO(nxs->CreateSchedule(device, &schedule));
  DO(nxs->CreateCommand(schedule, kernel, &command));
  set_arguments(nxs, command, buffer);
  launch(nxs, command);
  DO(nxs->RunSchedule(schedule, stream, 0, &ticket));
  DO(nxs->CopyBuffer(buffer, 0, items, sizeof(items), stream, &ticket));
  wait(nxs, stream, ticket);
  printf("kernel: %d %d %d %d\n", (int)items[0], (int)items[1], (int)items[2], (int)items[3]);
#ifdef NEWER
  uint64_t stars = 0;
  if (nxs->CountStars != NULL) DO(nxs->CountStars(device, &stars));
  printf("stars: %d\n", (int)stars);
#endif
}

/* ---- Negotiation ---- */

static nxsQueryPlugin_fn open_plugin(const char *path) {
  nxsQueryPlugin_fn query = NULL;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void *symbol = library == NULL ? NULL : dlsym(library, "nxsQueryPlugin");
  if (symbol == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  memcpy(&query, &symbol, sizeof(query)); /* ISO C converts no object's address to a function's */
  return query;
}

int main(int count, char **words) {
  static struct {
    nxs_functions table;
    unsigned char after[AFTER];
  } memory;
  nxs_plugin plugin;
  int touched = 0;
  if (count < 2) return 2;
  make_host(count > 2 ? (uint32_t)strtoul(words[2], NULL, 10) : 0);
  memset(memory.after, 0xAB, AFTER);
  memory.table.struct_size = sizeof(memory.table);
  memset(&plugin, 0, sizeof(plugin));
  plugin.struct_size = sizeof(plugin);
  plugin.functions = &memory.table;
  const nxs_status status = open_plugin(words[1])(&the_host, &plugin);
  printf("status: %d\n", (int)status);
  for (int i = 0; i < AFTER; ++i) touched += memory.after[i] != 0xAB;
  printf("touched: %d\n", touched);
  if (status != NXS_Success) {
    printf("refused: %s\n", last_error);
    return 0;
  }
  printf("served: %d.%d\n", (int)plugin.api_major, (int)plugin.api_minor);
  run_kernel(&memory.table, plugin.runtime);
  return 0;
}
