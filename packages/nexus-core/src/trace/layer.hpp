// SPDX-License-Identifier: Apache-2.0
//
// The layer `trace` (NEXUS_LAYERS=trace): writes calls, and the work that they submit, with their
// times, to a file that Perfetto reads. docs/tracing.md explains the trace and its times.
//
// Before and after a submission the layer signals events with timing, if the plug-in has them, in
// the same stream. It waits for nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "host/function_list.hpp"
#include "layers/calls_text.hpp"
#include "layers/layer.hpp"
#include "trace/session.hpp"

namespace nexus::core::layers {

struct Trace {
  template <typename Function, typename... Arguments>
  static nxs_status call(uint32_t, const nxs_functions &next, Arguments... arguments) noexcept {
    trace::Session *const session = trace::session();
    if (session == nullptr) return (next.*Function::member)(arguments...);
    trace::HostCall call{Function::name, {}, NXS_Success, {}};
    // Format the arguments before the call, which may change what pointers point to.
    attempt(
        [&] { putAll(call, false, ParameterList::of<Function>(), {ShownArgument(arguments)...}); });
    trace::Submission submission;
    if constexpr (submits<Arguments...>) {
      submission = session->prepare(streamOf(arguments...));
    } else if constexpr (std::is_same_v<Function, functions::ReleaseStream>) {
      if (const auto stream = session->find(arguments...)) stream->prepareRelease();
    }
    call.when.begin = trace::now();
    call.status = (next.*Function::member)(arguments...);
    call.when.end = trace::now();
    attempt([&] {
      putResult(call, ParameterList::of<Function>(), {ShownArgument(arguments)...});
      const bool succeeded = call.status == NXS_Success;
      if (succeeded) note(*session, next, Function{}, arguments...);
      if constexpr (submits<Arguments...>) {
        if (succeeded) {
          return session->addCall(call, submission, *ticketOf(arguments...),
                                  session->objects().describe(Function{}, arguments...));
        }
        session->forget(submission);
      }
      session->addCall(call);
    });
    return call.status;
  }

 private:
  static void putAll(trace::HostCall &call, bool out, const ParameterList &parameters,
                     ShownArguments arguments) {
    showArguments(parameters, out, arguments,
                  [&](const auto &name, const auto &text) { call.details.add(name, text); });
  }

  static void putResult(trace::HostCall &call, const ParameterList &parameters,
                        ShownArguments arguments) {
    if (call.status == NXS_Success) {
      putAll(call, true, parameters, arguments);
      return;
    }
    std::string status;
    putStatus(status, call.status);
    call.details.add("status", status.substr(4));  // without " -> "
  }

  // ---- Notes of objects and work, from successful calls

  template <typename Function, typename... Arguments>
  static void note(trace::Session &session, const nxs_functions &, Function function,
                   Arguments... arguments) {
    session.objects().note(function, arguments...);
  }

  static void note(trace::Session &session, const nxs_functions &next, functions::CreateStream,
                   nxs_id device, int32_t priority, nxs_id *out_stream) {
    session.addStream(next, device, *out_stream, priority);
  }

  static void note(trace::Session &session, const nxs_functions &next,
                   functions::CreateStreamFromHandle, nxs_id device, uint64_t, nxs_id *out_stream) {
    session.addStream(next, device, *out_stream, 0);
  }

  static void note(trace::Session &session, const nxs_functions &, functions::ReleaseStream,
                   nxs_id stream) {
    if (const auto tracked = session.find(stream)) tracked->released();
  }

  static void note(trace::Session &session, const nxs_functions &, functions::WaitStream,
                   nxs_id stream, nxs_ticket ticket, uint64_t, nxs_completion *out_completion) {
    noteDone(session, stream, ticket, *out_completion);
  }

  static void note(trace::Session &session, const nxs_functions &, functions::QueryStream,
                   nxs_id stream, nxs_ticket ticket, nxs_completion *out_completion) {
    noteDone(session, stream, ticket, *out_completion);
  }

  static void note(trace::Session &session, const nxs_functions &next, functions::CreateBuffer,
                   nxs_id device, uint64_t size, nxs_buffer_settings settings, void *host_ptr,
                   nxs_id *out_buffer) {
    const bool maintained = (settings & NXS_BufferSettings_Maintain) != 0;
    if (maintained) return;  // it takes no memory
    session.objects().addBuffer(*out_buffer, {device, size});
    session.allocated(next, device, static_cast<int64_t>(size), host_ptr != nullptr ? size : 0);
  }

  static void note(trace::Session &session, const nxs_functions &next, functions::ReleaseBuffer,
                   nxs_id buffer) {
    const trace::ObjectTexts::Memory memory = session.objects().removeBuffer(buffer);
    if (memory.device != 0) {
      session.allocated(next, memory.device, -static_cast<int64_t>(memory.size), 0);
    }
  }

  static void noteDone(trace::Session &session, nxs_id stream, nxs_ticket ticket,
                       const nxs_completion &completion) {
    const bool done = completion.state == NXS_CompletionState_Completed;
    const nxs_ticket newest = done ? std::max(ticket, completion.completed) : completion.completed;
    if (const auto tracked = session.find(stream)) tracked->noteDone(newest, trace::now());
  }
};

}  // namespace nexus::core::layers
