// SPDX-License-Identifier: Apache-2.0
#include "checks/argument.hpp"

#include <cstring>

#include "base/data_type.hpp"
#include "base/error.hpp"

namespace nexus::core {
namespace {

const char *kindWords(nxs_argument_kind kind) {
  switch (kind) {
    case NXS_ArgumentKind_Buffer:
      return "a buffer";
    case NXS_ArgumentKind_Scalar:
      return "a scalar";
    case NXS_ArgumentKind_Unknown:
      return "a buffer or a scalar";
    default:
      return "local memory";
  }
}

std::string ofKernel(const KernelInfo &kernel) {
  return " of the kernel '" + kernel.name + "'";
}

std::string typed(uint64_t size, nxs_data_type type) {
  const std::string bytes = std::to_string(size) + (size == 1 ? " byte" : " bytes");
  return type == NXS_DataType_Undefined ? bytes : bytes + " of " + dataTypeName(type);
}

bool isInteger(nxs_data_type type) {
  return numberKind(type) == NumberKind::Signed || numberKind(type) == NumberKind::Unsigned;
}

bool hasHighestBit(const nxs_argument &argument) {
  const auto *bytes = static_cast<const unsigned char *>(argument.data);
  return (bytes[argument.size - 1] & 0x80U) != 0;  // all hosts are little-endian
}

// Returns whether both are integers of one width that differ in sign: they share the numbers
// without the highest bit.
bool differInSign(nxs_data_type wanted, const nxs_argument &given) {
  return wanted != given.data_type && isInteger(wanted) && isInteger(given.data_type) &&
         dataTypeBits(wanted) == dataTypeBits(given.data_type) &&
         dataTypeBits(wanted) == given.size * 8;
}

// Returns whether the bytes mean the same number in the parameter's type.
bool isSameNumber(nxs_data_type wanted, const nxs_argument &given) {
  return wanted == given.data_type || wanted == NXS_DataType_Undefined ||
         given.data_type == NXS_DataType_Undefined ||
         (differInSign(wanted, given) && !hasHighestBit(given));
}

std::string integerText(const nxs_argument &argument) {
  const bool negative =
      numberKind(argument.data_type) == NumberKind::Signed && hasHighestBit(argument);
  uint64_t bits = negative ? UINT64_MAX : 0;
  std::memcpy(&bits, argument.data, static_cast<std::size_t>(argument.size));
  return negative ? std::to_string(static_cast<int64_t>(bits)) : std::to_string(bits);
}

void checkScalar(const KernelInfo &kernel, uint32_t index, const ArgumentInfo &info,
                 const nxs_argument &argument) {
  const bool same_size = info.size == 0 || info.size == argument.size;
  if (same_size && isSameNumber(info.data_type, argument)) {
    return;
  }
  const std::string subject = info.text(index) + ofKernel(kernel) + " is a scalar of ";
  if (same_size && differInSign(info.data_type, argument)) {
    throw Failure(NXS_InvalidArgValue, subject + dataTypeName(info.data_type) +
                                           ", which can't hold " + integerText(argument) +
                                           "; give a value in its range.");
  }
  throw Failure(same_size ? NXS_InvalidArgValue : NXS_InvalidArgSize,
                subject + typed(info.size, info.data_type) + ", and " +
                    typed(argument.size, argument.data_type) + " were given; convert the value.");
}

// Throws if the elements of a buffer have another type than the parameter's. A buffer without a
// data type holds bytes, which fit any parameter.
void checkElements(const KernelInfo &kernel, uint32_t index, const ArgumentInfo &info,
                   const nxs_argument &argument) {
  if (info.data_type == NXS_DataType_Undefined || argument.data_type == NXS_DataType_Undefined ||
      info.data_type == argument.data_type) {
    return;
  }
  const std::string wanted = dataTypeName(info.data_type);
  throw Failure(NXS_InvalidArgValue, info.text(index) + ofKernel(kernel) + " points to " + wanted +
                                         ", and the buffer has elements of " +
                                         dataTypeName(argument.data_type) +
                                         "; convert the data to " + wanted +
                                         ", or reinterpret its bytes with view('" + wanted + "').");
}

// Throws for a read-only buffer that the kernel writes, or may write if it does not say.
void checkAccess(const KernelInfo &kernel, uint32_t index) {
  const ArgumentInfo info = kernel.arguments ? (*kernel.arguments)[index] : ArgumentInfo{};
  const std::optional<bool> constant = pointsToConst(info.type);
  if (constant.value_or(false)) return;
  throw Failure(NXS_InvalidArgValue,
                info.text(index) + ofKernel(kernel) +
                    (constant ? " is '" + info.type + "', which it may write to"
                              : " may be written to, for all that the kernel says") +
                    ", and the buffer is read-only; give a copy of it.");
}

}  // namespace

std::string ArgumentInfo::text(uint32_t index) const {
  return "argument " + std::to_string(index) + (name.empty() ? "" : ", '" + name + "',");
}

void checkArgumentIndex(const KernelInfo &kernel, uint32_t index) {
  if (index >= kMaxArguments) {
    throw Failure(NXS_InvalidArgIndex, "index is " + std::to_string(index) +
                                           "; a command has the arguments 0 to " +
                                           std::to_string(kMaxArguments - 1) + ".");
  }
  if (const auto count = kernel.argument_count; count && index >= *count) {
    throw Failure(NXS_InvalidArgIndex, "index is " + std::to_string(index) + ": the kernel '" +
                                           kernel.name + "' has " + std::to_string(*count) +
                                           " arguments, counted from 0.");
  }
}

void checkArgument(const KernelInfo &kernel, uint32_t index, const nxs_argument &argument,
                   bool read_only) {
  checkArgumentIndex(kernel, index);
  if (read_only) checkAccess(kernel, index);
  if (!kernel.arguments) {
    return;
  }
  const ArgumentInfo &info = (*kernel.arguments)[index];
  const bool fits = info.kind == NXS_ArgumentKind_Unknown
                        ? argument.kind != NXS_ArgumentKind_LocalMemory
                        : argument.kind == info.kind;
  if (!fits) {
    throw Failure(NXS_InvalidArgValue, info.text(index) + ofKernel(kernel) + " is " +
                                           kindWords(info.kind) + ", and " +
                                           kindWords(argument.kind) + " was given.");
  }
  if (argument.kind == NXS_ArgumentKind_Scalar) {
    checkScalar(kernel, index, info, argument);
  } else if (argument.kind == NXS_ArgumentKind_Buffer) {
    checkElements(kernel, index, info, argument);
  }
}

void refuseMissing(const KernelInfo &kernel, uint32_t index) {
  const ArgumentInfo info = kernel.arguments ? (*kernel.arguments)[index] : ArgumentInfo{};
  const std::string kind =
      kernel.arguments ? std::string(", ") + kindWords(info.kind) + "," : std::string();
  throw Failure(NXS_InvalidKernelArgs, info.text(index) + ofKernel(kernel) + kind +
                                           " was not given; set it before finalize.");
}

}  // namespace nexus::core
