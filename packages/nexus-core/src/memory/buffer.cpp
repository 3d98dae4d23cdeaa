// SPDX-License-Identifier: Apache-2.0
#include "memory/buffer.hpp"

#include <cstring>

#include "base/data_type.hpp"
#include "base/sink.hpp"
#include "memory/memory_resource.hpp"
#include "object/property.hpp"
#include "stream/running_call.hpp"

namespace nexus::core {

namespace {

constexpr uint32_t kMaxRank = 64;

uint64_t elementCount(const nexus_buffer_desc &desc) {
  uint64_t count = 1;
  for (uint32_t i = 0; i < desc.rank; ++i) {
    if (__builtin_mul_overflow(count, desc.shape[i], &count)) {
      failWith(NXS_InvalidBufferSize,
               "shape has more elements than 64 bits can count; make it smaller.");
    }
  }
  return count;
}

std::string shapeText(const std::vector<uint64_t> &shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

// Without a shape: one dimension of as many elements as fit.
void shapeFromSize(Layout &layout) {
  const uint32_t bits = dataTypeBits(layout.data_type);
  const uint64_t bytes = bits / 8;
  if (bytes > 1 && layout.size % bytes != 0) {
    failWith(NXS_InvalidBufferSize, "size is ", layout.size, " bytes; give a multiple of the ",
             bytes, " bytes of ", dataTypeName(layout.data_type), ".");
  }
  layout.shape = {bytes > 1 ? layout.size / bytes : layout.size};
}

void checkShape(Layout &layout, uint64_t count) {
  const uint64_t packed = packedSize(layout.data_type, count);
  if (layout.size == 0) {
    layout.size = packed;
  }
  // 4-bit types may also have one element per byte, as in ml_dtypes.
  const bool one_a_byte = dataTypeBits(layout.data_type) < 8 && layout.size == count;
  if (layout.size != packed && !one_a_byte) {
    failWith(NXS_InvalidValue, "size is ", layout.size, " bytes, and shape ",
             shapeText(layout.shape), " of ", dataTypeName(layout.data_type), " needs ", packed,
             "; give one of them, or make them equal.");
  }
}

}  // namespace

// Throws if size, shape and data type of desc do not fit each other.
static Layout layoutOf(const nexus_buffer_desc &desc) {
  if (dataTypeName(desc.data_type) == nullptr) {
    failWith(NXS_InvalidValue, "data_type is ", desc.data_type,
             ", which is not a data type; give an NXS_DataType_ value.");
  }
  Layout layout;
  layout.size = desc.size;
  layout.data_type = desc.data_type;
  layout.read_only = (desc.settings & NXS_BufferSettings_ReadOnly) != 0;
  if (desc.shape != nullptr || desc.rank != 0) {
    if (desc.shape == nullptr || desc.rank > kMaxRank) {
      failWith(NXS_InvalidValue, "rank is ", desc.rank,
               (desc.shape == nullptr ? " and shape is NULL; give the shape, or rank 0."
                                      : "; a buffer has at most 64 dimensions."));
    }
    layout.shape.assign(desc.shape, desc.shape + desc.rank);
    checkShape(layout, elementCount(desc));
  } else {
    shapeFromSize(layout);
  }
  layout.extent = layout.size;
  return layout;
}

namespace {

// Returns the strides of C order without gaps. Throws NXS_NotSupported for 4-bit types.
std::vector<int64_t> packedStrides(const Layout &layout) {
  const uint32_t bits = dataTypeBits(layout.data_type);
  if (bits < 8) {
    failWith(NXS_NotSupported, "Two elements of ", dataTypeName(layout.data_type),
             " share a byte, so the buffer has no strides in bytes; leave the strides out.");
  }
  std::vector<int64_t> strides(layout.shape.size());
  uint64_t stride = bits / 8;
  for (std::size_t i = strides.size(); i-- > 0;) {
    strides[i] = static_cast<int64_t>(stride);
    stride *= layout.shape[i];
  }
  return strides;
}

// Sets strides, extent and first. Leaves the layout contiguous if the strides are C order's.
void setStrides(Layout &layout, const int64_t *strides) {
  const std::vector<int64_t> packed = packedStrides(layout);
  bool differs = false;
  int64_t lowest = 0;
  int64_t highest = 0;
  for (std::size_t i = 0; i < packed.size() && layout.size != 0; ++i) {
    if (layout.shape[i] == 1) continue;
    differs = differs || strides[i] != packed[i];
    int64_t reach = 0;
    int64_t &end = strides[i] < 0 ? lowest : highest;
    if (__builtin_mul_overflow(static_cast<int64_t>(layout.shape[i] - 1), strides[i], &reach) ||
        __builtin_add_overflow(end, reach, &end)) {
      failWith(NXS_InvalidValue, "strides[", i, "] is ", strides[i], ", and ", layout.shape[i],
               " elements with that stride exceed the memory; give a smaller stride.");
    }
  }
  if (!differs) return;
  layout.strides.assign(strides, strides + packed.size());
  layout.first = uint64_t{0} - static_cast<uint64_t>(lowest);
  layout.extent =
      static_cast<uint64_t>(highest) + layout.first + dataTypeBits(layout.data_type) / 8;
}

}  // namespace

Buffer::Buffer(Ref<Memory> memory, uint64_t offset, std::shared_ptr<const Layout> layout)
    : ListedObject(kType),
      device_(memory->device()),
      id_(memory->id()),
      offset_(offset),
      layout_(std::move(layout)),
      memory_(std::move(memory)) {
  memory_->addBuffer();
}

Buffer::~Buffer() {
  if (ofThisProcess()) letGo();
}

Ref<Memory> Buffer::memory() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!memory_) {
    refuseObject(this, kType, "buffer");
  }
  return memory_;
}

