// SPDX-License-Identifier: Apache-2.0 Macros for C functions that have the same form for all object
// types.
#ifndef NEXUS_PLUGIN_FUNCTIONS_HPP_
#define NEXUS_PLUGIN_FUNCTIONS_HPP_

#include <nexus-api/nxs_functions.h>
#include <nexus-plugin/base/checks.hpp>
#include <nexus-plugin/base/error.hpp>

#include <string_view>

// Defines a C function whose body is statements, which may throw.
//   NEXUS_PLUGIN_FUNCTION(ReleaseBuffer, (nxs_id buffer), buffers.release(buffer))
#define NEXUS_PLUGIN_FUNCTION(name, parameters, ...)    \
  extern "C" nxs_status nxs##name parameters {          \
    return nexus_plugin::guarded([&] { __VA_ARGS__; }); \
  }

// Defines a C function whose last parameter is named out. It writes the value of an expression
// there.
//   NEXUS_PLUGIN_RESULT(CreateStream, (nxs_id device, int32_t, nxs_id *out), streams.create())
#define NEXUS_PLUGIN_RESULT(name, parameters, ...)                  \
  extern "C" nxs_status nxs##name parameters {                      \
    return nexus_plugin::guarded(out, [&] { return __VA_ARGS__; }); \
  }

// Defines nxsRelease<Object>, which makes the id stale. The object is destroyed when nothing uses
// it any more.
//   NEXUS_PLUGIN_RELEASE(Buffer, buffers)
#define NEXUS_PLUGIN_RELEASE(object, table)                     \
  extern "C" nxs_status nxsRelease##object(nxs_id id) {         \
    return nexus_plugin::guarded([&] { (table).release(id); }); \
  }

// Defines nxsRelease<Object> and nxsGet<Object>Property.
#define NEXUS_PLUGIN_OBJECT(object, table, properties) \
  NEXUS_PLUGIN_RELEASE(object, table)                  \
  NEXUS_PLUGIN_GET_PROPERTY(object, table, properties)

// Defines nxsGet<Object>Property from a PropertyTable.
//   NEXUS_PLUGIN_GET_PROPERTY(Buffer, buffers, buffer_properties)
#define NEXUS_PLUGIN_GET_PROPERTY(object, table, properties)                       \
  extern "C" nxs_status nxsGet##object##Property(nxs_id id, nxs_property property, \
                                                 nxs_value *out_value) {           \
    return nexus_plugin::guarded(                                                  \
        [&] { (properties).get(*(table).pin(id), property, out_value); });         \
  }

// Defines nxsQueryStream and nxsWaitStream. completion: the member of a stream that is its
// Completion.
//   NEXUS_PLUGIN_STREAM(streams, queue.completion())
#define NEXUS_PLUGIN_STREAM(table, completion)                                                     \
  extern "C" nxs_status nxsQueryStream(nxs_id id, nxs_ticket ticket, nxs_completion *out) {        \
    return nexus_plugin::guarded([&] { (table).pin(id)->completion.query(ticket, out); });         \
  }                                                                                                \
  extern "C" nxs_status nxsWaitStream(nxs_id id, nxs_ticket ticket, uint64_t timeout,              \
                                      nxs_completion *out) {                                       \
    return nexus_plugin::guarded([&] { (table).pin(id)->completion.wait(ticket, timeout, out); }); \
  }

// Defines nxsExport<Object> and nxsImport<Object>. exported is an expression that writes the handle
// to sink and may use object (a Ref) and id. imported is an expression that returns the new id and
// may use owner (a Ref to the device) and text (the handle).
//   NEXUS_PLUGIN_SHARED(Event, devices, events, write_event(*object, id, sink), read_event(text))
#define NEXUS_PLUGIN_SHARED(object_name, devices, table, exported, imported)                     \
  extern "C" nxs_status nxsExport##object_name(nxs_id id, const nxs_sink *handle) {              \
    return nexus_plugin::guarded([&] {                                                           \
      [[maybe_unused]] const auto object = (table).pin(id);                                      \
      const nxs_sink &sink = nexus_plugin::check_sink(handle, "handle");                         \
      exported;                                                                                  \
    });                                                                                          \
  }                                                                                              \
  extern "C" nxs_status nxsImport##object_name(nxs_id device, const void *handle, uint64_t size, \
                                               nxs_id *out) {                                    \
    return nexus_plugin::guarded(out, [&] {                                                      \
      [[maybe_unused]] const auto owner = (devices).pin(device);                                 \
      const std::string_view text(                                                               \
          static_cast<const char *>(nexus_plugin::check_pointer(handle, "handle")),              \
          static_cast<std::size_t>(size));                                                       \
      return imported;                                                                           \
    });                                                                                          \
  }

