// SPDX-License-Identifier: Apache-2.0
//
// The layer `validate` (NEXUS_LAYERS=validate): looks at each call and its answer, and tells what
// is wrong (validate/messages.def, docs/validation.md). A call goes to the plug-in all the same,
// unless it could end the process, or NEXUS_VALIDATE is `raise`: then it fails.
//
//   validate/parameter_checks  what a parameter's type and name ask for
//   validate/function_checks   what single functions ask for
//   validate/out_check         whether results are written
//   validate/objects, order    what lives, and what work comes before what
//   validate/report, leaks     what is told
#pragma once

#include "layers/validate/capability_checks.hpp"
#include "layers/validate/function_checks.hpp"
#include "layers/validate/host_callback.hpp"
#include "layers/validate/out_check.hpp"
#include "layers/validate/parameter_checks.hpp"

namespace nexus::core::layers {

struct Validate {
  template <typename Function, typename... Arguments>
  static nxs_status call(uint32_t tag, const nxs_functions &next, Arguments... arguments) noexcept {
    validation::Call call(tag, next, Function::name);
    call.attempt([&] { validation::checkParameters<Function>(call, arguments...); });
    if (!call.stopped()) {
      call.attempt([&] { validation::before(call, Function{}, arguments...); });
    }
    if (call.refuses()) {
      return call.refuse();
    }
    validation::OutChecks<Arguments...> results(arguments...);
    call.begin = std::chrono::steady_clock::now();
    const nxs_status status = pass(Function{}, next, arguments...);
    call.attempt([&] { results.finish(call, status); });
    call.attempt([&] {
      if (status == NXS_Success) {
        validation::after(call, Function{}, arguments...);
      } else {
        validation::refused(call, Function{}, status, arguments...);
      }
    });
    return call.finish(status);
  }

 private:
  template <typename Function, typename... Arguments>
  static nxs_status pass(Function, const nxs_functions &next, Arguments... arguments) noexcept {
    return (next.*Function::member)(arguments...);
  }

  static nxs_status pass(functions::EnqueueHostCallback, const nxs_functions &next, nxs_id stream,
                         void (*callback)(void *, nxs_status), void *context,
                         nxs_ticket *out_ticket) noexcept {
    return validation::enqueueHostCallback(next, stream, callback, context, out_ticket);
  }
};

}  // namespace nexus::core::layers
