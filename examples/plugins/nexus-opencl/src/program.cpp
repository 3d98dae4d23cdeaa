// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <algorithm>
#include <array>
#include <nexus-plugin/background_job.hpp>
#include <nexus-plugin/compile_checks.hpp>
#include <nexus-plugin/json.hpp>
#include <utility>

namespace nexus_opencl NXS_HIDDEN {
namespace {

using nexus_plugin::Error;
using nexus_plugin::join;

// What Intel's compiler says of every program.
constexpr std::array<std::string_view, 7> kEmptyLines = {"Compilation started",
                                                         "Compilation done",
                                                         "Linking started",
                                                         "Linking done",
                                                         "Device build started",
                                                         "Device build done",
                                                         "Done."};
constexpr std::array<std::string_view, 3> kEmptyBeginnings = {
    "Options used by backend compiler:", "remark: <unknown>:", "Kernel \""};

bool says_nothing(std::string_view line) {
  const auto begins = [line](std::string_view words) { return line.starts_with(words); };
  return line.empty() ||
         std::find(kEmptyLines.begin(), kEmptyLines.end(), line) != kEmptyLines.end() ||
         std::any_of(kEmptyBeginnings.begin(), kEmptyBeginnings.end(), begins);
}

// The bytes of "file:12:3: " that a text begins with; 0 where it does not.
std::size_t place_size(std::string_view text) {
  const std::size_t end = text.find(": ");
  if (end == std::string_view::npos) return 0;
  std::size_t numbers = 0;
  std::size_t at = end;
  while (at > 0 && numbers < 2) {
    std::size_t digits = at;
    while (digits > 0 && text[digits - 1] >= '0' && text[digits - 1] <= '9') --digits;
    if (digits == at || digits == 0 || text[digits - 1] != ':') return 0;
    at = digits - 1;
    ++numbers;
  }
  return numbers == 2 && at > 0 ? end + 2 : 0;
}

// PoCL writes "error: file:12:3: words"; the others, and editors, have the place first.
std::string with_place_first(std::string_view line) {
  for (const std::string_view kind : {"error: ", "warning: ", "note: "}) {
    if (!line.starts_with(kind)) continue;
    const std::string_view rest = line.substr(kind.size());
    const std::size_t size = place_size(rest);
    if (size != 0) return join(rest.substr(0, size), kind, rest.substr(size));
  }
  return std::string(line);
}

}  // namespace

Owned<cl_program> program_from_source(const Device &device, std::string_view source) {
  const char *text = source.data();
  const std::size_t size = source.size();
  cl_int error = CL_SUCCESS;
  const cl_program made =
      device.cl().CreateProgramWithSource(device.context(), 1, &text, &size, &error);
  check(error, "making a program from its source");
  return Owned<cl_program>(device.cl(), made);
}

Owned<cl_program> program_from_binary(const Device &device, std::string_view binary) {
  const auto *bytes = reinterpret_cast<const unsigned char *>(binary.data());
  const std::size_t size = binary.size();
  const cl_device_id id = device.id();
  cl_int status = CL_SUCCESS, error = CL_SUCCESS;
  const cl_program made =
      device.cl().CreateProgramWithBinary(device.context(), 1, &id, &size, &bytes, &status, &error);
  Owned<cl_program> program(device.cl(), made);
  const cl_int why = error != CL_SUCCESS ? error : status;
  if (why == CL_INVALID_BINARY || why == CL_INVALID_VALUE) {
    throw Error::with_native_code(
        why, NXS_InvalidBinary, "the ", size, " bytes are no binary of the driver of '",
        device.name(), "'; give what device.compile() made on this machine, SPIR-V, or OpenCL C");
  }
  check(why, "making a program from a binary");
  return program;
}

Owned<cl_program> program_from_spirv(const Device &device, std::string_view module) {
  if (!device.takes_spirv()) {
    throw Error(NXS_InvalidBinary, "the bytes are SPIR-V, which the device '", device.name(),
                "' does not take; compile the program from its source");
  }
  const auto create = device.version() >= 21 && device.cl().CreateProgramWithIL != nullptr
                          ? device.cl().CreateProgramWithIL
                          : device.cl().CreateProgramWithILKHR;
  cl_int error = CL_SUCCESS;
  const cl_program made = create(device.context(), module.data(), module.size(), &error);
  if (error == CL_INVALID_VALUE) {
    throw Error::with_native_code(error, NXS_InvalidBinary, "the device '", device.name(),
                                  "' refuses the SPIR-V module; it takes ", device.il_version());
  }
  check(error, "making a program from SPIR-V");
  return Owned<cl_program>(device.cl(), made);
}

cl_int build(const Device &device, cl_program program, const std::string &options) {
  const cl_device_id id = device.id();
  return device.cl().BuildProgram(program, 1, &id, options.c_str(), nullptr, nullptr);
}

namespace {

class BuildJob final : public nexus_plugin::BackgroundJob {
 public:
  BuildJob(const Device &device, cl_program program, std::string options)
      : device_(device), options_(std::move(options)) {
    device.cl().RetainProgram(program);
    program_ = Owned<cl_program>(device.cl(), program);
  }

