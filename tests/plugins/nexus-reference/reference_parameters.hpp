// SPDX-License-Identifier: Apache-2.0
// Describes the arguments of a built-in kernel by the parameters of its function:
//
//   Global<float>   a buffer      float   a number
//   Local<int32_t>  local memory  Float4  a vector
//
// Elements and numbers have any type for which data_type_of is defined, such as int8_t to uint64_t,
// float and double.
#ifndef REFERENCE_PARAMETERS_HPP_
#define REFERENCE_PARAMETERS_HPP_

#include <nexus-plugin/plugin.hpp>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>

namespace reference NXS_HIDDEN {

using namespace nexus_plugin;

// An argument that a kernel receives: the bytes of a buffer's range or of a number; for local
// memory only the size.
struct KernelArgument {
  std::byte *data;
  uint64_t size;  // bytes
};
using KernelArguments = std::span<const KernelArgument>;
using Float4 = std::array<float, 4>;

// An argument that is a range of a buffer.
template <class T>
class Global {
 public:
  static constexpr nxs_argument_kind kKind = NXS_ArgumentKind_Buffer;
  using Element = T;
  Global(const KernelArgument &part, std::size_t index) : part_(part), index_(index) {}

  // Returns count elements. Throws NXS_InvalidArgSize if the range is too small or not aligned.
  T *elements(uint64_t count) const {
    if (part_.size / sizeof(T) < count) {
      throw Error(NXS_InvalidArgSize, "argument ", index_, " has ", part_.size,
                  " bytes, and the launch uses ", count, " elements of ", sizeof(T),
                  " bytes; give a larger buffer, or launch fewer work items");
    }
    if (reinterpret_cast<uintptr_t>(part_.data) % sizeof(T) != 0) {
      throw Error(NXS_InvalidArgSize, "argument ", index_, " is not aligned to the ", sizeof(T),
                  " bytes of its elements");
    }
    return reinterpret_cast<T *>(part_.data);
  }

 private:
  const KernelArgument &part_;
  std::size_t index_;
};

// Memory that the work items of a group share. Groups run one after another, so they share one
// allocation.
template <class T>
class Local {
 public:
  static constexpr nxs_argument_kind kKind = NXS_ArgumentKind_LocalMemory;
  using Element = T;
  Local(const KernelArgument &part, std::size_t index)
      : memory_(part.size / sizeof(T)), index_(index) {}

  T *elements(uint64_t count) {
    if (memory_.size() >= count) return memory_.data();
    throw Error(NXS_InvalidArgSize, "argument ", index_, " has local memory for ", memory_.size(),
                " elements; a group needs ", count);
  }

 private:
  std::vector<T> memory_;
  std::size_t index_;
};

// A parameter of a kernel's function: a Global, a Local, or else a number or a vector.
template <class T>
struct Parameter {
  static constexpr ArgumentSpec spec(std::string_view name) {
    if constexpr (requires { T::kKind; }) {
      return {name, T::kKind, data_type_of<typename T::Element>};
    } else {
      constexpr std::string_view type = std::is_same_v<T, Float4> ? "nexus_float4" : "";
      return {name, NXS_ArgumentKind_Scalar, data_type_of<T>, sizeof(T), type};
    }
  }
  static T take(const KernelArgument &argument, [[maybe_unused]] std::size_t index) {
    if constexpr (requires { T::kKind; }) {
      return {argument, index};
    } else {
      T value;
      std::memcpy(&value, argument.data, sizeof(value));
      return value;
    }
  }
};

// A kernel: its description and its code.
struct BuiltIn {
  std::string_view name;
  void (*run)(const KernelArguments &arguments, const Launch &launch);
  std::size_t argument_count;
  std::array<ArgumentSpec, kMaxArguments> specs;
  constexpr std::span<const ArgumentSpec> arguments() const {
    return {specs.data(), argument_count};
  }
};

template <auto Function>
struct Code;
template <class... Parameters, void (*Function)(const Launch &, Parameters...)>
struct Code<Function> {
  static void run(const KernelArguments &arguments, const Launch &launch) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      Function(launch, Parameter<Parameters>::take(arguments[I], I)...);
    }(std::index_sequence_for<Parameters...>{});
    (void)arguments;  // unused in a kernel without arguments
  }
  static constexpr BuiltIn describe(std::string_view name, const std::string_view *parameter) {
    return {name, run, sizeof...(Parameters), {Parameter<Parameters>::spec(*parameter++)...}};
  }
};

// Makes a kernel of a function. parameters: the names of its parameters.
template <auto Function>
constexpr BuiltIn built_in(std::string_view name,
                           std::initializer_list<std::string_view> parameters) {
  return Code<Function>::describe(name, parameters.begin());
}

// Makes a kernel with count arguments: a buffer, and then numbers of type int32.
constexpr BuiltIn built_in_sum(std::string_view name, decltype(BuiltIn::run) run,
                               std::size_t count) {
  BuiltIn made{name, run, count, {Parameter<Global<int32_t>>::spec("out")}};
  for (std::size_t i = 1; i < count; ++i) made.specs[i] = Parameter<int32_t>::spec("");
  return made;
}

}  // namespace reference

#endif  // REFERENCE_PARAMETERS_HPP_
