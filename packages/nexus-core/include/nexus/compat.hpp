// SPDX-License-Identifier: Apache-2.0
/// The C++ API of the original, kernelize-ai/nexus, where its names or meanings differ from ours:
/// in a program of it, include this instead of <nexus.h>, and write nexus::compat:: for nexus::.
///
///     nexus::compat::Device device = nexus::compat::getSystem().getRuntime("cpu").getDevice(0);
///     nexus::compat::Library library = device.createLibrary("kernel.so");
///     nexus::compat::Command command = device.createSchedule().createCommand(kernel);
///     command.finalize({32, 1, 1}, {256, 1, 1}, 0);  // 32 groups of 256 work items
///
/// Each class is derived from that of plain Nexus, and can be given wherever that is wanted. Errors
/// are thrown as nexus::Error; a function that returns a status returns NXS_Success. What the
/// original looks up and does not find is an empty object, which is false.
/// docs/coming-from-the-original.md lists the differences.
#ifndef NEXUS_COMPAT_HPP_
#define NEXUS_COMPAT_HPP_

#include <nexus/cpp20.hpp>

#ifdef NEXUS_CPP20

#include <nexus/buffer.hpp>
#include <nexus/command.hpp>
#include <nexus/data_type.hpp>
#include <nexus/device.hpp>
#include <nexus/error.hpp>
#include <nexus/event.hpp>
#include <nexus/kernel.hpp>
#include <nexus/kernel_calls.hpp>
#include <nexus/launch.hpp>
#include <nexus/library.hpp>
#include <nexus/linker.hpp>
#include <nexus/memory_resource.hpp>
#include <nexus/object.hpp>
#include <nexus/object_code.hpp>
#include <nexus/program.hpp>
#include <nexus/properties.hpp>
#include <nexus/property.hpp>
#include <nexus/runtime.hpp>
#include <nexus/schedule.hpp>
#include <nexus/stream.hpp>
#include <nexus/system.hpp>
#include <nexus/trace.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

using nxs_char = std::int8_t;
using nxs_uchar = std::uint8_t;
using nxs_short = std::int16_t;
using nxs_ushort = std::uint16_t;
using nxs_int = std::int32_t;
using nxs_uint = std::uint32_t;
using nxs_long = std::int64_t;
using nxs_ulong = std::uint64_t;
using nxs_float = float;
using nxs_double = double;
using nxs_bool = nxs_uint;

struct nxs_dim3 {
  nxs_uint x, y, z;
};

inline constexpr nxs_uint NXS_MAX_DIMS = 8;

/// Strides are in elements.
struct nxs_buffer_layout {
  nxs_uint data_type;
  nxs_uint rank;
  nxs_ulong dim[NXS_MAX_DIMS];
  nxs_ulong stride[NXS_MAX_DIMS];
};

enum nxs_buffer_transfer : nxs_uint { NXS_BufferDeviceToHost = 0, NXS_BufferHostToDevice = 1 };

inline nxs_bool nxs_success(nxs_int result) {
  return result >= 0 ? 1 : 0;
}
inline nxs_bool nxs_failed(nxs_int result) {
  return result < 0 ? 1 : 0;
}
inline nxs_bool nxs_valid_id(nxs_int id) {
  return id >= 0 ? 1 : 0;
}
/// The type in the low bits of settings, beside the original's flags for blocks.
inline nxs_data_type nxsGetDataType(nxs_uint settings) {
  return static_cast<nxs_data_type>(settings & 31);
}
/// The original's flags for blocks, without the type.
inline nxs_uint nxsGetDataTypeFlags(nxs_uint settings) {
  return settings & (3U << 5);
}
/// 0 for an undefined type.
inline nxs_uint nxsGetDataTypeSizeBits(nxs_uint settings) {
  const nxs_data_type type = nxsGetDataType(settings);
  return type == NXS_DataType_Undefined ? 0 : nexus::dataTypeBits(type);
}
inline nxs_ulong nxsGetNumElements(const nxs_buffer_layout &layout) {
  nxs_ulong count = 1;
  for (nxs_uint i = 0; i < layout.rank; ++i) count *= layout.dim[i];
  return count;
}

namespace nexus::compat {

using PropIntVec = std::vector<nxs_long>;
using PropFltVec = std::vector<nxs_double>;
using PropStrVec = std::vector<std::string>;
using PropVariant =
    std::variant<nxs_long, nxs_double, std::string, PropStrVec, PropIntVec, PropFltVec>;

/// A property in its own type.
class Property : public PropVariant {
 public:
  using PropVariant::PropVariant;

