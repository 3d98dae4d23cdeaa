// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SYSTEM_HPP_
#define NEXUS_SYSTEM_HPP_

#include <nexus/json_text.hpp>
#include <nexus/runtimes.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nexus {

/// What became of a backend that was found, also of one that could not be used.
struct Backend {
  std::string name;
  nexus_backend_state state;
  std::string distribution;  ///< The installed package; empty where it came from a folder.
  std::string version;       ///< Empty where it was not loaded.
  std::string manifest;      ///< Path of its nxs_plugin.json; may be empty.
  std::string library;       ///< Path; may be empty.
  std::string reason;        ///< One sentence; empty where the backend works.
};

/// Why a device file, or a folder of them, is left out.
struct DeviceFileProblem {
  std::string file;          ///< Path.
  std::uint64_t line = 0;    ///< From 1; 0 where there is none.
  std::uint64_t column = 0;  ///< In bytes, from 1; 0 where there is none.
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

/// All that Nexus found on this machine. Backends are found and loaded at the first question.
class System {
 public:
  /// The runtimes of the backends that work.
  Runtimes getRuntimes() const {
    std::uint64_t count = 0;
    detail::check(nexus_runtime_count(&count));
    std::vector<Runtime> runtimes;
    runtimes.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t index = 0; index < count; ++index) {
      runtimes.push_back(getRuntime(index));
    }
    return Runtimes(std::move(runtimes));
  }

  /// NXS_InvalidRuntime where there is no such index or name; the text says which there are.
  Runtime getRuntime(std::uint64_t index) const {
    nexus_runtime *runtime = nullptr;
    detail::check(nexus_runtime_get(index, &runtime));
    return Runtime(runtime);
  }
  Runtime getRuntime(std::string_view name) const {
    nexus_runtime *runtime = nullptr;
    detail::check(nexus_runtime_find(detail::toString(name), &runtime));
    return Runtime(runtime);
  }

  /// The device of a selector such as "cuda:1" or "cpu". Without one: what NEXUS_DEVICE says,
  /// else the first GPU that compiles the portable language or whose package carries kernels, else
  /// cpu:0, else the first device. NXS_DeviceNotFound where there is none.
  Device getDevice(std::string_view selector = {}) const {
    nexus_device *device = nullptr;
    detail::check(nexus_select_device(detail::toString(selector), &device));
    return Device(device);
  }

  /// The device info database: an entry for each device file, by the file's stem, and for each
  /// device here that has none. A file is read when its entry is asked for.
  Properties getDeviceInfo() const {
    nexus_properties *properties = nullptr;
    detail::check(nexus_get_device_info(&properties));
    return Properties(properties);
  }

  /// What is wrong with device files and their folders now. Reads all files.
  std::vector<DeviceFileProblem> getDeviceInfoProblems() const {
    return detail::readDeviceFileProblems(getDeviceInfoProblemsJson());
  }
  /// The same as JSON: what nexus_get_device_info_problems writes.
  std::string getDeviceInfoProblemsJson() const {
    return detail::PropertyBytes(nexus_get_device_info_problems).text();
  }

  /// One device file, by its stem ("amd-cpu-znver4"), Architecture, Name or alias, or by those of a
  /// variant ("H200"), which is then laid over it; case does not count. NXS_InvalidValue where none
  /// or several are called so; the text names candidates.
  Properties lookupDeviceInfo(std::string_view name) const {
    nexus_properties *properties = nullptr;
    detail::check(nexus_lookup_device_info(detail::toString(name), &properties));
    return Properties(properties);
  }
  /// The device file of a device, with its variant, without what the device says of itself.
  /// NXS_InvalidValue where it has none; the text names the stem.
  Properties lookupDeviceInfo(const Device &device) const {
    nexus_properties *properties = nullptr;
    detail::check(nexus_lookup_device_info_of(device.get(), &properties));
    return Properties(properties);
  }

  /// A system buffer: host memory from a page's begin on, an argument on every device.
  Buffer createBuffer(std::uint64_t size, const void *data = nullptr) const {
    BufferDesc desc;
    desc.size = size;
    desc.data = data;
    return createBuffer(desc);
  }
  /// A buffer of count elements of a data type. NXS_DataType_Undefined counts bytes.
  Buffer createBuffer(std::uint64_t count, nxs_data_type dataType) const {
    BufferDesc desc;
    desc.dataType = dataType;
    desc.shape = {count};
    return createBuffer(desc);
  }
  Buffer createBuffer(const BufferDesc &desc) const {
    const nexus_buffer_desc raw = detail::toDesc(desc);
    nexus_buffer *buffer = nullptr;
    detail::check(nexus_create_system_buffer(&raw, &buffer));
    return Buffer(buffer);
  }

  /// The record of each backend that was found.
  std::vector<Backend> getBackends() const {
    std::uint64_t count = 0;
    detail::check(nexus_backend_count(&count));
    std::vector<Backend> backends;
    for (std::uint64_t index = 0; index < count; ++index) {
      nexus_backend_info info{};
      info.struct_size = sizeof(info);
      detail::check(nexus_backend_get(index, &info));
      const auto text = [](nxs_string value) { return std::string(detail::toView(value)); };
      backends.push_back({text(info.name), info.state, text(info.distribution), text(info.version),
                          text(info.manifest), text(info.library), text(info.reason)});
    }
    return backends;
  }
};

/// The system. Free to call as often as one likes.
inline System getSystem() noexcept {
  return {};
}

}  // namespace nexus

#endif  // NEXUS_SYSTEM_HPP_
