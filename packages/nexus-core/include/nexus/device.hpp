// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_DEVICE_HPP_
#define NEXUS_DEVICE_HPP_

#include <nexus/buffer.hpp>
#include <nexus/event.hpp>
#include <nexus/library.hpp>
#include <nexus/memory_resource.hpp>
#include <nexus/object.hpp>
#include <nexus/object_code.hpp>
#include <nexus/program.hpp>
#include <nexus/properties.hpp>
#include <nexus/schedule.hpp>
#include <nexus/stream.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nexus {

class Runtime;

/// A device's memory that another library or a driver allocated.
struct ForeignMemory {
  std::uint64_t handle = 0;  ///< The driver's handle: an address, or an object.
  std::uint64_t offset = 0;  ///< Bytes from its start.
  /// Called once, on any thread, when the memory is no longer needed. May be empty.
  void (*release)(void *context) = nullptr;
  void *context = nullptr;
};

/// A device. Made by Runtime::getDevice and System::getDevice.
class Device : public Object {
 public:
  Device() noexcept = default;
  /// Takes over the caller's reference.
  explicit Device(nexus_device *object) noexcept : Object(object) {}

  /// Defined in <nexus/runtime.hpp>.
  Runtime getRuntime() const;

  /// Returns the name of the device for all functions that select one, such as "cpu:0".
  std::string getSelector() const {
    return std::string(
        detail::toView(detail::result<nxs_string>(nexus_device_get_selector, get())));
  }

  /// Returns the part of the selector before the colon: "cpu", "cuda".
  std::string getBackend() const {
    const std::string selector = getSelector();
    return selector.substr(0, selector.find(':'));
  }

  /// Return single properties. Throw NXS_InvalidProperty if the device does not have it.
  std::string getName() const { return getProperty<std::string>(NP_Name); }
  std::string getVendor() const { return getProperty<std::string>(NP_Vendor); }
  std::string getArchitecture() const { return getProperty<std::string>(NP_Architecture); }
  /// In bytes.
  std::uint64_t getMemorySize() const { return getProperty<std::uint64_t>(NP_GlobalMemorySize); }
  std::uint64_t getComputeUnits() const { return getProperty<std::uint64_t>(NP_CoreCount); }

  /// Returns the device's own properties, merged into its device file.
  Properties getInfo() const { return detail::result<Properties>(nexus_device_get_info, get()); }

  /// Makes a buffer of size bytes; copies data into it, if given.
  Buffer createBuffer(std::uint64_t size, const void *data = nullptr) const {
    return createBuffer(BufferDesc{.size = size, .data = data});
  }

  /// Makes a buffer of count elements of a data type. NXS_DataType_Undefined counts bytes.
  Buffer createBuffer(std::uint64_t count, nxs_data_type dataType) const {
    return createBuffer(BufferDesc{.dataType = dataType, .shape = {count}});
  }

  /// Makes a buffer with a copy of the range's elements, and their data type.
  template <HostRange R>
  Buffer createBuffer(const R &host) const {
    using Element = std::ranges::range_value_t<R>;
    BufferDesc desc;
    desc.size = std::ranges::size(host) * sizeof(Element);
    desc.dataType = dataTypeOf<Element>();
    desc.shape = {desc.dataType == NXS_DataType_Undefined ? desc.size : std::ranges::size(host)};
    desc.data = std::ranges::data(host);
    return createBuffer(desc);
  }

  /// Throws NXS_InvalidBufferSize, NXS_InvalidValue or NXS_MemObjectAllocationFailure.
  Buffer createBuffer(const BufferDesc &desc) const {
    const nexus_buffer_desc raw = detail::toDesc(desc);
    return detail::result<Buffer>(nexus_device_create_buffer, get(), &raw);
  }

