// SPDX-License-Identifier: Apache-2.0
#include "objects/memory_resource.hpp"

#include <utility>

#include "arrays/give_back.hpp"
#include "python/errors.hpp"
#include "types/object.hpp"
#include "values/parse.hpp"

namespace nexus::python {
namespace {

using DeviceResourceObject = ResourceObject<DeviceMemoryResource>;
using PoolObject = ResourceObject<MemoryPool>;

thread_local AllocatorError *innermost = nullptr;

/// A Python object as a resource: one of our classes, whose C++ object it then calls, or one with
/// the methods of nexus.MemoryResource.
class PythonResource final : public MemoryResource,
                             public std::enable_shared_from_this<PythonResource> {
 public:
  PythonResource(py::handle object, std::shared_ptr<MemoryResource> native)
      : kept_(new KeptObject(py::reinterpret_borrow<py::object>(object))),
        native_(std::move(native)) {}
  ~PythonResource() override { giveBack(kept_); }

  const py::object &object() const noexcept { return kept_->get(); }

  std::uint64_t allocate(std::uint64_t size) override {
    if (native_) return native_->allocate(size);
    struct Gil {
      PyGILState_STATE state = ensureGil();
      ~Gil() { PyGILState_Release(state); }
    } const gil;
    giveBackPending();  // memory that the allocator may need
    PyObject *const function = PyObject_GetAttrString(object().ptr(), "allocate");
    if (function == nullptr) fail();
    const auto address = py::reinterpret_steal<py::object>(
        callUntilTheEnd(function, PyLong_FromUnsignedLongLong(size), nullptr, true));
    if (!address) fail();
    try {
      return parseCount(address, "the result of allocate()");
    } catch (py::builtin_exception &error) {
      error.set_error();
      fail();
    }
  }

  void deallocate(std::uint64_t address, std::uint64_t size) override {
    if (native_) return native_->deallocate(address, size);
    giveBack(new FreedBlock(shared_from_this(), address, size));
  }

 private:
  class FreedBlock final : public Kept {
   public:
    FreedBlock(std::shared_ptr<PythonResource> from, std::uint64_t address, std::uint64_t size)
        : from_(std::move(from)), address_(address), size_(size) {}
    ~FreedBlock() override {
      PyObject *const object = from_->object().ptr();
      if (PyObject *const function = PyObject_GetAttrString(object, "deallocate")) {
        Py_XDECREF(callUntilTheEnd(function, PyLong_FromUnsignedLongLong(address_),
                                   PyLong_FromUnsignedLongLong(size_)));
      } else {
        PyErr_WriteUnraisable(object);
      }
    }

   private:
    const std::shared_ptr<PythonResource> from_;
    const std::uint64_t address_;
    const std::uint64_t size_;
  };

  // Throws Python's error as an Error.
  [[noreturn]] static void fail() {
    const py::error_already_set error;
    AllocatorError::set(error.value());
    std::string text = typeName(error.value());
    const auto words = py::reinterpret_steal<py::object>(PyObject_Str(error.value().ptr()));
    if (const char *const bytes = words ? PyUnicode_AsUTF8(words.ptr()) : nullptr) {
      text += std::string(": ") + bytes;
    }
    PyErr_Clear();
    throw Error(NXS_MemObjectAllocationFailure, text);
  }

  KeptObject *const kept_;
  const std::shared_ptr<MemoryResource> native_;
};

// Returns the value in an instance of one of our classes; nullptr for others.
template <class Class>
const Class *checkedResource(const Device &device, py::handle resource) {
  if (!isA<Class>(resource)) return nullptr;
  const Class &object = valueOf<Class>(resource.ptr());
  if (object.device == device) return &object;
  throwValueError("resource", resource,
                  "it is on another device; give one on '" + device.getSelector() + "'");
}

std::shared_ptr<MemoryResource> parseResource(const Device &device, py::handle resource) {
  if (const auto *own = checkedResource<DeviceResourceObject>(device, resource)) {
    return own->resource;
  }
  std::shared_ptr<MemoryResource> native;
  if (const auto *pool = checkedResource<PoolObject>(device, resource)) {
    native = pool->resource;
  } else if (PyType_Check(resource.ptr()) || !hasAttribute(resource, "allocate") ||
             !hasAttribute(resource, "deallocate")) {
    throwTypeError("resource",
                   "a nexus.MemoryResource, or another object with allocate(size) and "
                   "deallocate(address, size)",
                   resource);
  }
  return std::make_shared<PythonResource>(resource, std::move(native));
}

std::uint64_t parseLimit(py::handle bytes, const char *parameter) {
  return bytes.is_none() ? UINT64_MAX : parseCount(bytes, parameter);
}

// Adds what both classes have.
template <class Class>
void bindResource(py::class_<Class> &cls) {
  method<[](const Class &self, py::handle size) {
    const std::uint64_t bytes = parseCount(size, "size", 1);
    return allocating([&] { return self.resource->allocate(bytes); });
  }>(cls,
     "allocate(self, size: int) -> int\n\nAllocates memory and returns its address, for resources "
     "built on this one. Raises NexusError if there is not enough memory.");
  method<[](const Class &self, py::handle address, py::handle size) {
    const std::uint64_t from = parseCount(address, "address");
    const std::uint64_t bytes = parseCount(size, "size", 1);
    withoutGil([&] { self.resource->deallocate(from, bytes); });
    giveBackPending();
  }>(cls,
     "deallocate(self, address: int, size: int) -> None\n\nFrees memory from allocate(), which no "
     "work may use any more. Raises NexusError for an address that is not in use.");
  property<[](const Class &self) { return py::int_(self.resource->getUsed()); }>(
      cls, "used: int\n\nThe bytes in use.");
  property<[](const Class &self) { return py::int_(self.resource->getPeak()); }>(
      cls, "peak: int\n\nThe largest value of used, since reset_peak() if that was called.");
  property<[](const Class &self) { return py::int_(self.resource->getReserved()); }>(
      cls, "reserved: int\n\nThe bytes held, including free memory kept for new buffers.");
  method<[](const Class &self) { self.resource->resetPeak(); }>(
      cls, "reset_peak(self) -> None\n\nSets peak to the current value of used.");
  method<[](const Class &self, py::handle keep) {
    const std::uint64_t bytes = parseCount(keep, "keep");
    withoutGil([&] { self.resource->trim(bytes); });
    giveBackPending();
  }>(cls,
     "trim(self, keep: int = 0) -> None\n\nReturns free memory until at most this many bytes are "
     "held.");
  bindHtml(cls);
}

std::string describeOwn(const DeviceResourceObject &self) {
  return "of " + self.device.getSelector();
}

std::string describePool(const PoolObject &self) {
  return std::to_string(self.resource->getUsed()) + " of " +
         std::to_string(self.resource->getReserved()) + " bytes used, on " +
         self.device.getSelector();
}

}  // namespace

AllocatorError::AllocatorError() noexcept : outer_(std::exchange(innermost, this)) {}

AllocatorError::~AllocatorError() {
  innermost = outer_;
}

void AllocatorError::set(py::object exception) {
  if (innermost != nullptr) innermost->exception_ = std::move(exception);
}

void AllocatorError::raiseFrom(const Error &error) const {
  if (!exception_) return;
  auto raised = exception_;
  if (py::isinstance(exception_, PyExc_Exception)) {  // not for KeyboardInterrupt and the like
    raised = py::reinterpret_steal<py::object>(exceptionOf(error));
    if (!raised) throw py::error_already_set();
    PyException_SetCause(raised.ptr(), Py_NewRef(exception_.ptr()));
  }
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(raised.ptr())), raised.ptr());
  throw py::error_already_set();
}

