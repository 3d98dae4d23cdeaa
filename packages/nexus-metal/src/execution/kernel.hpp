// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_METAL_KERNEL_HPP_
#define NEXUS_METAL_KERNEL_HPP_

#include "execution/kernel_description.hpp"

#include <nexus-plugin/kernel/library.hpp>

namespace nexus_metal NXS_HIDDEN {

// Code for one device. Immutable, so any thread may use it.
class Library : public LibraryFile {
 public:
  // bytes: what the backend compiled, a metallib, or a text in Metal's language. Throws
  // NXS_InvalidBinary with the reason.
  Library(const Device &device, std::string_view bytes, const std::string &path);

  const Device &device() const noexcept { return *device_; }
  id get() const noexcept { return library_.get(); }
  int64_t handle() const noexcept { return handle_of(library_.get()); }
  const std::string &format() const noexcept { return format_; }  // such as "metallib"
  // The names of its kernels, in alphabetical order.
  const std::vector<std::string> &names() const noexcept { return names_; }
  // Returns what the program says of a kernel; NULL if it is not of the portable language.
  const KernelDescription *description(std::string_view name) const noexcept;

 private:
  const Device *device_;
  std::string format_;
  std::vector<KernelDescription> descriptions_;
  Owned library_;
  std::vector<std::string> names_;
};

extern constinit HandleTable<Library, NXS_ObjectType_Library> libraries;

// Where an argument goes: a place for buffers and scalars, or one for threadgroup memory.
struct ArgumentPlace {
  bool threadgroup;
  NSUInteger index;
};

// A function of a library, as a pipeline. Immutable, so any thread may use it.
class Kernel {
 public:
  // Throws NXS_InvalidKernelName with the names that are near.
  Kernel(Ref<Library> library, const std::string &name);

  const Device &device() const noexcept { return library_->device(); }
  const std::string &name() const noexcept { return name_; }
  id pipeline() const noexcept { return pipeline_.get(); }

  // Metal describes the arguments of every kernel.
  static bool described() noexcept { return true; }
  std::span<const ArgumentSpec> specs() const noexcept { return specs_; }
  const std::vector<ArgumentPlace> &places() const noexcept { return places_; }
  // Written with nexus_kernel.h: the place after the last of a buffer takes the size of the grid in
  // x, y and z: three ints.
  bool portable() const noexcept { return portable_; }
  NSUInteger grid_place() const noexcept { return grid_place_; }

  const std::optional<Size3> &required_group_size() const noexcept { return group_size_; }
  uint64_t max_group_items() const noexcept { return max_items_; }
  uint64_t width() const noexcept { return width_; }                // work items that run as one
  uint64_t local_memory() const noexcept { return local_memory_; }  // bytes that it declares

 private:
  void take(const KernelDescription &description, id bindings);
  void take(id bindings);

  Ref<Library> library_;  // keeps the code
  std::string name_;
  Owned pipeline_;
  std::vector<ArgumentDescription> arguments_;  // keeps the texts of specs_
  std::vector<ArgumentSpec> specs_;
  std::vector<ArgumentPlace> places_;
  bool portable_ = false;
  NSUInteger grid_place_ = 0;
  std::optional<Size3> group_size_;
  uint64_t max_items_ = 1, width_ = 1, local_memory_ = 0;
};

extern constinit HandleTable<Kernel, NXS_ObjectType_Kernel> kernels;

}  // namespace nexus_metal

#endif  // NEXUS_METAL_KERNEL_HPP_
