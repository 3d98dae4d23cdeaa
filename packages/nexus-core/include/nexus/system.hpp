// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SYSTEM_HPP_
#define NEXUS_SYSTEM_HPP_

#include <nexus/json_text.hpp>
#include <nexus/runtime.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nexus {

/// The record of a backend that was found, usable or not.
struct Backend {
  std::string name;
  nexus_backend_state state;
  std::string distribution;  ///< The installed package; empty if it came from a folder.
  std::string version;       ///< Empty if it was not loaded.
  std::string manifest;      ///< Path of its nxs_plugin.json; may be empty.
  std::string library;       ///< Path; may be empty.
  std::string reason;        ///< One sentence; empty if the backend is usable.
};

/// The reason why a device file, or a folder of them, is left out.
struct DeviceFileProblem {
  std::string file;          ///< Path.
  std::uint64_t line = 0;    ///< From 1; 0: unknown.
  std::uint64_t column = 0;  ///< In bytes, from 1; 0: unknown.
  std::string reason;        ///< A sentence.
};

namespace detail {

inline std::vector<DeviceFileProblem> readDeviceFileProblems(std::string json) {
  JsonText text(std::move(json));
  std::vector<DeviceFileProblem> problems;
  text.readList([&] {
    DeviceFileProblem problem;
    text.readObject([&](std::string_view name) {
      if (name == "File") {
        problem.file = text.readString();
      } else if (name == "Line") {
        problem.line = text.readNumber();
      } else if (name == "Column") {
        problem.column = text.readNumber();
      } else if (name == "Reason") {
        problem.reason = text.readString();
      } else {
        text.skip();
      }
    });
    problems.push_back(std::move(problem));
  });
  return problems;
}

}  // namespace detail

/// The backends and devices on this machine. Backends are found and loaded at first use.
class System {
 public:
  /// Returns the runtimes of the usable backends.
  Runtimes getRuntimes() const {
    return Runtimes(detail::listOf(detail::result<std::uint64_t>(nexus_runtime_count),
                                   [this](std::uint64_t index) { return getRuntime(index); }));
  }

  /// Throws NXS_InvalidRuntime if there is no such index or name; the text lists the available
  /// ones.
  Runtime getRuntime(std::uint64_t index) const {
    return detail::result<Runtime>(nexus_runtime_get, index);
  }
  Runtime getRuntime(std::string_view name) const {
    return detail::result<Runtime>(nexus_runtime_find, detail::toString(name));
  }

  /// Returns the device of a selector such as "cuda:1" or "cpu". Without one: the device of
  /// NEXUS_DEVICE, else the first GPU that compiles the portable language or whose package has
  /// kernels, else cpu:0, else the first device. Throws NXS_DeviceNotFound if there is none.
  Device getDevice(std::string_view selector = {}) const {
    return detail::result<Device>(nexus_select_device, detail::toString(selector));
  }

  /// Returns the device info database: an entry for each device file, by the file's stem, and for
  /// each present device without one. A file is read when its entry is read.
  Properties getDeviceInfo() const { return detail::result<Properties>(nexus_get_device_info); }

  /// Returns the present problems of device files and their folders. Reads all files.
  std::vector<DeviceFileProblem> getDeviceInfoProblems() const {
    return detail::readDeviceFileProblems(getDeviceInfoProblemsJson());
  }
  /// Returns the same as JSON: the value of nexus_get_device_info_problems.
  std::string getDeviceInfoProblemsJson() const {
    return detail::PropertyBytes(nexus_get_device_info_problems).text();
  }

  /// Returns one device file, by its stem ("amd-cpu-znver4"), Architecture, Name or alias, or by
  /// those of a variant ("H200"), which is then merged into it; ignores case. Throws
  /// NXS_InvalidValue if none or several have the name; the text has candidates.
  Properties lookupDeviceInfo(std::string_view name) const {
    return detail::result<Properties>(nexus_lookup_device_info, detail::toString(name));
  }
  /// Returns the device file of a device, with its variant, without the device's own properties.
  /// Throws NXS_InvalidValue if it has none; the text has the stem.
  Properties lookupDeviceInfo(const Device &device) const {
    return detail::result<Properties>(nexus_lookup_device_info_of, device.get());
  }

  /// Makes a system buffer: host memory, aligned to a page, that is an argument on every device.
  Buffer createBuffer(std::uint64_t size, const void *data = nullptr) const {
    return createBuffer(BufferDesc{.size = size, .data = data});
  }
  /// Makes a buffer of count elements of a data type. NXS_DataType_Undefined counts bytes.
  Buffer createBuffer(std::uint64_t count, nxs_data_type dataType) const {
    return createBuffer(BufferDesc{.dataType = dataType, .shape = {count}});
  }
  Buffer createBuffer(const BufferDesc &desc) const {
    const nexus_buffer_desc raw = detail::toDesc(desc);
    return detail::result<Buffer>(nexus_create_system_buffer, &raw);
  }

  /// Returns the record of each backend that was found.
  std::vector<Backend> getBackends() const {
    const auto count = detail::result<std::uint64_t>(nexus_backend_count);
    return detail::listOf(count, [](std::uint64_t index) {
      auto info = detail::sized<nexus_backend_info>();
      detail::check(nexus_backend_get(index, &info));
      const auto text = [](nxs_string value) { return std::string(detail::toView(value)); };
      return Backend{text(info.name),    info.state,          text(info.distribution),
                     text(info.version), text(info.manifest), text(info.library),
                     text(info.reason)};
    });
  }
};

/// Returns the system. Costs nothing.
inline System getSystem() noexcept {
  return {};
}

}  // namespace nexus

#endif  // NEXUS_SYSTEM_HPP_
