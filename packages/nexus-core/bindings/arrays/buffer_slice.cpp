// SPDX-License-Identifier: Apache-2.0
//
// buffer[2:10], buffer.T: some elements of a buffer, which share its memory.
#include <algorithm>
#include <string>
#include <vector>

#include "arrays/buffer.hpp"
#include "python/errors.hpp"
#include "types/object.hpp"
#include "values/dtype.hpp"
#include "values/parse.hpp"

namespace nexus::python {
namespace {

// "buffer[2:10, ...]": approximately the program's text.
std::string textOf(py::handle part) {
  if (part.ptr() == Py_Ellipsis) {
    return "...";
  }
  if (PySlice_Check(part.ptr()) == 0) {
    return shortRepr(part);
  }
  const auto bound = [&](const char *name) {
    const py::object value = part.attr(name);
    return value.is_none() ? std::string() : shortRepr(value);
  };
  const std::string step = bound("step");
  return bound("start") + ":" + bound("stop") + (step.empty() ? "" : ":" + step);
}

std::string subscript(py::handle key) {
  if (PyTuple_Check(key.ptr()) == 0) {
    return "buffer[" + textOf(key) + "]";
  }
  std::string text;
  for (const py::handle part : py::reinterpret_borrow<py::tuple>(key)) {
    text += (text.empty() ? "" : ", ") + textOf(part);
  }
  return "buffer[" + text + "]";
}

[[noreturn]] void throwKeyType(py::handle part) {
  throwTypeError("The index of a buffer",
                 "an int, a slice such as 2:10, ..., None, or a tuple of them", part);
}

bool isInteger(py::handle part) {
  return PyIndex_Check(part.ptr()) != 0 && !PyBool_Check(part.ptr()) &&
         !hasAttribute(part, "__len__");  // an array is not a basic index
}

// The elements of a view: the distance of the first from the buffer's lowest byte, and the shape
// and the strides, in bytes; for 4-bit types all distances are in elements.
struct Selection {
  std::int64_t first = 0;
  std::vector<std::uint64_t> shape;
  std::vector<std::int64_t> strides;
};

bool isPacked(const BufferObject &buffer) {
  return dataTypeBits(buffer.getDataType()) < 8;
}

std::vector<std::int64_t> packedStrides(const std::vector<std::uint64_t> &shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t dimension = shape.size(); dimension-- > 0;) {
    strides[dimension] = stride;
    stride *= static_cast<std::int64_t>(shape[dimension]);
  }
  return strides;
}

Selection allOf(const BufferObject &buffer) {
  const std::vector<std::uint64_t> shape = buffer.getShape();
  if (isPacked(buffer)) {
    return {0, shape, packedStrides(shape)};
  }
  std::vector<std::int64_t> strides(shape.size());
  std::uint64_t first = 0;
  nexus::detail::check(
      nexus_buffer_get_strides(buffer.get(), strides.size(), strides.data(), &first));
  return {static_cast<std::int64_t>(first), shape, std::move(strides)};
}

// Appends a dimension's part to the selection, whose shape and strides so far are the result's.
void takePart(Selection &taken, py::handle key, py::handle part, std::size_t dimension,
              std::uint64_t length, std::int64_t stride) {
  if (PySlice_Check(part.ptr()) != 0) {
    Py_ssize_t start = 0;
    Py_ssize_t stop = 0;
    Py_ssize_t step = 0;
    if (PySlice_Unpack(part.ptr(), &start, &stop, &step) != 0) {
      throw py::error_already_set();
    }
    const Py_ssize_t count =
        PySlice_AdjustIndices(static_cast<Py_ssize_t>(length), &start, &stop, step);
    taken.shape.push_back(static_cast<std::uint64_t>(count));
    taken.strides.push_back(count > 1 ? stride * step : stride);
    if (count > 0) taken.first += stride * start;
    return;
  }
  if (!isInteger(part)) {
    throwKeyType(part);
  }
  const Py_ssize_t given = PyNumber_AsSsize_t(part.ptr(), PyExc_IndexError);
  if (given == -1 && PyErr_Occurred() != nullptr) {
    throw py::error_already_set();
  }
  const auto end = static_cast<Py_ssize_t>(length);
  const Py_ssize_t index = given < 0 ? given + end : given;
  if (index < 0 || index >= end) {
    throw py::index_error(subscript(key) + ": the index " + std::to_string(given) +
                          " is out of range, dimension " + std::to_string(dimension) + " has " +
                          counted(length, "element") + ".");
  }
  taken.first += stride * index;
}

// An Ellipsis and missing parts stand for whole dimensions; None makes a new one of length 1.
Selection select(const Selection &all, py::handle key) {
  const std::size_t rank = all.shape.size();
  const py::tuple parts = PyTuple_Check(key.ptr()) != 0
                              ? py::reinterpret_borrow<py::tuple>(key)
                              : py::make_tuple(py::reinterpret_borrow<py::object>(key));
  std::size_t ellipses = 0;
  std::size_t named = 0;
  for (const py::handle part : parts) {
    ellipses += part.ptr() == Py_Ellipsis ? 1 : 0;
    named += part.ptr() != Py_Ellipsis && !part.is_none() ? 1 : 0;
  }
  if (ellipses > 1) {
    throw py::index_error(subscript(key) + " has more than one Ellipsis.");
  }
  if (named > rank) {
    throw py::index_error(subscript(key) + " has " + std::to_string(named) +
                          " indices, but the buffer has " + counted(rank, "dimension") + ".");
  }
  Selection taken;
  taken.first = all.first;
  std::size_t dimension = 0;
  const auto takeWhole = [&](std::size_t count) {
    for (; count > 0; --count, ++dimension) {
      taken.shape.push_back(all.shape[dimension]);
      taken.strides.push_back(all.strides[dimension]);
    }
  };
  for (const py::handle part : parts) {
    if (part.ptr() == Py_Ellipsis) {
      takeWhole(rank - named);
    } else if (part.is_none()) {
      taken.shape.push_back(1);
      taken.strides.push_back(0);
    } else {
      takePart(taken, key, part, dimension, all.shape[dimension], all.strides[dimension]);
      ++dimension;
    }
  }
  takeWhole(rank - dimension);
  return taken;
}

BufferObject viewOf(const BufferObject &buffer, nxs_data_type type, const Selection &selection) {
  const bool isEmpty = std::ranges::find(selection.shape, 0U) != selection.shape.end();
  const std::int64_t first = isEmpty ? 0 : selection.first;  // an empty part has no place
  nexus_buffer *view = nullptr;
  nexus::detail::check(nexus_buffer_view(buffer.get(), static_cast<std::uint64_t>(first), type,
                                         static_cast<std::uint32_t>(selection.shape.size()),
                                         lengthsOf(selection.shape), selection.strides.data(),
                                         &view));
  return BufferObject(Buffer(view));
}

// Two elements share a byte: a part is contiguous, and begins and ends at a byte.
BufferObject packedPart(const BufferObject &buffer, const Selection &selection, py::handle key) {
  const std::vector<std::int64_t> packed = packedStrides(selection.shape);
  const nxs_data_type type = buffer.getDataType();
  std::uint64_t count = 1;
  for (const std::uint64_t length : selection.shape) count *= length;
  for (std::size_t dimension = 0; dimension < packed.size() && count != 0; ++dimension) {
    if (selection.shape[dimension] != 1 && selection.strides[dimension] != packed[dimension]) {
      throw py::value_error(subscript(key) + " is not contiguous, and two " + dtypeName(type) +
                            " share a byte: use contiguous slices.");
    }
  }
  const std::uint64_t first = count == 0 ? 0 : static_cast<std::uint64_t>(selection.first);
  std::uint64_t all = 1;
  for (const std::uint64_t length : buffer.getShape()) all *= length;
  const std::uint64_t end = first + count;
  if (first % 2 != 0 || (end % 2 != 0 && end != all)) {
    throw py::value_error(subscript(key) + " begins or ends within a byte: two " + dtypeName(type) +
                          " share one, so give even ends.");
  }
  auto desc = nexus::detail::sized<nexus_buffer_desc>();
  desc.data_type = type;
  desc.size = dtypeBytes(type, count);
  desc.rank = static_cast<std::uint32_t>(selection.shape.size());
  desc.shape = lengthsOf(selection.shape);
  nexus_buffer *part = nullptr;
  nexus::detail::check(nexus_buffer_slice(buffer.get(), first / 2, &desc, &part));
  return BufferObject(Buffer(part));
}

// buffer["x"]: a field of each record.
BufferObject fieldOf(const BufferObject &buffer, py::handle name) {
  const py::object dtype = recordDtype(buffer.getDataType());
  if (dtype.is_none()) {
    throwKeyType(name);
  }
  const py::object fields = dtype.attr("fields");
  if (!fields.contains(name)) {
    throwValueError("The index of a buffer", name,
                    "it has the fields " + py::cast<std::string>(py::str(dtype.attr("names"))));
  }
  const py::tuple field = fields[name];
  py::object type = field[0];
  Selection all = allOf(buffer);
  all.first += field[1].cast<std::int64_t>();
  if (const py::object array = type.attr("subdtype"); !array.is_none()) {
    const std::vector<std::uint64_t> lengths = parseShape(type.attr("shape"), "shape");
    type = py::tuple(array)[0];
    const auto bytes = type.attr("itemsize").cast<std::int64_t>();
    for (const std::int64_t stride : packedStrides(lengths)) all.strides.push_back(stride * bytes);
    all.shape.insert(all.shape.end(), lengths.begin(), lengths.end());
  }
  return viewOf(buffer, parseDtype(type, "the dtype of the field"), all);
}

}  // namespace