  /// Throws std::bad_variant_access if it is of another type.
  template <class T>
  T getValue() const {
    return std::get<T>(*this);
  }
  template <class T>
  std::vector<T> getValueVec() const {
    return std::get<std::vector<T>>(*this);
  }
};

namespace detail {

inline std::optional<Property> readProperty(nexus_object *object, const std::vector<Key> &path) {
  const std::vector<nexus_key> raw = nexus::detail::rawKeys(path);
  try {
    const nexus::detail::PropertyBytes bytes([&](nxs_value *value) {
      return nexus_get_property(object, raw.data(), raw.size(), NXS_ValueType_None, value);
    });
    switch (bytes.type()) {
      case NXS_ValueType_Int:
        return bytes.number<nxs_long>();
      case NXS_ValueType_Flt:
        return bytes.number<nxs_double>();
      case NXS_ValueType_IntVec:
        return bytes.numbers<nxs_long>();
      case NXS_ValueType_FltVec:
        return bytes.numbers<nxs_double>();
      case NXS_ValueType_StrVec:
        return bytes.texts();
      default:
        return bytes.text();  // a structured one as JSON
    }
  } catch (const Error &error) {
    if (error.status() != NXS_InvalidProperty) throw;
    return std::nullopt;
  }
}

/// What find() returns; an empty T if there is none. Plain Nexus says why.
template <class T, class Find>
T orEmpty(Find find) {
  try {
    return T(find());
  } catch (const Error &) {
    return T();
  }
}

inline Extent extent(const nxs_dim3 &size) {
  return Extent(size.x, size.y == 0 ? 1 : size.y, size.z == 0 ? 1 : size.z);
}

/// An object of plain Nexus with what all objects of the original have.
template <class Ours>
class Of : public Ours {
 public:
  Of() noexcept = default;
  Of(Ours ours) noexcept : Ours(std::move(ours)) {}  // NOLINT(google-explicit-constructor)

  using Ours::getProperty;
  /// The property in its own type; none if the object does not have it.
  std::optional<Property> getProperty(nxs_int key) const {
    return readProperty(this->get(), {key});
  }

  /// The property; T() if the object does not have it. Throws NXS_InvalidProperty if it is of
  /// another type.
  template <class T>
  T getProp(nxs_int key) const {
    return getProperty(key) ? Ours::template getProperty<T>(key) : T();
  }

  void release() { Ours::operator=(Ours()); }
};

}  // namespace detail

/// A list of objects. An index that it does not have gives an empty object.
template <class T>
class Objects : public std::vector<T> {
 public:
  Objects() = default;
  template <class Ours>
  explicit Objects(const std::vector<Ours> &ours) : std::vector<T>(ours.begin(), ours.end()) {}

  explicit operator bool() const noexcept { return !this->empty(); }
  T get(nxs_int index) const {
    return index >= 0 && std::cmp_less(index, this->size()) ? this->begin()[index] : T();
  }
  T operator[](nxs_int index) const { return get(index); }
  nxs_int add(T object) {
    this->push_back(std::move(object));
    return static_cast<nxs_int>(this->size()) - 1;
  }
};

/// The type and the lengths of a buffer. Strides are in elements; they are not used to create one.
class Layout {
 public:
  Layout(nxs_ulong size = 0, nxs_uint dataType = NXS_DataType_Undefined)  // NOLINT
      : Layout(size == 0 ? std::vector<nxs_ulong>() : std::vector<nxs_ulong>{size}, {}, dataType) {}
  /// Throws NXS_InvalidValue for a negative length.
  template <std::integral T>
  Layout(const std::vector<T> &dims, const std::vector<T> &strides = {},  // NOLINT
         nxs_uint dataType = NXS_DataType_Undefined)
      : dataType_(dataType), strides_(strides.begin(), strides.end()) {
    for (const T dim : dims) {
      if (std::cmp_less(dim, 0)) {
        throw Error(NXS_InvalidValue,
                    "dims has the length " + std::to_string(dim) + "; give lengths of at least 0.");
      }
      dims_.push_back(static_cast<nxs_ulong>(dim));
    }
    for (std::size_t i = strides_.size(); i < dims_.size(); ++i) {
      strides_.push_back(i == 0 ? 1 : static_cast<nxs_long>(dims_[i - 1]) * strides_[i - 1]);
    }
  }

