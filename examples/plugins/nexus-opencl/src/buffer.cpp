// SPDX-License-Identifier: Apache-2.0
#include "buffer.hpp"

#include "stream.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <nexus-plugin/base/property_table.hpp>
#include <nexus-plugin/memory/row_copy.hpp>
#include <utility>

namespace nexus_opencl NXS_HIDDEN {

constinit HandleTable<Buffer, NXS_ObjectType_Buffer> buffers;

namespace {

constexpr nxs_buffer_settings kBufferSettings =
    NXS_BufferSettings_OnHost | NXS_BufferSettings_OnDevice | NXS_BufferSettings_Maintain;
constexpr nxs_buffer_settings kManaged = NXS_BufferSettings_OnHost | NXS_BufferSettings_OnDevice;

void check_maintained(const Device &device, void *host_ptr) {
  if (!device.works_in_host_memory()) {
    throw Error(NXS_NotSupported, "the device '", device.name(),
                "' does not work in the host's memory; leave Maintain out");
  }
  // A processor takes what every allocator gives; kernels with wider vectors need more, as in C.
  constexpr uint64_t kAllocated = 16;
  const bool processor = (device.type() & CL_DEVICE_TYPE_CPU) != 0;
  const uint64_t alignment = processor ? kAllocated : device.offset_alignment();
  if (reinterpret_cast<uintptr_t>(host_ptr) % alignment == 0) return;
  throw Error(NXS_InvalidHostPtr, "host_ptr is ", reinterpret_cast<uintptr_t>(host_ptr),
              ", which is not a multiple of ", alignment, " bytes; with Maintain the device '",
              device.name(), "' needs memory of that alignment");
}

// Memory that host and device share, freed when the driver has no more use for it.
struct SharedMemory {
  const Functions &cl;
  cl_context context;
  void *address;
};

void free_shared(cl_mem, void *user) {
  const std::unique_ptr<SharedMemory> memory(static_cast<SharedMemory *>(user));
  memory->cl.SVMFree(memory->context, memory->address);
}

}  // namespace

// ---- Memory -----------------------------------------------------------

Buffer::Buffer(const Device &device, uint64_t size, nxs_buffer_settings settings, void *host_ptr)
    : device_(&device), size_(size) {
  if ((settings & NXS_BufferSettings_Maintain) != 0) {
    check_maintained(device, host_ptr);
    make_plain(CL_MEM_USE_HOST_PTR, host_ptr);
  } else if ((settings & NXS_BufferSettings_OnHost) == 0) {
    make_plain(host_ptr == nullptr ? 0 : CL_MEM_COPY_HOST_PTR, host_ptr);
  } else if (device.has_shared_memory()) {
    make_shared(host_ptr);
  } else if ((settings & kManaged) == kManaged) {
    throw Error(NXS_NotSupported, "the device '", device.name(),
                "' has no memory that moves by itself (fine-grained SVM); give OnHost or OnDevice");
  } else {
    make_plain(CL_MEM_ALLOC_HOST_PTR | (host_ptr == nullptr ? 0 : CL_MEM_COPY_HOST_PTR), host_ptr);
  }
}

void Buffer::make_plain(cl_mem_flags flags, void *host_ptr) {
  memory_ = create(device_->cl(), join("making a buffer of ", size_, " bytes"),
                   device_->cl().CreateBuffer, device_->context(), CL_MEM_READ_WRITE | flags, size_,
                   host_ptr);
}

// A buffer in fine-grained SVM: the host may use its address at any time.
void Buffer::make_shared(void *host_ptr) {
  const Functions &cl = device_->cl();
  auto memory = std::make_unique<SharedMemory>(SharedMemory{cl, device_->context(), nullptr});
  memory->address =
      cl.SVMAlloc(memory->context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, size_, 0);
  if (memory->address == nullptr) {
    throw Error(NXS_MemObjectAllocationFailure, "the device '", device_->name(),
                "' has no shared memory for ", size_,
                " bytes; release buffers or make smaller ones");
  }
  shared_ = static_cast<std::byte *>(memory->address);
  try {
    make_plain(CL_MEM_USE_HOST_PTR, shared_);
    check(cl.SetMemObjectDestructorCallback(memory_.get(), free_shared, memory.get()),
          "making a buffer in shared memory");
  } catch (...) {
    memory_ = {};
    cl.SVMFree(memory->context, memory->address);
    throw;
  }
  static_cast<void>(memory.release());
  if (host_ptr != nullptr) std::memcpy(shared_, host_ptr, size_);
}

Buffer::~Buffer() {
  for (const Mapping &mapping : mappings_) {
    // The driver keeps the memory as long as it is mapped.
    device_->cl().EnqueueUnmapMemObject(mapping.stream->queue(), memory_.get(), mapping.pointer, 0,
                                        nullptr, nullptr);
    device_->cl().Flush(mapping.stream->queue());
  }
}

Owned<cl_mem> Buffer::slice(uint64_t offset, uint64_t size) const {
  if (offset % device_->offset_alignment() != 0) {
    throw Error(NXS_MisalignedSubBufferOffset, "offset is ", offset, "; on the device '",
                device_->name(), "' an argument begins at a multiple of ",
                device_->offset_alignment(), " bytes, its BufferOffsetAlignment");
  }
  const cl_buffer_region region{static_cast<size_t>(offset), static_cast<size_t>(size)};
  return create(device_->cl(), "making a part of a buffer an argument",
                device_->cl().CreateSubBuffer, memory_.get(), CL_MEM_READ_WRITE,
                CL_BUFFER_CREATE_TYPE_REGION, &region);
}

// ---- Mappings ---------------------------------------------------------

Mapped Buffer::map(const Ref<Stream> &stream, uint64_t offset, uint64_t size,
                   nxs_map_access access) {
  if (shared_ == nullptr && !device_->works_in_host_memory()) {
    throw Error(NXS_NotSupported, "a buffer of the device '", device_->name(),
                "' can't stay mapped while work uses it; copy it, or make it with OnHost where the "
                "device has ManagedMemory");
  }
  const std::lock_guard lock(mutex_);
  mappings_.reserve(mappings_.size() + 1);
  void *pointer = shared_ == nullptr ? nullptr : shared_ + offset;
  const nxs_ticket ticket = stream->submit([&](Enqueuing &work) {
    if (pointer != nullptr || size == 0) return;
    const cl_map_flags flags = ((access & NXS_MapAccess_Read) != 0 ? CL_MAP_READ : 0) |
                               ((access & NXS_MapAccess_Write) != 0 ? CL_MAP_WRITE : 0);
    cl_int error = CL_SUCCESS;
    pointer = work.cl.EnqueueMapBuffer(work.queue, memory_.get(), CL_FALSE, flags, offset, size, 0,
                                       nullptr, &work.event, &error);
    if (error != CL_SUCCESS) throw_error(error, NXS_MapFailure, "mapping a buffer");
  });
  mappings_.push_back({pointer, stream});
  return {pointer, ticket};
}

nxs_ticket Buffer::unmap(Stream &stream, void *pointer) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(mappings_.begin(), mappings_.end(),
                                  [&](const Mapping &each) { return each.pointer == pointer; });
  if (found == mappings_.end()) {
    throw Error(NXS_InvalidValue,
                "pointer is not a mapping of the buffer; give the result of nxsMapBuffer");
  }
  const nxs_ticket ticket = stream.submit([&](Enqueuing &work) {
    if (shared_ != nullptr || pointer == nullptr) return;
    check(
        work.cl.EnqueueUnmapMemObject(work.queue, memory_.get(), pointer, 0, nullptr, &work.event),
        "ending a mapping");
  });
  mappings_.erase(found);
  return ticket;
}

