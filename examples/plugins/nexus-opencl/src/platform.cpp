// SPDX-License-Identifier: Apache-2.0
#include "platform.hpp"

#include <cctype>
#include <nexus-plugin/host.hpp>

namespace nexus_opencl NXS_HIDDEN {
namespace {

using nexus_plugin::Error;
using nexus_plugin::join;

constexpr int kOldestVersion = 12;

// Said by drivers at any time, from threads of their own.
void log_from_driver(const char *text, const void *, size_t, void *) {
  nexus_plugin::log(NXS_LogLevel_Info, "OpenCL: ", text == nullptr ? "" : text);
}

template <class Number>
Number device_number(const Functions &cl, cl_device_id device, cl_info info) {
  Number value{};
  if (cl.GetDeviceInfo(device, info, sizeof(value), &value, nullptr) != CL_SUCCESS) return {};
  return value;
}

int device_version(const Functions &cl, cl_device_id device) {
  char text[128] = {};
  if (cl.GetDeviceInfo(device, CL_DEVICE_VERSION, sizeof(text) - 1, text, nullptr) != CL_SUCCESS) {
    return 0;
  }
  return parse_version(text);
}

}  // namespace

int parse_version(std::string_view text) {
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t i = 0; i + 2 < text.size(); ++i) {
    if (is_digit(text[i]) && text[i + 1] == '.' && is_digit(text[i + 2])) {
      return (text[i] - '0') * 10 + (text[i + 2] - '0');
    }
  }
  return 0;
}

bool has_word(std::string_view list, std::string_view word) {
  for (std::size_t at = list.find(word); at != std::string_view::npos;
       at = list.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || list[at - 1] == ' ') && (end == list.size() || list[end] == ' ')) return true;
  }
  return false;
}

Platform::Platform(cl_platform_id id, const Functions &functions)
    : id_(id),
      cl_(functions),
      name_(text(CL_PLATFORM_NAME)),
      vendor_(text(CL_PLATFORM_VENDOR)),
      version_text_(text(CL_PLATFORM_VERSION)),
      extensions_(text(CL_PLATFORM_EXTENSIONS)),
      version_(parse_version(version_text_)) {
  if (version_ < kOldestVersion) {
    throw Error(NXS_DeviceNotAvailable, "the platform '", name_, "' has '", version_text_,
                "'; this backend needs OpenCL 1.2");
  }
  find_devices();
}

bool Platform::has(std::string_view extension) const {
  return has_word(extensions_, extension);
}

std::string Platform::text(cl_info info) const {
  size_t size = 0;
  check(cl_.GetPlatformInfo(id_, info, 0, nullptr, &size), "asking a platform for a text");
  std::string out(size, '\0');
  check(cl_.GetPlatformInfo(id_, info, size, out.data(), nullptr), "asking a platform for a text");
  return out.c_str();
}

void Platform::find_devices() {
  for (const cl_device_type type :
       {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CPU}) {
    cl_uint count = 0;
    if (cl_.GetDeviceIDs(id_, type, 0, nullptr, &count) != CL_SUCCESS || count == 0) continue;
    std::vector<cl_device_id> found(count);
    check(cl_.GetDeviceIDs(id_, type, count, found.data(), nullptr), "asking for devices");
    for (const cl_device_id device : found) {
      const bool usable = device_number<cl_bool>(cl_, device, CL_DEVICE_AVAILABLE) != 0 &&
                          device_version(cl_, device) >= kOldestVersion;
      if (usable) devices_.push_back(device);
    }
  }
}

cl_context Platform::context() {
  const std::lock_guard<std::mutex> lock(context_mutex_);
  if (context_ == nullptr) {
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                reinterpret_cast<cl_context_properties>(id_), 0};
    cl_int error = CL_SUCCESS;
    context_ = cl_.CreateContext(properties, static_cast<cl_uint>(devices_.size()), devices_.data(),
                                 log_from_driver, nullptr, &error);
    check(error, join("starting the OpenCL platform '", name_, "'"));
  }
  return context_;
}

}  // namespace nexus_opencl
