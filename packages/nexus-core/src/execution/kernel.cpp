// SPDX-License-Identifier: Apache-2.0
#include "execution/kernel.hpp"

#include <cstddef>
#include <limits>

#include "base/file_state.hpp"
#include "base/sink.hpp"
#include "base/text.hpp"
#include "memory/buffer.hpp"

namespace nexus::core {

Library::Library(Device &device, nxs_id id, std::string path, Code code)
    : ListedObject(kType),
      device_(device),
      id_(id),
      path_(std::move(path)),
      code_(std::move(code)),
      native_(make<Native>(device.plugin(), &nxs_functions::ReleaseLibrary, id, "library")) {}

Ref<Native> Library::native() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!native_) {
    refuseObject(this, kType, "library");
  }
  return native_;
}

Library::Code Library::code() const {
  if (code_) return code_;
  std::optional<std::string> bytes = readText(stateOf(path_));
  if (!bytes) {
    failWith(NXS_InvalidValue, "The library was loaded from the file '", path_,
             "', which can't be read any more; restore the file.");
  }
  return std::make_shared<const std::string>(*std::move(bytes));
}

void Library::setInfo(Info info) {
  const std::lock_guard<std::mutex> lock(mutex_);
  info_.swap(info);
}

Library::Info Library::info() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return info_;
}

void Library::onClose() {
  Ref<Native> ended;  // released after the lock, since the plug-in may take long
  const std::lock_guard<std::mutex> lock(mutex_);
  std::swap(ended, native_);
}

std::optional<json::Value> Library::property(std::string_view, nxs_property number) {
  if (number == NP_ID) return json::Value(id_);
  if (auto value = propertiesOf(*native()).read(number)) return value;
  if (number == NP_Path && !path_.empty()) return json::Value(path_);
  return std::nullopt;
}

std::vector<std::string> Library::propertyKeys() {
  std::vector<std::string> own{"ID", "Keys"};
  if (!path_.empty()) {
    own.push_back("Path");
  }
  return propertiesOf(*native()).keys(std::move(own));
}

namespace {

// The size of the first version of nxs_argument_info. Later members are written if the caller's
// struct has them.
constexpr uint64_t kFirstArgumentInfoSize =
    offsetof(nxs_argument_info, size) + sizeof(nxs_argument_info::size);

std::string textOf(nxs_string text) {
  return {text.data == nullptr ? "" : text.data, static_cast<std::size_t>(text.size)};
}

}  // namespace

Kernel::Kernel(Library &library, std::string name)
    : Object(kType),
      device_(library.device()),
      library_(library),
      info_{std::move(name), device_.selector(), device_.plugin().capabilities} {
  const Plugin &plugin = device_.plugin();
  const nxs_string given_name = stringOf(info_.name);
  const Ref<Native> from = library.native();
  plugin.call(
      &nxs_functions::GetKernel, [&] { return "find the kernel '" + info_.name + "'"; }, from->id(),
      &given_name, &id_);
  try {
    readArguments();
    info_.max_group_size = device_.maxGroupSize();
    const auto stated = properties().readInt(NP_MaxThreadsPerBlock);
    if (stated && *stated > 0) {
      info_.max_group_size = static_cast<uint64_t>(*stated);
    }
    info_.required_group_size = readRequired(NP_RequiredGroupSize);
    if (plugin.has(NXS_Capability_ClusterLaunch)) {
      info_.required_cluster_size = readRequired(NP_RequiredClusterSize);
    }
  } catch (...) {
    releaseNative(plugin, &nxs_functions::ReleaseKernel, id_, "kernel");
    throw;
  }
}

Kernel::~Kernel() {
  releaseNative(device_.plugin(), &nxs_functions::ReleaseKernel, id_, "kernel");
}

void Kernel::readArguments() {
  const Plugin &plugin = device_.plugin();
  if (!plugin.has(NXS_Capability_ArgumentInfo)) return;
  const auto count = properties().readInt(NP_Count);
  if (!count || *count < 0 || *count > std::numeric_limits<uint32_t>::max()) return;
  info_.argument_count = static_cast<uint32_t>(*count);
  std::vector<ArgumentInfo> arguments;
  for (uint32_t i = 0; i < *info_.argument_count; ++i) {
    try {
      arguments.push_back(readArgument(i));
    } catch (const Failure &failure) {
      // A driver may know only the number of arguments, such as for a program loaded as a binary.
      if (failure.status() == NXS_KernelArgInfoNotAvailable) return;
      throw;
    }
  }
  info_.arguments = std::move(arguments);
}

ArgumentInfo Kernel::readArgument(uint32_t index) const {
  nxs_argument_info info{};
  info.struct_size = sizeof(info);
  device_.plugin().call(
      &nxs_functions::GetKernelArgument,
      [&] { return "describe an argument of the kernel '" + info_.name + "'"; }, id_, index, &info);
  return {textOf(info.name), info.kind, info.data_type, info.size, textOf(info.type)};
}