  // After the work.
  cl_int result() const noexcept { return result_; }

 private:
  void work() override { result_ = build(device_, program_.get(), options_); }

  const Device &device_;
  Owned<cl_program> program_;
  std::string options_;
  cl_int result_ = CL_SUCCESS;
};

}  // namespace

cl_int build_in_background(const Device &device, cl_program program, const std::string &options) {
  constexpr const char *kVariable = "NEXUS_OPENCL_COMPILE_TIMEOUT";
  const std::string title = join("the compiler of '", device.name(), "'");
  const nexus_plugin::Shared<BuildJob> job =
      nexus_plugin::Shared<BuildJob>::make(device, program, options);
  run_in_background(job, {title, nexus_plugin::compile_timeout(kVariable), kVariable});
  return job->result();
}

std::string build_log(const Device &device, cl_program program) {
  const Functions &cl = device.cl();
  std::size_t size = 0;
  if (cl.GetProgramBuildInfo(program, device.id(), CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) !=
      CL_SUCCESS) {
    return {};
  }
  std::string text(size, '\0');
  if (cl.GetProgramBuildInfo(program, device.id(), CL_PROGRAM_BUILD_LOG, size, text.data(),
                             nullptr) != CL_SUCCESS) {
    return {};
  }
  text.resize(text.find('\0') == std::string::npos ? text.size() : text.find('\0'));
  std::string log;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    if (!says_nothing(line)) log += with_place_first(line) + "\n";
    at = end + 1;
  }
  return nexus_plugin::valid_utf8(log);
}

std::vector<std::string> kernel_names(const Device &device, cl_program program) {
  const Functions &cl = device.cl();
  std::size_t size = 0;
  const cl_int error = cl.GetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 0, nullptr, &size);
  if (error == CL_INVALID_PROGRAM_EXECUTABLE) return {};  // what some call one without kernels
  check(error, "asking a program for its kernels");
  std::string text(size, '\0');
  check(cl.GetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, size, text.data(), nullptr),
        "asking a program for its kernels");
  std::vector<std::string> names;
  std::string name;
  for (const char c : text) {
    if (c != ';' && c != '\0') {
      name += c;
    } else if (!name.empty()) {
      names.push_back(std::move(name));
      name.clear();
    }
  }
  if (!name.empty()) names.push_back(std::move(name));
  std::sort(names.begin(), names.end());
  return names;
}

std::string binary_of(const Device &device, cl_program program) {
  // One for each device of the context, in its order; of those that it was not built for, none.
  const Functions &cl = device.cl();
  cl_uint count = 0;
  check(cl.GetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof(count), &count, nullptr),
        "asking a program for its devices");
  std::vector<cl_device_id> ids(count);
  std::vector<std::size_t> sizes(count);
  check(cl.GetProgramInfo(program, CL_PROGRAM_DEVICES, count * sizeof(ids[0]), ids.data(), nullptr),
        "asking a program for its devices");
  check(cl.GetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, count * sizeof(sizes[0]), sizes.data(),
                          nullptr),
        "asking a program for its binaries");
  const auto place = std::find(ids.begin(), ids.end(), device.id());
  if (place == ids.end()) return {};
  const auto index = static_cast<std::size_t>(place - ids.begin());
  std::string binary(sizes[index], '\0');
  std::vector<unsigned char *> out(count, nullptr);
  out[index] = reinterpret_cast<unsigned char *>(binary.data());
  check(
      cl.GetProgramInfo(program, CL_PROGRAM_BINARIES, count * sizeof(out[0]), out.data(), nullptr),
      "asking a program for its binaries");
  return binary;
}

}  // namespace nexus_opencl
