// SPDX-License-Identifier: Apache-2.0
//
// Object code as bytes, the same on every machine:
//
//   8 bytes   "NEXUSOBJ"
//   4 bytes   the format's version, the lowest byte first, as all numbers
//   4 bytes   0
//   8 bytes   the size of the head
//   8 bytes   the size of the code
//   the head, a JSON object of the texts of CodeContents
//   the code
//   32 bytes  the SHA-256 of all before
#include <algorithm>
#include <cstddef>

#include "base/error.hpp"
#include "code/object_code.hpp"
#include "code/sha256.hpp"
#include "json/json.hpp"

namespace nexus::core {
namespace {

constexpr std::string_view kObjectCodeMagic = "NEXUSOBJ";
constexpr uint32_t kObjectCodeVersion = 1;
constexpr std::size_t kFixedSize = 32;
constexpr std::size_t kChecksumSize = 32;

// The texts in the head, and their members in the contents.
struct HeadText {
  const char *name;
  std::string CodeContents::*text;
};
constexpr HeadText kHeadTexts[] = {
    {"Name", &CodeContents::name},       {"Runtime", &CodeContents::runtime},
    {"Target", &CodeContents::target},   {"Format", &CodeContents::format},
    {"Log", &CodeContents::log},         {"Flags", &CodeContents::flags},
    {"Kernels", &CodeContents::kernels},
};

void appendNumber(std::string &bytes, uint64_t number, int size) {
  for (int i = 0; i < size; ++i) {
    bytes += static_cast<char>(number >> (8 * i));
  }
}

uint64_t numberAt(std::string_view bytes, std::size_t at, int size) {
  uint64_t number = 0;
  for (int i = size - 1; i >= 0; --i) {
    number = (number << 8) | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
  }
  return number;
}

[[noreturn]] void refuseBytes(const std::string &why) {
  failWith(NXS_InvalidBinary, "The bytes are not Nexus object code: ", why);
}

// The head and the code in the bytes. Throws if bytes are missing.
struct Parts {
  std::string_view head;
  std::string_view code;
};

Parts partsOf(std::string_view bytes) {
  if (!bytes.starts_with(kObjectCodeMagic)) {
    refuseBytes("their signature is missing; give the bytes of a file from ObjectCode.save().");
  }
  if (bytes.size() < kFixedSize + kChecksumSize) {
    refuseBytes("they are truncated.");
  }
  const uint64_t version = numberAt(bytes, 8, 4);
  if (version != kObjectCodeVersion) {
    refuseBytes(join("their format has the version ", version, ", and this libnexus reads version ",
                     kObjectCodeVersion, "; compile the program again."));
  }
  const uint64_t head = numberAt(bytes, 16, 8);
  const uint64_t code = numberAt(bytes, 24, 8);
  const uint64_t rest = bytes.size() - kFixedSize - kChecksumSize;
  if (head > rest || code != rest - head) {
    refuseBytes("their length differs from the one in their header; they may be truncated.");
  }
  const std::size_t checked = bytes.size() - kChecksumSize;
  if (bytes.substr(checked) != sha256(bytes.substr(0, checked))) {
    refuseBytes("they were changed after they were written.");
  }
  return {
      bytes.substr(kFixedSize, static_cast<std::size_t>(head)),
      bytes.substr(kFixedSize + static_cast<std::size_t>(head), static_cast<std::size_t>(code))};
}

bool isText(const json::Value &value) {
  return value.isString();
}
bool isCount(const json::Value &value) {
  return value.isInt() && *value.integer() >= 0;
}
bool isListOf(const json::Value &value, bool (*fits)(const json::Value &)) {
  return value.isArray() && std::all_of(value.array()->begin(), value.array()->end(), fits);
}

bool isCounts(const json::Value &value) {
  return isListOf(value, isCount);
}

bool isArguments(const json::Value &value);

// A member that describeKernels() writes for a kernel or an argument. Members of other versions are
// ignored.
struct Form {
  const char *name;
  bool (*fits)(const json::Value &value);
};
constexpr Form kKernelForms[] = {
    {"arguments", isArguments},   {"required_group_size", isCounts},
    {"local_memory", isCount},    {"max_group_size", isCount},
    {"registers", isCount},       {"private_memory", isCount},
    {"constant_memory", isCount}, {"required_cluster_size", isCounts},
};
constexpr Form kArgumentForms[] = {
    {"name", isText}, {"kind", isText}, {"dtype", isText}, {"type", isText}, {"size", isCount},
};

template <std::size_t Count>
bool hasForm(const json::Value &value, const Form (&forms)[Count]) {
  return value.isObject() && std::all_of(forms, forms + Count, [&](const Form &form) {
           const json::Value *member = value.find(form.name);
           return member == nullptr || form.fits(*member);
         });
}

bool isArguments(const json::Value &value) {
  return isListOf(value, [](const json::Value &each) { return hasForm(each, kArgumentForms); });
}

bool isKernel(const json::Value &value) {
  return value.text("name") != nullptr && hasForm(value, kKernelForms);
}

// Checks that the texts that hold lists do. Throws json::ParseError if one is not JSON.
void requireForms(const CodeContents &contents) {
  if (!isListOf(json::parse(contents.flags), isText)) {
    refuseBytes("the flags in their header are not a list of texts; compile the program again.");
  }
  if (!isListOf(json::parse(contents.kernels.empty() ? "[]" : contents.kernels), isKernel)) {
    refuseBytes("the kernels in their header are malformed; compile the program again.");
  }
}

}  // namespace

std::string writeObjectCode(const CodeContents &contents) {
  json::Value head(json::Value::Object{});
  for (const HeadText &entry : kHeadTexts) {
    head.set(entry.name, json::Value(contents.*entry.text));
  }
  const std::string head_text = json::write(head);
  std::string bytes(kObjectCodeMagic);
  bytes.reserve(kFixedSize + head_text.size() + contents.code.size() + kChecksumSize);
  appendNumber(bytes, kObjectCodeVersion, 4);
  appendNumber(bytes, 0, 4);
  appendNumber(bytes, head_text.size(), 8);
  appendNumber(bytes, contents.code.size(), 8);
  bytes += head_text;
  bytes += contents.code;
  bytes += sha256(bytes);
  return bytes;
}

CodeContents readObjectCode(std::string_view bytes) {
  const Parts parts = partsOf(bytes);
  CodeContents contents;
  contents.code = parts.code;
  try {
    const json::Value head = json::parse(parts.head);
    for (const HeadText &entry : kHeadTexts) {
      const std::string *text = head.text(entry.name);
      if (text == nullptr) {
        refuseBytes(join("their header has no text '", entry.name, "'."));
      }
      contents.*entry.text = *text;
    }
    requireForms(contents);
  } catch (const json::ParseError &error) {
    refuseBytes(join("their header is not JSON (", error.what(), ")."));
  }
  return contents;
}

}  // namespace nexus::core