Place Buffer::place() const {
  Ref<Memory> memory = this->memory();
  if (memory->scratchOf() == 0) return {std::move(memory), offset_};
  const RunningCall *call = RunningCall::present();
  const CallMemory *found = call == nullptr ? nullptr : call->memoryOf(memory->id());
  if (found == nullptr) {
    failWith(NXS_InvalidOperation, "The buffer is scratch memory of schedule ", memory->scratchOf(),
             ", which only its commands use; copy it by a command of the schedule, or pass it to a "
             "host function.");
  }
  return {Ref(static_cast<Memory *>(found->lies_in.get())), found->offset + offset_};
}

void requireContiguous(const Buffer &buffer, const char *name) {
  if (!buffer.contiguous()) {
    failWith(NXS_InvalidValue, name,
             " is a view that is not contiguous (in C order, without gaps); give a contiguous "
             "copy, in Python ",
             name, ".ascontiguous().");
  }
}

Place Buffer::sharedPlace() const {
  Place at = place();
  if (memory()->scratchOf() != 0) {
    failWith(
        NXS_NotSupported,
        "The buffer is scratch memory, which later commands of its schedule overwrite; copy it "
        "instead of sharing it.");
  }
  return at;
}

void Buffer::letGo() {
  Ref<Memory> memory;  // released outside the lock: that may call the user's code
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::swap(memory, memory_);
  }
  if (memory) memory->removeBuffer();
}

std::optional<json::Value> Buffer::property(std::string_view, nxs_property number) {
  switch (number) {
    case NP_ID:
      return json::Value(id_);
    case NP_Size:
      return json::Value(static_cast<int64_t>(layout_->size));
    case NP_Rank:
      return json::Value(static_cast<int64_t>(layout_->shape.size()));
    case NP_Shape: {
      std::vector<int64_t> lengths;
      for (const uint64_t length : layout_->shape) lengths.push_back(static_cast<int64_t>(length));
      return listOf(lengths);
    }
    case NP_DataType:
      return json::Value(dataTypeName(layout_->data_type));
    case NP_Offset:
      return json::Value(static_cast<int64_t>(offset_ + memory()->handleOffset()));
    case NP_NativeHandle:
      return nativeHandle();
    default:
      return device_ == nullptr ? std::nullopt : sharedPlace().memory->properties().read(number);
  }
}

