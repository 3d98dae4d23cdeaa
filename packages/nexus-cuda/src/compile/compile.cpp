// SPDX-License-Identifier: Apache-2.0
// nxsDescribeCompile, nxsCompileProgram and nxsLinkProgram.
#include "compile/compile.hpp"
#include "compile/link.hpp"
#include "device/device.hpp"

#include <nexus-plugin/functions.hpp>

namespace nexus_cuda NXS_HIDDEN {
namespace {

using nexus_plugin::CompileSettings;

nexus_plugin::CompileDescription describe_program(const Device &device,
                                                  const CompileSettings &settings) {
  const CompileDevice on = compile_device_of(device);
  CompileRequest request = read_compile_request(on, settings);
  return request.is_cxx() ? describe_nvrtc(on, request) : describe_ir(on, request);
}

void compile_program(const Device &device, const CompileSettings &settings, const nxs_sink &code,
                     const nxs_sink &log) {
  const CompileDevice on = compile_device_of(device);
  CompileRequest request = read_compile_request(on, settings);
  if (request.is_cxx()) {
    compile_with_nvrtc(on, request, code, log);
  } else {
    compile_ir(on, request, code, log);
  }
}

}  // namespace
}  // namespace nexus_cuda

using namespace nexus_cuda;

NEXUS_PLUGIN_COMPILE(devices, describe_program(device_of(device), settings),
                     compile_program(device_of(device), settings, code, log))

NEXUS_PLUGIN_LINK(devices, link_program(compile_device_of(device_of(device)), settings, code, log))
