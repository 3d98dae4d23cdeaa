// SPDX-License-Identifier: Apache-2.0
// The reference backend, which pretends to be a GPU.
#define nxsQueryPlugin nxsQueryReference
#include "../nexus-reference/nexus_reference.cpp"
#undef nxsQueryPlugin

#include <map>
#include <mutex>

extern "C" NXS_EXPORT nxs_status nxsQueryPlugin(const nxs_host *host, nxs_plugin *plugin);

namespace pretending NXS_HIDDEN {
namespace {

#ifdef PRETENDED_ROCM
constexpr const char *kName = "pretended_rocm";
constexpr int64_t kDevice = 10, kHostMemory = 11, kManagedMemory = 10;
#else
constexpr const char *kName = "pretending";
constexpr int64_t kDevice = 2, kHostMemory = 3, kManagedMemory = 13;
#endif
constexpr uint64_t kLastDefaultStream = 2;

struct Allocation {
  uint64_t size = 0;  // 0: not the backend's own
  int64_t place = kDevice;
};

nxs_functions real;  // what the reference backend answered
std::mutex mutex;
std::map<nxs_id, nxs_id> streams_over;       // under mutex: the stream that gets the work
std::map<uint64_t, nxs_id> default_streams;  // under mutex: by handle
std::map<nxs_id, Allocation> allocations;    // under mutex
uint64_t used = 0;                           // under mutex
uint64_t kept = 0;                           // under mutex: of released buffers

// The stream that gets the work of one, which may be over another.
nxs_id stream_of(nxs_id id) {
  const std::lock_guard lock(mutex);
  const auto found = streams_over.find(id);
  return found == streams_over.end() ? id : found->second;
}

// ---- Functions with streams: the work of a stream that is over another one is that one's ----

template <auto Member>
struct Forwarded;
template <class... Arguments, nxs_status (*nxs_functions::*Member)(Arguments...)>
struct Forwarded<Member> {
  static nxs_status call(Arguments... arguments) noexcept {
    return (real.*Member)(translate(arguments)...);
  }

