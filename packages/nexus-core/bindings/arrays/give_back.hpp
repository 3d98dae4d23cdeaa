// SPDX-License-Identifier: Apache-2.0
//
// Objects that libnexus keeps for another library and releases on any thread, but that must be
// deleted with the GIL held.
#pragma once

#include <utility>

#include "python/bindings.hpp"

namespace nexus::python {

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

class KeptObject final : public Kept {
 public:
  explicit KeptObject(py::object object) noexcept : object_(std::move(object)) {}

  const py::object &get() const noexcept { return object_; }

 private:
  py::object object_;
};

/// Deletes it: at once with the GIL held, else soon, on Python's main thread. Any thread may call
/// it. Does nothing once the interpreter ends.
void giveBack(Kept *kept) noexcept;

/// giveBack() as a callback of libnexus.
inline void giveBackKept(void *kept) {
  giveBack(static_cast<Kept *>(kept));
}

/// Deletes the objects that other threads left. Needs the GIL.
void giveBackPending() noexcept;

/// Stops deleting when the interpreter ends.
void stopGivingBackAtExit();

}  // namespace nexus::python
