// SPDX-License-Identifier: Apache-2.0
#include "container.hpp"

namespace nexus_opencl NXS_HIDDEN {
namespace {

using nexus_plugin::Error;
using nexus_plugin::join;

constexpr std::string_view kMagic = "NEXUSOCL";
constexpr uint32_t kVersion = 1;
constexpr std::size_t kFixedSize = 32;
constexpr std::size_t kChecksumSize = 8;

[[noreturn]] void refuse(std::string_view why) {
  throw Error(NXS_InvalidBinary, "the bytes are no code of the OpenCL backend: ", why);
}

// FNV-1a: it finds each changed byte; it is no protection from somebody who wants to deceive.
uint64_t checksum(std::string_view bytes) {
  uint64_t sum = 0xcbf29ce484222325U;
  for (const char byte : bytes) sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
  return sum;
}

void append_number(std::string &out, uint64_t number, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>(number >> (8 * i));
}

uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t count) {
  uint64_t number = 0;
  for (std::size_t i = count; i-- > 0;) {
    number = (number << 8) | static_cast<unsigned char>(bytes[at + i]);
  }
  return number;
}

class HeadWriter {
 public:
  void number(uint64_t value) { append_number(bytes_, value, 8); }
  void text(std::string_view value) {
    number(value.size());
    bytes_ += value;
  }
  const std::string &bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class HeadReader {
 public:
  explicit HeadReader(std::string_view bytes) : rest_(bytes) {}

  uint64_t number() {
    if (rest_.size() < 8) refuse("their head is too short");
    const uint64_t value = number_at(rest_, 0, 8);
    rest_.remove_prefix(8);
    return value;
  }
  // Of what each takes a byte at least.
  uint64_t count() {
    const uint64_t value = number();
    if (value > rest_.size()) refuse("their head is too short");
    return value;
  }
  std::string text() {
    const auto size = static_cast<std::size_t>(count());
    std::string value(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return value;
  }

 private:
  std::string_view rest_;
};

void write_kernel(HeadWriter &out, const KernelDescription &kernel) {
  out.text(kernel.name);
  out.number(kernel.portable ? 1 : 0);
  out.number(kernel.arguments.size());
  for (const ArgumentDescription &argument : kernel.arguments) {
    out.text(argument.name);
    out.text(argument.type);
    out.number(static_cast<uint64_t>(argument.kind));
    out.number(static_cast<uint64_t>(argument.data_type));
    out.number(argument.size);
  }
}

KernelDescription read_kernel(HeadReader &in) {
  KernelDescription kernel;
  kernel.name = in.text();
  kernel.portable = in.number() != 0;
  for (uint64_t left = in.count(); left > 0; --left) {
    ArgumentDescription argument;
    argument.name = in.text();
    argument.type = in.text();
    argument.kind = static_cast<nxs_argument_kind>(in.number());
    argument.data_type = static_cast<nxs_data_type>(in.number());
    argument.size = in.number();
    kernel.arguments.push_back(std::move(argument));
  }
  return kernel;
}

}  // namespace

bool is_container(std::string_view bytes) {
  return bytes.starts_with(kMagic);
}

std::string write_container(const Container &container) {
  HeadWriter head;
  head.number(static_cast<uint64_t>(container.kind));
  head.text(container.built_for);
  head.text(container.options);
  head.number(container.kernels.size());
  for (const KernelDescription &kernel : container.kernels) write_kernel(head, kernel);
  std::string bytes(kMagic);
  append_number(bytes, kVersion, 4);
  append_number(bytes, 0, 4);
  append_number(bytes, head.bytes().size(), 8);
  append_number(bytes, container.code.size(), 8);
  bytes += head.bytes();
  bytes += container.code;
  append_number(bytes, checksum(bytes), kChecksumSize);
  return bytes;
}

Container read_container(std::string_view bytes) {
  if (bytes.size() < kFixedSize + kChecksumSize) refuse("they are cut short");
  if (const uint64_t version = number_at(bytes, kMagic.size(), 4); version != kVersion) {
    refuse(join("their version is ", version, ", and this backend knows ", kVersion,
                "; compile the program again"));
  }
  const uint64_t head = number_at(bytes, 16, 8);
  const uint64_t code = number_at(bytes, 24, 8);
  const uint64_t rest = bytes.size() - kFixedSize - kChecksumSize;
  if (head > rest || code != rest - head) {
    refuse("they have another length than they say; they may be cut short");
  }
  const std::size_t checked = bytes.size() - kChecksumSize;
  if (number_at(bytes, checked, kChecksumSize) != checksum(bytes.substr(0, checked))) {
    refuse("they were changed after they were written");
  }
  HeadReader in(bytes.substr(kFixedSize, static_cast<std::size_t>(head)));
  Container container;
  container.kind = in.number() == 0 ? CodeKind::binary : CodeKind::source;
  container.built_for = in.text();
  container.options = in.text();
  for (uint64_t left = in.count(); left > 0; --left) container.kernels.push_back(read_kernel(in));
  container.code =
      bytes.substr(kFixedSize + static_cast<std::size_t>(head), static_cast<std::size_t>(code));
  return container;
}

}  // namespace nexus_opencl
