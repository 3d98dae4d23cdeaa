// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"
#include "driver.hpp"

#include <algorithm>
#include <cctype>
#include <memory>
#include <nexus-plugin/host.hpp>
#include <nexus-plugin/runtime.hpp>

namespace nexus_opencl NXS_HIDDEN {
namespace {

using nexus_plugin::Error;
using nexus_plugin::get_config;
using nexus_plugin::split;

constexpr const char *kBackendName = "opencl";
constinit nexus_plugin::HandleTable<nexus_plugin::Runtime, NXS_ObjectType_Runtime> runtimes;

uint64_t capabilities_of(const Device &device) {
  uint64_t bits = NXS_Capability_Timing | NXS_Capability_ArgumentInfo |
                  NXS_Capability_HostCallback | NXS_Capability_NestedSchedule |
                  NXS_Capability_LibraryFromMemory;
  if (device.works_in_host_memory() || device.has_shared_memory()) {
    bits |= NXS_Capability_HostVisibleMemory;
  }
  if (device.has_shared_memory()) bits |= NXS_Capability_ManagedMemory;
  if (device.has_priorities()) bits |= NXS_Capability_StreamPriority;
  if (device.has_compiler()) bits |= NXS_Capability_Compile;
  return bits;
}

#if defined(__APPLE__)
constexpr const char *kSystemLoader = "/System/Library/Frameworks/OpenCL.framework/OpenCL";
#else
constexpr const char *kSystemLoader = "libOpenCL.so.1";
#endif

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// What was found, and what was in the way, for the sentence where nothing was found.
class Search {
 public:
  void look_in(const std::string &path) {
    try {
      const OpenedDriver driver = open_driver(path);
      if (driver.platforms.empty()) complain("'" + path + "' has no OpenCL platform");
      for (const cl_platform_id id : driver.platforms) add(driver, id);
    } catch (const Error &error) {
      complain(error.what());
    }
  }

  std::vector<Platform *> platforms() const { return found_; }
  const std::string &complaints() const { return complaints_; }

 private:
  void add(const OpenedDriver &driver, cl_platform_id id) {
    auto platform = std::make_unique<Platform>(id, functions_of(driver, id));
    if (platform->devices().empty()) {
      complain("the platform '" + platform->name() + "' has no device of OpenCL 1.2 or later");
      return;
    }
    // A vendor's library may have been reached through the loader already.
    const bool known = std::any_of(found_.begin(), found_.end(), [&](const Platform *other) {
      return other->id() == id || (other->name() == platform->name() &&
                                   other->version_text() == platform->version_text());
    });
    if (!known) found_.push_back(platform.release());  // as long as the process
  }

  void complain(const std::string &sentence) {
    nexus_plugin::log(NXS_LogLevel_Debug, "OpenCL: ", sentence);
    complaints_ += (complaints_.empty() ? "" : "; ") + sentence;
  }

  std::vector<Platform *> found_;
  std::string complaints_;
};

std::vector<Platform *> chosen(const std::vector<Platform *> &all, std::string_view names) {
  std::vector<Platform *> out;
  for (const std::string &part : split(names, ',')) {
    for (Platform *platform : all) {
      const bool named = lower(platform->name()).find(lower(part)) != std::string::npos;
      if (named && std::find(out.begin(), out.end(), platform) == out.end()) {
        out.push_back(platform);
      }
    }
  }
  if (!out.empty()) return out;
  std::string list;
  for (const Platform *platform : all) {
    list += (list.empty() ? "'" : ", '") + platform->name() + "'";
  }
  throw Error(NXS_DeviceNotAvailable, "NEXUS_OPENCL_PLATFORMS is '", names,
              "', and no platform's name has that in it; there are ", list);
}

[[noreturn]] void throw_nothing_found(const std::string &complaints, bool named) {
  throw Error(NXS_DeviceNotAvailable, "no OpenCL device was found: ", complaints,
              named ? "; NEXUS_OPENCL_LIBRARY names that library"
                    : "; install the driver of your device, or a runtime for processors such as "
                      "intel-opencl-rt, or name a library with NEXUS_OPENCL_LIBRARY");
}

// The platforms that have devices, each once, in the order in which they are found: those of the
// system's loader, then those of the vendors' libraries that the configuration names. They live as
// long as the process.
//
//   opencl.library    the library to use, and no other: a loader or a vendor's own
//   opencl.vendors    vendors' libraries to use beside the system's loader, ':' between
//   opencl.platforms  parts of platforms' names, ',' between: only these, in this order
//
// Throws NXS_DeviceNotAvailable with a sentence where there is none.
std::vector<Platform *> find_platforms() {
  nexus_plugin::refuse_after_fork("OpenCL");
  Search search;
  const std::string_view library = get_config("library");
  if (!library.empty()) {
    search.look_in(std::string(library));
  } else {
    search.look_in(kSystemLoader);
    for (const std::string &path : split(get_config("vendors"), ':')) search.look_in(path);
  }
  if (search.platforms().empty()) throw_nothing_found(search.complaints(), !library.empty());
  const std::string_view names = get_config("platforms");
  return names.empty() ? search.platforms() : chosen(search.platforms(), names);
}

// GPUs, then accelerators, then processors; in the order of their platforms.
int rank_of(const Device &device) {
  return (device.type() & CL_DEVICE_TYPE_GPU) != 0           ? 0
         : (device.type() & CL_DEVICE_TYPE_ACCELERATOR) != 0 ? 1
                                                             : 2;
}

// Makes the backend of the platforms' devices. Throws NXS_DeviceNotAvailable in words where there
// is none.
nexus_plugin::Started start_backend() {
  std::vector<nxs_id> ids;
  for (Platform *platform : find_platforms()) {
    for (const cl_device_id id : platform->devices()) ids.push_back(devices.create(*platform, id));
  }
  std::stable_sort(ids.begin(), ids.end(), [](nxs_id a, nxs_id b) {
    return rank_of(device_of(a)) < rank_of(device_of(b));
  });
  return nexus_plugin::start(runtimes,
                             nexus_plugin::runtime_of(std::move(ids), devices, capabilities_of));
}

}  // namespace
}  // namespace nexus_opencl

using namespace nexus_opencl;

NEXUS_PLUGIN_RUNTIME(runtimes, kBackendName, NEXUS_OPENCL_VERSION,
                     "Every device that an OpenCL driver brings.")

extern "C" NXS_EXPORT nxs_status nxsQueryPlugin(const nxs_host *host, nxs_plugin *plugin) {
  nxs_functions functions = nexus_plugin::required_functions();
  functions.MapBuffer = nxsMapBuffer;
  functions.UnmapBuffer = nxsUnmapBuffer;
  functions.GetKernelArgument = nxsGetKernelArgument;
  functions.EnqueueHostCallback = nxsEnqueueHostCallback;
  functions.GetElapsedTime = nxsGetElapsedTime;
  functions.PrepareSchedule = nxsPrepareSchedule;
  functions.CreateScheduleCommand = nxsCreateScheduleCommand;
  functions.DescribeCompile = nxsDescribeCompile;
  functions.CompileProgram = nxsCompileProgram;
  const nexus_plugin::Identity self = {.name = kBackendName, .version = NEXUS_OPENCL_VERSION};
  return nexus_plugin::query(host, plugin, self, functions, start_backend);
}
