// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "python/bindings.hpp"

namespace nexus::python {

/// Returns Python's name of a data type: numpy's or ml_dtypes', such as "float32" and "bfloat16";
/// "bytes" for NXS_DataType_Undefined; numpy's text for records. Needs the GIL.
const char *dtypeName(nxs_data_type type) noexcept;

/// Returns the data type of a name, also of short ones such as "fp16", "bf16", "i32"; nothing for
/// others.
std::optional<nxs_data_type> dtypeFromName(std::string_view name) noexcept;

/// Returns the data type of a dtype= argument: a str, a member of nexus.data_type, a numpy,
/// ml_dtypes, jax or torch dtype or scalar type. TypeError or ValueError for others.
nxs_data_type parseDtype(py::handle dtype, const std::string &parameter = "dtype");

/// Returns whether it is a structured dtype of numpy.
bool isRecordDtype(py::handle dtype);

/// Returns numpy's dtype of records; None for other data types.
py::object recordDtype(nxs_data_type type);

/// Returns whether a numpy dtype is a struct or raw bytes, and no number. ml_dtypes' are numbers.
bool isVoidDtype(pybind11::handle dtype);

/// Returns the data type of a buffer protocol's format of one element of itemsize bytes; nothing
/// for structures, foreign byte order and others without a data type.
std::optional<nxs_data_type> dtypeFromFormat(const char *format, std::size_t itemsize) noexcept;

/// Python's dtype property: the name, or None for an untyped buffer.
py::object dtypeObject(nxs_data_type type);

/// Returns the buffer protocol's format of a data type; nullptr if it has none.
const char *dtypeFormat(nxs_data_type type) noexcept;

/// Returns the kind and size of a data type in the array interface, such as "f4"; nullptr if it has
/// none.
const char *dtypeKind(nxs_data_type type) noexcept;

/// Returns the bytes of count elements; 4-bit elements share bytes.
constexpr std::uint64_t dtypeBytes(nxs_data_type type, std::uint64_t count) noexcept {
  const std::uint64_t bits = dataTypeBits(type);
  return bits == 4 ? count / 2 + count % 2 : count * (bits / 8);
}

}  // namespace nexus::python
