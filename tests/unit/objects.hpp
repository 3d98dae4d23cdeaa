// SPDX-License-Identifier: Apache-2.0
//
// The C functions of libnexus for tests: references that end by themselves, and
// statuses with their texts.
#pragma once

#include <nexus/nexus_c.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "check.hpp"

#if defined(__SANITIZE_ADDRESS__)
// The leak checker of gcc 12 crashes over the thread-local memory of libraries opened at run
// time, and without looking there it takes what the C library keeps for threads and libraries
// for a leak.
extern "C" NXS_EXPORT const char *__lsan_default_options() {
  return "use_tls=0";
}
extern "C" NXS_EXPORT const char *__lsan_default_suppressions() {
  return "leak:add_to_global_resize\nleak:__cxa_thread_atexit_impl";
}
#endif

namespace objects {

using Floats = std::vector<float>;

inline constexpr uint64_t kMillisecond = 1'000'000;
inline constexpr const char *kBackends[] = {"reference:0", "cpu:0"};

/// The text of this thread's last error.
inline std::string errorText() {
  nexus_error_info info{};
  info.struct_size = sizeof(info);
  nexus_get_last_error(&info);
  return std::string(info.text.data, info.text.size);
}

#define CHECK_OK(call)                                                                 \
  do {                                                                                 \
    if ((call) != NXS_Success)                                                         \
      check::fail(__FILE__, __LINE__, std::string(#call ": ") + objects::errorText()); \
  } while (false)

/// That call fails with a status and a text in which each of the words stands.
#define CHECK_FAILS(wanted, call, ...)                                                         \
  do {                                                                                         \
    CHECK_EQUAL(std::string(nexus_status_name(wanted)), std::string(nexus_status_name(call))); \
    for (const char *word : {__VA_ARGS__}) {                                                   \
      if (objects::errorText().find(word) == std::string::npos)                                \
        check::fail(__FILE__, __LINE__,                                                        \
                    std::string("'") + word + "' is not in: " + objects::errorText());         \
    }                                                                                          \
  } while (false)

/// A reference that ends with it.
class Object {
 public:
  Object() = default;
  Object(Object &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Object &operator=(Object &&other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Object() { nexus_release(object_); }

  nexus_object *get() const { return object_; }
  operator nexus_object *() const { return object_; }
  /// For a function that gives a reference.
  nexus_object **out() {
    nexus_release(std::exchange(object_, nullptr));
    return &object_;
  }
  void reset() { out(); }

 private:
  nexus_object *object_ = nullptr;
};

inline nxs_string text(std::string_view view) {
  return {view.data(), view.size()};
}

/// The device of a selector, such as "reference:0", of the plug-ins that were built with the tests.
inline Object device(const char *selector) {
  static const bool added = [] {
    nexus_set_discovery(0);
    CHECK_OK(nexus_add_manifest(text(NEXUS_REFERENCE_MANIFEST), text("nexus-reference")));
    CHECK_OK(nexus_add_manifest(text(NEXUS_CPU_MANIFEST), text("nexus-cpu")));
    return true;
  }();
  static_cast<void>(added);
  Object found;
  CHECK_OK(nexus_select_device(text(selector), found.out()));
  return found;
}

inline nexus_buffer_desc describe(uint64_t size, nxs_data_type type = NXS_DataType_Undefined) {
  nexus_buffer_desc desc{};
  desc.struct_size = sizeof(desc);
  desc.size = size;
  desc.data_type = type;
  return desc;
}

template <class T>
Object bufferOf(nexus_device *device, std::vector<T> values, nxs_data_type type) {
  nexus_buffer_desc desc = describe(values.size() * sizeof(T), type);
  desc.host_data = values.data();
  Object buffer;
  CHECK_OK(nexus_device_create_buffer(device, &desc, buffer.out()));
  return buffer;
}

inline Object floats(nexus_device *device, std::vector<float> values) {
  return bufferOf(device, std::move(values), NXS_DataType_F32);
}

/// A buffer over memory of the test, which is told when nothing uses it any more.
template <std::size_t Count>
Object maintained(nexus_device *device, float (&values)[Count], void (*release)(void *context),
                  void *context = nullptr) {
  nexus_buffer_desc desc = describe(sizeof(values), NXS_DataType_F32);
  desc.settings = NXS_BufferSettings_Maintain;
  desc.host_data = values;
  desc.host_release = release;
  desc.host_context = context;
  Object buffer;
  CHECK_OK(nexus_device_create_buffer(device, &desc, buffer.out()));
  return buffer;
}

template <class T = float>
std::vector<T> contents(nexus_buffer *buffer) {
  uint64_t size = 0;
  CHECK_OK(nexus_buffer_get_size(buffer, &size));
  std::vector<T> values(size / sizeof(T));
  CHECK_OK(nexus_buffer_copy_to_host(buffer, 0, values.data(), size, nullptr, 1));
  return values;
}

/// A kernel that the reference backend brings.
inline Object referenceKernel(nexus_device *device, const std::string &name) {
  const std::string source = "nexus-reference 1\n" + name + "\n";
  Object library;
  Object kernel;
  CHECK_OK(nexus_device_load_library(device, source.data(), source.size(), library.out()));
  CHECK_OK(nexus_library_get_kernel(library, text(name), kernel.out()));
  return kernel;
}

/// Gives the stream a fill, and does not wait.
inline void fill(nexus_buffer *buffer, float value, nexus_stream *stream) {
  CHECK_OK(nexus_buffer_fill(buffer, &value, sizeof(value), stream, 0));
}

inline Object schedule(nexus_device *device) {
  Object made;
  CHECK_OK(nexus_device_create_schedule(device, made.out()));
  return made;
}

inline Object stream(nexus_device *device) {
  Object made;
  CHECK_OK(nexus_device_create_stream(device, 0, made.out()));
  return made;
}

inline Object event(nexus_device *device, nxs_event_type type = NXS_EventType_Shared,
                    nxs_execution_settings settings = 0) {
  Object made;
  CHECK_OK(nexus_device_create_event(device, type, settings, made.out()));
  return made;
}

inline nexus_launch_desc launch(uint64_t grid, uint64_t group = 0) {
  nexus_launch_desc desc{};
  desc.struct_size = sizeof(desc);
  desc.grid_size[0] = grid;
  desc.grid_size[1] = desc.grid_size[2] = 1;
  if (group != 0) {
    desc.group_size[0] = group;
    desc.group_size[1] = desc.group_size[2] = 1;
  }
  return desc;
}

/// Appends out[i] = x[i] * factor of the reference backend.
inline Object scaleCommand(nexus_schedule *schedule, nexus_device *device, nexus_buffer *x,
                           float factor, nexus_buffer *out, uint64_t count) {
  const Object kernel = referenceKernel(device, "scale_f32");
  Object command;
  CHECK_OK(nexus_schedule_create_command(schedule, kernel, command.out()));
  CHECK_OK(nexus_command_set_buffer(command, 0, x));
  CHECK_OK(nexus_command_set_scalar(command, 1, &factor, sizeof(factor), NXS_DataType_F32));
  CHECK_OK(nexus_command_set_buffer(command, 2, out));
  const nexus_launch_desc desc = launch(count);
  CHECK_OK(nexus_command_finalize(command, &desc));
  return command;
}

/// A schedule whose one command, of the reference backend, fails when it runs.
inline Object failing(nexus_device *device) {
  const Object kernel = referenceKernel(device, "fail");
  Object once = schedule(device);
  Object command;
  const nexus_launch_desc desc = launch(1);
  CHECK_OK(nexus_schedule_create_command(once, kernel, command.out()));
  CHECK_OK(nexus_command_finalize(command, &desc));
  return once;
}

inline constexpr nxs_execution_settings kNonBlocking = NXS_ExecutionSettings_NonBlocking;

inline nxs_status run(nexus_schedule *schedule, nexus_stream *stream = nullptr,
                      nxs_execution_settings settings = 0) {
  return nexus_schedule_run(schedule, stream, settings, NEXUS_FOREVER, 1);
}

/// The path of a property, of names and numbers.
class Path {
 public:
  template <class... Steps>
  Path(Steps... steps) : keys_{key(steps)...} {}
  const std::vector<nexus_key> &keys() const { return keys_; }

 private:
  static nexus_key key(const char *name) { return {{name, std::strlen(name)}, 0}; }
  template <class Number>
    requires std::is_integral_v<Number> || std::is_enum_v<Number>
  static nexus_key key(Number number) {
    return {{nullptr, 0}, static_cast<int64_t>(number)};
  }

  std::vector<nexus_key> keys_;
};

struct Bytes {
  nxs_status status;
  nxs_value_type type;
  std::vector<char> data;
};

/// The bytes of a property.
inline Bytes property(nexus_object *object, const Path &path,
                      nxs_value_type wanted = NXS_ValueType_None) {
  const std::vector<nexus_key> &keys = path.keys();
  nxs_value value{};
  value.struct_size = sizeof(value);
  Bytes bytes{nexus_get_property(object, keys.data(), keys.size(), wanted, &value), 0, {}};
  if (bytes.status == NXS_Success) {
    std::vector<uint64_t> memory(value.size / 8 + 1);
    value.data = memory.data();
    value.capacity = memory.size() * 8;
    bytes.status = nexus_get_property(object, keys.data(), keys.size(), wanted, &value);
    bytes.type = value.type;
    const char *begin = reinterpret_cast<const char *>(memory.data());
    bytes.data.assign(begin, begin + value.size);
  }
  return bytes;
}

inline std::string propertyText(nexus_object *object, const Path &path) {
  const Bytes bytes = property(object, path, NXS_ValueType_Str);
  CHECK_OK(bytes.status);
  return std::string(bytes.data.begin(), bytes.data.end());
}

}  // namespace objects

// For CHECK_EQUAL, in the namespace where it is looked up.
namespace std {
template <class T>
ostream &operator<<(ostream &stream, const vector<T> &values) {
  stream << values.size() << " of [";
  for (size_t i = 0; i < values.size() && i < 8; ++i) {
    stream << (i == 0 ? "" : ", ") << values[i];
  }
  return stream << (values.size() > 8 ? ", ...]" : "]");
}
}  // namespace std
