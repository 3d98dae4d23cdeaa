// SPDX-License-Identifier: Apache-2.0
#include "kernel.hpp"

#include "container.hpp"
#include "program.hpp"

#include <algorithm>
#include <utility>

namespace nexus_opencl NXS_HIDDEN {

constinit HandleTable<Library, NXS_ObjectType_Library> libraries;
constinit HandleTable<Kernel, NXS_ObjectType_Kernel> kernels;

namespace {

constexpr const char *kSourceOptions = "-cl-kernel-arg-info";

// A text in another language, such as PTX, is a driver's binary.
bool is_opencl_c(std::string_view bytes) {
  return bytes.find('\0') == std::string_view::npos &&
         bytes.find("kernel") != std::string_view::npos &&
         bytes.find(".version") == std::string_view::npos;
}

// Throws NXS_InvalidBinary if the driver did not make the binary.
Owned<cl_program> program_from_binary(const Device &device, std::string_view binary) {
  const auto *bytes = reinterpret_cast<const unsigned char *>(binary.data());
  const std::size_t size = binary.size();
  const cl_device_id id = device.id();
  cl_int status = CL_SUCCESS, error = CL_SUCCESS;
  Owned program(device.cl(), device.cl().CreateProgramWithBinary(device.context(), 1, &id, &size,
                                                                 &bytes, &status, &error));
  const cl_int why = error != CL_SUCCESS ? error : status;
  if (why == CL_INVALID_BINARY || why == CL_INVALID_VALUE) {
    throw Error::with_native_code(
        why, NXS_InvalidBinary, "the ", size, " bytes are not a binary for the driver of '",
        device.name(), "'; give what device.compile() made on this machine, SPIR-V, or OpenCL C");
  }
  check(why, "making a program from a binary");
  return program;
}

// Throws NXS_InvalidBinary if the device takes no SPIR-V, or not this one.
Owned<cl_program> program_from_spirv(const Device &device, std::string_view module) {
  if (!device.takes_spirv()) {
    throw Error(NXS_InvalidBinary, "the bytes are SPIR-V, which the device '", device.name(),
                "' does not take; compile the program from its source");
  }
  const auto make = device.version() >= 21 && device.cl().CreateProgramWithIL != nullptr
                        ? device.cl().CreateProgramWithIL
                        : device.cl().CreateProgramWithILKHR;
  cl_int error = CL_SUCCESS;
  Owned program(device.cl(), make(device.context(), module.data(), module.size(), &error));
  if (error == CL_INVALID_VALUE) {
    throw Error::with_native_code(error, NXS_InvalidBinary, "the device '", device.name(),
                                  "' refuses the SPIR-V module; it takes ", device.il_version());
  }
  check(error, "making a program from SPIR-V");
  return program;
}

// A library that was opened and is not built yet.
struct Unbuilt {
  Owned<cl_program> program;
  std::vector<KernelDescription> kernels;
  std::string format;
  std::string options = {};
};

Unbuilt open_container(const Device &device, std::string_view bytes) {
  Container container = read_container(bytes);
  if (container.built_for != device_identity(device)) {
    throw Error(NXS_InvalidBinary, "the code was compiled for '", container.built_for,
                "', and this device is '", device_identity(device), "'; compile the program again");
  }
  if (container.is_source) {
    return {program_from_source(device, container.code), std::move(container.kernels), "opencl",
            container.options};
  }
  return {program_from_binary(device, container.code), std::move(container.kernels), "opencl"};
}

Unbuilt open_any(const Device &device, std::string_view bytes) {
  if (bytes.empty()) throw Error(NXS_InvalidBinary, "the library has no bytes");
  if (is_container(bytes)) return open_container(device, bytes);
  if (is_spirv(bytes)) {
    std::vector<KernelDescription> kernels = read_spirv(bytes);
    return {program_from_spirv(device, bytes), std::move(kernels), "spirv"};
  }
  if (is_opencl_c(bytes)) {
    return {program_from_source(device, bytes), {}, "opencl-c", kSourceOptions};
  }
  return {program_from_binary(device, bytes), {}, "binary"};
}

constexpr auto library_properties = joined(
    library_file_properties<Library>,
    property_table<Library>({
        {NP_Type, [](const Library &) -> Value { return "OpenCL program"; }},
        {NP_Format, member<&Library::format>},
        {NP_Count, [](const Library &library) -> Value { return library.kernel_names().size(); }},
        {NP_SubUnits, member<&Library::kernel_names>},
        {NP_KernelNames, member<&Library::kernel_names>},
    }));

// Asks the driver for a fact of the kernel on the device. Returns nothing if it does not answer.
template <class Number>
std::optional<Number> limit_of(const Device &device, cl_kernel kernel, cl_info info) {
  Number value{};
  const cl_int error =
      device.cl().GetKernelWorkGroupInfo(kernel, device.id(), info, sizeof(value), &value, nullptr);
  return error == CL_SUCCESS ? std::optional<Number>(value) : std::nullopt;
}

using ThreeSizes = std::array<size_t, 3>;

constexpr auto kernel_properties = joined(
    described_kernel_properties<Kernel>,
    property_table<Kernel>({
        {NP_Count, member<&Kernel::argument_count>},
        {NP_Convention,
         [](const Kernel &kernel) -> Value { return kernel.portable() ? "nexus" : "opencl"; }},
        {NP_PreferredGroupMultiple, member<&Kernel::preferred_multiple>},
        {NP_LocalMemorySize, member<&Kernel::local_memory>},
        {NP_PrivateMemorySize, member<&Kernel::private_memory>},
        {NP_MaxThreadgroupMemorySize,
         [](const Kernel &kernel) -> Value { return kernel.device().local_memory_size(); }},
    }));

}  // namespace

Library::Library(const Device &device, std::string_view bytes, const std::string &path)
    : LibraryFile(bytes, path), device_(&device) {
  Unbuilt opened = open_any(device, bytes);
  format_ = std::move(opened.format);
  descriptions_ = std::move(opened.kernels);
  program_ = std::move(opened.program);
  const cl_int error = build(device, program_.get(), opened.options);
  if (error != CL_SUCCESS) {
    const nxs_status status = error == CL_OUT_OF_RESOURCES     ? NXS_OutOfResources
                              : error == CL_OUT_OF_HOST_MEMORY ? NXS_OutOfHostMemory
                                                               : NXS_InvalidBinary;
    const std::string log = build_log(device, program_.get());
    throw_error(error, status,
                join("building the library for '", device.name(), "'",
                     log.empty() ? "" : " (the compiler said: " + log + ")"));
  }
  kernel_names_ = nexus_opencl::kernel_names(device, program_.get());
}

const KernelDescription *Library::description(std::string_view name) const noexcept {
  const auto found = std::find_if(descriptions_.begin(), descriptions_.end(),
                                  [&](const KernelDescription &each) { return each.name == name; });
  return found == descriptions_.end() ? nullptr : &*found;
}

Kernel::Kernel(Ref<Library> library, const std::string &name)
    : library_(std::move(library)), name_(name) {
  const std::vector<std::string> &names = library_->kernel_names();
  if (!std::binary_search(names.begin(), names.end(), name)) {
    library_->throw_no_kernel(name, instead_of(name, names, "no kernel"));
  }
  const Owned<cl_kernel> kernel = make();
  read_arguments(kernel.get());
  read_limits(kernel.get());
}

Owned<cl_kernel> Kernel::make() const {
  const Functions &cl = device().cl();
  return create(cl, join("making the kernel '", name_, "'"), cl.CreateKernel, library_->program(),
                name_.c_str());
}

void Kernel::read_arguments(cl_kernel kernel) {
  cl_uint count = 0;
  check(device().cl().GetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof(count), &count, nullptr),
        join("asking the kernel '", name_, "' for its arguments"));
  argument_count_ = count;
  if (const KernelDescription *known = library_->description(name_)) {
    description_ = *known;
  } else if (auto told = describe_kernel(device(), kernel, name_)) {
    description_ = std::move(*told);
  } else {
    return;
  }
  portable_ = description_.portable;
  const std::size_t all = description_.arguments.size() + (portable_ ? kHiddenArguments : 0);
  if (all != count) {
    throw Error(NXS_InvalidBinary, "the kernel '", name_, "' has ", counted(count, "argument"),
                ", and its description ", all, "; compile the program again");
  }
  described_ = true;
  argument_count_ = static_cast<uint32_t>(description_.arguments.size());
  specs_ = specs_of(description_.arguments, name_);
}

