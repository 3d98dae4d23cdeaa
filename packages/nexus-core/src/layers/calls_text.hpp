// SPDX-License-Identifier: Apache-2.0
//
// How the layers `calls` and `trace` show each type of the C-API.
#pragma once

#include <nexus-api/nxs_functions.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace nexus::core::layers {

/// One parameter of a function in nxs_functions.def.
struct Parameter {
  std::string type;  // such as "nxs_id", since the C++ type of a number does not say what it is
  std::string name;
  bool is_out = false;
};

/// The parameters of one function, read from "(nxs_id runtime, ...)".
class ParameterList {
 public:
  explicit ParameterList(std::string_view text);
  /// Returns those of a function in the list, parsed once.
  template <typename Function>
  static const ParameterList &of() {
    static const ParameterList &list = *new ParameterList(Function::parameters);
    return list;
  }

  const Parameter &at(std::size_t index) const { return parameters_.at(index); }

 private:
  std::vector<Parameter> parameters_;
};

/// Returns "stream#2.1"; "none" for 0.
std::string idText(nxs_id id);

/// Returns "OnDevice|Maintain" for a value of a type that is a set of bits, such as
/// "nxs_buffer_settings"; unnamed bits as a number; "0" for none.
std::string bitsText(std::string_view type, uint64_t value);

/// Returns the bits that exist in a type; all if the type is not a set of bits.
uint64_t knownBits(std::string_view type);

/// Returns the name of a property; its number if it has none.
std::string propertyText(nxs_property property);

/// Opens the file that an environment variable names, to append to it. Returns NULL if the variable
/// is not set. If the file can't be opened, returns NULL after a warning that ends with otherwise.
std::FILE *openNamed(const char *variable, std::string_view logger, std::string_view otherwise);

void putArgument(std::string &line, const Parameter &parameter, int64_t value);
void putArgument(std::string &line, const Parameter &parameter, uint64_t value);
void putArgument(std::string &line, const Parameter &parameter, int32_t value);
void putArgument(std::string &line, const Parameter &parameter, uint32_t value);
void putArgument(std::string &line, const Parameter &parameter, const nxs_string *value);
void putArgument(std::string &line, const Parameter &parameter, const void *value);
inline void putArgument(std::string &line, const Parameter &parameter, const nxs_id *value) {
  putArgument(line, parameter, static_cast<const void *>(value));  // may be none
}
void putArgument(std::string &line, const Parameter &parameter,
                 void (*value)(void *context, nxs_status status));
void putArgument(std::string &line, const Parameter &parameter, const nxs_argument *value);
void putArgument(std::string &line, const Parameter &parameter, const nxs_launch *value);
void putArgument(std::string &line, const Parameter &parameter, const nxs_buffer_range *value);
void putArgument(std::string &line, const Parameter &parameter, const nxs_rows *value);
void putArgument(std::string &line, const Parameter &parameter, const nxs_compile_info *value);
void putArgument(std::string &line, const Parameter &parameter, const nxs_link_info *value);

void putArgument(std::string &line, const Parameter &parameter, double value);
// Results, after a call that succeeded. Ids, tickets, numbers and pointers are shown as arguments
// are.
template <typename Result>
  requires std::is_arithmetic_v<Result> || std::is_pointer_v<Result>
void putArgument(std::string &line, const Parameter &parameter, Result *value) {
  putArgument(line, parameter, *value);
}
void putArgument(std::string &line, const Parameter &parameter, nxs_value *value);
void putArgument(std::string &line, const Parameter &parameter, nxs_completion *value);
void putArgument(std::string &line, const Parameter &parameter, nxs_argument_info *value);
void putArgument(std::string &line, const Parameter &parameter, nxs_occupancy *value);

/// One argument of a call, of any type.
class ShownArgument {
 public:
  template <typename Argument>
  explicit ShownArgument(const Argument &argument) noexcept
      : argument_(&argument), put_(putTyped<Argument>) {}

  void put(std::string &line, const Parameter &parameter) const {
    put_(line, parameter, argument_);
  }

 private:
  template <typename Argument>
  static void putTyped(std::string &line, const Parameter &parameter, const void *argument) {
    const Argument &value = *static_cast<const Argument *>(argument);
    if constexpr (std::is_pointer_v<Argument>) {
      if (value == nullptr) {
        line += "NULL";
        return;
      }
    }
    putArgument(line, parameter, value);
  }

  const void *argument_;
  void (*put_)(std::string &line, const Parameter &parameter, const void *argument);
};

using ShownArguments = std::initializer_list<ShownArgument>;

/// Calls put(name, text) for each result of a call (out), or for each other argument.
template <typename Put>
void showArguments(const ParameterList &parameters, bool out, ShownArguments arguments, Put &&put) {
  std::size_t index = 0;
  for (const ShownArgument &argument : arguments) {
    const Parameter &parameter = parameters.at(index++);
    if (parameter.is_out != out) continue;
    std::string text;
    argument.put(text, parameter);
    put(parameter.name, text);
  }
}

/// Runs body, which shows or checks a call. Returns false if it fails, such as for want of memory,
/// so that no call fails for that reason.
template <typename Body>
bool attempt(Body &&body) noexcept {
  try {
    body();
    return true;
  } catch (const std::exception &) {
    return false;
  }
}

/// Appends " -> NXS_InvalidBuffer: why", with the text of this thread's latest error record.
void putStatus(std::string &line, nxs_status status);

/// Writes a line about the plug-in with that tag. Any thread may call it.
void writeCallLine(uint32_t tag, std::string_view line) noexcept;

}  // namespace nexus::core::layers
