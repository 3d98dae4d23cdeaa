// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <algorithm>
#include <iterator>
#include <nexus-plugin/base/json.hpp>

namespace nexus_opencl NXS_HIDDEN {
namespace {

// The beginnings of lines that Intel's compiler writes for every program.
constexpr std::string_view kEmptyBeginnings[] = {"Compilation started",
                                                 "Compilation done",
                                                 "Linking started",
                                                 "Linking done",
                                                 "Device build started",
                                                 "Device build done",
                                                 "Done.",
                                                 "Options used by backend compiler:",
                                                 "remark: <unknown>:",
                                                 "Kernel \""};

bool says_nothing(std::string_view line) {
  return std::any_of(std::begin(kEmptyBeginnings), std::end(kEmptyBeginnings),
                     [line](std::string_view words) { return line.starts_with(words); });
}

// Returns the size of "file:12:3: " that a text begins with; 0 if it does not.
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

cl_int build(const Device &device, cl_program program, const std::string &options) {
  const cl_device_id id = device.id();
  return device.cl().BuildProgram(program, 1, &id, options.c_str(), nullptr, nullptr);
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

}  // namespace nexus_opencl