void Kernel::read_limits(cl_kernel kernel) {
  const Device &on = device();
  const auto most = limit_of<size_t>(on, kernel, CL_KERNEL_WORK_GROUP_SIZE);
  max_group_items_ = most.value_or(0) != 0 ? *most : on.max_group_items();
  preferred_multiple_ = std::max<uint64_t>(
      1, limit_of<size_t>(on, kernel, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE).value_or(1));
  local_memory_ = limit_of<cl_ulong>(on, kernel, CL_KERNEL_LOCAL_MEM_SIZE).value_or(0);
  private_memory_ = limit_of<cl_ulong>(on, kernel, CL_KERNEL_PRIVATE_MEM_SIZE).value_or(0);
  const auto required = limit_of<ThreeSizes>(on, kernel, CL_KERNEL_COMPILE_WORK_GROUP_SIZE);
  if (required && (*required)[0] != 0) {
    required_group_size_ = {(*required)[0], (*required)[1], (*required)[2]};
  }
}

}  // namespace nexus_opencl

using namespace nexus_opencl;

NEXUS_PLUGIN_OBJECT(Library, libraries, library_properties)

NEXUS_PLUGIN_LIBRARIES(devices, libraries, kernels, nexus_plugin::read_library_file)
NEXUS_PLUGIN_OBJECT(Kernel, kernels, kernel_properties)
NEXUS_PLUGIN_KERNEL_ARGUMENTS(kernels, described,
                              "came from a binary that says nothing of its arguments")
