// SPDX-License-Identifier: Apache-2.0
#include "compile/compile.hpp"
#include "device/device.hpp"

#include <nexus-plugin/base/functions.hpp>

namespace nexus_cuda NXS_HIDDEN {
namespace {

CompileDescription describe_program(const Device &device, const CompileSettings &settings) {
  CompileRequest request = read_compile_request(device, settings);
  return request.is_cxx() ? describe_nvrtc(device, request) : describe_ir(request);
}

void compile_program(const Device &device, const CompileSettings &settings, const nxs_sink &code,
                     const nxs_sink &log) {
  CompileRequest request = read_compile_request(device, settings);
  if (request.is_cxx()) {
    compile_with_nvrtc(device, request, code, log);
  } else {
    compile_ir(request, code, log);
  }
}

}  // namespace
}  // namespace nexus_cuda

using namespace nexus_cuda;

NEXUS_PLUGIN_COMPILE(devices, describe_program(device_of(device), settings),
                     compile_program(device_of(device), settings, code, log))
