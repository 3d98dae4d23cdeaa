// SPDX-License-Identifier: Apache-2.0
// Copies between buffers and memory of the host's.
//
// The driver copies with page-locked memory by itself. With other memory it would wait for the
// stream's earlier work within the call, so such copies go through page-locked memory of ours:
// small ones through a slot, large ones in parts by threads. None waits for work of the device's.
#ifndef NEXUS_CUDA_HOST_COPY_HPP_
#define NEXUS_CUDA_HOST_COPY_HPP_

#include "memory/buffer.hpp"

namespace nexus_cuda NXS_HIDDEN {

// Copies to a buffer of the device's memory that no work knows yet, and waits for the copy. With
// the device's context current.
void copy_into_new(const Buffer &buffer, const void *from);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_HOST_COPY_HPP_
