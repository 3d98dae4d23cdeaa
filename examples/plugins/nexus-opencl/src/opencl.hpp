// SPDX-License-Identifier: Apache-2.0
// The functions of one driver, how its objects are owned, and how its errors are reported.
#ifndef NEXUS_OPENCL_OPENCL_HPP_
#define NEXUS_OPENCL_OPENCL_HPP_

#include "cl_types.hpp"

#include <nexus-plugin/error.hpp>
#include <nexus-plugin/text.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace nexus_opencl NXS_HIDDEN {

// The status for an error of the driver that no caller knows better.
nxs_status status_of(cl_int error) noexcept;

// "CL_OUT_OF_RESOURCES (-5)"; "error -9999" for a number that no specification has.
std::string error_name(cl_int error);

// Throws Error: "<what> failed: CL_OUT_OF_RESOURCES (-5); <what to do>" with the number.
[[noreturn]] void throw_error(cl_int error, std::string_view what);
// The same with another status than status_of() has.
[[noreturn]] void throw_error(cl_int error, nxs_status status, std::string_view what);

// Throws where the driver refused. what: what was tried, such as "making a buffer of 8 bytes".
inline void check(cl_int error, std::string_view what) {
  if (error != CL_SUCCESS) [[unlikely]]
    throw_error(error, what);
}

// A driver's functions by their names without "cl". NULL where the driver lacks one that came
// after OpenCL 1.2, or an extension's. Filled once, before any device is known; then read only.
struct Functions {
#define CL_FUNCTION(since, index, result, name, parameters) result(*name) parameters = nullptr;
#define CL_EXTENSION(extension, result, name, parameters) result(*name) parameters = nullptr;
#include "cl_functions.def"
};

inline void retain(const Functions &cl, cl_command_queue queue) {
  cl.RetainCommandQueue(queue);
}
inline void retain(const Functions &cl, cl_mem memory) {
  cl.RetainMemObject(memory);
}
inline void retain(const Functions &cl, cl_event event) {
  cl.RetainEvent(event);
}
inline void release(const Functions &cl, cl_context context) {
  cl.ReleaseContext(context);
}
inline void release(const Functions &cl, cl_command_queue queue) {
  cl.ReleaseCommandQueue(queue);
}
inline void release(const Functions &cl, cl_mem memory) {
  cl.ReleaseMemObject(memory);
}
inline void release(const Functions &cl, cl_program program) {
  cl.ReleaseProgram(program);
}
inline void release(const Functions &cl, cl_kernel kernel) {
  cl.ReleaseKernel(kernel);
}
inline void release(const Functions &cl, cl_event event) {
  cl.ReleaseEvent(event);
}
inline void release(const Functions &cl, cl_command_buffer_khr buffer) {
  cl.ReleaseCommandBufferKHR(buffer);
}

// One reference to a driver's object, given back at the end; may be empty. A copy is one more.
template <class Handle>
class Owned {
 public:
  Owned() noexcept = default;
  Owned(const Functions &cl, Handle handle) noexcept : cl_(&cl), handle_(handle) {}
  Owned(const Owned &other) noexcept : cl_(other.cl_), handle_(other.handle_) {
    if (handle_ != nullptr) retain(*cl_, handle_);
  }
  Owned(Owned &&other) noexcept : cl_(other.cl_), handle_(std::exchange(other.handle_, nullptr)) {}
  Owned &operator=(Owned other) noexcept {
    std::swap(cl_, other.cl_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() {
    if (handle_ != nullptr) release(*cl_, handle_);
  }

  const Functions &cl() const noexcept { return *cl_; }  // of one that is not empty
  Handle get() const noexcept { return handle_; }
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  // The caller owns the reference from now on.
  Handle take() noexcept { return std::exchange(handle_, nullptr); }

 private:
  const Functions *cl_ = nullptr;
  Handle handle_ = nullptr;
};

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_OPENCL_HPP_
