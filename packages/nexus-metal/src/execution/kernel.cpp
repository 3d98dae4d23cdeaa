// SPDX-License-Identifier: Apache-2.0
#include "execution/kernel.hpp"

#include <algorithm>
#include <nexus-plugin/base/json.hpp>
#include <nexus-plugin/base/text.hpp>

namespace nexus_metal NXS_HIDDEN {

constinit HandleTable<Library, NXS_ObjectType_Library> libraries;
constinit HandleTable<Kernel, NXS_ObjectType_Kernel> kernels;

namespace {

constexpr std::string_view kMetallib = "MTLB";

bool is_source(std::string_view bytes) {
  return bytes.find('\0') == bytes.npos && bytes.find("kernel") != bytes.npos &&
         valid_utf8(bytes) == bytes;
}

Owned open_metallib(const Device &device, std::string_view bytes) {
  id error = nullptr;
  const id data = msg.data(driver.get_class("NSData"), bytes.data(), bytes.size());
  Owned library(msg.new_library_of_data(device.get(), data, &error));
  if (!library) {
    throw_error(error, NXS_InvalidBinary,
                join("loading a metallib of ", bytes.size(), " bytes on '", device.name(), "'"));
  }
  return library;
}

Owned open_source(const Device &device, const ProgramText &program) {
  std::string log;
  Owned library = build_library(device, program, log);
  if (library) return library;
  throw Error(NXS_InvalidBinary, "building the library for '", device.name(), "' failed: ", log);
}

nxs_data_type data_type_of(NSUInteger number) {
  switch (number) {
    case MTLDataTypeFloat:
      return NXS_DataType_F32;
    case MTLDataTypeHalf:
      return NXS_DataType_F16;
    case MTLDataTypeInt:
      return NXS_DataType_I32;
    case MTLDataTypeUInt:
      return NXS_DataType_U32;
    case MTLDataTypeShort:
      return NXS_DataType_I16;
    case MTLDataTypeUShort:
      return NXS_DataType_U16;
    case MTLDataTypeChar:
      return NXS_DataType_I8;
    case MTLDataTypeUChar:
      return NXS_DataType_U8;
    case MTLDataTypeBool:
      return NXS_DataType_Bool;
    case MTLDataTypeLong:
      return NXS_DataType_I64;
    case MTLDataTypeULong:
      return NXS_DataType_U64;
    default:
      return NXS_DataType_Undefined;
  }
}

const char *c_type_name(nxs_data_type type) {
  switch (type) {
    case NXS_DataType_F32:
      return "float";
    case NXS_DataType_I32:
      return "int";
    case NXS_DataType_U32:
      return "unsigned int";
    case NXS_DataType_I16:
      return "short";
    case NXS_DataType_U16:
      return "unsigned short";
    case NXS_DataType_I8:
      return "signed char";
    case NXS_DataType_U8:
      return "unsigned char";
    case NXS_DataType_I64:
      return "long";
    case NXS_DataType_U64:
      return "unsigned long";
    case NXS_DataType_Bool:
      return "bool";
    default:
      return "";
  }
}

std::string type_text(const DescribedArgument &argument) {
  const std::string of = c_type_name(argument.data_type);
  if (argument.kind == NXS_ArgumentKind_Scalar) return of;
  return join(argument.read_only ? "const " : "", of.empty() ? "void" : of, " *");
}

constexpr auto library_properties =
    joined(library_file_properties<Library>,
           property_table<Library>({
               {NP_Type, [](const Library &) -> Value { return "Metal library"; }},
               {NP_Format, member<&Library::format>},
               {NP_Count, [](const Library &library) -> Value { return library.names().size(); }},
               {NP_SubUnits, member<&Library::names>},
               {NP_KernelNames, member<&Library::names>},
               {NP_NativeHandle, member<&Library::handle>},
           }));

constexpr auto kernel_properties = joined(
    described_kernel_properties<Kernel>,
    property_table<Kernel>({
        {NP_Count, [](const Kernel &kernel) -> Value { return kernel.specs().size(); }},
        {NP_Convention,
         [](const Kernel &kernel) -> Value { return kernel.portable() ? "nexus" : "metal"; }},
        {NP_NativeHandle,
         [](const Kernel &kernel) -> Value { return handle_of(kernel.pipeline()); }},
        {NP_PreferredGroupMultiple, member<&Kernel::width>},
        {NP_LocalMemorySize, member<&Kernel::local_memory>},
        {NP_MaxThreadgroupMemorySize,
         [](const Kernel &kernel) -> Value { return kernel.device().local_memory_size(); }},
    }));

// A binding of a kernel, as Metal reports it.
struct Binding {
  explicit Binding(id binding)
      : object(binding),
        threadgroup(msg.binding_type(binding) == MTLBindingTypeThreadgroupMemory),
        index(msg.binding_index(binding)),
        name(to_text(msg.name(binding))) {}

