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

namespace detail {

/// What the core writes, as a string.
class StringSink {
 public:
  StringSink() = default;
  StringSink(const StringSink &) = delete;
  StringSink &operator=(const StringSink &) = delete;

  const nxs_sink *get() const noexcept { return &sink_; }
  /// Throws Error where there was no memory for all of it.
  std::string take() {
    if (failed_) {
      throw Error(NXS_OutOfHostMemory, "There is no memory for the bytes.");
    }
    return std::move(bytes_);
  }

 private:
  static void write(void *context, const void *data, std::uint64_t size) noexcept {
    auto *self = static_cast<StringSink *>(context);
    try {
      self->bytes_.append(static_cast<const char *>(data), static_cast<std::size_t>(size));
    } catch (const std::exception &) {
      self->failed_ = true;  // no exception crosses the border; take() tells
    }
  }

  std::string bytes_;
  bool failed_ = false;
  nxs_sink sink_{sizeof(nxs_sink), this, &StringSink::write};
};

}  // namespace detail

/// A compiled program: bytes that Device::loadLibrary takes, and what is known of them. Made by
/// Program::compile, Device::compile and ObjectCode::load.
///
/// The properties "Kernels" and "Flags" are lists: getProperty<std::string>({"Kernels", 0,
/// "name"}),
/// ({"Kernels", 0, "arguments", 1, "type"}).
class ObjectCode : public Object {
 public:
  ObjectCode() noexcept = default;
  /// Takes over the caller's reference.
  explicit ObjectCode(nexus_object_code *object) noexcept : Object(object) {}

  /// The program's name.
  std::string getName() const { return std::string(detail::toView(info().name)); }
  /// The backend that compiled it and can load it, such as "cpu".
  std::string getRuntime() const { return std::string(detail::toView(info().runtime)); }
  /// The architecture, spelled out.
  std::string getTarget() const { return std::string(detail::toView(info().target)); }
  /// Of the bytes, such as "elf".
  std::string getFormat() const { return std::string(detail::toView(info().format)); }
  /// The bytes. They live as long as the object.
  std::span<const std::byte> getCode() const {
    const std::string_view code = detail::toView(info().code);
    return {reinterpret_cast<const std::byte *>(code.data()), code.size()};
  }
  /// What the compiler said: warnings.
  std::string getLog() const { return std::string(detail::toView(info().log)); }
  /// The compiler's flags.
  std::vector<std::string> getFlags() const {
    return getProperty<std::vector<std::string>>("Flags");
  }
  /// NXS_InvalidProperty where the code is for an architecture that can't be looked at here.
  std::vector<std::string> getKernelNames() const {
    return getProperty<std::vector<std::string>>(NP_KernelNames);
  }
  /// Whether a compiler made it, or where it came from: NEXUS_CODE_*.
  nexus_code_origin getOrigin() const { return info().origin; }

  /// All of it as bytes, for read() in another process.
  std::string write() const {
    detail::StringSink sink;
    detail::check(nexus_object_code_write(get(), sink.get()));
    return sink.take();
  }
  /// NXS_InvalidBinary where the bytes are not what write() gave.
  static ObjectCode read(std::string_view bytes) {
    nexus_object_code *code = nullptr;
    detail::check(nexus_object_code_read(bytes.data(), bytes.size(), &code));
    return ObjectCode(code);
  }

  /// write() to a file. NXS_InvalidValue where it can't be written.
  void save(const std::string &path) const {
    const std::string bytes = write();
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file) {
      throw Error(NXS_InvalidValue, "The file '" + path + "' can't be written.");
    }
  }
  /// read() of a file. NXS_InvalidValue where there is none, NXS_InvalidBinary where it is a pipe,
  /// a device or larger than 1 GiB.
  static ObjectCode load(const std::string &path) {
    nexus_object_code *code = nullptr;
    detail::check(nexus_object_code_read_file(detail::toString(path), &code));
    return ObjectCode(code);
  }

 private:
  nexus_object_code_info info() const {
    nexus_object_code_info info{};
    info.struct_size = sizeof(info);
    detail::check(nexus_object_code_get_info(get(), &info));
    return info;
  }
};

}  // namespace nexus

#endif  // NEXUS_OBJECT_CODE_HPP_