// Defines nxsQueryEvent, nxsSynchronizeEvent and nxsGetElapsedTime for BinaryEvents.
//   NEXUS_PLUGIN_EVENT(events)
#define NEXUS_PLUGIN_EVENT(table)                                                               \
  extern "C" nxs_status nxsQueryEvent(nxs_id id, nxs_completion *out) {                         \
    return nexus_plugin::guarded([&] { (table).pin(id)->wait(0, out); });                       \
  }                                                                                             \
  extern "C" nxs_status nxsSynchronizeEvent(nxs_id id, uint64_t timeout, nxs_completion *out) { \
    return nexus_plugin::guarded([&] { (table).pin(id)->wait(timeout, out); });                 \
  }                                                                                             \
  extern "C" nxs_status nxsGetElapsedTime(nxs_id start, nxs_id end, double *out) {              \
    return nexus_plugin::guarded(out, [&] {                                                     \
      return nexus_plugin::elapsed_nanoseconds(*(table).pin(start), *(table).pin(end));         \
    });                                                                                         \
  }

// Defines nxsCreateStream, nxsEnqueueHostCallback, nxsCreateEvent, nxsSignalEvent and nxsWaitEvent,
// for BinaryEvents and streams without priorities that order their work on the host. A stream has
// call_host(callback, context), signal(event) and wait_for(event), which return tickets; WorkQueue
// is one.
//   NEXUS_PLUGIN_HOST_STREAM(devices, streams, events)
#define NEXUS_PLUGIN_HOST_STREAM(devices, streams, events)                                         \
  NEXUS_PLUGIN_RESULT(CreateStream, (nxs_id device, int32_t priority, nxs_id *out),                \
                      (static_cast<void>((devices).pin(device)),                                   \
                       nexus_plugin::check_no_priority(priority), (streams).create()))             \
  NEXUS_PLUGIN_RESULT(EnqueueHostCallback,                                                         \
                      (nxs_id stream, void (*callback)(void *context, nxs_status status),          \
                       void *context, nxs_ticket *out),                                            \
                      (streams).pin(stream)->call_host(                                            \
                          nexus_plugin::check_pointer(callback, "callback"), context))             \
  NEXUS_PLUGIN_RESULT(CreateEvent, (nxs_id device, nxs_execution_settings settings, nxs_id * out), \
                      (static_cast<void>((devices).pin(device)),                                   \
                       nexus_plugin::check_settings(settings, NXS_ExecutionSettings_Timing),       \
                       (events).create((settings & NXS_ExecutionSettings_Timing) != 0)))           \
  NEXUS_PLUGIN_RESULT(SignalEvent, (nxs_id event, nxs_id stream, nxs_ticket * out),                \
                      (streams).pin(stream)->signal(*(events).pin(event)))                         \
  NEXUS_PLUGIN_RESULT(WaitEvent, (nxs_id event, nxs_id stream, nxs_ticket * out),                  \
                      (streams).pin(stream)->wait_for(*(events).pin(event)))

// Defines nxsDescribeCompile and nxsCompileProgram, for the devices of a table.
//   NEXUS_PLUGIN_COMPILE(devices, describe(settings), compile(settings, code, log))
// Both are expressions that may use settings (a CompileSettings). describe returns a
// CompileDescription; compile writes to the sinks code and log.
#define NEXUS_PLUGIN_COMPILE(table, describe, compile)                                            \
  extern "C" nxs_status nxsDescribeCompile(nxs_id device, const nxs_compile_info *info,           \
                                           nxs_value *out_value) {                                \
    return nexus_plugin::guarded([&] {                                                            \
      (table).pin(device);                                                                        \
      const auto settings = nexus_plugin::check_compile_info(info);                               \
      nexus_plugin::to_value(describe).write(nexus_plugin::check_struct(out_value, "out_value")); \
    });                                                                                           \
  }                                                                                               \
  extern "C" nxs_status nxsCompileProgram(nxs_id device, const nxs_compile_info *info,            \
                                          const nxs_sink *code_sink, const nxs_sink *log_sink) {  \
    return nexus_plugin::guarded([&] {                                                            \
      (table).pin(device);                                                                        \
      const auto settings = nexus_plugin::check_compile_info(info);                               \
      const nxs_sink &code = nexus_plugin::check_sink(code_sink, "code");                         \
      const nxs_sink &log = nexus_plugin::check_sink(log_sink, "log");                            \
      compile;                                                                                    \
    });                                                                                           \
  }

// Defines nxsLinkProgram, for the devices of a table.
//   NEXUS_PLUGIN_LINK(devices, link(settings, code, log))
// link is an expression that may use settings (a LinkSettings), writes to the sinks code and log,
// and returns a CompileDescription.
#define NEXUS_PLUGIN_LINK(table, link)                                                      \
  extern "C" nxs_status nxsLinkProgram(nxs_id device, const nxs_link_info *info,            \
                                       const nxs_sink *code_sink, const nxs_sink *log_sink, \
                                       const nxs_sink *description) {                       \
    return nexus_plugin::guarded([&] {                                                      \
      (table).pin(device);                                                                  \
      const auto settings = nexus_plugin::check_link_info(info);                            \
      const nxs_sink &code = nexus_plugin::check_sink(code_sink, "code");                   \
      const nxs_sink &log = nexus_plugin::check_sink(log_sink, "log");                      \
      const nxs_sink &told = nexus_plugin::check_sink(description, "description");          \
      nexus_plugin::write_to(told, nexus_plugin::to_json(link));                            \
    });                                                                                     \
  }

#endif  // NEXUS_PLUGIN_FUNCTIONS_HPP_