  id object;
  bool threadgroup;
  NSUInteger index;
  std::string name;
};

// Returns them by their places, buffers first. Throws NXS_NotSupported for textures and the like.
std::vector<Binding> bindings_of(id list, std::string_view kernel) {
  std::vector<Binding> all;
  for (NSUInteger i = 0, count = msg.count(list); i < count; ++i) {
    const id each = msg.object_at(list, i);
    const NSInteger type = msg.binding_type(each);
    if (type != MTLBindingTypeBuffer && type != MTLBindingTypeThreadgroupMemory) {
      throw Error(NXS_NotSupported, "the kernel '", kernel, "' takes '", to_text(msg.name(each)),
                  "', which is neither a buffer, a number nor threadgroup memory");
    }
    all.emplace_back(each);
  }
  std::stable_sort(all.begin(), all.end(), [](const Binding &a, const Binding &b) {
    return std::pair(a.threadgroup, a.index) < std::pair(b.threadgroup, b.index);
  });
  return all;
}

}  // namespace

Library::Library(const Device &device, std::string_view bytes, const std::string &path)
    : LibraryFile(bytes, path), device_(&device) {
  const Pool pool;
  if (bytes.empty()) throw Error(NXS_InvalidBinary, "the library has no bytes");
  if (is_program_text(bytes)) {
    ProgramText program = read_program(bytes);
    library_ = open_source(device, program);
    descriptions_ = std::move(program.kernels);
    format_ = "metal";
  } else if (bytes.starts_with(kMetallib)) {
    library_ = open_metallib(device, bytes);
    format_ = "metallib";
  } else if (is_source(bytes)) {
    ProgramText program;
    program.source = bytes;
    library_ = open_source(device, program);
    format_ = "metal-source";
  } else {
    throw Error(NXS_InvalidBinary, "the ", bytes.size(),
                " bytes are neither a metallib nor a text in Metal's language, nor what "
                "device.compile() made");
  }
  names_ = kernel_names(library_.get());
}

const KernelDescription *Library::description(std::string_view name) const noexcept {
  const auto found = std::find_if(descriptions_.begin(), descriptions_.end(),
                                  [&](const KernelDescription &each) { return each.name == name; });
  return found == descriptions_.end() ? nullptr : &*found;
}

Kernel::Kernel(Ref<Library> library, const std::string &name)
    : library_(std::move(library)), name_(name) {
  const Pool pool;
  const std::vector<std::string> &names = library_->names();
  if (!std::binary_search(names.begin(), names.end(), name)) {
    library_->throw_no_kernel(name, instead_of(name, names, "no kernel"));
  }
  const std::string what = join("making the kernel '", name, "'");
  const Owned function =
      made(msg.new_function(library_->get(), to_nsstring(name)), NXS_InvalidKernelName, what);
  id reflection = nullptr, error = nullptr;
  pipeline_ = Owned(msg.new_pipeline(device().get(), function.get(), MTLPipelineOptionArgumentInfo,
                                     &reflection, &error));
  if (!pipeline_) throw_error(error, NXS_InvalidKernelDefinition, what);
  max_items_ = msg.max_threads(pipeline());
  width_ = std::max<uint64_t>(1, msg.width(pipeline()));
  local_memory_ = msg.static_memory(pipeline());
  const id bindings = msg.bindings(reflection);
  if (const KernelDescription *described = library_->description(name)) {
    take(*described, bindings);
  } else {
    take(bindings);
  }
  specs_ = specs_of(arguments_, name_);
}

void Kernel::take(const KernelDescription &description, id bindings) {
  portable_ = true;
  group_size_ = description.group_size;
  const std::vector<Binding> all = bindings_of(bindings, name_);
  const auto name_at = [&](const ArgumentPlace &place) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Binding &each) {
      return each.threadgroup == place.threadgroup && each.index == place.index;
    });
    return found == all.end() ? std::string() : found->name;
  };
  NSUInteger in_buffers = 0, in_threadgroup = 0;
  for (const DescribedArgument &each : description.arguments) {
    const bool local = each.kind == NXS_ArgumentKind_LocalMemory;
    const ArgumentPlace place{local, local ? in_threadgroup++ : in_buffers++};
    places_.push_back(place);
    arguments_.push_back({name_at(place), type_text(each), each.kind, each.data_type, each.size});
  }
  grid_place_ = in_buffers;
}

// Memory that a kernel only reads may be a number for setBytes:length:atIndex: too.
void Kernel::take(id bindings) {
  for (const Binding &each : bindings_of(bindings, name_)) {
    places_.push_back({each.threadgroup, each.index});
    ArgumentDescription argument{.name = each.name, .type = {}};
    if (each.threadgroup) {
      argument.kind = NXS_ArgumentKind_LocalMemory;
    } else {
      const bool read_only = msg.access(each.object) == MTLArgumentAccessReadOnly;
      argument.kind = read_only ? NXS_ArgumentKind_Unknown : NXS_ArgumentKind_Buffer;
      argument.data_type = data_type_of(msg.buffer_data_type(each.object));
      argument.size = read_only ? msg.buffer_data_size(each.object) : 0;
    }
    arguments_.push_back(std::move(argument));
  }
}

}  // namespace nexus_metal

using namespace nexus_metal;

NEXUS_PLUGIN_OBJECT(Library, libraries, library_properties)
NEXUS_PLUGIN_LIBRARIES(devices, libraries, kernels, nexus_plugin::read_library_file)
NEXUS_PLUGIN_OBJECT(Kernel, kernels, kernel_properties)
NEXUS_PLUGIN_KERNEL_ARGUMENTS(kernels, described, "")