BufferObject sliceBuffer(const BufferObject &buffer, py::handle key) {
  if (PyUnicode_Check(key.ptr()) != 0) {
    return fieldOf(buffer, key);
  }
  const Selection selection = select(allOf(buffer), key);
  return isPacked(buffer) ? packedPart(buffer, selection, key)
                          : viewOf(buffer, buffer.getDataType(), selection);
}

BufferObject transposeBuffer(const BufferObject &buffer) {
  Selection all = allOf(buffer);
  std::ranges::reverse(all.shape);
  std::ranges::reverse(all.strides);
  return isPacked(buffer) ? packedPart(buffer, all, py::make_tuple())
                          : viewOf(buffer, buffer.getDataType(), all);
}

BufferObject partOfMemory(py::handle object, py::handle offset, py::handle size, py::handle dtype,
                          py::handle shape) {
  const auto &whole = argumentOf<Buffer>(object, "buffer");
  const std::vector<std::uint64_t> lengths = parseShape(shape, "shape");
  auto desc = nexus::detail::sized<nexus_buffer_desc>();
  desc.data_type = dtype.is_none() ? NXS_DataType_Undefined : parseDtype(dtype);
  desc.size = parseCount(size, "size");
  desc.rank = static_cast<std::uint32_t>(lengths.size());
  desc.shape = lengthsOf(lengths);
  nexus_buffer *part = nullptr;
  nexus::detail::check(nexus_buffer_slice(whole.get(), parseCount(offset, "offset"), &desc, &part));
  return BufferObject(Buffer(part));
}