  Layout(const nxs_ulong *dims, nxs_uint count, nxs_uint dataType = NXS_DataType_Undefined)
      : Layout(std::vector<nxs_ulong>(dims, dims + count), {}, dataType) {}
  Layout(const nxs_buffer_layout &layout)  // NOLINT(google-explicit-constructor)
      : Layout(std::vector<nxs_ulong>(layout.dim, layout.dim + layout.rank),
               std::vector<nxs_ulong>(layout.stride, layout.stride + layout.rank),
               layout.data_type) {}

  explicit operator bool() const noexcept { return !dims_.empty(); }
  nxs_uint getRank() const noexcept { return static_cast<nxs_uint>(dims_.size()); }
  nxs_ulong getDim(nxs_uint index) const { return index < dims_.size() ? dims_[index] : 0; }
  nxs_ulong getStride(nxs_uint index) const {
    return index < dims_.size() ? static_cast<nxs_ulong>(strides_[index]) : 0;
  }
  nxs_ulong getNumElements() const {
    nxs_ulong count = 1;
    for (const nxs_ulong dim : dims_) count *= dim;
    return count;
  }
  nxs_data_type getDataType() const { return nxsGetDataType(dataType_); }
  nxs_uint getDataTypeFlags() const { return nxsGetDataTypeFlags(dataType_); }
  void setDataType(nxs_uint dataType) { dataType_ = dataType; }
  nxs_uint getElementSizeBits() const { return nxsGetDataTypeSizeBits(dataType_); }
  const std::vector<nxs_ulong> &getDims() const noexcept { return dims_; }
  /// Throws NXS_InvalidValue for more than NXS_MAX_DIMS dimensions.
  nxs_buffer_layout get() const {
    if (dims_.size() > NXS_MAX_DIMS) {
      throw Error(NXS_InvalidValue, "The layout has " + std::to_string(dims_.size()) +
                                        " dimensions, and nxs_buffer_layout at most " +
                                        std::to_string(NXS_MAX_DIMS) + "; use getDims().");
    }
    nxs_buffer_layout layout{dataType_, getRank(), {}, {}};
    for (nxs_uint i = 0; i < getRank(); ++i) {
      layout.dim[i] = getDim(i);
      layout.stride[i] = getStride(i);
    }
    return layout;
  }

 private:
  nxs_uint dataType_;
  std::vector<nxs_ulong> dims_;
  std::vector<nxs_long> strides_;
};

namespace detail {

/// Settings are a data type if the layout has none, and NXS_BufferSettings_ bits otherwise, as in
/// the original, where both have the same bits.
inline BufferDesc bufferDesc(const Layout &layout, const void *data, nxs_uint settings) {
  const bool typed = layout.getDataType() != NXS_DataType_Undefined;
  BufferDesc desc;
  desc.dataType = typed ? layout.getDataType() : nxsGetDataType(settings);
  desc.shape = layout.getDims();
  const nxs_uint bits = nxsGetDataTypeSizeBits(static_cast<nxs_uint>(desc.dataType));
  desc.size = layout.getNumElements() * (bits == 0 ? 8 : bits) / 8;
  desc.settings = typed ? settings & NXS_BufferSettings_OnHost : 0;
  desc.data = data;
  return desc;
}

}  // namespace detail

class Info : public detail::Of<Properties> {
 public:
  using Of::Of;

  using Of::getProperty;
  /// The property at a path, of names and NP_ keys; none if there is none. A structured one is the
  /// text of its JSON.
  std::optional<Property> getProperty(const Key &name) const {
    return detail::readProperty(get(), {name});
  }
  std::optional<Property> getProperty(std::initializer_list<Key> path) const {
    return detail::readProperty(get(), path);
  }
  template <class Name>
  std::optional<Property> getProperty(const std::vector<Name> &path) const {
    return detail::readProperty(get(), std::vector<Key>(path.begin(), path.end()));
  }
};

class Buffer : public detail::Of<nexus::Buffer> {
 public:
  using Of::Of;

  nxs_ulong getSizeBytes() const { return getSize(); }
  Layout getLayout() const {
    std::vector<nxs_long> dims;
    for (const std::uint64_t length : getShape()) dims.push_back(static_cast<nxs_long>(length));
    const nxs_long bits = dataTypeBits(getDataType());
    std::vector<nxs_long> strides;
    for (const std::int64_t bytes : getStrides()) strides.push_back(bytes * 8 / bits);
    return Layout(dims, strides, static_cast<nxs_uint>(getDataType()));
  }
  /// The address of the memory, or the driver's handle of it.
  const char *getDataPtr() const {
    return reinterpret_cast<const char *>(getProp<nxs_long>(NP_NativeHandle));
  }
  /// Copies all bytes, to host or from it.
  nxs_status copy(void *host, nxs_uint direction = NXS_BufferDeviceToHost) const {
    if (direction == NXS_BufferHostToDevice) {
      nexus::Buffer::copyFrom(host, getSize());
    } else {
      nexus::Buffer::copy(host, getSize());
    }
    return NXS_Success;
  }
  /// Fills the buffer with a pattern of size bytes.
  nxs_status fill(const void *value, nxs_uint size) const {
    nexus::detail::check(nexus_buffer_fill(get(), value, size, nullptr, 1));
    return NXS_Success;
  }
};

class Stream : public detail::Of<nexus::Stream> {
 public:
  using Of::Of;
};

class Kernel : public detail::Of<nexus::Kernel> {
 public:
  using Of::Of;

