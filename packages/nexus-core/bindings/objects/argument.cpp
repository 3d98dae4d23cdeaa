// SPDX-License-Identifier: Apache-2.0
#include "objects/argument.hpp"

#include <optional>
#include <string>

#include "arrays/buffer.hpp"
#include "python/errors.hpp"
#include "types/object.hpp"
#include "values/dtype.hpp"
#include "values/parse.hpp"

namespace nexus::python {
namespace {

constexpr std::uint64_t kMostArguments = 64;

// Returns the kernel's description of an argument; nothing if it has none.
std::optional<Argument> describedArgument(const Kernel &kernel, std::uint32_t index) {
  const std::optional<std::uint32_t> count = kernel.getArgumentCount();
  if (!count) {
    return std::nullopt;
  }
  if (index >= *count) {
    throw py::value_error("index is " + std::to_string(index) + ": the kernel '" +
                          kernel.getName() + "' has " + counted(*count, "argument") +
                          ", counted from 0.");
  }
  return kernel.getArgument(index);
}

// Packs a scalar for a kernel without argument descriptions.
Scalar typedScalar(const Parameter &parameter, py::handle value, py::handle dtype) {
  if (!dtype.is_none()) {
    return packScalar(value, parseDtype(dtype), parameter);
  }
  if (isValueBytes(value)) {
    return readValueBytes(value, parameter);
  }
  if (!isTypedScalar(value)) {
    throw py::type_error(
        parameter + " is " + shortRepr(value) + " (" + typeName(value) +
        "), and the kernel does not say how wide its arguments are: pass a numpy or ctypes scalar "
        "such as numpy.float32(...), or dtype='float32'.");
  }
  return readTypedScalar(value, parameter);
}

// Packs a scalar with the kernel's type.
Scalar describedScalar(const Argument &argument, const Parameter &parameter, py::handle value,
                       py::handle dtype) {
  if (argument.kind == NXS_ArgumentKind_Unknown) {
    return typedScalar(parameter, value, dtype);
  }
  if (argument.kind != NXS_ArgumentKind_Scalar) {
    throwTypeError(parameter,
                   argument.kind == NXS_ArgumentKind_Buffer ? "a nexus.Buffer"
                                                            : "local memory (set_local_memory)",
                   value);
  }
  if (!dtype.is_none() && parseDtype(dtype) != argument.dataType) {
    const bool isNumber = argument.dataType != NXS_DataType_Undefined;
    throwTypeError("dtype of " + parameter,
                   isNumber ? std::string("the kernel's, ") + dtypeName(argument.dataType)
                            : "None for the type " + argument.type,
                   dtype);
  }
  if (argument.dataType == NXS_DataType_Undefined) {
    return packVector(value, argument, parameter);
  }
  return isValueBytes(value) ? packValueBytes(value, argument, parameter)
                             : packScalar(value, argument.dataType, parameter);
}

Scalar readScalar(const Kernel &kernel, std::uint32_t index, py::handle value, py::handle dtype) {
  const auto argument = describedArgument(kernel, index);
  const Argument *described = argument ? &*argument : nullptr;
  return packArgument(described, Parameter(index, described), value, dtype);
}

}  // namespace

ArgumentValue readArgument(const Kernel &kernel, std::uint32_t index, py::handle value,
                           py::handle dtype) {
  if (!isA<Buffer>(value)) {
    return {index, {}, readScalar(kernel, index, value, dtype)};
  }
  if (!dtype.is_none()) {
    throwTypeError("dtype", "None for a buffer, which has a dtype of its own", dtype);
  }
  return {index, valueOf<Buffer>(value.ptr()), {}};
}

Scalar packArgument(const Argument *described, const Parameter &parameter, py::handle value,
                    py::handle dtype) {
  return described != nullptr ? describedScalar(*described, parameter, value, dtype)
                              : typedScalar(parameter, value, dtype);
}

std::uint32_t argumentIndex(const Kernel &kernel, py::handle key, const char *parameter) {
  if (kernel && PyUnicode_Check(key.ptr()) != 0) {
    const std::string name = parseText(key, parameter);
    try {
      return kernel.findArgument(name);
    } catch (const Error &error) {
      if (error.status() != NXS_KernelArgInfoNotAvailable &&
          error.status() != NXS_InvalidArgIndex) {
        throw;
      }
    }
    py::object names = py::none();
    if (const auto described = kernel.getArguments()) {
      py::list told;
      for (const Argument &each : *described) told.append(each.name);
      names = std::move(told);
    }
    py::module_::import("nexus._checks")
        .attr("refuse_argument_name")(parameter, key, kernel.getName(), names);
  }
  const std::uint64_t index = parseCount(key, parameter);
  if (index >= kMostArguments) {
    throwValueError(parameter, key, "a kernel has at most 64 arguments, so it is from 0 to 63");
  }
  return static_cast<std::uint32_t>(index);
}

void setArgument(const Command &command, const ArgumentValue &argument) {
  if (argument.buffer) {
    command.setBuffer(argument.index, argument.buffer);
  } else {
    command.setScalar(argument.index, argument.scalar.bytes.data(), argument.scalar.bytes.size(),
                      argument.scalar.type);
  }
}

}  // namespace nexus::python
