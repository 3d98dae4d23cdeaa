// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bindings.hpp"

namespace nexus::python {

/// The name that Python knows a data type by: numpy's or ml_dtypes', such as "float32" and
/// "bfloat16"; "bytes" for NXS_DataType_Undefined.
const char *dtypeName(nxs_data_type type) noexcept;

/// The data type of a name, also of short ones such as "fp16", "bf16", "i32"; nothing otherwise.
std::optional<nxs_data_type> dtypeFromName(std::string_view name) noexcept;

/// The data type that a dtype= argument names: a str, a member of nexus.data_type, a numpy,
/// ml_dtypes, jax or torch dtype or scalar type. TypeError or ValueError otherwise.
nxs_data_type parseDtype(py::handle dtype, const std::string &parameter = "dtype");

/// Returns whether a dtype of numpy's is a struct or bare bytes, which is no number. ml_dtypes' are
/// numbers.
bool isVoidDtype(pybind11::handle dtype);

/// The data type of a buffer protocol's format of one element of itemsize bytes; nothing for
/// structures, foreign byte order and what else has no data type.
std::optional<nxs_data_type> dtypeFromFormat(const char *format, std::size_t itemsize) noexcept;

/// Python's dtype property: the name, or None for an untyped buffer.
py::object dtypeObject(nxs_data_type type);

/// The buffer protocol's format of a data type; nullptr for those that have none.
const char *dtypeFormat(nxs_data_type type) noexcept;

/// Bytes of count elements; 4-bit elements share bytes.
constexpr std::uint64_t dtypeBytes(nxs_data_type type, std::uint64_t count) noexcept {
  const std::uint64_t bits = dataTypeBits(type);
  return bits == 4 ? count / 2 + count % 2 : count * (bits / 8);
}

}  // namespace nexus::python
