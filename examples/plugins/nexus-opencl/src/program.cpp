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

// Returns the size of "file:12:3: " that a text begins with; 0 where it does not.
std::size_t place_size(std::string_view text) {
  const std::size_t end = text.find(": ");
  if (end == std::string_view::npos) return 0;
  std::string_view file = text.substr(0, end);
  for (int numbers = 0; numbers < 2; ++numbers) {
    const std::size_t colon = file.find_last_not_of("0123456789");
    if (colon == std::string_view::npos || file[colon] != ':' || colon + 1 == file.size()) return 0;
    file = file.substr(0, colon);
  }
  return file.empty() ? 0 : end + 2;
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
  return create(device.cl(), "making a program from its source",
                device.cl().CreateProgramWithSource, device.context(), 1U, &text, &size);
}

Owned<cl_program> program_from_binary(const Device &device, std::string_view binary) {
  const auto *bytes = reinterpret_cast<const unsigned char *>(binary.data());
  const std::size_t size = binary.size();
  const cl_device_id id = device.id();
  cl_int status = CL_SUCCESS, error = CL_SUCCESS;
  Owned program(device.cl(), device.cl().CreateProgramWithBinary(device.context(), 1, &id, &size,
                                                                 &bytes, &status, &error));
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
  const auto make = device.version() >= 21 && device.cl().CreateProgramWithIL != nullptr
                        ? device.cl().CreateProgramWithIL
                        : device.cl().CreateProgramWithILKHR;
  cl_int error = CL_SUCCESS;
  Owned program(device.cl(), make(device.context(), module.data(), module.size(), &error));
  if (error == CL_INVALID_VALUE) {
    throw Error::with_native_code(error, NXS_InvalidBinary, "the device '", device.name(),
                                  "' refuses the SPIR-V module; it takes ", device.il_version());
  }
  check(error, "making a program from SPIR-V");
  return program;
}

cl_int build(const Device &device, cl_program program, const std::string &options) {
  const cl_device_id id = device.id();
  return device.cl().BuildProgram(program, 1, &id, options.c_str(), nullptr, nullptr);
}

namespace {

class BuildJob final : public BackgroundJob {
 public:
  BuildJob(const Device &device, const Owned<cl_program> &program, std::string options)
      : device_(device), program_(program), options_(std::move(options)) {}

  cl_int result() const noexcept { return result_; }  // after the work

 private:
  void work() override { result_ = build(device_, program_.get(), options_); }

  const Device &device_;
  const Owned<cl_program> program_;
  const std::string options_;
  cl_int result_ = CL_SUCCESS;
};

}  // namespace

cl_int build_in_background(const Device &device, const Owned<cl_program> &program,
                           const std::string &options) {
  constexpr const char *kVariable = "NEXUS_OPENCL_COMPILE_TIMEOUT";
  const std::string title = join("the compiler of '", device.name(), "'");
  const auto job = Shared<BuildJob>::make(device, program, options);
  run_in_background(job, {title, compile_timeout(kVariable), kVariable});
  return job->result();
}

std::string build_log(const Device &device, cl_program program) {
  const auto text =
      read_text(device.cl().GetProgramBuildInfo, program, device.id(), CL_PROGRAM_BUILD_LOG);
  std::string log;
  for (const std::string &line : split(text.value_or(""), '\n')) {
    if (!says_nothing(line)) log += with_place_first(line) + "\n";
  }
  return valid_utf8(log);
}

std::vector<std::string> kernel_names(const Device &device, cl_program program) {
  std::string text;
  const cl_int error =
      read_list(text, device.cl().GetProgramInfo, program, CL_PROGRAM_KERNEL_NAMES);
  if (error == CL_INVALID_PROGRAM_EXECUTABLE) return {};  // what some call one without kernels
  check(error, "asking a program for its kernels");
  std::vector<std::string> names = split(text.c_str(), ';');
  std::sort(names.begin(), names.end());
  return names;
}

std::string binary_of(const Device &device, cl_program program) {
  // One for each device of the context, in its order; of those that it was not built for, none.
  const auto ask = device.cl().GetProgramInfo;
  std::vector<cl_device_id> ids;
  std::vector<std::size_t> sizes;
  check(read_list(ids, ask, program, CL_PROGRAM_DEVICES), "asking a program for its devices");
  check(read_list(sizes, ask, program, CL_PROGRAM_BINARY_SIZES),
        "asking a program for its binaries");
  const auto place = std::find(ids.begin(), ids.end(), device.id());
  if (place == ids.end()) return {};
  const auto index = static_cast<std::size_t>(place - ids.begin());
  std::string binary(sizes[index], '\0');
  std::vector<unsigned char *> out(ids.size(), nullptr);
  out[index] = reinterpret_cast<unsigned char *>(binary.data());
  check(ask(program, CL_PROGRAM_BINARIES, out.size() * sizeof(out[0]), out.data(), nullptr),
        "asking a program for its binaries");
  return binary;
}

}  // namespace nexus_opencl