// If handles are addresses, the handle of a slice is the address of its first byte; else it is the
// memory's.
std::optional<json::Value> Buffer::nativeHandle() {
  if (device_ == nullptr) return std::nullopt;
  const Place at = place();
  const auto handle = at.memory->properties().readInt(NP_NativeHandle);
  if (!handle) return std::nullopt;
  return json::Value(*handle + (device_->handlesAreAddresses()
                                    ? static_cast<int64_t>(at.offset + layout_->first)
                                    : 0));
}

std::vector<std::string> Buffer::propertyKeys() {
  std::vector<std::string> own{"ID", "Keys", "Size", "Rank", "Shape", "DataType", "Offset"};
  const Ref<Memory> of = memory();
  if (device_ == nullptr || of->scratchOf() != 0) return own;
  return of->properties().keys(std::move(own));
}

void requireWithin(uint64_t offset, uint64_t size, uint64_t bytes, const char *whole,
                   const char *remedy) {
  if (offset > bytes || size > bytes - offset) {
    failWith(NXS_InvalidValue, "offset is ", offset, " and size is ", size, ", and ", whole,
             " has ", bytes, " bytes; ", remedy);
  }
}

namespace {

const nexus_buffer_desc &givenDesc(const nexus_buffer_desc *desc) {
  requireWhole(desc, "desc", "nexus_buffer_desc");
  return *desc;
}

// Refuses settings and host_data, which do not apply to memory that exists already.
const nexus_buffer_desc &descOfPart(const nexus_buffer_desc *desc) {
  const nexus_buffer_desc &wanted = givenDesc(desc);
  if ((wanted.settings & ~NXS_BufferSettings_ReadOnly) != 0 || wanted.host_data != nullptr) {
    failWith(NXS_InvalidValue,
             "desc has settings or host_data, and the memory exists already; give neither, or "
             "ReadOnly alone.");
  }
  return wanted;
}

// Allocates memory by the device's resource and copies data into it, if given. Returns nothing if
// the device has no resource.
Ref<Memory> allocateByResource(Device &device, uint64_t size, const void *data) {
  const Ref<MemoryResource> resource = resourceOf(device);
  if (!resource) return {};
  Ref<Memory> memory = resource->allocate(device, size);
  if (data != nullptr) {
    Layout bytes;
    bytes.size = bytes.extent = size;
    fillFromHost(*make<Buffer>(memory, uint64_t{0}, std::move(bytes)), data);
  }
  return memory;
}

}  // namespace

Layout layoutOfScratch(const nexus_buffer_desc *desc) {
  const nexus_buffer_desc &wanted = givenDesc(desc);
  if (wanted.settings != 0 || wanted.host_data != nullptr || wanted.host_release != nullptr) {
    failWith(NXS_InvalidValue,
             "desc has settings, host_data or host_release; give none, since scratch memory is the "
             "device's and has no contents before a run.");
  }
  return layoutOf(wanted);
}

}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_device_create_buffer(nexus_device *device, const nexus_buffer_desc *desc,
                                      nexus_buffer **out_buffer) {
  return giveResult(out_buffer, "out_buffer", [&] {
    Device &on = given<Device>(device, "device");
    const nexus_buffer_desc &wanted = givenDesc(desc);
    Layout layout = layoutOf(wanted);
    const bool maintain = (wanted.settings & NXS_BufferSettings_Maintain) != 0;
    if (maintain && wanted.host_data == nullptr && layout.size != 0) {
      failWith(NXS_InvalidHostPtr,
               "settings has Maintain and host_data is NULL; give the memory to use.");
    }
    if (!maintain && wanted.host_release != nullptr) {
      failWith(NXS_InvalidValue,
               "host_release is set and settings lacks Maintain, so the call copies host_data; "
               "leave host_release out.");
    }
    const nxs_buffer_settings settings = wanted.settings & ~NXS_BufferSettings_ReadOnly;
    Ref<Memory> memory;
    if ((settings & ~NXS_BufferSettings_OnDevice) == 0 && layout.size != 0) {
      memory = allocateByResource(on, layout.size, wanted.host_data);
    }
    if (!memory) {
      memory = make<Memory>(on, layout.size, settings, wanted.host_data,
                            ForeignOwner{wanted.host_release, wanted.host_context});
    }
    return listed(on, make<Buffer>(std::move(memory), uint64_t{0}, std::move(layout)));
  });
}

