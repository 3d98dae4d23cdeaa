// SPDX-License-Identifier: Apache-2.0
// The functions of one driver, how its objects are owned, and how its errors are reported.
#ifndef NEXUS_OPENCL_OPENCL_HPP_
#define NEXUS_OPENCL_OPENCL_HPP_

#include "cl_types.hpp"

#include <nexus-plugin/base/error.hpp>
#include <nexus-plugin/base/text.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace nexus_opencl NXS_HIDDEN {

using namespace nexus_plugin;

// Throws Error: "<what> failed: CL_OUT_OF_RESOURCES (-5); <what to do>" with the number.
[[noreturn]] void throw_error(cl_int error, std::string_view what);
// The same with a status that the caller knows better.
[[noreturn]] void throw_error(cl_int error, nxs_status status, std::string_view what);

// Throws if the driver refused. what: the request, such as "making a buffer of 8 bytes".
inline void check(cl_int error, std::string_view what) {
  if (error != CL_SUCCESS) [[unlikely]]
    throw_error(error, what);
}

// A driver's functions by their names without "cl". NULL if the driver lacks one that came
// after OpenCL 1.2, or an extension's. Filled once, before any device is known; then read only.
struct Functions {
#define CL_FUNCTION(since, index, result, name, parameters) result(*name) parameters = nullptr;
#define CL_EXTENSION(extension, result, name, parameters) result(*name) parameters = nullptr;
#include "cl_functions.def"
};

#define NEXUS_OPENCL_OWNED(handle, name)                    \
  inline void retain(const Functions &cl, handle object) {  \
    cl.Retain##name(object);                                \
  }                                                         \
  inline void release(const Functions &cl, handle object) { \
    cl.Release##name(object);                               \
  }
NEXUS_OPENCL_OWNED(cl_command_queue, CommandQueue)
NEXUS_OPENCL_OWNED(cl_mem, MemObject)
NEXUS_OPENCL_OWNED(cl_program, Program)
NEXUS_OPENCL_OWNED(cl_kernel, Kernel)
NEXUS_OPENCL_OWNED(cl_event, Event)
NEXUS_OPENCL_OWNED(cl_command_buffer_khr, CommandBufferKHR)
#undef NEXUS_OPENCL_OWNED

// A reference to a driver's object, or empty. Released when this goes out of scope.
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

// Makes an object with a function of the driver, whose last argument is for its error.
// what: as for check().
template <class Function, class... Arguments>
auto create(const Functions &cl, std::string_view what, Function make, Arguments... arguments) {
  cl_int error = CL_SUCCESS;
  Owned made(cl, make(arguments..., &error));
  check(error, what);
  return made;
}

// Reads a list or a text with a function of the driver, such as GetDeviceInfo: asks for its size
// first. Returns the driver's error.
template <class List, class Function, class... Arguments>
cl_int read_list(List &out, Function ask, Arguments... arguments) {
  size_t size = 0;
  if (const cl_int error = ask(arguments..., 0, nullptr, &size); error != CL_SUCCESS) return error;
  out.resize(size / sizeof(out[0]));
  return ask(arguments..., size, out.data(), nullptr);
}

// Returns the text that the function writes, up to its zero byte; nothing if there is none.
template <class Function, class... Arguments>
std::optional<std::string> read_text(Function ask, Arguments... arguments) {
  std::string text;
  if (read_list(text, ask, arguments...) != CL_SUCCESS) return {};
  return text.c_str();
}

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_OPENCL_HPP_
