// SPDX-License-Identifier: Apache-2.0
// Functions of a driver that is opened at run time. Each returns an int, which is 0 for success.
//
//   struct Functions {
//     DriverFunction<int(unsigned flags)> Init{"acmeInit"};
//   };
//
// Where one refuses, refusing_function() tells which it was, for the words of the error.
#ifndef NEXUS_PLUGIN_DRIVER_FUNCTION_HPP_
#define NEXUS_PLUGIN_DRIVER_FUNCTION_HPP_

#include <nexus-api/nxs.h>

#include <cstddef>

namespace nexus_plugin NXS_HIDDEN {
namespace detail {

// The latest answer of the driver other than success, of this thread.
struct Refusal {
  const char *function = nullptr;
  int result = 0;
};
inline constinit thread_local Refusal last_refusal;

[[gnu::cold, gnu::noinline]] inline void note_refusal(const char *function, int result) noexcept {
  last_refusal = {function, result};
}

}  // namespace detail

// The function that answered error last in this thread; NULL where another answer came later.
inline const char *refusing_function(int error) noexcept {
  return detail::last_refusal.result == error ? detail::last_refusal.function : nullptr;
}

// A function of the driver's with its name. Equal to nullptr where the driver lacks it.
template <class Signature>
class DriverFunction;

template <class... Parameters>
class DriverFunction<int(Parameters...)> {
 public:
  constexpr explicit DriverFunction(const char *name) noexcept : name_(name) {}

  void set(void *found) noexcept { pointer_ = reinterpret_cast<Pointer>(found); }
  bool operator==(std::nullptr_t) const noexcept { return pointer_ == nullptr; }

  int operator()(Parameters... parameters) const noexcept {
    const int result = pointer_(parameters...);
    if (result != 0) [[unlikely]]
      detail::note_refusal(name_, result);
    return result;
  }

 private:
  using Pointer = int (*)(Parameters...);

  const char *name_;
  Pointer pointer_ = nullptr;
};

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_DRIVER_FUNCTION_HPP_