nxs_status nexus_create_system_buffer(const nexus_buffer_desc *desc, nexus_buffer **out_buffer) {
  return giveResult(out_buffer, "out_buffer", [&] {
    const nexus_buffer_desc &wanted = givenDesc(desc);
    const bool maintain = (wanted.settings & NXS_BufferSettings_Maintain) != 0;
    constexpr nxs_buffer_settings known = NXS_BufferSettings_Maintain | NXS_BufferSettings_ReadOnly;
    if ((wanted.settings & ~known) != 0 ||
        (!maintain && (wanted.settings != 0 || wanted.host_release != nullptr))) {
      failWith(NXS_InvalidValue,
               "desc has settings or host_release without Maintain; give neither, since the call "
               "then copies host_data to new host memory.");
    }
    Layout layout = layoutOf(wanted);
    if (maintain) {
      if (wanted.host_data == nullptr || layout.size == 0) {
        failWith(NXS_InvalidHostPtr,
                 "settings has Maintain, and host_data is NULL or size is 0; "
                 "give the memory to use.");
      }
      const ForeignOwner owner{wanted.host_release, wanted.host_context};
      return make<Buffer>(make<Memory>(wanted.host_data, layout.size, owner), uint64_t{0},
                          std::move(layout));
    }
    Ref<Memory> memory = make<Memory>(layout.size);
    if (wanted.host_data != nullptr && layout.size != 0) {
      std::memcpy(memory->address(), wanted.host_data, static_cast<std::size_t>(layout.size));
    }
    return make<Buffer>(std::move(memory), uint64_t{0}, std::move(layout));
  });
}

nxs_status nexus_buffer_slice(nexus_buffer *buffer, uint64_t offset, const nexus_buffer_desc *desc,
                              nexus_buffer **out_buffer) {
  return giveResult(out_buffer, "out_buffer", [&] {
    Buffer &whole = given<Buffer>(buffer, "buffer");
    Layout layout = layoutOf(descOfPart(desc));
    layout.read_only = layout.read_only || whole.readOnly();
    requireWithin(offset, layout.size, whole.layout().extent, "the buffer",
                  "keep the slice within its buffer.");
    Ref<Buffer> slice = make<Buffer>(whole.memory(), whole.offset() + offset, std::move(layout));
    return slice->device() == nullptr ? slice : listed(*slice->device(), slice);
  });
}

nxs_status nexus_buffer_view(nexus_buffer *buffer, uint64_t offset, nxs_data_type data_type,
                             uint32_t rank, const uint64_t *shape, const int64_t *strides,
                             nexus_buffer **out_buffer) {
  return giveResult(out_buffer, "out_buffer", [&] {
    Buffer &whole = given<Buffer>(buffer, "buffer");
    if (rank != 0) {
      requirePointer(shape, "shape");
      requirePointer(strides, "strides");
    }
    nexus_buffer_desc desc{};
    constexpr uint64_t no_lengths = 0;
    desc.data_type = data_type;
    desc.rank = rank;
    desc.shape = rank == 0 ? &no_lengths : shape;
    Layout layout = layoutOf(desc);
    layout.read_only = whole.readOnly();
    setStrides(layout, strides);
    if (layout.first > offset) {
      failWith(NXS_InvalidValue, "offset is ", offset, ", and the strides reach ", layout.first,
               " bytes before it; keep the view within its buffer.");
    }
    const uint64_t start = offset - layout.first;
    requireWithin(start, layout.extent, whole.layout().extent, "the buffer",
                  "keep the view within its buffer.");
    Ref<Buffer> view = make<Buffer>(whole.memory(), whole.offset() + start, std::move(layout));
    return view->device() == nullptr ? view : listed(*view->device(), view);
  });
}

nxs_status nexus_buffer_get_strides(nexus_buffer *buffer, uint64_t capacity, int64_t *out_strides,
                                    uint64_t *out_first) {
  return guarded([&] {
    requirePointer(out_first, "out_first");
    const Layout &layout = given<Buffer>(buffer, "buffer").layout();
    if (capacity > 0) {
      requirePointer(out_strides, "out_strides");
    }
    const std::vector<int64_t> strides =
        layout.contiguous() ? packedStrides(layout) : layout.strides;
    for (std::size_t i = 0; i < strides.size() && i < capacity; ++i) {
      out_strides[i] = strides[i];
    }
    *out_first = layout.first;
  });
}

