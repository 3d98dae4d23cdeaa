// SPDX-License-Identifier: Apache-2.0
// What CUDA and HIP, whose numbers are the same, say of captures.
#ifndef NEXUS_PLUGIN_GPU_CAPTURE_ERRORS_HPP_
#define NEXUS_PLUGIN_GPU_CAPTURE_ERRORS_HPP_

#include <nexus-plugin/driver/driver_errors.hpp>

namespace nexus_plugin NXS_HIDDEN {
namespace gpu {

inline constexpr KnownError kCaptureErrors[] = {
    {900, NXS_InvalidOperation,  // STREAM_CAPTURE_UNSUPPORTED
     "a stream that captures, or that the driver can't capture (the legacy default stream), was "
     "waited for, asked, or used: use another stream"},
    {901, NXS_InvalidOperation,  // STREAM_CAPTURE_INVALIDATED
     "a call during the capture is forbidden there, such as one that waits for the stream: find "
     "the call that failed first, and make it before the capture"},
    {904, NXS_InvalidOperation,  // STREAM_CAPTURE_UNJOINED
     "another stream took part in the capture: let the stream wait for it before the end"},
    {905, NXS_InvalidOperation, ""},  // STREAM_CAPTURE_ISOLATION
    {906, NXS_InvalidOperation,       // STREAM_CAPTURE_IMPLICIT
     "work in the legacy default stream would have waited for the capture: use another stream"},
    {907, NXS_InvalidOperation,  // CAPTURED_EVENT
     "an event of the capture was waited for or asked outside of it"},
};

}  // namespace gpu
}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_GPU_CAPTURE_ERRORS_HPP_
