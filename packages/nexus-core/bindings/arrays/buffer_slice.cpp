// SPDX-License-Identifier: Apache-2.0
//
// buffer[2:10]: a part of a buffer that shares its memory.
#include <limits>
#include <string>
#include <vector>

#include "arrays/buffer.hpp"
#include "python/errors.hpp"
#include "types/object.hpp"
#include "values/dtype.hpp"
#include "values/parse.hpp"

namespace nexus::python {
namespace {

// The selected elements of one dimension.
struct Range {
  std::uint64_t start;
  std::uint64_t length;
};

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

[[noreturn]] void throwKeyType(py::handle key, py::handle part) {
  if (PyIndex_Check(part.ptr()) != 0 && !PyBool_Check(part.ptr())) {
    throw py::type_error(subscript(key) +
                         ": a buffer has slices and no elements. Take one with "
                         "buffer[i:i + 1], or read it with buffer.numpy()[i].");
  }
  throwTypeError("The index of a buffer", "a slice such as 2:10, or a tuple of slices", part);
}

Range rangeOf(py::handle key, py::handle part, std::uint64_t length) {
  if (PySlice_Check(part.ptr()) == 0) {
    throwKeyType(key, part);
  }
  Py_ssize_t start = 0;
  Py_ssize_t stop = 0;
  Py_ssize_t step = 0;
  if (PySlice_Unpack(part.ptr(), &start, &stop, &step) != 0) {
    throw py::error_already_set();
  }
  if (step != 1) {
    throw py::value_error(subscript(key) + " has the step " + std::to_string(step) +
                          ": a slice of a buffer shares its memory and is contiguous, so the step "
                          "has to be 1. Use buffer.numpy() for other parts.");
  }
  const Py_ssize_t taken = PySlice_AdjustIndices(static_cast<Py_ssize_t>(length), &start, &stop, 1);
  return {static_cast<std::uint64_t>(start), static_cast<std::uint64_t>(taken)};
}

// Returns the key's parts, one for each dimension: an Ellipsis and missing parts stand for whole
// dimensions.
std::vector<py::object> partsOf(py::handle key, std::size_t rank) {
  const py::object whole =
      py::reinterpret_steal<py::object>(PySlice_New(nullptr, nullptr, nullptr));
  const py::tuple given = PyTuple_Check(key.ptr()) != 0
                              ? py::reinterpret_borrow<py::tuple>(key)
                              : py::make_tuple(py::reinterpret_borrow<py::object>(key));
  std::size_t ellipses = 0;
  for (const py::handle part : given) {
    ellipses += part.ptr() == Py_Ellipsis ? 1 : 0;
  }
  if (ellipses > 1) {
    throw py::value_error(subscript(key) + " has more than one Ellipsis.");
  }
  const std::size_t named = given.size() - ellipses;
  if (named > rank) {
    throw py::index_error(subscript(key) + " has " + std::to_string(named) +
                          " slices, but the buffer has " + std::to_string(rank) + " dimensions.");
  }
  std::vector<py::object> parts;
  for (const py::handle part : given) {
    if (part.ptr() == Py_Ellipsis) {
      parts.insert(parts.end(), rank - named, whole);
    } else {
      parts.push_back(py::reinterpret_borrow<py::object>(part));
    }
  }
  parts.resize(rank, whole);
  return parts;
}

// A range of elements, from the buffer's start.
struct Selection {
  std::uint64_t first = 0;
  std::uint64_t count = 1;
  std::vector<std::uint64_t> shape;
};

// After the first dimension with several selected elements, all others must be whole, so that the
// range is contiguous.
Selection select(const std::vector<std::uint64_t> &shape, py::handle key) {
  const std::vector<py::object> parts = partsOf(key, shape.size());
  std::vector<Range> ranges;
  for (std::size_t dimension = 0; dimension < shape.size(); ++dimension) {
    ranges.push_back(rangeOf(key, parts[dimension], shape[dimension]));
  }
  Selection selection;
  for (const Range &range : ranges) {
    selection.count *= range.length;
    selection.shape.push_back(range.length);
  }
  if (selection.count == 0) {
    return selection;  // an empty part has no place
  }
  bool several = false;
  for (std::size_t dimension = 0; dimension < shape.size(); ++dimension) {
    const std::uint64_t length = shape[dimension];
    const Range range = ranges[dimension];
    if (several && range.length != length) {
      throw py::value_error(subscript(key) +
                            " is not contiguous: behind the first dimension that keeps several "
                            "elements all have to be whole. Use buffer.numpy() for other parts.");
    }
    several = several || range.length != 1;
    selection.first = selection.first * length + range.start;
  }
  return selection;
}

// Returns the offset in bytes; 4-bit elements share bytes, and a part must begin and end at a byte.
std::uint64_t byteOffset(const BufferObject &buffer, const Selection &selection, py::handle key) {
  const nxs_data_type type = buffer.getDataType();
  const std::uint64_t bits = dataTypeBits(type);
  if (bits >= 8) {
    return selection.first * (bits / 8);
  }
  const std::uint64_t end = selection.first + selection.count;
  std::uint64_t all = 1;
  for (const std::uint64_t length : buffer.getShape()) {
    all *= length;
  }
  if (selection.first % 2 != 0 || (end % 2 != 0 && end != all)) {
    throw py::value_error(subscript(key) + " begins or ends within a byte: two " + dtypeName(type) +
                          " share one, so both ends have to be even.");
  }
  return selection.first / 2;
}

}  // namespace

BufferObject sliceBuffer(const BufferObject &buffer, py::handle key) {
  const Selection selection = select(buffer.getShape(), key);
  auto desc = nexus::detail::sized<nexus_buffer_desc>();
  desc.data_type = buffer.getDataType();
  desc.size = dtypeBytes(desc.data_type, selection.count);
  desc.rank = static_cast<std::uint32_t>(selection.shape.size());
  desc.shape = lengthsOf(selection.shape);
  nexus_buffer *part = nullptr;
  nexus::detail::check(
      nexus_buffer_slice(buffer.get(), byteOffset(buffer, selection, key), &desc, &part));
  return BufferObject(Buffer(part));
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
  const std::string itsElements = "its elements have " + std::to_string(bits) + " bits, and ";
  if (shape.empty() && old != bits) {
    throwValueError("dtype", dtype,
                    itsElements + "the buffer is one element of " + std::to_string(old) +
                        ": it has no dimension whose length could change");
  }
  const std::uint64_t last = (shape.empty() ? 1 : shape.back()) * old;
  if (last % bits != 0) {
    throwValueError("dtype", dtype,
                    itsElements + "the last dimension " + std::to_string(last) +
                        ", which is no multiple of that");
  }
  return BufferObject(buffer.view(type));
}

}  // namespace nexus::python
