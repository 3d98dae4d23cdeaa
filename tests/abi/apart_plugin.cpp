// SPDX-License-Identifier: Apache-2.0
// One of two plug-ins that stay apart though they are built from the same source,
// with default flags, but for NAME and NUMBER. Everything in it that one plug-in
// could take from the other answers with NUMBER.
#include <nexus-plugin/plugin.hpp>

#ifndef NAME
#define NAME "one"
#define NUMBER 1
#endif

using namespace nexus_plugin;

namespace {

struct Device {
  int64_t number = NUMBER;
};

constinit HandleTable<Device, NXS_ObjectType_Device> devices;
constinit HandleTable<WorkQueue, NXS_ObjectType_Stream> streams;

constexpr auto device_properties = property_table<Device>({
    {NP_Value, [](const Device &device) -> Value { return device.number; }},
    {NP_Count, [](const Device &) -> Value { return devices.slot_count(); }},
    {NP_ID, [](const Device &) -> Value { return host_tag(); }},
});

// A static of a function, which the loader would make one where it is visible.
int64_t calls() {
  static int64_t count = 0;
  return ++count;
}

}  // namespace

NEXUS_PLUGIN_GET_PROPERTY(Device, devices, device_properties)
NEXUS_PLUGIN_STREAM(streams, completion())

extern "C" {

// Makes a device each time it is asked.
nxs_status nxsGetDevice(nxs_id, uint32_t, nxs_id *out_device) {
  return guarded(out_device, [] { return devices.create(); });
}

nxs_status nxsCreateStream(nxs_id, int32_t, nxs_id *out_stream) {
  return guarded(out_stream, [] { return streams.create(); });
}

// Calls back with NUMBER times the calls so far, on the stream's thread.
nxs_status nxsEnqueueHostCallback(nxs_id stream, void (*callback)(void *context, nxs_status status),
                                  void *context, nxs_ticket *out_ticket) {
  return guarded(out_ticket, [&] {
    return streams.pin(stream)->submit(
        [callback, context] { callback(context, static_cast<nxs_status>(NUMBER * calls())); });
  });
}

// Fails later, on the stream's thread.
nxs_status nxsPrepareSchedule(nxs_id, nxs_id stream) {
  return guarded([&] {
    streams.pin(stream)->submit([] { throw Error(NXS_DeviceLost, "failed in ", NAME); });
  });
}

NXS_EXPORT nxs_status nxsQueryPlugin(const nxs_host *host, nxs_plugin *plugin) {
  nxs_functions functions{};
  functions.GetDevice = nxsGetDevice;
  functions.GetDeviceProperty = nxsGetDeviceProperty;
  functions.CreateStream = nxsCreateStream;
  functions.QueryStream = nxsQueryStream;
  functions.WaitStream = nxsWaitStream;
  functions.EnqueueHostCallback = nxsEnqueueHostCallback;
  functions.PrepareSchedule = nxsPrepareSchedule;
  return query(host, plugin, {.name = NAME, .version = "1"}, functions, [] { return nxs_id{1}; });
}

}  // extern "C"