 private:
  template <class Argument>
  static Argument translate(Argument argument) noexcept {
    if constexpr (std::is_same_v<Argument, nxs_id>) {
      if (NXS_ID_TYPE(argument) == NXS_ObjectType_Stream) return stream_of(argument);
    }
    return argument;
  }
};

// ---- Properties: those of the reference backend, and more ----

using Getter = nxs_status (*)(nxs_id, nxs_property, nxs_value *);

// own: what is added. The keys are those of both.
template <class Own>
nxs_status read(Getter getter, nxs_id id, nxs_property property, nxs_value *out_value,
                std::initializer_list<nxs_property> added, Own &&own) {
  return guarded([&] {
    nxs_value &out = check_struct(out_value, "out_value");
    for (const nxs_property each : added) {
      if (each == property) return own().write(out);
    }
    if (property != NP_Keys) {
      if (const nxs_status status = getter(id, property, out_value); status != NXS_Success) {
        throw Error(status, "the reference backend does not know the property ", property);
      }
      return;
    }
    std::vector<int64_t> keys(64);
    nxs_value known{sizeof(known), 0, 0, keys.data(), keys.size() * sizeof(int64_t), 0};
    if (const nxs_status status = getter(id, NP_Keys, &known); status != NXS_Success) {
      throw Error(status, "the reference backend does not report its keys");
    }
    keys.resize(known.size / sizeof(int64_t));
    keys.insert(keys.end(), added.begin(), added.end());
    Value(keys).write(out);
  });
}

Value place(int64_t type) {
  return std::vector<int64_t>{type, 0};
}

nxs_status runtime_property(nxs_id runtime, nxs_property property, nxs_value *out_value) {
  if (property != NP_Name) return real.GetRuntimeProperty(runtime, property, out_value);
  return guarded([&] {
    runtimes.pin(runtime);
    Value(kName).write(check_struct(out_value, "out_value"));
  });
}

nxs_status device_property(nxs_id device, nxs_property property, nxs_value *out_value) {
  return read(real.GetDeviceProperty, device, property, out_value,
              {NP_DLPackDevice, NP_MemoryReserved, NP_NativeHandle}, [&]() -> Value {
                const std::lock_guard lock(mutex);
                return property == NP_DLPackDevice     ? place(kDevice)
                       : property == NP_MemoryReserved ? Value(used + kept)
                                                       : Value(0);
              });
}

nxs_status buffer_property(nxs_id buffer, nxs_property property, nxs_value *out_value) {
  return read(real.GetBufferProperty, buffer, property, out_value, {NP_DLPackDevice}, [&] {
    const std::lock_guard lock(mutex);
    return place(allocations[buffer].place);
  });
}

nxs_status stream_property(nxs_id stream, nxs_property property, nxs_value *out_value) {
  const nxs_id own = stream_of(stream);
  return read(real.GetStreamProperty, own, property, out_value, {NP_NativeHandle},
              [&] { return Value(own); });
}

// ---- Memory ----

nxs_status create_buffer(nxs_id device, uint64_t size, nxs_buffer_settings settings, void *host_ptr,
                         nxs_id *out_buffer) {
  const nxs_status status = real.CreateBuffer(device, size, settings, host_ptr, out_buffer);
  if (status == NXS_Success) {
    const bool host = (settings & NXS_BufferSettings_OnHost) != 0;
    const bool moves = host && (settings & NXS_BufferSettings_OnDevice) != 0;
    const std::lock_guard lock(mutex);
    allocations[*out_buffer] = {size, moves ? kManagedMemory : host ? kHostMemory : kDevice};
    kept -= std::min(kept, size);
    used += size;
  }
  return status;
}

nxs_status release_buffer(nxs_id buffer) {
  const nxs_status status = real.ReleaseBuffer(buffer);
  if (status == NXS_Success) {
    const std::lock_guard lock(mutex);
    const uint64_t size = allocations[buffer].size;
    allocations.erase(buffer);
    used -= size;
    kept += size;
  }
  return status;
}

nxs_status trim_memory(nxs_id device, uint64_t keep) {
  return guarded([&] {
    devices.pin(device);
    const std::lock_guard lock(mutex);
    kept = std::min(kept, keep);
  });
}

// ---- Streams ----

nxs_id made_stream(nxs_id device) {
  nxs_id stream = 0;
  if (real.CreateStream(device, 0, &stream) == NXS_Success) return stream;
  throw Error(NXS_OutOfResources, "the reference backend makes no stream");
}

nxs_id stream_with(nxs_id device, uint64_t handle) {
  if (handle > kLastDefaultStream) {
    streams.pin(static_cast<nxs_id>(handle));
    return static_cast<nxs_id>(handle);
  }
  nxs_id &stream = default_streams[handle];
  if (stream == 0) stream = made_stream(device);
  return stream;
}

nxs_status create_stream_from_handle(nxs_id device, uint64_t handle, nxs_id *out_stream) {
  return guarded(out_stream, [&] {
    devices.pin(device);
    const std::lock_guard lock(mutex);
    nxs_id over = 0;
    try {
      over = stream_with(device, handle);
    } catch (const Error &) {
      throw Error(NXS_InvalidValue, "handle is ", handle, "; no stream has it");
    }
    const nxs_id stream = made_stream(device);
    streams_over[stream] = over;
    return stream;
  });
}

nxs_status release_stream(nxs_id stream) {
  {
    const std::lock_guard lock(mutex);
    streams_over.erase(stream);
  }
  return real.ReleaseStream(stream);
}

void pretend(nxs_functions &table) {
  real = table;
#define NXS_FUNCTION(need, since, function, parameters) \
  if (real.function != nullptr) table.function = &Forwarded<&nxs_functions::function>::call;
#include <nexus-api/nxs_functions.def>
  table.MapBuffer = nullptr;
  table.UnmapBuffer = nullptr;
  table.GetRuntimeProperty = runtime_property;
  table.GetDeviceProperty = device_property;
  table.GetBufferProperty = buffer_property;
  table.GetStreamProperty = stream_property;
  table.CreateBuffer = create_buffer;
  table.ReleaseBuffer = release_buffer;
  table.TrimMemory = trim_memory;
  table.CreateStreamFromHandle = create_stream_from_handle;
  table.ReleaseStream = release_stream;
}

}  // namespace
}  // namespace pretending

extern "C" NXS_EXPORT nxs_status nxsQueryPlugin(const nxs_host *host, nxs_plugin *plugin) {
  const nxs_status status = nxsQueryReference(host, plugin);
  if (status == NXS_Success) {
    plugin->name = as_nxs(pretending::kName);
    plugin->capabilities &= ~uint64_t{NXS_Capability_HostVisibleMemory};
    plugin->capabilities |= NXS_Capability_ForeignStream;
    pretending::pretend(*plugin->functions);
  }
  return status;
}
