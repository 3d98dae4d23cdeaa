// SPDX-License-Identifier: Apache-2.0
#include "execution/library.hpp"

#include "base/file_state.hpp"
#include "base/text.hpp"
#include "execution/kernel.hpp"
#include "object/property.hpp"

namespace nexus::core {
namespace {

constexpr PropertyFunction kLibraryProperty = &nxs_functions::GetLibraryProperty;

}  // namespace

Library::Library(Device &device, nxs_id id, std::string path)
    : ListedObject(kType),
      device_(device),
      id_(id),
      path_(std::move(path)),
      native_(make<Native>(device.plugin(), &nxs_functions::ReleaseLibrary, id, "library")) {}

Ref<Native> Library::native() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!native_) {
    refuseObject(this, kType, "library");
  }
  return native_;
}

void Library::onClose() {
  Ref<Native> ended;  // released after the lock, since the plug-in may take long
  const std::lock_guard<std::mutex> lock(mutex_);
  std::swap(ended, native_);
}

std::optional<json::Value> Library::property(std::string_view, nxs_property number) {
  if (number == NP_ID) {
    return json::Value(id_);
  }
  if (number == NP_Keys) {
    return keyNumbers(*this);
  }
  if (auto value =
          readNative(device_.plugin(), kLibraryProperty, native()->id(), number, "library")) {
    return value;
  }
  if (number == NP_Path && !path_.empty()) {
    return json::Value(path_);
  }
  return std::nullopt;
}

std::vector<std::string> Library::propertyKeys() {
  std::vector<std::string> own{"ID", "Keys"};
  if (!path_.empty()) {
    own.push_back("Path");
  }
  return unionOf(own,
                 readNativeKeys(device_.plugin(), kLibraryProperty, native()->id(), "library"));
}

}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_device_load_library(nexus_device *device, const void *data, uint64_t size,
                                     nexus_library **out_library) {
  return guarded([&] {
    requirePointer(out_library, "out_library");
    requirePointer(data, "data");
    Device &on = given<Device>(device, "device");
    nxs_id id = 0;
    on.plugin().call(
        &nxs_functions::CreateLibrary,
        [&] { return "load a library of " + std::to_string(size) + " bytes"; }, on.id(), data, size,
        &id);
    giveOutNew(on, make<Library>(on, id, std::string()), out_library);
  });
}

nxs_status nexus_device_load_library_file(nexus_device *device, nxs_string path,
                                          nexus_library **out_library) {
  return guarded([&] {
    requirePointer(out_library, "out_library");
    Device &on = given<Device>(device, "device");
    std::string file(viewOf(path, "path"));
    if (file.empty()) {
      throw Failure(NXS_InvalidValue, "path is empty; give the path of a library file.");
    }
    refuseEndlessFile(file, "a library file");
    const nxs_string given_path = stringOf(file);
    nxs_id id = 0;
    on.plugin().call(
        &nxs_functions::CreateLibraryFromFile, [&] { return "load the library '" + file + "'"; },
        on.id(), &given_path, &id);
    giveOutNew(on, make<Library>(on, id, std::move(file)), out_library);
  });
}

nxs_status nexus_library_get_device(nexus_library *library, nexus_device **out_device) {
  return guarded([&] {
    requirePointer(out_device, "out_device");
    giveOut(Ref(given<Library>(library, "library").device()), out_device);
  });
}

nxs_status nexus_library_get_kernel(nexus_library *library, nxs_string name,
                                    nexus_kernel **out_kernel) {
  return guarded([&] {
    requirePointer(out_kernel, "out_kernel");
    Library &from = given<Library>(library, "library");
    giveOut(make<Kernel>(from, std::string(viewOf(name, "name"))), out_kernel);
  });
}
