// SPDX-License-Identifier: Apache-2.0
#include "execution/kernel_description.hpp"

#include "stream/commands.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace nexus_metal NXS_HIDDEN {
namespace {

constexpr std::string_view kMagic = "//nexus-metal ";
constexpr std::string_view kKernel = "//kernel";
constexpr std::string_view kText = "//text\n";
constexpr int kVersion = 1;

[[noreturn]] void refuse(std::string_view why) {
  throw Error(NXS_InvalidBinary, "the bytes are not code for the Metal backend: ", why,
              "; compile the program again");
}

// The words of a line. No stream: a library for macOS carries a C++ library of its own, whose
// facets the loader may replace by the system's.
class Words {
 public:
  explicit Words(std::string_view line) noexcept : left_(line) {}

  std::string_view next() noexcept {
    const std::string_view word = left_.substr(0, left_.find(' '));
    left_.remove_prefix(std::min(word.size() + 1, left_.size()));
    return word;
  }

  // Reads numbers, each a word; returns whether all are there.
  template <typename... Number>
  bool read(Number &...numbers) noexcept {
    return (read_one(numbers) && ...);
  }

 private:
  template <typename Number>
  bool read_one(Number &number) noexcept {
    const std::string_view word = next();
    const char *const end = word.data() + word.size();
    const auto [stopped, error] = std::from_chars(word.data(), end, number);
    return error == std::errc() && stopped == end;
  }
  bool read_one(bool &flag) noexcept {
    unsigned number = 0;
    const bool good = read_one(number) && number <= 1;
    flag = number == 1;
    return good;
  }

  std::string_view left_;
};

KernelDescription read_kernel(Words line) {
  KernelDescription kernel;
  Size3 size{};
  kernel.name = line.next();
  if (kernel.name.empty() || !line.read(size[0], size[1], size[2])) refuse("a line is damaged");
  if (size[0] != 0) kernel.group_size = size;
  DescribedArgument argument{};
  while (line.read(argument.kind, argument.data_type, argument.size, argument.read_only)) {
    kernel.arguments.push_back(argument);
  }
  return kernel;
}

// The most ints that a describing kernel writes: see nexus-kernel/metal.h.
constexpr std::size_t kMostNumbers = 4 + 4 * kMaxArguments;

}  // namespace

bool is_program_text(std::string_view bytes) {
  return bytes.starts_with(kMagic);
}

std::string write_program(const ProgramText &program) {
  std::string rest = program.fast_math ? "//options 1 " : "//options 0 ";
  rest += std::to_string(program.language) + '\n';
  for (const KernelDescription &kernel : program.kernels) {
    const Size3 size = kernel.group_size.value_or(Size3{});
    rest += join(kKernel, " ", kernel.name);
    for (const uint64_t each : size) rest += ' ' + std::to_string(each);
    for (const DescribedArgument &each : kernel.arguments) {
      rest += ' ' + std::to_string(each.kind) + ' ' + std::to_string(each.data_type) + ' ' +
              std::to_string(each.size) + (each.read_only ? " 1" : " 0");
    }
    rest += '\n';
  }
  rest += kText;
  rest += program.source;
  return join(kMagic, kVersion, " ", checksum(rest), "\n", rest);
}

ProgramText read_program(std::string_view bytes) {
  const std::size_t first = bytes.find('\n');
  const std::size_t text = bytes.find(kText);
  if (first == bytes.npos || text == bytes.npos) refuse("they are truncated");
  Words head(bytes.substr(kMagic.size(), first - kMagic.size()));
  ProgramText program;
  int version = 0;
  uint64_t sum = 0;
  if (!head.read(version)) refuse("their first line is damaged");
  if (version != kVersion) {
    refuse(join("their version is ", version, ", and this backend knows ", kVersion));
  }
  if (!head.read(sum) || sum != checksum(bytes.substr(first + 1))) {
    refuse("they were truncated or changed after they were written");
  }
  for (std::size_t begin = first + 1; begin < text;) {
    const std::size_t end = bytes.find('\n', begin);
    Words words(bytes.substr(begin, end - begin));
    if (words.next() == kKernel) {
      program.kernels.push_back(read_kernel(words));
    } else if (!words.read(program.fast_math, program.language)) {
      refuse("a line is damaged");
    }
    begin = end + 1;
  }
  program.source = bytes.substr(text + kText.size());
  return program;
}

Owned build_library(const Device &device, const ProgramText &program, std::string &log) {
  const Owned options = made(msg.create(driver.get_class("MTLCompileOptions")), NXS_OutOfHostMemory,
                             "making compile options");
  msg.set_fast_math(options.get(), program.fast_math);
  msg.set_language(options.get(), program.language);
  id error = nullptr;
  Owned library(
      msg.new_library_of_source(device.get(), to_nsstring(program.source), options.get(), &error));
  log = error == nullptr ? std::string() : to_text(msg.error_text(error));
  return library;
}

std::vector<std::string> kernel_names(id library) {
  std::vector<std::string> names;
  const id list = msg.function_names(library);
  for (NSUInteger i = 0, count = msg.count(list); i < count; ++i) {
    std::string name = to_text(msg.object_at(list, i));
    if (!name.starts_with(kDescribes)) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<KernelDescription> describe_kernels(const Device &device, id library) {
  std::vector<KernelDescription> all;
  for (const std::string &name : kernel_names(library)) {
    const Owned function(msg.new_function(library, to_nsstring(std::string(kDescribes) + name)));
    if (!function) continue;  // not of the portable language
    id error = nullptr;
    const Owned pipeline(msg.new_pipeline(device.get(), function.get(), 0, nullptr, &error));
    if (!pipeline) throw_error(error, NXS_CompileProgramFailure, "describing kernels");
    const Owned out = made(
        msg.new_buffer(device.get(), kMostNumbers * sizeof(int32_t), MTLResourceStorageModeShared),
        NXS_MemObjectAllocationFailure, "describing kernels");
    run_now(device, [&](Commands &commands) {
      msg.set_pipeline(commands.compute(), pipeline.get());
      msg.set_buffer(commands.compute(), out.get(), 0, 0);
      msg.dispatch(commands.compute(), {1, 1, 1}, {1, 1, 1});
    });
    std::vector<int32_t> numbers(kMostNumbers);
    std::memcpy(numbers.data(), msg.contents(out.get()), kMostNumbers * sizeof(int32_t));
    KernelDescription kernel;
    kernel.name = name;
    const auto number = [&](std::size_t at) { return static_cast<uint64_t>(numbers[at]); };
    if (number(3) > kMaxArguments) {  // -1 too: a kernel of the program's own has that name
      throw Error(NXS_CompileProgramFailure, "the kernel '", kDescribes, name,
                  "' does not describe the kernel '", name, "'; give it another name");
    }
    if (numbers[0] != 0) kernel.group_size = {number(0), number(1), number(2)};
    for (std::size_t i = 0; i < number(3); ++i) {
      const std::size_t at = 4 + 4 * i;
      kernel.arguments.push_back(
          {numbers[at], numbers[at + 1], number(at + 2), numbers[at + 3] != 0});
    }
    all.push_back(std::move(kernel));
  }
  return all;
}

}  // namespace nexus_metal