BufferObject viewBuffer(const BufferObject &buffer, py::handle dtype) {
  const nxs_data_type type = parseDtype(dtype, "dtype");
  const std::vector<std::uint64_t> shape = buffer.getShape();
  const std::uint64_t bits = dataTypeBits(type);
  const std::uint64_t old = dataTypeBits(buffer.getDataType());
  const std::string itsElements = "its elements have " + counted(bits, "bit") + ", and ";
  if (shape.empty() && old != bits) {
    throwValueError("dtype", dtype,
                    itsElements + "the buffer is one element of " + std::to_string(old) +
                        ": it has no dimension whose length could change");
  }
  const std::uint64_t last = (shape.empty() ? 1 : shape.back()) * old;
  if (last % bits != 0) {
    throwValueError("dtype", dtype,
                    itsElements + "the last dimension " + std::to_string(last) +
                        ", which is not a multiple of that");
  }
  if (buffer.isContiguous()) {
    return BufferObject(buffer.view(type));
  }
  Selection all = allOf(buffer);
  if (bits != old) {
    if (bits < 8 ||
        (shape.back() != 1 && all.strides.back() != static_cast<std::int64_t>(old / 8))) {
      throwValueError("dtype", dtype,
                      itsElements +
                          "the buffer's last dimension is not contiguous; "
                          "take the view of buffer.ascontiguous()");
    }
    all.shape.back() = last / bits;
    all.strides.back() = static_cast<std::int64_t>(bits / 8);
  }
  return viewOf(buffer, type, all);
}

}  // namespace nexus::python
