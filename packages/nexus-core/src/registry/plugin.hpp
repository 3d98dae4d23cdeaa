// SPDX-License-Identifier: Apache-2.0
//
// A loaded plug-in: its table of functions and its properties.
#pragma once

#include <nexus-api/nxs_functions.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "base/process.hpp"

namespace nexus::core {

/// One loaded plug-in. Made by the loader, constant and never freed, so references to it stay
/// valid; any thread may use it.
struct Plugin {
  uint32_t tag = 0;
  std::string name;     // of the backend, such as "cuda"
  std::string version;  // the plug-in's own
  std::string library;  // path
  std::string devices;  // path of the folder of device files; empty if there is none
  const nxs_functions *functions = nullptr;  // with stubs and layers: no entry is NULL
  uint64_t capabilities = 0;                 // NXS_Capability_* bits
  nxs_thread_model thread_model = NXS_ThreadModel_Free;
  nxs_id runtime = 0;
  uint64_t device_count = 0;
  bool one_command_at_a_time = false;  // the layer `sync`: submit each command on its own
  uint64_t generation = 0;             // processGeneration() when it was loaded
  const nxs_plugin *answer = nullptr;  // filled by the plug-in, which may keep the pointer

  bool has(nxs_capability capability) const noexcept { return (capabilities & capability) != 0; }

  /// Calls a function of the table and throws a failing status with its error record:
  /// plugin.call(&nxs_functions::ReleaseBuffer, "release a buffer", id). what completes "The
  /// backend <name> could not ..."; it is text, or a function that makes text, called on failure
  /// only. Throws NXS_InvalidOperation, without calling the plug-in, in the child of a fork().
  template <typename What, typename... Parameters, typename... Arguments>
  void call(nxs_status (*nxs_functions::*function)(Parameters...), What &&what,
            Arguments &&...arguments) const {
    if (generation != processGeneration()) refuseProcess();
    forgetThreadErrorRecord();
    const nxs_status status = (functions->*function)(std::forward<Arguments>(arguments)...);
    if (status == NXS_Success) return;
    if constexpr (std::is_invocable_v<What>) {
      throw failure(status, threadErrorRecord(), std::forward<What>(what)());
    } else {
      throw failure(status, threadErrorRecord(), what);
    }
  }

  /// Like call(), for an optional function: returns false for NXS_NotSupported.
  template <typename... Parameters, typename... Arguments>
  bool callIfSupported(nxs_status (*nxs_functions::*function)(Parameters...), std::string_view what,
                       Arguments &&...arguments) const {
    if (generation != processGeneration()) refuseProcess();
    forgetThreadErrorRecord();
    const nxs_status status = (functions->*function)(std::forward<Arguments>(arguments)...);
    if (status != NXS_Success && status != NXS_NotSupported) {
      throw failure(status, threadErrorRecord(), what);
    }
    return status == NXS_Success;
  }

  /// Makes a Failure of a status and an error record, such as those of a failed nxs_completion; 0
  /// means no record. Does not release the record.
  Failure failure(nxs_status status, uint64_t error, std::string_view what) const;

 private:
  [[noreturn]] static void refuseProcess();
};

}  // namespace nexus::core