// Returns zeros if the kernel states nothing.
Counts Kernel::readRequired(nxs_property number) const {
  const std::optional<json::Value> value = properties().read(number);
  Counts required{};
  if (!value || !value->isArray() || value->array()->size() != required.size()) return {};
  for (std::size_t i = 0; i < required.size(); ++i) {
    const auto length = (*value->array())[i].integer();
    if (!length || *length < 1) return {};
    required[i] = static_cast<uint64_t>(*length);
  }
  return required;
}

void Kernel::readOccupancy(const nexus_launch_desc &desc, nxs_occupancy &out) const {
  const Plugin &plugin = device_.plugin();
  if (!plugin.has(NXS_Capability_Occupancy)) {
    failWith(NXS_NotSupported, "The backend of '", device_.selector(),
             "' does not report how many groups run at the same time; use a device whose property "
             "Capabilities has NXS_Capability_Occupancy.");
  }
  const nxs_launch launch = launchOfGroup(desc, info_);
  plugin.call(
      &nxs_functions::GetKernelOccupancy,
      [&] { return "query the occupancy of the kernel '" + info_.name + "'"; }, id_, &launch, &out);
}

std::optional<json::Value> Kernel::property(std::string_view, nxs_property number) {
  switch (number) {
    case NP_ID:
      return json::Value(id_);
    case NP_Name:
      return json::Value(info_.name);
    default:
      return properties().read(number);
  }
}

std::vector<std::string> Kernel::propertyKeys() {
  return properties().keys({"ID", "Keys", "Name"});
}

}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_device_load_library(nexus_device *device, const void *data, uint64_t size,
                                     nexus_library **out_library) {
  return giveResult(out_library, "out_library", [&] {
    requirePointer(data, "data");
    Device &on = given<Device>(device, "device");
    nxs_id id = 0;
    on.plugin().call(
        &nxs_functions::CreateLibrary,
        [&] { return "load a library of " + std::to_string(size) + " bytes"; }, on.id(), data, size,
        &id);
    return listed(on, make<Library>(on, id, std::string(),
                                    std::make_shared<const std::string>(
                                        static_cast<const char *>(data), size)));
  });
}

nxs_status nexus_device_load_library_file(nexus_device *device, nxs_string path,
                                          nexus_library **out_library) {
  return giveResult(out_library, "out_library", [&] {
    Device &on = given<Device>(device, "device");
    std::string file(viewOf(path, "path"));
    if (file.empty()) {
      failWith(NXS_InvalidValue, "path is empty; give the path of a library file.");
    }
    refuseEndlessFile(file, "a library file");
    const nxs_string given_path = stringOf(file);
    nxs_id id = 0;
    on.plugin().call(
        &nxs_functions::CreateLibraryFromFile, [&] { return "load the library '" + file + "'"; },
        on.id(), &given_path, &id);
    return listed(on, make<Library>(on, id, std::move(file), nullptr));
  });
}

nxs_status nexus_library_get_device(nexus_library *library, nexus_device **out_device) {
  return giveResult(out_device, "out_device",
                    [&] { return Ref(given<Library>(library, "library").device()); });
}

nxs_status nexus_kernel_get_device(nexus_kernel *kernel, nexus_device **out_device) {
  return giveResult(out_device, "out_device",
                    [&] { return Ref(given<Kernel>(kernel, "kernel").device()); });
}

nxs_status nexus_library_get_global(nexus_library *library, nxs_string name,
                                    nexus_buffer **out_buffer) {
  return giveResult(out_buffer, "out_buffer", [&] {
    Library &from = given<Library>(library, "library");
    const std::string variable(viewOf(name, "name"));
    if (variable.empty() || variable.find('\0') != std::string::npos) {
      failWith(NXS_InvalidValue, "name is ", variable.empty() ? "empty" : "a text with a zero byte",
               "; give the name of a variable of the library.");
    }
    const nxs_string given_name = stringOf(variable);
    const Ref<Native> native = from.native();
    nxs_id made = 0;
    from.device().plugin().call(
        &nxs_functions::GetGlobal, [&] { return "find the variable '" + variable + "'"; },
        native->id(), &given_name, &made);
    Ref<Memory> memory = make<Memory>(from.device(), made, true);
    Layout layout;
    layout.size = layout.extent = memory->size();
    layout.shape = {layout.size};
    return listed(from.device(), make<Buffer>(std::move(memory), uint64_t{0}, std::move(layout)));
  });
}

namespace {

// A library's description, or the part of it about a kernel.
class LibraryInfo final : public Properties {
 public:
  // tree: an object that whole keeps alive; NULL without one.
  LibraryInfo(Library::Info whole, const json::Value *tree)
      : whole_(std::move(whole)), tree_(tree) {}

  const json::Value *heldProperty(std::string_view name) override {
    return tree_ == nullptr ? nullptr : tree_->find(name);
  }

