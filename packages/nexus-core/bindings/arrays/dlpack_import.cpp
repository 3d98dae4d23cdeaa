// SPDX-License-Identifier: Apache-2.0
#include "arrays/dlpack.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "python/errors.hpp"
#include "values/array_interface.hpp"
#include "values/dtype.hpp"

namespace nexus::python {
namespace {

// Asks for a versioned capsule; producers from before DLPack 1.0 don't accept those arguments.
py::object capsuleOf(py::handle producer, ImportedTensor::Copies copies,
                     std::optional<std::uint64_t> stream) {
  const py::object method = producer.attr("__dlpack__");
  py::dict old;
  if (stream) {
    old["stream"] = *stream;
  }
  py::dict arguments;
  if (stream) {
    arguments["stream"] = *stream;
  }
  arguments["max_version"] = py::make_tuple(dlpack::kMajor, dlpack::kMinor);
  if (copies == ImportedTensor::Copies::Refused) {
    arguments["copy"] = false;
  }
  try {
    return method(**arguments);
  } catch (py::error_already_set &error) {
    if (!error.matches(PyExc_TypeError)) {
      throw;
    }
  }
  return method(**old);
}

[[noreturn]] void throwElsewhere(dlpack::Device device, const std::string &parameter) {
  throw py::buffer_error(parameter + " lies in the memory of " + dlpack::describe(device) +
                         ": copy it to host memory first.");
}

// Returns the number of elements. A producer may be wrong, so its shape is used only after this
// check.
std::uint64_t checkShape(const dlpack::Tensor &tensor, const std::string &parameter) {
  constexpr std::int32_t most = 64;  // as in numpy
  const std::string has = parameter + " has " + std::to_string(tensor.rank) +
                          (tensor.rank == 1 ? " dimension" : " dimensions");
  if (tensor.rank < 0 || tensor.rank > most) {
    throw py::value_error(has + ": reshape it to at most " + std::to_string(most) + ".");
  }
  if (tensor.rank > 0 && tensor.shape == nullptr) {
    throw py::value_error(has + " and its DLPack shape is NULL: its library has to give a shape.");
  }
  const std::span lengths(tensor.shape, static_cast<std::size_t>(tensor.rank));
  for (const std::int64_t length : lengths) {
    if (length < 0) {
      throw py::value_error(parameter + " has a DLPack shape with the length " +
                            std::to_string(length) + ": its library has to give lengths from 0.");
    }
  }
  const bool isEmpty = std::find(lengths.begin(), lengths.end(), 0) != lengths.end();
  const auto count = isEmpty ? std::optional<std::uint64_t>(0) : countElements(lengths);
  if (!count) {
    throw py::value_error(parameter +
                          " has a DLPack shape of more elements than any memory holds: "
                          "its library has to give the shape of its memory.");
  }
  if (*count != 0 && tensor.data == nullptr) {
    throw py::value_error(parameter +
                          " has elements and its DLPack data is NULL: its library has "
                          "to give their address.");
  }
  return *count;
}

// DLPack's strides count elements; 4-bit ones must be C order's.
Strides stridesIn(const dlpack::Tensor &tensor, const std::vector<std::uint64_t> &shape,
                  const std::string &parameter) {
  if (tensor.strides == nullptr) {
    return {};
  }
  const bool packed = tensor.dtype.bits < 8;
  const std::int64_t itemsize = packed ? 1 : tensor.dtype.bits / 8;
  std::vector<std::int64_t> bytes(shape.size());
  for (std::size_t dimension = 0; dimension < shape.size(); ++dimension) {
    if (__builtin_mul_overflow(tensor.strides[dimension], itemsize, &bytes[dimension])) {
      throw py::value_error(parameter + " has strides beyond any memory.");
    }
  }
  Strides strides =
      readStrides(shape, std::move(bytes), static_cast<std::uint64_t>(itemsize), parameter);
  if (packed && !strides.contiguous()) {
    throw py::value_error(parameter +
                          " is strided, not C-contiguous, and two of its elements share a byte: "
                          "pass a contiguous copy of it.");
  }
  return strides;
}

void checkHasDlpack(py::handle producer, const std::string &parameter) {
  if (PyType_Check(producer.ptr()) || !hasDlpack(producer)) {
    throwTypeError(parameter,
                   "an array with __dlpack__ and __dlpack_device__, such as numpy's, "
                   "torch's or jax's",
                   producer);
  }
  refuseMasked(producer, parameter);
}

}  // namespace

bool hasDlpack(py::handle object) {
  return hasAttribute(object, "__dlpack__") && hasAttribute(object, "__dlpack_device__");
}

dlpack::Device dlpackDeviceOf(py::handle producer, const std::string &parameter) {
  const py::object given = producer.attr("__dlpack_device__")();
  const bool isPair = PyTuple_Check(given.ptr()) != 0 && PyTuple_GET_SIZE(given.ptr()) == 2 &&
                      PyLong_Check(PyTuple_GET_ITEM(given.ptr(), 0)) != 0 &&
                      PyLong_Check(PyTuple_GET_ITEM(given.ptr(), 1)) != 0;
  if (!isPair) {
    throwTypeError("__dlpack_device__() of " + parameter, "a tuple of two ints", given);
  }
  const auto number = [&](Py_ssize_t index) {
    int overflow = 0;
    const long long value =
        PyLong_AsLongLongAndOverflow(PyTuple_GET_ITEM(given.ptr(), index), &overflow);
    if (overflow != 0 || !std::in_range<std::int32_t>(value)) {
      throwValueError("__dlpack_device__() of " + parameter, given,
                      "a device's type and number have 32 bits");
    }
    return static_cast<std::int32_t>(value);
  };
  return {number(0), number(1)};
}

ImportedTensor::ImportedTensor(py::handle producer, Copies copies, const std::string &parameter) {
  checkHasDlpack(producer, parameter);
  const dlpack::Device place = dlpackDeviceOf(producer, parameter);
  if (!dlpack::isHost(place)) {
    throwElsewhere(place, parameter);
  }
  take(capsuleOf(producer, copies, std::nullopt), parameter);
  read(taken_.versioned != nullptr ? taken_.versioned->tensor : taken_.managed->tensor, place,
       parameter);
}

ImportedTensor::ImportedTensor(py::handle producer, Copies copies, const std::string &parameter,
                               dlpack::Device place, std::optional<std::uint64_t> stream) {
  take(capsuleOf(producer, copies, stream), parameter);
  read(taken_.versioned != nullptr ? taken_.versioned->tensor : taken_.managed->tensor, place,
       parameter);
}

ImportedTensor::~ImportedTensor() = default;

ImportedTensor::Taken::~Taken() {
  const py::error_scope keep;  // the producer may run Python code
  if (versioned != nullptr && versioned->deleter != nullptr) {
    versioned->deleter(versioned);
  }
  if (managed != nullptr && managed->deleter != nullptr) {
    managed->deleter(managed);
  }
}

void ImportedTensor::take(py::handle capsule, const std::string &parameter) {
  const auto rename = [&](const char *name) {
    if (PyCapsule_SetName(capsule.ptr(), name) != 0) {
      throw py::error_already_set();
    }
  };
  if (PyCapsule_IsValid(capsule.ptr(), dlpack::kCapsuleVersioned) != 0) {
    auto *const versioned = static_cast<dlpack::ManagedVersioned *>(
        PyCapsule_GetPointer(capsule.ptr(), dlpack::kCapsuleVersioned));
    rename(dlpack::kUsedCapsuleVersioned);
    taken_.versioned = versioned;
    if (versioned->version.major != dlpack::kMajor) {
      throw py::buffer_error(parameter + " comes in DLPack " +
                             std::to_string(versioned->version.major) + "." +
                             std::to_string(versioned->version.minor) +
                             ", which nexus does not support; export it as 1.x or older.");
    }
    flags_ = versioned->flags;
  } else if (PyCapsule_IsValid(capsule.ptr(), dlpack::kCapsule) != 0) {
    auto *const managed =
        static_cast<dlpack::Managed *>(PyCapsule_GetPointer(capsule.ptr(), dlpack::kCapsule));
    rename(dlpack::kUsedCapsule);
    taken_.managed = managed;
  } else {
    throwTypeError("__dlpack__() of " + parameter, "an unused DLPack capsule", capsule);
  }
}

void ImportedTensor::read(const dlpack::Tensor &tensor, dlpack::Device place,
                          const std::string &parameter) {
  const bool bothHost = dlpack::isHost(place) && dlpack::isHost(tensor.device);
  if (!bothHost && (tensor.device.type != place.type || tensor.device.id != place.id)) {
    throwElsewhere(tensor.device, parameter);
  }
  const std::optional<nxs_data_type> type = dlpack::toDataType(tensor.dtype);
  const bool padded = (flags_ & dlpack::kSubbytePadded) != 0 && tensor.dtype.bits < 8;
  if (!type || padded) {
    throw py::type_error(parameter + " has elements of the type " + dlpack::describe(tensor.dtype) +
                         (padded ? ", one per byte" : "") + ", for which there is no data type" +
                         "; see nexus.data_type.");
  }
  const std::uint64_t count = checkShape(tensor, parameter);
  type_ = *type;
  shape_.assign(tensor.shape, tensor.shape + tensor.rank);
  strides_ = stridesIn(tensor, shape_, parameter);
  size_ = dtypeBytes(type_, count);
  data_ = tensor.data;
  offset_ = tensor.byteOffset;
  if (offset_ > kMostElements) {
    throw py::value_error(parameter + " has the DLPack byte_offset " + std::to_string(offset_) +
                          ", which is beyond any memory: its library has to give the offset of the "
                          "first element.");
  }
}

}  // namespace nexus::python
