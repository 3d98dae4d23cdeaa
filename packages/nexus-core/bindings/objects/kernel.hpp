// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nexus/kernel.hpp>

#include <optional>
#include <vector>

#include "python/bindings.hpp"
#include "types/instance.hpp"

namespace nexus::python {

/// nexus.Kernel: a kernel, and the description of its arguments, which is read once. Requires the
/// GIL.
struct KernelObject : Held<Kernel> {
  using Held::Held;

  /// Calls the kernel in self.
  static PyObject *vectorcall(PyObject *self, PyObject *const *arguments, std::size_t count,
                              PyObject *keywords);

  /// Nothing if the kernel does not describe its arguments.
  const std::optional<std::vector<Argument>> &described() {
    return described_.get([this] { return getArguments(); });
  }

 private:
  MadeOnce<std::optional<std::vector<Argument>>> described_;
};

}  // namespace nexus::python
