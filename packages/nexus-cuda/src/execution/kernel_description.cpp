// SPDX-License-Identifier: Apache-2.0
#include "execution/kernel_description.hpp"

#include <algorithm>
#include <cstring>

namespace nexus_cuda NXS_HIDDEN {
namespace {

using nexus_plugin::Error;

constexpr int32_t kVersion = 1;

[[noreturn]] void throw_damaged(const std::string &kernel) {
  throw Error(NXS_InvalidBinary, "the description of the kernel '", kernel,
              "' is damaged; compile the program again");
}

// Reads one number, or one text, after the other.
class Reader {
 public:
  Reader(std::span<const std::byte> bytes, const std::string &kernel)
      : bytes_(bytes), kernel_(kernel) {}

  int32_t number() {
    int32_t value = 0;
    if (bytes_.size() < sizeof(value)) throw_damaged(kernel_);
    std::memcpy(&value, bytes_.data(), sizeof(value));
    bytes_ = bytes_.subspan(sizeof(value));
    return value;
  }

  std::string text() {
    const auto end = std::find(bytes_.begin(), bytes_.end(), std::byte{0});
    if (end == bytes_.end()) throw_damaged(kernel_);
    const auto size = static_cast<std::size_t>(end - bytes_.begin());
    std::string read(reinterpret_cast<const char *>(bytes_.data()), size);
    bytes_ = bytes_.subspan(size + 1);
    return read;
  }

 private:
  std::span<const std::byte> bytes_;
  const std::string &kernel_;
};

}  // namespace

std::string description_name(const std::string &kernel) {
  return "nexus_kernel_" + kernel;
}

KernelDescription read_description(std::span<const std::byte> bytes, const std::string &kernel) {
  Reader reader(bytes, kernel);
  const int32_t version = reader.number();
  if (version != kVersion) {
    throw Error(NXS_InvalidBinary, "the kernel '", kernel, "' describes itself in version ",
                version, ", and this backend reads ", kVersion, "; compile the program again");
  }
  const int32_t count = reader.number();
  if (count < 0 || count > static_cast<int32_t>(nexus_plugin::kMaxArguments)) throw_damaged(kernel);
  KernelDescription made;
  nexus_plugin::Size3 group{};
  for (uint64_t &size : group) size = static_cast<uint64_t>(std::max(reader.number(), 0));
  if (group[0] != 0) made.group_size = group;
  (void)reader.number();  // the arrays that it declares: the driver counts them too
  for (int32_t i = 0; i < count; ++i) {
    ArgumentDescription argument;
    argument.kind = reader.number();
    argument.data_type = reader.number();
    argument.size = static_cast<uint64_t>(std::max(reader.number(), 0));
    (void)reader.number();  // read_only
    if (argument.kind < NXS_ArgumentKind_Buffer || argument.kind > NXS_ArgumentKind_LocalMemory) {
      throw_damaged(kernel);
    }
    made.arguments.push_back(std::move(argument));
  }
  for (int i = 0; i < 4; ++i) (void)reader.number();  // the entry that ends the list
  for (ArgumentDescription &argument : made.arguments) {
    argument.name = reader.text();
    argument.type = reader.text();
  }
  return made;
}

}  // namespace nexus_cuda
