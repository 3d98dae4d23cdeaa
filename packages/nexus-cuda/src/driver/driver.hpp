// SPDX-License-Identifier: Apache-2.0
// NVIDIA's driver, opened at run time, and its functions.
#ifndef NEXUS_CUDA_DRIVER_HPP_
#define NEXUS_CUDA_DRIVER_HPP_

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

// The driver's functions by their names without "cu".
struct Functions {
#define CU_FUNCTION(name, parameters) DriverFunction<CUresult parameters> name{"cu" #name};
#define CU_OPTIONAL(name, version, parameters) CU_FUNCTION(name, parameters)
#include "driver/cuda_functions.def"
};

// Filled by start_driver(), before any object is made; then read only. A process has one driver.
extern constinit Functions cu;

// Of CUDA that the driver is for: 12040 is 12.4. 0 before start_driver().
int driver_version() noexcept;

// Opens and initialises the driver, once in a process. Throws Error(NXS_DeviceNotAvailable) with a
// sentence where that can't be done; a later call tries again. One thread at a time.
void start_driver();

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_DRIVER_HPP_
