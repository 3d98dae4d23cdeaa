// SPDX-License-Identifier: Apache-2.0
//
// What libnexus keeps for another library, and lets go of on any thread: it ends with the GIL held.
#pragma once

#include <utility>

#include "bindings.hpp"

namespace nexus::python {

/// Something whose destructor needs the GIL.
class Kept {
 public:
  Kept() noexcept = default;
  Kept(const Kept &) = delete;
  Kept &operator=(const Kept &) = delete;
  virtual ~Kept() = default;

 private:
  friend void giveBack(Kept *kept) noexcept;
  friend void giveBackPending() noexcept;
  Kept *next_ = nullptr;
};

/// An object of Python.
class KeptObject final : public Kept {
 public:
  explicit KeptObject(py::object object) noexcept : object_(std::move(object)) {}

 private:
  py::object object_;
};

/// Deletes it: at once with the GIL held, else on Python's main thread, soon. Any thread. Once the
/// interpreter ends, never.
void giveBack(Kept *kept) noexcept;

/// The same as libnexus calls it.
inline void giveBackKept(void *kept) {
  giveBack(static_cast<Kept *>(kept));
}

/// Gives back what other threads left. Needs the GIL.
void giveBackPending() noexcept;

/// Nothing is given back from the end of the interpreter on.
void stopGivingBackAtExit();

}  // namespace nexus::python
