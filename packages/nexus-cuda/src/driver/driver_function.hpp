// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_DRIVER_FUNCTION_HPP_
#define NEXUS_CUDA_DRIVER_FUNCTION_HPP_

#include "driver/cuda_types.hpp"

#include <cstddef>

namespace nexus_cuda NXS_HIDDEN {

// Remembers for this thread which function answered what, for the words of an error.
void note_refusal(const char *function, CUresult result) noexcept;
// The function that answered error last in this thread; NULL where another answer came later.
const char *refusing_function(CUresult error) noexcept;

// A function of the driver's with its name. Equal to nullptr where the driver lacks it.
template <class Signature>
class DriverFunction;

template <class... Parameters>
class DriverFunction<CUresult(Parameters...)> {
 public:
  constexpr explicit DriverFunction(const char *name) noexcept : name_(name) {}

  void set(void *found) noexcept { pointer_ = reinterpret_cast<Pointer>(found); }
  bool operator==(std::nullptr_t) const noexcept { return pointer_ == nullptr; }

  CUresult operator()(Parameters... parameters) const noexcept {
    const CUresult result = pointer_(parameters...);
    if (result != CUDA_SUCCESS) [[unlikely]]
      note_refusal(name_, result);
    return result;
  }

 private:
  using Pointer = CUresult (*)(Parameters...);

  const char *name_;
  Pointer pointer_ = nullptr;
};

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_DRIVER_FUNCTION_HPP_
