// SPDX-License-Identifier: Apache-2.0
// What nxs_compile_info asks for, checked, and as OpenCL's compilers take it.
#ifndef NEXUS_OPENCL_COMPILE_REQUEST_HPP_
#define NEXUS_OPENCL_COMPILE_REQUEST_HPP_

#include "device.hpp"

#include <nexus-plugin/compile.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_opencl NXS_HIDDEN {

struct CompileRequest {
  std::string_view source;            // the caller's
  std::string name;                   // not empty, one line
  bool portable;                      // the portable language
  std::vector<std::string> defines;   // "NAME" or "NAME=value": lines of the text, since drivers
                                      // differ in how they part a list of options
  std::vector<std::string> flags;     // for the compiler
  bool has_extra_flags;               // some of them are the caller's own
  std::vector<std::string> left_out;  // include paths that drivers can't be given

  // The flags and the defines, in the compiler's words.
  std::vector<std::string> shown_flags() const;
  // The flags, parted by spaces.
  std::string option_line() const;
  // With the defines, and a first line of its own number and the program's name.
  std::string text() const;
};

// The languages that programs for a device with a compiler can be written in.
const std::vector<std::string> &compile_languages();

// Throws NXS_NotSupported (the language), NXS_InvalidCompilerOptions, NXS_InvalidValue (the target)
// or NXS_CompilerNotAvailable, in words that name the parameter.
CompileRequest read_compile_request(const Device &device,
                                    const nexus_plugin::CompileSettings &settings);

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_COMPILE_REQUEST_HPP_
