// SPDX-License-Identifier: Apache-2.0
#include "compile/hiprtc.hpp"
#include "device/device.hpp"

#include <nexus-plugin/base/functions.hpp>

using namespace nexus_hip;

NEXUS_PLUGIN_COMPILE(
    devices, describe_hiprtc(read_compile_request(devices.pin(device)->target_id(), settings)),
    compile_with_hiprtc(read_compile_request(devices.pin(device)->target_id(), settings), code,
                        log))
