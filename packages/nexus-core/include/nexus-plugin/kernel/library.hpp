// SPDX-License-Identifier: Apache-2.0
// Libraries of every backend: their files, common properties and C functions. A backend's classes
// have the constructors
//
//   Library(Device &, std::string_view bytes, const std::string &path);  // "": from memory
//   Kernel(Ref<Library>, const std::string &name);
#ifndef NEXUS_PLUGIN_LIBRARY_HPP_
#define NEXUS_PLUGIN_LIBRARY_HPP_

#include <nexus-plugin/base/functions.hpp>
#include <nexus-plugin/base/near_names.hpp>
#include <nexus-plugin/base/property_table.hpp>
#include <nexus-plugin/kernel/binary_check.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {

// The path and the size of a library: a base class for that of a backend.
class LibraryFile {
 public:
  LibraryFile(std::string_view bytes, std::string path)
      : path_(std::move(path)), size_(bytes.size()) {}

  const std::string &path() const noexcept { return path_; }  // empty: from memory
  uint64_t size() const noexcept { return size_; }            // bytes

  // Throws NXS_InvalidKernelName. instead: the end of the sentence, from instead_of().
  [[noreturn]] void throw_no_kernel(std::string_view name, std::string_view instead) const {
    throw Error(NXS_InvalidKernelName, path_.empty() ? "the library" : "'" + path_ + "'",
                " has no kernel '", name, "'", instead);
  }
  // Throws NXS_InvalidValue, with similar names of those that it has.
  [[noreturn]] void throw_no_global(std::string_view name,
                                    const std::vector<std::string> &names) const {
    const std::string near = near_names(names, name);
    throw Error(NXS_InvalidValue, path_.empty() ? "the library" : "'" + path_ + "'",
                " has no variable '", name, "' that can be written",
                near.empty() ? "; declare it outside of functions and namespaces, neither static "
                               "nor const"
                             : "; did you mean " + near + "?");
  }

 private:
  std::string path_;
  uint64_t size_;
};

// The properties of a class derived from LibraryFile.
template <class Library>
inline constexpr auto library_file_properties = property_table<Library>({
    {NP_Name,
     [](const Library &library) -> Value {
       return known(library.path().substr(library.path().rfind('/') + 1));
     }},
    {NP_Size, member<&LibraryFile::size>},
    {NP_Path, known_member<&LibraryFile::path>},
});

// Returns the bytes of a file. Throws NXS_InvalidValue if it can't be read.
inline std::string read_library_file(const std::string &path) {
  if (path.empty()) throw Error(NXS_InvalidValue, "path is empty; give the path of a library");
  ByteSource source(path);  // not open if path is a folder
  std::string bytes(static_cast<std::size_t>(source.size()), '\0');
  if (!source.isOpen() || !source.read(0, bytes.data(), bytes.size())) {
    throw Error(NXS_InvalidValue, "path is '", path,
                "', which can't be read; check that it is a file");
  }
  return bytes;
}

}  // namespace nexus_plugin

// Defines nxsCreateLibrary, nxsCreateLibraryFromFile and nxsGetKernel. read_file(path) returns the
// bytes of a file, as read_library_file does. Devices must never be released.
//   NEXUS_PLUGIN_LIBRARIES(devices, libraries, kernels, nexus_plugin::read_library_file)
#define NEXUS_PLUGIN_LIBRARIES(devices, libraries, kernels, read_file)                          \
  extern "C" nxs_status nxsCreateLibrary(nxs_id device, const void *data, uint64_t size,        \
                                         nxs_id *out_library) {                                 \
    return nexus_plugin::guarded(out_library, [&] {                                             \
      auto &owner = *(devices).pin(device);                                                     \
      const auto *bytes = static_cast<const char *>(nexus_plugin::check_pointer(data, "data")); \
      return (libraries).create(owner, std::string_view(bytes, static_cast<std::size_t>(size)), \
                                std::string());                                                 \
    });                                                                                         \
  }                                                                                             \
  extern "C" nxs_status nxsCreateLibraryFromFile(nxs_id device, const nxs_string *path,         \
                                                 nxs_id *out_library) {                         \
    return nexus_plugin::guarded(out_library, [&] {                                             \
      auto &owner = *(devices).pin(device);                                                     \
      const std::string file(nexus_plugin::check_path(path, "path"));                           \
      return (libraries).create(owner, read_file(file), file);                                  \
    });                                                                                         \
  }                                                                                             \
  NEXUS_PLUGIN_RESULT(GetKernel, (nxs_id library, const nxs_string *name, nxs_id *out),         \
                      (kernels).create((libraries).pin(library),                                \
                                       std::string(nexus_plugin::check_text(name, "name"))))

#endif  // NEXUS_PLUGIN_LIBRARY_HPP_