py::object memoryResourceOf(const Device &device) {
  const std::shared_ptr<MemoryResource> resource = device.getMemoryResource();
  if (const auto *python = dynamic_cast<const PythonResource *>(resource.get())) {
    return python->object();
  }
  return py::cast(
      DeviceResourceObject{device, std::static_pointer_cast<DeviceMemoryResource>(resource)});
}

void setMemoryResource(const Device &device, py::handle resource) {
  std::shared_ptr<MemoryResource> parsed;  // empty: the device's own
  if (!resource.is_none() && checkedResource<DeviceResourceObject>(device, resource) == nullptr) {
    parsed = parseResource(device, resource);
  }
  withoutGil([&] { device.setMemoryResource(std::move(parsed)); });
  giveBackPending();
}

PoolObject createMemoryPool(const Device &device, py::handle resource, py::handle maxSize,
                            py::handle releaseThreshold) {
  auto upstream = resource.is_none() ? std::make_shared<DeviceMemoryResource>(device)
                                     : parseResource(device, resource);
  return {device, std::make_shared<MemoryPool>(std::move(upstream), parseLimit(maxSize, "max_size"),
                                               parseLimit(releaseThreshold, "release_threshold"))};
}

void registerMemoryResource(py::module_ &module) {
  auto own = makeClass<DeviceResourceObject>(module, "DeviceMemoryResource",
                                             "The backend's own allocator for a device.\n\nIt is "
                                             "Device.memory_resource unless you set another.",
                                             madeBy("Device.memory_resource"));
  bindResource(own);
  bindRepr<&describeOwn>(own);
  auto pool =
      makeClass<PoolObject>(module, "MemoryPool",
                            "Keeps the memory of freed buffers and reuses it for new ones.\n\nMade "
                            "by Device.create_memory_pool(). Blocks are multiples of 512 bytes; a "
                            "free one is used for a request of at least four fifths of its size.",
                            madeBy("Device.create_memory_pool()"));
  bindResource(pool);
  property<[](const PoolObject &self) { return py::int_(self.resource->getAllocations()); }>(
      pool, "allocations: int\n\nThe number of blocks in use.");
  bindRepr<&describePool>(pool);
}

}  // namespace nexus::python