nxs_status nexus_buffer_is_contiguous(nexus_buffer *buffer, int32_t *out_contiguous) {
  return giveResult(out_contiguous, "out_contiguous",
                    [&] { return given<Buffer>(buffer, "buffer").contiguous() ? 1 : 0; });
}

nxs_status nexus_buffer_get_device(nexus_buffer *buffer, nexus_device **out_device) {
  return giveResult(out_device, "out_device",
                    [&] { return Ref(given<Buffer>(buffer, "buffer").device()); });
}

nxs_status nexus_buffer_get_size(nexus_buffer *buffer, uint64_t *out_bytes) {
  return giveResult(out_bytes, "out_bytes", [&] { return given<Buffer>(buffer, "buffer").size(); });
}

nxs_status nexus_buffer_get_data_type(nexus_buffer *buffer, nxs_data_type *out_type) {
  return giveResult(out_type, "out_type",
                    [&] { return given<Buffer>(buffer, "buffer").layout().data_type; });
}

nxs_status nexus_buffer_is_read_only(nexus_buffer *buffer, int32_t *out_read_only) {
  return giveResult(out_read_only, "out_read_only",
                    [&] { return given<Buffer>(buffer, "buffer").readOnly() ? 1 : 0; });
}

nxs_status nexus_buffer_get_shape(nexus_buffer *buffer, uint64_t capacity, uint64_t *out_shape,
                                  uint32_t *out_rank) {
  return guarded([&] {
    requirePointer(out_rank, "out_rank");
    const std::vector<uint64_t> &shape = given<Buffer>(buffer, "buffer").layout().shape;
    if (capacity > 0) {
      requirePointer(out_shape, "out_shape");
    }
    for (std::size_t i = 0; i < shape.size() && i < capacity; ++i) {
      out_shape[i] = shape[i];
    }
    *out_rank = static_cast<uint32_t>(shape.size());
  });
}

nxs_status nexus_device_create_buffer_from_handle(nexus_device *device, uint64_t handle,
                                                  uint64_t offset, const nexus_buffer_desc *desc,
                                                  nexus_buffer **out_buffer) {
  return giveResult(out_buffer, "out_buffer", [&] {
    Device &on = given<Device>(device, "device");
    const nexus_buffer_desc &wanted = descOfPart(desc);
    Layout layout = layoutOf(wanted);
    Ref<Memory> memory = make<Memory>(on, layout.size, ForeignMemory{handle, offset},
                                      ForeignOwner{wanted.host_release, wanted.host_context});
    return listed(on, make<Buffer>(std::move(memory), uint64_t{0}, std::move(layout)));
  });
}

nxs_status nexus_buffer_export(nexus_buffer *buffer, const nxs_sink *handle) {
  return guarded([&] {
    requirePointer(handle, "handle");
    writeTo(handle, "handle", given<Buffer>(buffer, "buffer").sharedPlace().memory->exported());
  });
}

nxs_status nexus_device_import_buffer(nexus_device *device, const void *handle,
                                      uint64_t handle_size, uint64_t offset,
                                      const nexus_buffer_desc *desc, nexus_buffer **out_buffer) {
  return giveResult(out_buffer, "out_buffer", [&] {
    requirePointer(handle, "handle");
    Device &on = given<Device>(device, "device");
    const nexus_buffer_desc &wanted = descOfPart(desc);
    if (wanted.host_release != nullptr) {
      failWith(NXS_InvalidValue,
               "desc has host_release; give none, since another process owns the memory.");
    }
    Layout layout = layoutOf(wanted);
    nxs_id made = 0;
    on.plugin().call(&nxs_functions::ImportBuffer, "import a buffer of another process", on.id(),
                     handle, handle_size, &made);
    Ref<Memory> memory = make<Memory>(on, made, false);
    requireWithin(offset, layout.size, memory->size(), "the memory", "give a part of it.");
    return listed(on, make<Buffer>(std::move(memory), offset, std::move(layout)));
  });
}
