// SPDX-License-Identifier: Apache-2.0
// Meanings of a driver's error numbers: our statuses, and words.
//
//   std::string error_name(int error);  // "ACME_INVALID_VALUE (1)"
//   constexpr KnownError kKnown[] = {{2, NXS_MemObjectAllocationFailure, false, "make room"}};
//   constexpr DriverErrors errors(kKnown, {.name = error_name, .otherwise = "report it"});
//   errors.check(acme.Init(0), "starting the driver");
#ifndef NEXUS_PLUGIN_DRIVER_ERRORS_HPP_
#define NEXUS_PLUGIN_DRIVER_ERRORS_HPP_

#include <nexus-plugin/base/error.hpp>
#include <nexus-plugin/driver/driver_function.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace nexus_plugin NXS_HIDDEN {

// What a plug-in knows of an error, beside its name.
struct KnownError {
  int number;
  nxs_status status;
  bool fatal;               // the device is of no more use to the process
  std::string_view remedy;  // empty: there is none
};

// Any thread.
class DriverErrors {
 public:
  struct Words {
    std::string (*name)(int error);
    std::string_view otherwise;  // the remedy for errors that are not in the list
    int ended = 0;               // the driver's answer to calls after its end; 0: it has none
  };

  // The list must live as long.
  template <std::size_t Count>
  constexpr DriverErrors(const KnownError (&known)[Count], const Words &words)
      : known_(known), count_(Count), words_(words) {}

  // The status for an error that no caller knows better.
  nxs_status status_of(int error) const noexcept {
    const KnownError *known = find(error);
    return known == nullptr ? NXS_InternalError : known->status;
  }

  // Returns whether the device is of no more use: every later call would return the same.
  bool is_fatal(int error) const noexcept {
    const KnownError *known = find(error);
    return known != nullptr && known->fatal;
  }

  // "acmeAlloc returned ACME_INVALID_VALUE (1)", where this thread's latest refusal was that.
  std::string answer_of(int error) const {
    const char *function = refusing_function(error);  // words_.name() asks the driver too
    const std::string name = words_.name(error);
    return function == nullptr ? name : join(function, " returned ", name);
  }

  // The error "<what> failed: <answer>; <what to do>" with the number.
  Error make(int error, nxs_status status, std::string_view what) const {
    const KnownError *known = find(error);
    const std::string_view remedy = known == nullptr ? words_.otherwise : known->remedy;
    return Error::with_native_code(error, status, what, " failed: ", answer_of(error),
                                   remedy.empty() ? "" : "; ", remedy);
  }
  Error make(int error, std::string_view what) const { return make(error, status_of(error), what); }

  // Throws where the driver refused. what: what was tried, such as "making a stream".
  void check(int error, std::string_view what) const {
    if (error != 0) [[unlikely]]
      throw make(error, what);
  }

  // Where the driver refused to free something nobody can be told: a line in the log says so. Fatal
  // errors are not logged, as every later call tells them.
  void log_unreleased(int error, std::string_view what) const noexcept {
    if (error == 0 || error == words_.ended || is_fatal(error)) return;
    try {
      log(NXS_LogLevel_Warning, make(error, NXS_InternalError, what).what());
    } catch (const std::exception &) {  // no memory for the words
    }
  }

 private:
  const KnownError *find(int error) const noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
      if (known_[i].number == error) return &known_[i];
    }
    return nullptr;
  }

  const KnownError *known_;
  std::size_t count_;
  Words words_;
};

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_DRIVER_ERRORS_HPP_
