// SPDX-License-Identifier: Apache-2.0
// Opens NVIDIA's driver at run time, and declares its functions.
#ifndef NEXUS_CUDA_DRIVER_HPP_
#define NEXUS_CUDA_DRIVER_HPP_

#include "driver/cuda_types.hpp"

#include <cstddef>
#include <string>

namespace nexus_cuda NXS_HIDDEN {

// Remembers that a function of the driver failed on this thread, for the text of an error.
void note_failed_call(const char *function, CUresult result) noexcept;
// Returns the function that failed last on this thread; NULL if its result was not error.
const char *last_failed_function(CUresult error) noexcept;

// A function of the driver and its name. Equal to nullptr if the driver does not have it.
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
      note_failed_call(name_, result);
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

// Set by start_driver() before any object is made, and not changed afterwards.
extern constinit Functions cu;

// Returns the CUDA version of the driver: 12040 is 12.4. 0 before start_driver().
int driver_version() noexcept;
// Returns a text such as "12.4".
std::string version_text(int version);

// Opens and initializes the driver, once in a process. Throws NXS_DeviceNotAvailable; a later call
// tries again. One thread at a time.
void start_driver();

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_DRIVER_HPP_
