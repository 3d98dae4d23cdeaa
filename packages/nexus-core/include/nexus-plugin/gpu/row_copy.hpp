// SPDX-License-Identifier: Apache-2.0
// nxsCopyRows. Beside the members in stream.hpp, G has
//
//   // Enqueues a copy of rows, as nxs_rows says, between two addresses of the device.
//   static Result copy_rows(Address to, Address from, const nxs_rows &rows,
//                           NativeStream stream) noexcept;
#ifndef NEXUS_PLUGIN_GPU_ROW_COPY_HPP_
#define NEXUS_PLUGIN_GPU_ROW_COPY_HPP_

#include <nexus-plugin/gpu/stream.hpp>
#include <nexus-plugin/memory/row_copy.hpp>

namespace nexus_plugin NXS_HIDDEN {
namespace gpu {

template <class G>
nxs_ticket copy_rows(nxs_id stream, const nxs_buffer_range *destination,
                     const nxs_buffer_range *source, const nxs_rows *rows) {
  using R = typename G::Recording;
  const auto used = R::streams.pin(stream);
  const RowCopy<typename R::Buffer> copy(R::buffers, *used, destination, source, rows);
  return used->submit([&](Enqueuing<G> &work) {
    copy.to.buffer->used_in(used->pooled());
    copy.from.buffer->used_in(used->pooled());
    work.check(G::copy_rows(copy.to.buffer->address() + copy.to.offset,
                            copy.from.buffer->address() + copy.from.offset, copy.rows, work.stream),
               "copying rows of a buffer");
  });
}

}  // namespace gpu
}  // namespace nexus_plugin

// Defines nxsCopyRows.
//   NEXUS_PLUGIN_GPU_ROWS(Gpu)
#define NEXUS_PLUGIN_GPU_ROWS(Gpu)                                                              \
  NEXUS_PLUGIN_RESULT(CopyRows,                                                                 \
                      (nxs_id stream, const nxs_buffer_range *to, const nxs_buffer_range *from, \
                       const nxs_rows *rows, nxs_ticket *out),                                  \
                      nexus_plugin::gpu::copy_rows<Gpu>(stream, to, from, rows))

#endif  // NEXUS_PLUGIN_GPU_ROW_COPY_HPP_