namespace {

nxs_id create_buffer(const Device &device, uint64_t size, nxs_buffer_settings settings,
                     void *host_ptr) {
  check_new_buffer(size, settings, host_ptr, kBufferSettings, device.max_buffer_size());
  return buffers.create(device, size, settings, host_ptr);
}

nxs_ticket read(Stream &stream, const Buffer &from, uint64_t offset, void *host_ptr,
                uint64_t size) {
  return stream.submit([&](Enqueuing &work) {
    if (size == 0) return;
    check(work.cl.EnqueueReadBuffer(work.queue, from.memory(), CL_FALSE, offset, size, host_ptr, 0,
                                    nullptr, &work.event),
          "copying from a buffer");
  });
}

nxs_ticket write(Stream &stream, const Buffer &to, uint64_t offset, const void *host_ptr,
                 uint64_t size) {
  return stream.submit([&](Enqueuing &work) {
    if (size == 0) return;
    check(work.cl.EnqueueWriteBuffer(work.queue, to.memory(), CL_FALSE, offset, size, host_ptr, 0,
                                     nullptr, &work.event),
          "copying to a buffer");
  });
}

// An offset as the driver wants it: bytes in a row, rows in a slice, slices.
std::array<size_t, 3> origin_of(uint64_t offset, const uint64_t (&pitches)[2]) {
  return {offset % pitches[0], offset % pitches[1] / pitches[0], offset / pitches[1]};
}

void enqueue_rows(Enqueuing &work, const RowCopy<Buffer> &copy) {
  const nxs_rows &rows = copy.rows;
  const std::array<size_t, 3> from = origin_of(copy.from.offset, rows.from_pitches);
  const std::array<size_t, 3> to = origin_of(copy.to.offset, rows.to_pitches);
  const size_t region[] = {rows.bytes, rows.counts[0], rows.counts[1]};
  check(work.cl.EnqueueCopyBufferRect(
            work.queue, copy.from.buffer->memory(), copy.to.buffer->memory(), from.data(),
            to.data(), region, rows.from_pitches[0], rows.from_pitches[1], rows.to_pitches[0],
            rows.to_pitches[1], 0, nullptr, &work.event),
        "copying rows of a buffer");
}

void enqueue_each_row(Enqueuing &work, const RowCopy<Buffer> &copy) {
  const nxs_rows &rows = copy.rows;
  for (uint64_t slice = 0; slice < rows.counts[1]; ++slice) {
    for (uint64_t row = 0; row < rows.counts[0]; ++row) {
      const auto at = [&](uint64_t offset, const uint64_t (&pitches)[2]) {
        return offset + row * pitches[0] + slice * pitches[1];
      };
      const bool last = slice + 1 == rows.counts[1] && row + 1 == rows.counts[0];
      check(work.cl.EnqueueCopyBuffer(
                work.queue, copy.from.buffer->memory(), copy.to.buffer->memory(),
                at(copy.from.offset, rows.from_pitches), at(copy.to.offset, rows.to_pitches),
                rows.bytes, 0, nullptr, last ? &work.event : nullptr),
            "copying a row of a buffer");
      work.begun = true;
    }
  }
}

nxs_ticket copy_rows(Stream &stream, const RowCopy<Buffer> &copy) {
  const nxs_rows &rows = copy.rows;
  // Within one buffer OpenCL takes the same pitches only.
  const bool whole = copy.from.buffer != copy.to.buffer ||
                     std::equal(rows.from_pitches, rows.from_pitches + 2, rows.to_pitches);
  return stream.submit(
      [&](Enqueuing &work) { whole ? enqueue_rows(work, copy) : enqueue_each_row(work, copy); });
}

nxs_ticket copy_rows(nxs_id stream, const nxs_buffer_range *to, const nxs_buffer_range *from,
                     const nxs_rows *rows) {
  const auto used = streams.pin(stream);
  return copy_rows(*used, RowCopy<Buffer>(buffers, *used, to, from, rows));
}

constexpr auto buffer_properties = property_table<Buffer>({
    {NP_Size, member<&Buffer::size>},
});

}  // namespace
}  // namespace nexus_opencl

using namespace nexus_opencl;

NEXUS_PLUGIN_OBJECT(Buffer, buffers, buffer_properties)

NEXUS_PLUGIN_CREATE_BUFFER(devices, create_buffer)
NEXUS_PLUGIN_HOST_COPIES(buffers, streams, read(*queue, *buffer, offset, host_ptr, size),
                         write(*queue, *buffer, offset, host_ptr, size))
NEXUS_PLUGIN_MAPPINGS(buffers, streams, range.buffer->map(queue, range.offset, range.size, access),
                      buffer->unmap(*queue, pointer))
NEXUS_PLUGIN_RESULT(CopyRows,
                    (nxs_id stream, const nxs_buffer_range *to, const nxs_buffer_range *from,
                     const nxs_rows *rows, nxs_ticket *out),
                    copy_rows(stream, to, from, rows))
