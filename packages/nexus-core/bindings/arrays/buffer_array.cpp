// SPDX-License-Identifier: Apache-2.0
//
// What makes a nexus.Buffer an array, as numpy's users know it.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "arrays/buffer.hpp"
#include "python/errors.hpp"
#include "python/shared_state.hpp"
#include "types/object.hpp"
#include "values/dtype.hpp"

namespace nexus::python {
namespace {

// Calls a function of nexus._arrays._values.
template <class... Arguments>
py::object arrays(const char *name, Arguments &&...arguments) {
  return py::module_::import("nexus._arrays._values")
      .attr(name)(std::forward<Arguments>(arguments)...);
}

py::int_ countOf(const BufferObject &self) {
  std::uint64_t count = 1;
  for (const std::uint64_t length : self.getShape()) count *= length;
  return count;
}

py::int_ itemsizeOf(const BufferObject &self) {
  const std::uint32_t bits = dataTypeBits(self.getDataType());
  if (bits < 8) {
    throw py::type_error(std::string("Two elements of ") + dtypeName(self.getDataType()) +
                         " share a byte: see nbytes.");
  }
  return bits / 8;
}

py::tuple stridesTuple(const BufferObject &self) {
  const std::vector<std::int64_t> strides = self.getStrides();
  py::tuple tuple(strides.size());
  for (std::size_t dimension = 0; dimension < strides.size(); ++dimension) {
    tuple[dimension] = strides[dimension];
  }
  return tuple;
}

py::int_ lengthOf(const BufferObject &self) {
  const std::vector<std::uint64_t> shape = self.getShape();
  if (shape.empty()) {
    throw py::type_error("The buffer has no dimensions, so it has no len(): see size and item().");
  }
  return shape.front();
}

// One object for each type, since programs read a dtype often.
py::object dtypeOf(const BufferObject &self) {
  static auto &made = *new std::map<nxs_data_type, py::object>;
  static StateMutex mutex;
  const nxs_data_type type = self.getDataType();
  if (type == NXS_DataType_Undefined) {
    return py::none();
  }
  if (const py::object record = recordDtype(type); !record.is_none()) {
    return record;
  }
  {
    const StateLock lock(mutex);
    const auto known = made.find(type);
    if (known != made.end()) return known->second;
  }
  const py::object dtype =
      py::module_::import("nexus._arrays._dtype").attr("DType")(dtypeName(type));
  const StateLock lock(mutex);
  return made.emplace(type, dtype).first->second;
}

void bindShape(py::class_<BufferObject> &cls) {
  property<[](const BufferObject &self) { return py::int_(self.getSize()); }>(
      cls, "nbytes: int\n\nThe total size of the elements in bytes.");
  property<[](const BufferObject &self) { return shapeOf(self); }>(
      cls,
      "shape: tuple[int, ...]\n\nThe length of each dimension, outermost first; for plain bytes, "
      "the number of bytes.");
  property<&dtypeOf>(
      cls,
      "dtype: DType | Any | None\n\nThe name of the elements' type, such as 'float32', "
      "a str that also equals numpy.float32 and torch.float32; numpy's dtype if it is structured; "
      "None for plain bytes.");
  property<&countOf>(cls, "size: int\n\nThe number of elements.");
  property<[](const BufferObject &self) { return py::int_(self.getShape().size()); }>(
      cls, "ndim: int\n\nThe number of dimensions.");
  property<&itemsizeOf>(cls,
                        "itemsize: int\n\nThe size of one element in bytes. Raises TypeError for "
                        "4-bit types, two of which share a byte.");
  property<&stridesTuple>(cls,
                          "strides: tuple[int, ...]\n\nThe distance in bytes between neighbouring "
                          "elements along each dimension. Raises NexusError for 4-bit types.");
  property<[](const BufferObject &self) { return py::bool_(self.isContiguous()); }>(
      cls,
      "is_contiguous: bool\n\nTrue if the elements are in C order without gaps, as kernels and "
      "schedules need: see ascontiguous().");
  property<&transposeBuffer>(cls,
                             "T: Buffer\n\nThe same memory with the dimensions in reverse order.");
}

void bindViews(py::class_<BufferObject> &cls) {
  method<&sliceBuffer>(
      cls,
      "__getitem__(self, key: SliceKey, /) -> Buffer\n\nReturns a part of the buffer, which shares "
      "its memory and keeps it alive: buffer[3], buffer[2:8, ::2].\n\nTakes numpy's basic indices: "
      "ints, slices, ... and None, or the name of a field of structured elements. One element is a "
      "buffer of shape (); item() gives its value. A part with gaps can't be an argument of a "
      "kernel: see ascontiguous(). Raises TypeError for other keys, IndexError for an int out of "
      "range and for more indices than dimensions.");
  method<[](py::handle self, py::handle key, py::handle value) {
    arrays("assign", self, key, value);
  }>(cls,
     "__setitem__(self, key: SliceKey, value: Buffer | Array | Number, /) -> None\n\nCopies a "
     "number, an array or a buffer into a part of the buffer, and waits.\n\nThe value is converted "
     "to the dtype and repeated along missing dimensions, as numpy does. Raises ValueError if its "
     "shape does not fit.");
  method<&lengthOf>(cls,
                    "__len__(self) -> int\n\nReturns the length of the first dimension. Raises "
                    "TypeError if there is none.");
  method<[](py::handle self) { return arrays("iterate", self); }>(
      cls,
      "__iter__(self) -> Iterator[Buffer]\n\nReturns the parts along the first dimension: "
      "buffer[0], buffer[1] and so on.");
  method<[](py::handle self) { return arrays("truth", self); }>(
      cls,
      "__bool__(self) -> bool\n\nReturns whether the buffer's one element is true. Raises "
      "ValueError for another number of elements.");
  method<[](py::handle self) { return arrays("number", self, "int"); }>(
      cls, "__int__(self) -> int\n\nReturns the buffer's one element.");
  method<[](py::handle self) { return arrays("number", self, "float"); }>(
      cls, "__float__(self) -> float\n\nReturns the buffer's one element.");
  method<[](py::handle self) { return arrays("item", self); }>(
      cls,
      "item(self) -> Any\n\nReturns the buffer's one element as a Python number. Raises ValueError "
      "for another number of elements.");
  method<[](py::handle self) { return arrays("text", self); }>(
      cls,
      "__str__(self) -> str\n\nReturns the values as numpy prints them. Copies only the values "
      "that are shown.");
  method<[](py::handle self, py::handle shape) { return arrays("reshape", self, shape); }>(
      cls,
      "reshape(self, *shape: SupportsIndex | tuple[SupportsIndex, ...]) -> Buffer\n\nReturns a "
      "buffer over the same memory with another shape. One length may be -1.\n\nRaises ValueError "
      "if the number of elements differs or the buffer is not contiguous.");
  method<[](py::handle self) { return arrays("ascontiguous", self); }>(
      cls,
      "ascontiguous(self) -> Buffer\n\nReturns the buffer if its elements are in C order without "
      "gaps, else a copy on the same device in which they are.");
  method<[](py::handle self, py::handle dtype) {
    return py::module_::import("nexus._arrays._astype").attr("astype")(self, dtype);
  }>(cls,
     "astype(self, dtype: DTypeLike) -> Buffer\n\nReturns a copy on the same device with the "
     "elements converted to a dtype.\n\nA kernel converts them. The host converts them on CPU "
     "devices, if the device can't compile, and for dtypes that algorithms do not support. A "
     "number that the dtype can't hold becomes an arbitrary one, as in C and numpy.");
  method<&viewBuffer>(cls,
                      "view(self, dtype: DTypeLike) -> Buffer\n\nReturns a buffer over the same "
                      "memory with another dtype, like numpy's view().\n\nThe length of the last "
                      "dimension changes with the size of an element. Raises ValueError if the "
                      "last dimension's bytes are not a multiple of the new size.");
  cls.attr("__contains__") = py::none();  // else Python would copy and compare each element
}

}  // namespace

void bindArray(py::class_<BufferObject> &cls) {
  bindShape(cls);
  bindViews(cls);
}

}  // namespace nexus::python
