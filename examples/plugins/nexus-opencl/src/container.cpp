// SPDX-License-Identifier: Apache-2.0
#include "container.hpp"

namespace nexus_opencl NXS_HIDDEN {
namespace {

constexpr std::string_view kMagic = "NEXUSOCL";
constexpr uint32_t kVersion = 1;
constexpr std::size_t kFixedSize = 32;
constexpr std::size_t kChecksumSize = 8;

[[noreturn]] void refuse(std::string_view why) {
  throw Error(NXS_InvalidBinary, "the bytes are not code for the OpenCL backend: ", why);
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

// The head is written and read by the same functions: see transfer_fields().
struct HeadWriter {
  template <class Number>
  void number(Number &value) {
    append_number(bytes, static_cast<uint64_t>(value), 8);
  }
  void text(std::string &value) {
    append_number(bytes, value.size(), 8);
    bytes += value;
  }
  template <class Element>
  void list(std::vector<Element> &elements) {
    append_number(bytes, elements.size(), 8);
    for (Element &each : elements) transfer_fields(*this, each);
  }

  std::string bytes;
};

struct HeadReader {
  template <class Number>
  void number(Number &value) {
    if (rest.size() < 8) refuse("their head is too short");
    value = static_cast<Number>(number_at(rest, 0, 8));
    rest.remove_prefix(8);
  }
  void text(std::string &value) {
    const std::size_t size = count();
    value = rest.substr(0, size);
    rest.remove_prefix(size);
  }
  template <class Element>
  void list(std::vector<Element> &elements) {
    for (std::size_t left = count(); left > 0; --left) {
      transfer_fields(*this, elements.emplace_back());
    }
  }
  // Reads how many follow, each of which takes at least a byte.
  std::size_t count() {
    uint64_t value = 0;
    number(value);
    if (value > rest.size()) refuse("their head is too short");
    return static_cast<std::size_t>(value);
  }

  std::string_view rest;
};

template <class Head>
void transfer_fields(Head &head, ArgumentDescription &argument) {
  head.text(argument.name);
  head.text(argument.type);
  head.number(argument.kind);
  head.number(argument.data_type);
  head.number(argument.size);
}

template <class Head>
void transfer_fields(Head &head, KernelDescription &kernel) {
  head.text(kernel.name);
  head.number(kernel.portable);
  head.list(kernel.arguments);
}

template <class Head>
void transfer_fields(Head &head, Container &container) {
  head.number(container.is_source);
  head.text(container.built_for);
  head.text(container.options);
  head.list(container.kernels);
}

}  // namespace

bool is_container(std::string_view bytes) {
  return bytes.starts_with(kMagic);
}

std::string write_container(Container container) {
  HeadWriter head;
  transfer_fields(head, container);
  std::string bytes(kMagic);
  append_number(bytes, kVersion, 4);
  append_number(bytes, 0, 4);
  append_number(bytes, head.bytes.size(), 8);
  append_number(bytes, container.code.size(), 8);
  bytes += head.bytes;
  bytes += container.code;
  append_number(bytes, checksum(bytes), kChecksumSize);
  return bytes;
}

Container read_container(std::string_view bytes) {
  if (bytes.size() < kFixedSize + kChecksumSize) refuse("they are truncated");
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
  HeadReader reader{bytes.substr(kFixedSize, static_cast<std::size_t>(head))};
  Container container;
  transfer_fields(reader, container);
  container.code =
      bytes.substr(kFixedSize + static_cast<std::size_t>(head), static_cast<std::size_t>(code));
  return container;
}

}  // namespace nexus_opencl
