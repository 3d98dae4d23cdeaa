// SPDX-License-Identifier: Apache-2.0
//
// The values of arguments from Python. Errors name the parameter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "python/bindings.hpp"

namespace nexus::python {

/// The name of a value in errors. Its text is made only for an error; the caller must keep what it
/// refers to until then.
class Parameter {
 public:
  Parameter(const char *name) noexcept : name_(name) {}                 // "group_size"
  Parameter(const std::string &name) noexcept : name_(name.c_str()) {}  // likewise
  /// "argument 1 ('x')". argument is the kernel's description, or nullptr.
  Parameter(std::uint32_t index, const Argument *argument) noexcept
      : argument_(argument), index_(index) {}
  /// "grid_size[1]"
  Parameter(const Parameter &sequence, std::size_t index) noexcept
      : sequence_(&sequence), index_(index) {}

  operator std::string() const {
    if (name_ != nullptr) return name_;
    if (sequence_ != nullptr) return *sequence_ + ("[" + std::to_string(index_) + "]");
    const std::string text = "argument " + std::to_string(index_);
    const bool named = argument_ != nullptr && !argument_->name.empty();
    return named ? text + " ('" + argument_->name + "')" : text;
  }
  friend std::string operator+(const Parameter &parameter, const std::string &text) {
    return std::string(parameter) + text;
  }
  friend std::string operator+(const char *text, const Parameter &parameter) {
    return text + std::string(parameter);
  }

 private:
  const char *name_ = nullptr;
  const Parameter *sequence_ = nullptr;
  const Argument *argument_ = nullptr;
  std::size_t index_ = 0;
};

/// Returns the UTF-8 of a str. TypeError for others; ValueError for one with a lone surrogate,
/// which UTF-8 can't represent.
std::string parseText(py::handle value, const std::string &parameter);

/// Returns a path from a str, bytes or os.PathLike; as parseText(), and ValueError for one with a
/// NUL, which no file has. wanted completes "<parameter> has to be".
std::string parsePath(py::handle value, const std::string &parameter, const std::string &wanted);

/// Returns a non-negative int from a Python int or numpy integer. TypeError for others, including
/// bool; ValueError if it is below lowest or above 2^63 - 1.
std::uint64_t parseCount(py::handle value, const Parameter &parameter, std::uint64_t lowest = 0);

/// Accepts an int, or a list or tuple of one to three of them, each at least lowest; None is an
/// empty extent.
Extent parseExtent(py::handle value, const Parameter &parameter, std::uint64_t lowest = 1);

/// Accepts a bool, also numpy's. TypeError for others, to detect misplaced arguments.
bool parseBool(py::handle value, const Parameter &parameter);

/// Accepts seconds as a float or int; None is forever. ValueError for negative numbers and NaN.
Timeout parseTimeout(py::handle value);

/// Accepts a tuple of ints of at least 0. () is the shape of one element.
std::vector<std::uint64_t> parseShape(py::handle value, const Parameter &parameter);

/// The arguments of a launch from Python. For options that the program did not give, None or the
/// default.
struct LaunchArguments {
  py::handle groupSize, gridSize, localMemory, groupCount, clusterSize, cooperative, programmatic;

  /// Returns whether there is a size. TypeError if there is an option without a size.
  bool present() const;
  /// TypeError and ValueError with the parameter's name.
  Launch parse() const;
};

}  // namespace nexus::python
