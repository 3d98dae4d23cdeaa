// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_LIBRARY_HPP_
#define NEXUS_CUDA_LIBRARY_HPP_

#include "compile/loadable_code.hpp"
#include "device/device.hpp"

#include <cstddef>
#include <nexus-plugin/handle_table.hpp>
#include <nexus-plugin/library.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

// Code that the driver has loaded for one device. Immutable, so any thread may use it.
class Library : public nexus_plugin::LibraryFile {
 public:
  // bytes: a cubin, a fatbin, PTX, or what becomes one of them. Throws NXS_InvalidBinary with the
  // reason.
  Library(Device &device, std::string_view bytes, const std::string &path);
  ~Library();
  Library(const Library &) = delete;
  Library &operator=(const Library &) = delete;

  Device &device() const noexcept { return *device_; }
  CUlibrary handle() const noexcept { return library_; }
  const char *format() const noexcept { return format_name(format_); }

  // The driver's name of a kernel: of a template, by its expression, or the name
  // itself.
  std::string symbol_of(const std::string &name) const;

  // The names of its kernels in alphabetical order; empty where the driver does not list them.
  const std::vector<std::string> &kernel_names() const noexcept { return kernel_names_; }

  // The bytes of a variable in the device's memory; empty where there is none of that name. With
  // the device's context current.
  std::vector<std::byte> read_variable(const std::string &name) const;

 private:
  void load(const std::string &bytes);
  void list_kernels();

  Device *device_;
  CodeFormat format_ = CodeFormat::kUnknown;
  CUlibrary library_ = nullptr;
  NameTable names_;
  std::vector<std::string> symbols_, kernel_names_;
};

extern constinit nexus_plugin::HandleTable<Library, NXS_ObjectType_Library> libraries;

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_LIBRARY_HPP_