  /// Makes a buffer that uses another library's memory in place. desc has neither settings nor
  /// data. Work outside of Nexus must be ordered by the program.
  Buffer createBuffer(const ForeignMemory &memory, const BufferDesc &desc) const {
    nexus_buffer_desc raw = detail::toDesc(desc);
    raw.host_release = memory.release;
    raw.host_context = memory.context;
    return detail::result<Buffer>(nexus_device_create_buffer_from_handle, get(), memory.handle,
                                  memory.offset, &raw);
  }

  /// Imports another process' memory by its handle from Buffer::exportMemory(): desc's bytes from
  /// offset on. The processes' work is not ordered.
  Buffer importBuffer(std::string_view handle, const BufferDesc &desc,
                      std::uint64_t offset = 0) const {
    const nexus_buffer_desc raw = detail::toDesc(desc);
    return detail::result<Buffer>(nexus_device_import_buffer, get(), handle.data(), handle.size(),
                                  offset, &raw);
  }

  /// Makes a buffer on this device with a copy of another's contents, data type and shape. The
  /// other may be on any device.
  Buffer copyBuffer(const Buffer &other) const {
    BufferDesc desc;
    desc.size = other.getSize();
    desc.dataType = other.getDataType();
    desc.shape = other.getShape();
    desc.scalar = desc.shape.empty();
    Buffer buffer = createBuffer(desc);
    other.copyTo(buffer);
    return buffer;
  }

  /// Loads a library of kernels from a file.
  Library loadLibrary(std::string_view path) const {
    return detail::result<Library>(nexus_device_load_library_file, get(), detail::toString(path));
  }

  /// Loads a library of kernels from the bytes of its file.
  Library loadLibrary(std::span<const std::byte> bytes) const {
    return detail::result<Library>(nexus_device_load_library, get(), bytes.data(), bytes.size());
  }

  /// Loads a compiled program. Throws NXS_InvalidBinary if it is for another backend.
  Library loadLibrary(const ObjectCode &code) const {
    return detail::result<Library>(nexus_device_load_object_code, get(), code.get());
  }

  /// Compiles a program for the device and loads it: Program::compile and loadLibrary.
  Library compile(const Program &program) const { return loadLibrary(program.compile(*this)); }
  Library compile(std::string source, ProgramOptions options = {}) const {
    return compile(Program(std::move(source), "nexus", "program", std::move(options)));
  }

  Schedule createSchedule() const {
    return detail::result<Schedule>(nexus_device_create_schedule, get());
  }

  /// Makes a stream. Work in streams of lower priority values runs first, if the backend has
  /// priorities; 0 is normal.
  Stream createStream(std::int32_t priority = 0) const {
    return detail::result<Stream>(nexus_device_create_stream, get(), priority);
  }

  /// Makes a stream over another library's, by its native handle. release(context) is called once,
  /// on any thread, when that is no longer needed.
  Stream createStreamFromHandle(std::uint64_t handle, void (*release)(void *) = nullptr,
                                void *context = nullptr) const {
    return detail::result<Stream>(nexus_device_create_stream_from_handle, get(), handle, release,
                                  context);
  }

  /// Returns free memory that the backend keeps for new buffers to the driver, until it keeps at
  /// most keep bytes.
  void trimMemory(std::uint64_t keep = 0) const {
    detail::check(nexus_device_trim_memory(get(), keep));
  }
  /// While the backend has more memory of the driver than that many bytes, it returns unused memory
  /// when work is waited for. UINT64_MAX, the default, keeps all.
  void setReleaseThreshold(std::uint64_t bytes) const {
    detail::check(nexus_device_set_release_threshold(get(), bytes));
  }
  /// Sets NP_MemoryPeak to the present NP_MemoryUsed.
  void resetMemoryPeak() const { detail::check(nexus_device_reset_memory_peak(get())); }

  /// Sets the allocator of buffers made from now on without settings, or with OnDevice or ReadOnly
  /// only; empty, the default: the backend. Throws NXS_NotSupported if the backend does not use
  /// memory by its address.
  void setMemoryResource(std::shared_ptr<MemoryResource> resource) const {
    detail::setResource(*this, std::move(resource));
  }
  /// Returns the allocator that was set; else a DeviceMemoryResource. Throws NXS_NotSupported if
  /// another library of the process, such as the Python module, set it.
  std::shared_ptr<MemoryResource> getMemoryResource() const { return detail::getResource(*this); }

