// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nexus/kernel.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

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

}  // namespace nexus::python
