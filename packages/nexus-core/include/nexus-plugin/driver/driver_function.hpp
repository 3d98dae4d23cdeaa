// SPDX-License-Identifier: Apache-2.0
// Functions of a driver that is opened at run time. Each returns an int, 0 for success.
//
//   struct Functions {
//     DriverFunction<int(unsigned flags)> Init{"acmeInit"};
//   };
#ifndef NEXUS_PLUGIN_DRIVER_FUNCTION_HPP_
#define NEXUS_PLUGIN_DRIVER_FUNCTION_HPP_

#include <nexus-api/nxs.h>

#include <cstddef>

namespace nexus_plugin NXS_HIDDEN {
namespace detail {

struct FailedCall {
  const char *function = nullptr;
  int result = 0;
};
inline constinit thread_local FailedCall last_failed_call;

// Remembers that a function of the driver failed on this thread, for the text of an error.
[[gnu::cold, gnu::noinline]] inline void note_failed_call(const char *function,
                                                          int result) noexcept {
  last_failed_call = {function, result};
}

inline void do_nothing() noexcept {}

}  // namespace detail

// Returns the function that failed last on this thread; NULL if its result was not error.
inline const char *last_failed_function(int error) noexcept {
  return detail::last_failed_call.result == error ? detail::last_failed_call.function : nullptr;
}

// A function of the driver and its name. Equal to nullptr if the driver does not have it. After: is
// called after each call that failed.
template <class Signature, void (*After)() noexcept = detail::do_nothing>
class DriverFunction;

template <class... Parameters, void (*After)() noexcept>
class DriverFunction<int(Parameters...), After> {
 public:
  constexpr explicit DriverFunction(const char *name) noexcept : name_(name) {}

  void set(void *found) noexcept { pointer_ = reinterpret_cast<Pointer>(found); }
  bool operator==(std::nullptr_t) const noexcept { return pointer_ == nullptr; }

  int operator()(Parameters... parameters) const noexcept {
    const int result = pointer_(parameters...);
    if (result != 0) [[unlikely]] {
      detail::note_failed_call(name_, result);
      After();
    }
    return result;
  }

 private:
  using Pointer = int (*)(Parameters...);

  const char *name_;
  Pointer pointer_ = nullptr;
};

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_DRIVER_FUNCTION_HPP_