  /// Returns the stream of functions that are given none; the same object each time.
  Stream getDefaultStream() const {
    return detail::result<Stream>(nexus_device_get_default_stream, get());
  }

  /// timing: measures its signals in streams, for Event::getElapsedTime.
  Event createEvent(nxs_event_type type = NXS_EventType_Shared, bool timing = false) const {
    return detail::result<Event>(nexus_device_create_event, get(), type,
                                 timing ? NXS_ExecutionSettings_Timing : nxs_execution_settings{0});
  }

  /// Makes a Signal or Fence event that other processes can import, by the handle of
  /// Event::exportEvent(). It is signalled in streams of this device. Throws NXS_NotSupported if
  /// the backend has none.
  Event createShareableEvent(nxs_event_type type = NXS_EventType_Signal) const {
    return detail::result<Event>(nexus_device_create_event, get(), type,
                                 NXS_ExecutionSettings_Shareable);
  }

  /// Imports another process' event by its handle from Event::exportEvent().
  Event importEvent(std::string_view handle) const {
    return detail::result<Event>(nexus_device_import_event, get(), handle.data(), handle.size());
  }

  /// Return the objects made on the device that are not released or closed, in the order in which
  /// they were made.
  std::vector<Buffer> getBuffers() const { return getObjects<Buffer>(NXS_ObjectType_Buffer); }
  std::vector<Library> getLibraries() const { return getObjects<Library>(NXS_ObjectType_Library); }
  /// Excludes the default stream.
  std::vector<Stream> getStreams() const { return getObjects<Stream>(NXS_ObjectType_Stream); }
  std::vector<Event> getEvents() const { return getObjects<Event>(NXS_ObjectType_Event); }
  std::vector<Schedule> getSchedules() const {
    return getObjects<Schedule>(NXS_ObjectType_Schedule);
  }

  /// Waits for all work submitted to the device's streams. Throws Error: NXS_Timeout,
  /// NXS_Cancelled, or the first failure.
  void synchronize(Timeout timeout = forever) const {
    detail::check(nexus_device_synchronize(get(), detail::toNanoseconds(timeout)));
  }

 private:
  template <class T>
  std::vector<T> getObjects(nxs_object_type type) const {
    std::vector<nexus_object *> objects;
    std::uint64_t count = 0;
    do {
      objects.resize(static_cast<std::size_t>(count));
      const std::uint64_t capacity = count;
      detail::check(nexus_device_get_objects(get(), type, capacity, objects.data(), &count));
      if (count <= capacity) {
        break;
      }
      for (nexus_object *object : objects) {  // others were made meanwhile: try again
        nexus_release(object);
      }
    } while (true);
    return detail::listOf(count, [&](std::uint64_t index) { return T(objects[index]); });
  }
};

inline ObjectCode Program::compile(const Device &device) const {
  return compileFor(device.get(), {}, device.getBackend());
}

inline Device Library::getDevice() const {
  return detail::result<Device>(nexus_library_get_device, get());
}

inline Device Kernel::getDevice() const {
  return detail::result<Device>(nexus_kernel_get_device, get());
}

inline Device Event::getDevice() const {
  return detail::result<Device>(nexus_event_get_device, get());
}

inline Device Buffer::getDevice() const {
  return detail::result<Device>(nexus_buffer_get_device, get());
}

inline void Stream::wait(const Buffer &buffer) const {
  detail::check(nexus_stream_wait_buffer(get(), buffer.get()));
}

inline Device Stream::getDevice() const {
  return detail::result<Device>(nexus_stream_get_device, get());
}

inline Device Schedule::getDevice() const {
  return detail::result<Device>(nexus_schedule_get_device, get());
}

}  // namespace nexus

#endif  // NEXUS_DEVICE_HPP_