  std::vector<std::string> propertyKeys() override {
    std::vector<std::string> names;
    if (tree_ == nullptr) return names;
    for (const json::Member &member : *tree_->object()) names.push_back(member.name);
    return names;
  }

  json::Value sourceAt(const PropertyPath &, std::size_t) override {
    json::Value source(json::Value::Object{});
    source.set("Kind", json::Value("library"));
    source.set("Citations", json::Value(json::Value::Array{}));
    return source;
  }

 private:
  const Library::Info whole_;
  const json::Value *const tree_;
};

json::Value parseInfo(std::string_view text) {
  try {
    json::Value info = json::parse(text);
    if (info.isObject()) return info;
    failWith(NXS_InvalidValue, "info is ", info.typeName(), "; give a JSON object.");
  } catch (const json::ParseError &error) {
    failWith(NXS_InvalidValue, "info is not JSON: ", error.what(), ".");
  }
}

// Returns the kernel's entry, or NULL.
const json::Value *entryOf(const json::Value *info, std::string_view kernel) {
  const json::Value *kernels = info == nullptr ? nullptr : info->find("Kernels");
  if (kernels == nullptr || !kernels->isArray()) return nullptr;
  const json::Value *entry = nexus::core::entryOf(*kernels->array(), kernel);
  return entry != nullptr && entry->isObject() ? entry : nullptr;
}

}  // namespace

nxs_status nexus_library_set_info(nexus_library *library, nxs_string info) {
  return guarded([&] {
    Library &of = given<Library>(library, "library");
    of.setInfo(std::make_shared<const json::Value>(parseInfo(viewOf(info, "info"))));
  });
}

nxs_status nexus_library_get_info(nexus_library *library, nexus_properties **out_properties) {
  return giveResult(out_properties, "out_properties", [&] {
    const Library::Info info = given<Library>(library, "library").info();
    return make<LibraryInfo>(info, info.get());
  });
}

nxs_status nexus_kernel_get_info(nexus_kernel *kernel, nexus_properties **out_properties) {
  return giveResult(out_properties, "out_properties", [&] {
    const Kernel &of = given<Kernel>(kernel, "kernel");
    const Library::Info info = of.library().info();
    return make<LibraryInfo>(info, entryOf(info.get(), of.name()));
  });
}

nxs_status nexus_library_get_kernel(nexus_library *library, nxs_string name,
                                    nexus_kernel **out_kernel) {
  return giveResult(out_kernel, "out_kernel", [&] {
    Library &from = given<Library>(library, "library");
    return make<Kernel>(from, std::string(viewOf(name, "name")));
  });
}

namespace {

const std::vector<ArgumentInfo> &describedArguments(Kernel &kernel) {
  if (!kernel.info().arguments) {
    failWith(NXS_KernelArgInfoNotAvailable, "The kernel '", kernel.name(),
             "' does not describe its arguments; look them up in its source.");
  }
  return *kernel.info().arguments;
}

}  // namespace

nxs_status nexus_kernel_get_argument_count(nexus_kernel *kernel, uint32_t *out_count) {
  return giveResult(out_count, "out_count", [&] {
    return static_cast<uint32_t>(describedArguments(given<Kernel>(kernel, "kernel")).size());
  });
}

nxs_status nexus_kernel_get_argument(nexus_kernel *kernel, uint32_t index,
                                     nxs_argument_info *out_info) {
  return guarded([&] {
    requirePointer(out_info, "out_info");
    requireSize(out_info->struct_size, kFirstArgumentInfoSize, "out_info", "nxs_argument_info");
    Kernel &described = given<Kernel>(kernel, "kernel");
    const std::vector<ArgumentInfo> &arguments = describedArguments(described);
    if (index >= arguments.size()) {
      failWith(NXS_InvalidArgIndex, "index is ", index, ", and the kernel '", described.name(),
               "' has ", counted(arguments.size(), "argument"), ", counted from 0.");
    }
    const ArgumentInfo &info = arguments[index];
    out_info->name = {info.name.data(), info.name.size()};
    out_info->kind = info.kind;
    out_info->data_type = info.data_type;
    out_info->size = info.size;
    if (out_info->struct_size >= sizeof(nxs_argument_info)) {
      out_info->type = {info.type.data(), info.type.size()};
    }
  });
}

nxs_status nexus_kernel_get_code(nexus_kernel *kernel, const nxs_sink *code) {
  return guarded([&] { writeTo(code, "code", *given<Kernel>(kernel, "kernel").library().code()); });
}

nxs_status nexus_kernel_get_occupancy(nexus_kernel *kernel, const nexus_launch_desc *desc,
                                      nxs_occupancy *out_occupancy) {
  return guarded([&] {
    const Kernel &asked = given<Kernel>(kernel, "kernel");
    const nexus_launch_desc launch = readLaunch(desc);
    requireWhole(out_occupancy, "out_occupancy", "nxs_occupancy");
    asked.readOccupancy(launch, *out_occupancy);
  });
}
