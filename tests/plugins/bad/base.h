/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plug-in in one header, for tests of the loader: one device that can do nothing.
 * A test plug-in defines NAME, includes this, and says in answer() how it departs
 * from a good one:
 *
 *   #define NAME "lacking"
 *   #include "base.h"
 *   static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
 *     plugin->functions->CreateStream = NULL;
 *     return NXS_Success;
 *   }
 *
 * It defines DEVICES and TYPE before, where it has not one device of type "cpu"; and LANGUAGE where
 * it says that it compiles one.
 */
#ifndef NEXUS_TESTS_PLUGINS_BAD_BASE_H_
#define NEXUS_TESTS_PLUGINS_BAD_BASE_H_

#include <nexus-api/nxs_functions.h>
#include <string.h>

#ifndef DEVICES
#define DEVICES 1
#endif
#ifndef TYPE
#define TYPE "cpu"
#endif

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin);

static const nxs_host *the_host;

static inline nxs_string text(const char *words) {
  nxs_string string;
  string.data = words;
  string.size = strlen(words);
  return string;
}

static inline nxs_status fail(nxs_status status, const char *why) {
  const nxs_string words = text(why);
  the_host->make_error(the_host->tag, 42, &words);
  return status;
}

static inline nxs_id id_of(nxs_object_type type, uint32_t index) {
  return NXS_ID_MAKE(type, the_host->tag, 1, index);
}

static inline nxs_status give(nxs_value *value, nxs_value_type type, const void *data,
                              uint64_t size) {
  value->type = type;
  value->size = size;
  if (size <= value->capacity) {
    memcpy(value->data, data, size);
  }
  return NXS_Success;
}

static inline nxs_status property(nxs_property key, nxs_value *value) {
  const int64_t devices = DEVICES;
  const int64_t keys[] = {NP_Name, NP_Type, NP_Size, NP_Keys};
  switch (key) {
    case NP_Name:
      return give(value, NXS_ValueType_Str, NAME, strlen(NAME));
    case NP_Type:
      return give(value, NXS_ValueType_Str, TYPE, strlen(TYPE));
    case NP_Size:
      return give(value, NXS_ValueType_Int, &devices, sizeof(devices));
    case NP_Keys:
      return give(value, NXS_ValueType_IntVec, keys, sizeof(keys));
#ifdef LANGUAGE
    case NP_Languages:
      return give(value, NXS_ValueType_StrVec, LANGUAGE, sizeof(LANGUAGE));
    case NP_Compiler:
      return give(value, NXS_ValueType_Str, "none", 4);
#endif
    default:
      return fail(NXS_InvalidProperty, "there is no such property");
  }
}

/* All functions, each returning NXS_NotSupported; a few that work replace theirs below. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
#define REQUIRED 1
#define OPTIONAL 0
#define NXS_FUNCTION(need, since, name, parameters)               \
  static nxs_status stub_##name parameters {                      \
    return fail(NXS_NotSupported, "this plug-in can do nothing"); \
  }
#include <nexus-api/nxs_functions.def>

static inline nxs_status base_runtime_property(nxs_id runtime, nxs_property key,
                                               nxs_value *out_value) {
  return property(key, out_value);
}

static inline nxs_status base_get_device(nxs_id runtime, uint32_t index, nxs_id *out_device) {
  if (index >= DEVICES) {
    return fail(NXS_InvalidDevice, "there is no such device");
  }
  *out_device = id_of(NXS_ObjectType_Device, index);
  return NXS_Success;
}

static inline nxs_status base_create_stream(nxs_id device, int32_t priority, nxs_id *out_stream) {
  *out_stream = id_of(NXS_ObjectType_Stream, 7);
  return NXS_Success;
}

static inline nxs_status base_release(nxs_id object) {
  return NXS_Success;
}

NXS_EXPORT nxs_status nxsQueryPlugin(const nxs_host *host, nxs_plugin *plugin) {
  the_host = host;
  plugin->api_major = NXS_API_VERSION_MAJOR;
  plugin->api_minor = NXS_API_VERSION_MINOR;
  plugin->name = text(NAME);
  plugin->version = text("1.2.3");
  plugin->runtime = id_of(NXS_ObjectType_Runtime, 0);
  plugin->thread_model = NXS_ThreadModel_Free;
#ifdef LANGUAGE
  plugin->capabilities = NXS_Capability_Compile;
#endif
#define NXS_FUNCTION(need, since, name, parameters) \
  plugin->functions->name = need ? stub_##name : NULL;
#include <nexus-api/nxs_functions.def>
  plugin->functions->GetRuntimeProperty = base_runtime_property;
  plugin->functions->GetDevice = base_get_device;
  plugin->functions->GetDeviceProperty = base_runtime_property;
  plugin->functions->GetStreamProperty = base_runtime_property;
  plugin->functions->CreateStream = base_create_stream;
  plugin->functions->ReleaseStream = base_release;
  return answer(host, plugin);
}

#endif /* NEXUS_TESTS_PLUGINS_BAD_BASE_H_ */
