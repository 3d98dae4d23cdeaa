// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_OBJECT_CODE_HPP_
#define NEXUS_OBJECT_CODE_HPP_

#include <nexus/object.hpp>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nexus {

/// A compiled program: bytes for Device::loadLibrary, and their description. Made by
/// Program::compile, Device::compile and ObjectCode::load.
///
/// The properties "Kernels" and "Flags" are lists: getProperty<std::string>({"Kernels", 0,
/// "name"}), ({"Kernels", 0, "arguments", 1, "type"}).
class ObjectCode : public Object {
 public:
  ObjectCode() noexcept = default;
  /// Takes over the caller's reference.
  explicit ObjectCode(nexus_object_code *object) noexcept : Object(object) {}

  /// The program's name.
  std::string getName() const { return std::string(detail::toView(info().name)); }
  /// The backend that compiled it and can load it, such as "cpu".
  std::string getRuntime() const { return std::string(detail::toView(info().runtime)); }
  /// The architecture's full name.
  std::string getTarget() const { return std::string(detail::toView(info().target)); }
  /// The format of the bytes, such as "elf".
  std::string getFormat() const { return std::string(detail::toView(info().format)); }
  /// The bytes. They live as long as the object.
  std::span<const std::byte> getCode() const {
    const std::string_view code = detail::toView(info().code);
    return {reinterpret_cast<const std::byte *>(code.data()), code.size()};
  }
  /// The compiler's messages: warnings.
  std::string getLog() const { return std::string(detail::toView(info().log)); }
  /// The compiler's flags.
  std::vector<std::string> getFlags() const {
    return getProperty<std::vector<std::string>>("Flags");
  }
  /// Throws NXS_InvalidProperty if the code's architecture can't be loaded on this machine.
  std::vector<std::string> getKernelNames() const {
    return getProperty<std::vector<std::string>>(NP_KernelNames);
  }
  /// Returns NEXUS_CODE_*: from a compiler or a cache.
  nexus_code_origin getOrigin() const { return info().origin; }

  /// Returns all of it as bytes, for read() in another process.
  std::string write() const { return detail::written(nexus_object_code_write, get()); }
  /// Throws NXS_InvalidBinary if the bytes are not from write().
  static ObjectCode read(std::string_view bytes) {
    return detail::result<ObjectCode>(nexus_object_code_read, bytes.data(), bytes.size());
  }

  /// Writes the bytes of write() to a file. Throws NXS_InvalidValue if it can't be written.
  void save(const std::string &path) const {
    const std::string bytes = write();
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file) {
      throw Error(NXS_InvalidValue, "The file '" + path + "' can't be written.");
    }
  }
  /// Reads such a file. Throws NXS_InvalidValue if there is none, NXS_InvalidBinary if it is a
  /// pipe, a device or larger than 1 GiB.
  static ObjectCode load(const std::string &path) {
    return detail::result<ObjectCode>(nexus_object_code_read_file, detail::toString(path));
  }

 private:
  nexus_object_code_info info() const {
    auto info = detail::sized<nexus_object_code_info>();
    detail::check(nexus_object_code_get_info(get(), &info));
    return info;
  }
};

}  // namespace nexus

#endif  // NEXUS_OBJECT_CODE_HPP_
