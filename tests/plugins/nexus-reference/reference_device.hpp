// SPDX-License-Identifier: Apache-2.0
// What a driver brings to another backend: here kernels that are built in, and
// libraries that are texts. The first line is "nexus-reference 1", each further
// one the name of a kernel.
#ifndef REFERENCE_DEVICE_HPP_
#define REFERENCE_DEVICE_HPP_

#include <nexus-plugin/plugin.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace reference NXS_HIDDEN {

using namespace nexus_plugin;

using KernelArguments = ArgumentList<HostBuffer>;

// A kernel: what it says of itself, and its code for a number of work items.
struct BuiltIn {
  std::string_view name;
  void (*run)(const KernelArguments &arguments, uint64_t items);
  std::size_t argument_count;
  ArgumentSpec specs[3];
  std::span<const ArgumentSpec> arguments() const { return {specs, argument_count}; }
};

struct Library {
  std::vector<std::size_t> kernels;  // places in built_ins
  const BuiltIn &find(std::string_view name) const;
  std::vector<std::string> names() const;  // in alphabetical order
};

// The elements of a buffer that a kernel goes through.
template <class T>
T *elements(const KernelArguments &arguments, std::size_t index, uint64_t items) {
  const Argument<HostBuffer> &part = arguments[index];
  if (part.size / sizeof(T) < items || part.offset % sizeof(T) != 0) {
    throw Error(NXS_InvalidArgSize, "argument ", index, " has ", part.size, " bytes from offset ",
                part.offset, " on; ", items, " work items of ", sizeof(T), " bytes do not fit");
  }
  return reinterpret_cast<T *>(part.buffer->data() + part.offset);
}

template <class T>
T scalar(const KernelArguments &arguments, std::size_t index) {
  T value;
  std::memcpy(&value, arguments[index].scalar.data(), sizeof(value));
  return value;
}

template <class T>
void fill(const KernelArguments &arguments, uint64_t items) {
  std::fill_n(elements<T>(arguments, 0, items), items, scalar<T>(arguments, 1));
}
template <class T>
void copy(const KernelArguments &arguments, uint64_t items) {
  std::copy_n(elements<T>(arguments, 0, items), items, elements<T>(arguments, 1, items));
}
template <class T>
void scale(const KernelArguments &arguments, uint64_t items) {
  const T *x = elements<T>(arguments, 0, items);
  const T factor = scalar<T>(arguments, 1);
  T *out = elements<T>(arguments, 2, items);
  for (uint64_t i = 0; i < items; ++i) out[i] = x[i] * factor;
}
template <class T>
void add(const KernelArguments &arguments, uint64_t items) {
  const T *a = elements<T>(arguments, 0, items);
  const T *b = elements<T>(arguments, 1, items);
  T *out = elements<T>(arguments, 2, items);
  for (uint64_t i = 0; i < items; ++i) out[i] = a[i] + b[i];
}
inline void fail(const KernelArguments &, uint64_t) {
  throw Error(NXS_InternalError, "fail always fails");
}

inline constexpr nxs_data_type F32 = NXS_DataType_F32;
inline constexpr nxs_data_type I32 = NXS_DataType_I32;
inline constexpr nxs_argument_kind kBuffer = NXS_ArgumentKind_Buffer;
inline constexpr nxs_argument_kind kScalar = NXS_ArgumentKind_Scalar;
inline constexpr BuiltIn built_ins[] = {
    {"fill_f32", fill<float>, 2, {{"out", kBuffer, F32}, {"value", kScalar, F32, 4}}},
    {"fill_i32", fill<int32_t>, 2, {{"out", kBuffer, I32}, {"value", kScalar, I32, 4}}},
    {"copy_f32", copy<float>, 2, {{"x", kBuffer, F32}, {"out", kBuffer, F32}}},
    {"copy_i32", copy<int32_t>, 2, {{"x", kBuffer, I32}, {"out", kBuffer, I32}}},
    {"scale_f32",
     scale<float>,
     3,
     {{"x", kBuffer, F32}, {"factor", kScalar, F32, 4}, {"out", kBuffer, F32}}},
    {"add_f32", add<float>, 3, {{"a", kBuffer, F32}, {"b", kBuffer, F32}, {"out", kBuffer, F32}}},
    {"add_i32", add<int32_t>, 3, {{"a", kBuffer, I32}, {"b", kBuffer, I32}, {"out", kBuffer, I32}}},
    {"fail", fail, 0, {}},
};

// Where the kernel is among those built in.
inline std::size_t find_kernel(std::string_view name) {
  for (std::size_t place = 0; place < std::size(built_ins); ++place) {
    if (built_ins[place].name == name) return place;
  }
  throw Error(NXS_InvalidBinary, "the library names the kernel ", name, ", which is not built in");
}

inline Library parse_library(std::string_view text) {
  constexpr std::string_view head = "nexus-reference 1\n";
  if (!text.starts_with(head) || text.back() != '\n') {
    throw Error(NXS_InvalidBinary,
                "the library does not begin with nexus-reference 1, or is cut short");
  }
  Library library;
  for (text.remove_prefix(head.size()); !text.empty();) {
    const std::string_view name = text.substr(0, text.find('\n'));
    library.kernels.push_back(find_kernel(name));
    text.remove_prefix(name.size() + 1);
  }
  return library;
}

inline std::vector<std::string> Library::names() const {
  std::vector<std::string> names;
  for (const std::size_t place : kernels) names.emplace_back(built_ins[place].name);
  std::sort(names.begin(), names.end());
  return names;
}

inline const BuiltIn &Library::find(std::string_view name) const {
  for (const std::size_t place : kernels) {
    if (built_ins[place].name == name) return built_ins[place];
  }
  throw Error(NXS_InvalidKernelName, "the library has no kernel '", name, "'",
              instead_of(name, names(), "no kernel at all"));
}

inline std::string read_file(std::string_view path) {
  std::ifstream file(std::string(path), std::ios::binary);
  if (!file) throw Error(NXS_InvalidValue, "the file ", path, " can't be read; check the path");
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace reference

#endif  // REFERENCE_DEVICE_HPP_
