// SPDX-License-Identifier: Apache-2.0
// Statuses and texts for a driver's errors.
//
//   std::string error_name(int error);  // "ACME_INVALID_VALUE (1)"
//   constexpr KnownError kKnown[] = {{2, NXS_MemObjectAllocationFailure, "release buffers"}};
//   constexpr DriverErrors errors(kKnown, {.name = error_name, .otherwise = "report it"});
//   errors.check(acme.Init(0), "starting the driver");
#ifndef NEXUS_PLUGIN_DRIVER_ERRORS_HPP_
#define NEXUS_PLUGIN_DRIVER_ERRORS_HPP_

#include <nexus-plugin/base/error.hpp>
#include <nexus-plugin/driver/driver_function.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace nexus_plugin NXS_HIDDEN {

// The status of an error, NXS_DeviceLost if it is fatal, and what to do.
struct KnownError {
  int number;
  nxs_status status;
  std::string_view remedy;
};

class DriverErrors {
 public:
  struct Words {
    std::string (*name)(int error);
    std::string_view otherwise;             // what to do about errors that are not in the list
    int ended = 0;                          // the driver's error after its end; 0: none
    std::span<const KnownError> more = {};  // beside the list; must live as long
  };

  // The list must live as long.
  template <std::size_t Count>
  constexpr DriverErrors(const KnownError (&known)[Count], const Words &words)
      : known_(known), words_(words) {}

  std::string name(int error) const { return words_.name(error); }

  // Returns the status for an error if its caller has no better one.
  nxs_status status_of(int error) const noexcept {
    const KnownError *known = find(error);
    return known == nullptr ? NXS_InternalError : known->status;
  }

  // Returns whether the error makes the device unusable, so that every later call returns it too.
  bool is_fatal(int error) const noexcept { return status_of(error) == NXS_DeviceLost; }

  // Returns "acmeAlloc returned ACME_INVALID_VALUE (1)" if that was this thread's last failed call;
  // else only the error's name.
  std::string answer_of(int error) const {
    const char *function = last_failed_function(error);  // before name(), which may fail too
    const std::string name = words_.name(error);
    return function == nullptr ? name : join(function, " returned ", name);
  }

  // Makes the error "<what> failed: acme... returned ACME_... (n); <what to do>".
  Error make(int error, nxs_status status, std::string_view what) const {
    const KnownError *known = find(error);
    const std::string_view remedy = known == nullptr ? words_.otherwise : known->remedy;
    return Error::with_native_code(error, status, what, " failed: ", answer_of(error),
                                   remedy.empty() ? "" : "; ", remedy);
  }
  Error make(int error, std::string_view what) const { return make(error, status_of(error), what); }

  // Throws if the call failed. what: such as "making a stream".
  void check(int error, std::string_view what) const {
    if (error != 0) [[unlikely]]
      throw make(error, what);
  }

  // Logs a warning if the driver could not free something and no caller can be told. Not for fatal
  // errors, which every later call returns.
  void log_unreleased(int error, std::string_view what) const noexcept {
    if (error == 0 || error == words_.ended || is_fatal(error)) return;
    try {
      log(NXS_LogLevel_Warning, make(error, NXS_InternalError, what).what());
    } catch (const std::exception &) {  // no memory for the text
    }
  }

 private:
  const KnownError *find(int error) const noexcept {
    for (const std::span<const KnownError> list : {known_, words_.more}) {
      for (const KnownError &each : list) {
        if (each.number == error) return &each;
      }
    }
    return nullptr;
  }

  std::span<const KnownError> known_;
  Words words_;
};

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_DRIVER_ERRORS_HPP_