  Info getInfo() const { return nexus::Kernel::getInfo(); }
};

class Library : public detail::Of<nexus::Library> {
 public:
  using Of::Of;

  Info getInfo() const { return nexus::Library::getInfo(); }
  /// info has no effect: the kernel's own is in the description of its library.
  Kernel getKernel(const std::string &name, const Info &info = {}) const {
    static_cast<void>(info);
    return detail::orEmpty<Kernel>([&] { return nexus::Library::getKernel(name); });
  }
  Objects<Kernel> getKernels() const { return Objects<Kernel>(nexus::Library::getKernels()); }
};

class Event : public detail::Of<nexus::Event> {
 public:
  using Of::Of;

  nxs_status signal(nxs_int value = 1) const {
    nexus::Event::signal(static_cast<std::uint64_t>(value));
    return NXS_Success;
  }
  nxs_status wait(nxs_int value = 1) const {
    nexus::Event::wait(static_cast<std::uint64_t>(value));
    return NXS_Success;
  }
};

class Command : public detail::Of<nexus::Command> {
 public:
  using Of::Of;

  Kernel getKernel() const { return nexus::Command::getKernel(); }
  Event getEvent() const { return nexus::Command::getEvent(); }

  /// name and settings have no effect: the value's own type counts.
  template <class T>
  nxs_status setArgument(nxs_uint index, const T &value, const char *name = "",
                         nxs_uint settings = 0) const {
    static_cast<void>(name);
    static_cast<void>(settings);
    nexus::Command::setArgument(index, value);
    return NXS_Success;
  }

  /// gridSize counts groups.
  nxs_status finalize(nxs_dim3 gridSize, nxs_dim3 groupSize, nxs_uint sharedMemorySize) const {
    nexus::Command::finalize(Launch{.groupSize = detail::extent(groupSize),
                                    .groupCount = detail::extent(gridSize),
                                    .localMemory = sharedMemorySize});
    return NXS_Success;
  }
};

class Schedule : public detail::Of<nexus::Schedule> {
 public:
  using Of::Of;

  Command createCommand(const Kernel &kernel, nxs_uint settings = 0) const {
    static_cast<void>(settings);
    return nexus::Schedule::createCommand(kernel);
  }
  /// Signals a new shared event: Command::getEvent().
  Command createSignalCommand(nxs_int value = 1, nxs_uint settings = 0) const {
    return createSignalCommand(Event(), value, settings);
  }
  Command createSignalCommand(const Event &event, nxs_int value = 1, nxs_uint settings = 0) const {
    static_cast<void>(settings);
    return nexus::Schedule::createSignalCommand(
        event ? nexus::Event(event) : getDevice().createEvent(), static_cast<std::uint64_t>(value));
  }
  Command createWaitCommand(const Event &event, nxs_int value = 1, nxs_uint settings = 0) const {
    static_cast<void>(settings);
    return nexus::Schedule::createWaitCommand(event, static_cast<std::uint64_t>(value));
  }
  /// Of settings, NXS_ExecutionSettings_NonBlocking and _Timing have an effect.
  nxs_status run(const Stream &stream = {}, nxs_uint settings = 0) const {
    nexus::Schedule::run(stream, (settings & NXS_ExecutionSettings_NonBlocking) == 0, forever,
                         (settings & NXS_ExecutionSettings_Timing) != 0);
    return NXS_Success;
  }
  Objects<Command> getCommands() const { return Objects<Command>(nexus::Schedule::getCommands()); }
};

class Device : public detail::Of<nexus::Device> {
 public:
  using Of::Of;

