// SPDX-License-Identifier: Apache-2.0
//
// The layer `validate` (NEXUS_LAYERS=validate) checks each call and its answer and reports what is
// wrong (messages.def, docs/validation.md). The call goes to the plug-in all the same, unless it
// could end the process, or NEXUS_VALIDATE is `raise`: then it fails.
//
//   parameters              checks of each parameter by its type and name
//   memory_checks, ...      checks of functions: what a call asks for, and what it answers
//   notes, objects, order   the live objects, and what work follows what other work
//   report, place           the messages
#pragma once

#include <memory>
#include <new>

#include "host/function_list.hpp"
#include "layers/validate/call.hpp"
#include "layers/validate/parameters.hpp"

namespace nexus::core::layers {

struct Validate {
  template <typename Function, typename... Arguments>
  static nxs_status call(uint32_t tag, const nxs_functions &next, Arguments... arguments) noexcept {
    validation::Call call(tag, next, Function::name);
    attempt([&] { validation::checkParameters<Function>(call, arguments...); });
    if (!call.stopped()) attempt([&] { validation::before(call); });
    if (call.refuses()) return call.refuse();
    validation::OutCheck results[] = {validation::OutCheck(arguments)...};
    call.begin = std::chrono::steady_clock::now();
    const nxs_status status = pass(call, Function{}, arguments...);
    attempt([&] {
      for (validation::OutCheck &result : results) result.finish(call, status);
    });
    attempt([&] {
      if (status == NXS_Success) {
        validation::after(call);
      } else {
        validation::refused(call, status);
      }
      property(call, Function::member, status, arguments...);
    });
    return call.finish(status);
  }

 private:
  template <typename Member, typename... Arguments>
  static void property(validation::Call &, Member, nxs_status, Arguments...) {}
  static void property(validation::Call &call, validation::Getter getter, nxs_status status,
                       nxs_id object, nxs_property property, nxs_value *out_value) {
    if (status == NXS_Success) {
      validation::afterProperty(call, getter, object, property, *out_value);
    } else {
      validation::refusedProperty(call, status, object, property);
    }
  }

  template <typename Function, typename... Arguments>
  static nxs_status pass(validation::Call &call, Function, Arguments... arguments) noexcept {
    return (call.next().*Function::member)(arguments...);
  }

  // Work that the callback leads to follows the stream's work before the callback.
  struct HostCallback {
    void (*callback)(void *, nxs_status);
    void *context;
    nxs_id stream;
    nxs_ticket before;

    static void call(void *context, nxs_status status) {
      const std::unique_ptr<HostCallback> given(static_cast<HostCallback *>(context));
      attempt([&] {
        const validation::Locked objects;
        objects->order.observe(given->stream, given->before);
      });
      given->callback(given->context, status);
    }
  };

  static nxs_status pass(validation::Call &call, functions::EnqueueHostCallback, nxs_id stream,
                         void (*callback)(void *, nxs_status), void *context,
                         nxs_ticket *out_ticket) noexcept {
    const nxs_functions &next = call.next();
    auto *const given =
        new (std::nothrow) HostCallback{callback, context, stream, call.newest_before};
    if (given == nullptr) return next.EnqueueHostCallback(stream, callback, context, out_ticket);
    const nxs_status status =
        next.EnqueueHostCallback(stream, &HostCallback::call, given, out_ticket);
    if (status != NXS_Success) delete given;
    return status;
  }
};

}  // namespace nexus::core::layers
