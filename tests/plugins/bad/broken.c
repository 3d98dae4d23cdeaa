/* SPDX-License-Identifier: Apache-2.0 */
/* Plug-ins that each break one rule: NAME, which comes from the compiler's options, says which. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

static int is(const char *name) {
  return strcmp(NAME, name) == 0;
}

#define DEVICES (is("many") ? 2000000000 : is("debt") ? -3 : is("empty") ? 0 : 1)
#include "base.h"

static int64_t numbers[4];
static nxs_functions own_table;

__attribute__((constructor)) static void hang_while_the_system_loads_it(void) {
  while (is("stuck")) pause();
}

static nxs_status hang_counting(nxs_id runtime, nxs_property key, nxs_value *out_value) {
  while (key == NP_Size) pause();
  return property(key, out_value);
}

static nxs_status give_stream(nxs_id runtime, uint32_t index, nxs_id *out_device) {
  *out_device = id_of(NXS_ObjectType_Stream, index);
  return NXS_Success;
}

/* What the vendor of a device is where the answer is odd. */
static nxs_status give_vendor(nxs_value *value) {
  const int64_t number = 7;
  if (is("mistyped")) return give(value, NXS_ValueType_Int, &number, sizeof(number));
  if (is("untyped")) return give(value, 99, "x", 1);
  if (is("latin")) return give(value, NXS_ValueType_Str, "Soci\xe9t\xe9", 7);
  value->type = NXS_ValueType_Str;
  value->size = is("huge") ? UINT64_C(1) << 60 : value->capacity + 1; /* it grows each time */
  return NXS_Success;
}

static nxs_status device_property(nxs_id device, nxs_property key, nxs_value *out_value) {
  const int64_t keys[] = {NP_Name, NP_Type, NP_Vendor, NP_Keys};
  if (key == NP_Vendor) return give_vendor(out_value);
  if (key == NP_Keys) return give(out_value, NXS_ValueType_IntVec, keys, sizeof(keys));
  return property(key, out_value);
}

static nxs_status refuse(void) {
  if (is("refusing")) {
    return fail(NXS_DeviceNotAvailable, "the driver libacme.so.1 is not installed");
  }
  if (is("newer")) {
    return fail(NXS_IncompatibleVersion, "it needs the plug-in interface 1.7; update nexus-core");
  }
  return is("silent") ? NXS_OutOfResources : NXS_Success;
}

/* Answers that libnexus can see to be wrong. */
static void answer_wrongly(const nxs_host *host, nxs_plugin *plugin) {
  if (is("ahead")) plugin->api_minor = host->api_minor + 1;
  if (is("behind")) {
    plugin->api_major = 0;
    plugin->api_minor = 1;
  }
  if (is("odd")) plugin->thread_model = 42;
  if (is("foreign")) plugin->runtime = NXS_ID_MAKE(NXS_ObjectType_Runtime, host->tag + 1, 1, 0);
  if (is("resized")) plugin->struct_size = 8;
  if (is("nameless")) plugin->name.data = (const char *)8;
  if (is("endless")) plugin->name.size = INT64_MAX;
  if (is("overlong")) *((uint64_t *)((char *)plugin + plugin->struct_size)) = 1;
  if (is("bare")) plugin->functions = NULL;
  if (is("owner")) {
    own_table = *plugin->functions;
    plugin->functions = &own_table;
  }
}

static void fill_wrongly(nxs_functions *table) {
  void *address = numbers;
  if (is("lacking")) table->CreateStream = NULL;
  if (is("lacking")) table->RunSchedule = NULL;
  if (is("beyond")) *(void **)((char *)table + table->struct_size) = address;
  if (is("data")) memcpy(&table->CreateStream, &address, sizeof(address));
  if (is("counting")) table->GetRuntimeProperty = hang_counting;
  if (is("streamy")) table->GetDevice = give_stream;
  if (is("mistyped") || is("untyped") || is("latin") || is("huge") || is("growing")) {
    table->GetDeviceProperty = device_property;
  }
}

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  while (is("hanging")) pause();
  if (is("faulting")) raise(SIGSEGV);
  fill_wrongly(plugin->functions);
  answer_wrongly(host, plugin);
  return refuse();
}