  Info getInfo() const { return nexus::Device::getInfo(); }
  Library createLibrary(const std::string &path, nxs_uint settings = 0) const {
    static_cast<void>(settings);
    return loadLibrary(path);
  }
  Library createLibrary(const void *data, std::size_t size, nxs_uint settings = 0) const {
    static_cast<void>(settings);
    return loadLibrary(std::span(static_cast<const std::byte *>(data), size));
  }
  /// With NXS_BufferSettings_OnDevice and a layout that has a type, data is the device's memory,
  /// used in place.
  Buffer createBuffer(const Layout &layout, const void *data = nullptr,
                      nxs_uint settings = 0) const {
    BufferDesc desc = detail::bufferDesc(layout, data, settings);
    if (data == nullptr || layout.getDataType() == NXS_DataType_Undefined ||
        (settings & NXS_BufferSettings_OnDevice) == 0) {
      return nexus::Device::createBuffer(desc);
    }
    desc.data = nullptr;
    return nexus::Device::createBuffer(
        ForeignMemory{.handle = reinterpret_cast<std::uintptr_t>(data)}, desc);
  }
  Buffer copyBuffer(const Buffer &buffer, nxs_uint settings = 0) const {
    static_cast<void>(settings);
    return nexus::Device::copyBuffer(buffer);
  }
  /// A buffer with the bytes of the value. (The original declares this function only.)
  Buffer fillBuffer(const void *value, nxs_uint size) const { return createBuffer(size, value); }
  Stream createStream(nxs_uint settings = 0) const {
    static_cast<void>(settings);
    return nexus::Device::createStream();
  }
  Schedule createSchedule(nxs_uint settings = 0) const {
    static_cast<void>(settings);
    return nexus::Device::createSchedule();
  }
  Event createEvent(nxs_event_type type = NXS_EventType_Shared, nxs_uint settings = 0) const {
    return nexus::Device::createEvent(type, (settings & NXS_ExecutionSettings_Timing) != 0);
  }
  Objects<Buffer> getBuffers() const { return Objects<Buffer>(nexus::Device::getBuffers()); }
  Objects<Library> getLibraries() const { return Objects<Library>(nexus::Device::getLibraries()); }
  Objects<Stream> getStreams() const { return Objects<Stream>(nexus::Device::getStreams()); }
  Objects<Event> getEvents() const { return Objects<Event>(nexus::Device::getEvents()); }
  Objects<Schedule> getSchedules() const {
    return Objects<Schedule>(nexus::Device::getSchedules());
  }
};

class Runtime : public detail::Of<nexus::Runtime> {
 public:
  using Of::Of;

  Device getDevice(nxs_uint index) const {
    return detail::orEmpty<Device>([&] { return nexus::Runtime::getDevice(index); });
  }
  Objects<Device> getDevices() const { return Objects<Device>(nexus::Runtime::getDevices()); }
};

using Buffers = Objects<Buffer>;
using Commands = Objects<Command>;
using Devices = Objects<Device>;
using Events = Objects<Event>;
using Infos = Objects<Info>;
using Kernels = Objects<Kernel>;
using Librarys = Objects<Library>;
using Runtimes = Objects<Runtime>;
using Schedules = Objects<Schedule>;
using Streams = Objects<Stream>;

class System : public nexus::System {
 public:
  Runtimes getRuntimes() const {
    const nexus::Runtimes all = nexus::System::getRuntimes();
    return Runtimes(std::vector<nexus::Runtime>(all.begin(), all.end()));
  }
  Runtime getRuntime(int index) const { return getRuntimes().get(index); }
  Runtime getRuntime(const std::string &name) const {
    return detail::orEmpty<Runtime>([&] { return nexus::System::getRuntime(name); });
  }
  Buffer createBuffer(const Layout &layout, const void *data = nullptr,
                      nxs_uint settings = 0) const {
    return nexus::System::createBuffer(detail::bufferDesc(layout, data, settings));
  }
  Buffer copyBuffer(const Buffer &buffer, const Device &device, nxs_uint settings = 0) const {
    return device.copyBuffer(buffer, settings);
  }
};

inline System getSystem() noexcept {
  return {};
}

inline Info lookupDeviceInfo(const std::string &name) {
  return detail::orEmpty<Info>([&] { return System().lookupDeviceInfo(name); });
}

using DeviceInfoMap = std::unordered_map<std::string, Info>;

/// The device files of the first call, by their stems.
inline const DeviceInfoMap *getDeviceInfoDB() {
  static const DeviceInfoMap all = [] {
    DeviceInfoMap made;
    for (const std::string &stem : System().getDeviceInfo().getPropertyKeys()) {
      made.emplace(stem, lookupDeviceInfo(stem));
    }
    return made;
  }();
  return &all;
}

}  // namespace nexus::compat

#endif  // NEXUS_CPP20

#endif  // NEXUS_COMPAT_HPP_
