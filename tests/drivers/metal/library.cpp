// SPDX-License-Identifier: Apache-2.0
#include "library.hpp"

#include "../kernels/folder.hpp"
#include "../kernels/metal_compiler.hpp"
#include "../simulator/stream.hpp"

#include <filesystem>
#include <map>
#include <mutex>
#include <utility>

using simulator::Lock;
using simulator::world;

namespace metal {
namespace {

// What a metallib begins with; the host's object comes behind it.
constexpr char kMagic[] = "MTLB";
constexpr size_t kMagicSize = 4;
constexpr char kDomain[] = "MTLLibraryErrorDomain";

// Throws Failed with what the compiler says. A text is compiled once in a process: macOS keeps what
// it has compiled, too.
simulated_kernels::Compiled compile(const std::string &source,
                                    const std::vector<std::string> &options) {
  using Key = std::pair<std::string, std::vector<std::string>>;
  static std::mutex mutex;
  static auto &known = *new std::map<Key, simulated_kernels::Compiled>;
  const std::pair key(source, options);
  {
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(key); found != known.end()) return found->second;
  }
  const simulated_kernels::Compiled compiled = simulated_kernels::compile_metal(source, options);
  if (!compiled.well) throw Failed{MTLLibraryErrorCompileFailure, compiled.log, kDomain};
  const std::lock_guard lock(mutex);
  return known.try_emplace(key, compiled).first->second;
}

std::string object_in(const std::string &bytes) {
  if (bytes.starts_with(kMagic)) return bytes.substr(kMagicSize);
  throw Failed{MTLLibraryErrorInternal, "Invalid library file", kDomain};
}

}  // namespace

const Class &MTLCompileOptions::kClass =
    *new Class("MTLCompileOptions", nullptr,
               {get<&MTLCompileOptions::fast>("fastMathEnabled"),
                set<&MTLCompileOptions::fast>("setFastMathEnabled:"),
                get<&MTLCompileOptions::language>("languageVersion"),
                set<&MTLCompileOptions::language>("setLanguageVersion:"),
                get<&MTLCompileOptions::mode>("mathMode", 15),
                set<&MTLCompileOptions::mode>("setMathMode:", 15),
                get<&MTLCompileOptions::macros>("preprocessorMacros"),
                set<&MTLCompileOptions::macros>("setPreprocessorMacros:")},
               {alloc<MTLCompileOptions>(), new_object<MTLCompileOptions>()});

const Class &MTLLibrary::kClass =
    *new Class("MTLLibrary", "OfDevice",
               {method<&MTLLibrary::functionNames>("functionNames"),
                method<&MTLLibrary::newFunction>("newFunctionWithName:")});

MTLLibrary::MTLLibrary(MTLDevice &of, const std::string &object) : OfDevice(kClass, of) {
  const Lock lock(world().mutex);
  simulator::Code code;
  code.host_object = object;
  try {
    module_ = simulator::Module::make(of.context, code).shared_from_this();
  } catch (const simulator::Failure &) {
    throw Failed{MTLLibraryErrorInternal, "Invalid library file", kDomain};
  }
}

MTLLibrary::~MTLLibrary() {
  const Lock lock(world().mutex);
  if (module_ != nullptr) module_->unload();
}

NSArray *MTLLibrary::functionNames() {
  std::vector<Ref<Object>> names;
  for (const std::string &each : module_->kernel_names()) {
    names.push_back(Ref<Object>::adopt(make<NSString>(each).leak()));
  }
  return make<NSArray>(std::move(names)).autoreleased();
}

MTLFunction *MTLLibrary::newFunction(NSString *name) {
  simulator::Function *found;
  {
    const Lock lock(world().mutex);
    found = world().functions.get(module_->function(text_of(name))).get();
  }
  return make<MTLFunction>(*this, *found).leak();
}

const Class &MTLFunction::kClass = *new Class(
    "MTLFunction", "OfDevice",
    {getter<&MTLFunction::name>("name"), getter<&MTLFunction::functionType>("functionType")});

std::vector<nexus_metal_binding> MTLFunction::bindings() const {
  size_t size = 0;
  const uintptr_t begin =
      library->module().object()->variable("nexus_metal_bindings_" + function.name(), &size);
  const auto *first = reinterpret_cast<const nexus_metal_binding *>(begin);
  if (begin == 0) return {};
  return {first, first + size / sizeof(*first) - 1};  // the last one ends the list
}

NSUInteger MTLFunction::static_memory() const {
  size_t size = 0;
  const uintptr_t begin = library->module().object()->variable("nexus_metal_static_memory", &size);
  if (begin == 0) return 0;
  const auto *all = reinterpret_cast<const nexus_metal_static_memory *>(begin);
  NSUInteger bytes = 0;
  for (const auto *each = all->begin; each != all->end; ++each) {
    if (each->kernel == function.name()) bytes += each->size;
  }
  return bytes;
}

MTLLibrary *MTLDevice::newLibraryWithSource(NSString *source, MTLCompileOptions *options,
                                            NSError **error) {
  std::vector<std::string> defines;
  if (options != nullptr && options->macros) {
    for (const auto &[name, value] : options->macros->objects) {
      const auto *text = dynamic_cast<const NSString *>(value.get());
      if (text == nullptr) die("preprocessorMacros with what is not an NSString");
      defines.push_back("-D" + name + "=" + text->text);
    }
  }
  const simulated_kernels::Compiled compiled = compile(text_of(source), defines);
  if (!compiled.log.empty() && error != nullptr) {  // warnings
    *error =
        make<NSError>(Failed{MTLLibraryErrorCompileWarning, compiled.log, kDomain}).autoreleased();
  }
  return make<MTLLibrary>(*this, compiled.object).leak();
}

MTLLibrary *MTLDevice::newLibraryWithData(NSData *data, NSError **) {
  return make<MTLLibrary>(*this, object_in(data->content)).leak();
}

MTLLibrary *MTLDevice::newLibraryWithURL(NSURL *url, NSError **) {
  if (!std::filesystem::exists(url->path)) {
    throw Failed{MTLLibraryErrorFileNotFound, "no such file: " + url->path, kDomain};
  }
  return make<MTLLibrary>(*this, object_in(simulated_kernels::read_file(url->path))).leak();
}

}  // namespace metal

using namespace metal;

// For tests: the bytes that newLibraryWithData:error: takes, of a program in Metal's language.
// Copies as many as there is room for, and returns their number; negative for the length of what
// the compiler says instead.
SIMULATED_EXPORT int64_t simulated_metallib(const char *source, char *out, uint64_t capacity) {
  const simulated_kernels::Compiled compiled = simulated_kernels::compile_metal(source, {});
  const std::string bytes = compiled.well ? kMagic + compiled.object : compiled.log;
  std::memcpy(out, bytes.data(), std::min<size_t>(bytes.size(), capacity));
  const auto size = static_cast<int64_t>(bytes.size());
  return compiled.well ? size : -size;
}
