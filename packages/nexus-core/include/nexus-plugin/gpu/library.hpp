// SPDX-License-Identifier: Apache-2.0
// Libraries that the driver has loaded. Beside the members in device_memory.hpp, G has
//
//   using Module = ...;  // a pointer
//   // Loads code. log: for what the driver's compiler says, if it compiles; ends with a zero.
//   static Result load(Module *out, const std::string &code, std::span<char> log) noexcept;
//   static Result unload(Module module) noexcept;
//   static constexpr Result kNotFound = ...;
//   static Result find_variable(Address *out, size_t *size, Module, const char *symbol) noexcept;
//
// and its Device has architecture(), a text for errors.
#ifndef NEXUS_PLUGIN_GPU_LIBRARY_HPP_
#define NEXUS_PLUGIN_GPU_LIBRARY_HPP_

#include <nexus-plugin/gpu/buffer.hpp>
#include <nexus-plugin/gpu/device_state.hpp>
#include <nexus-plugin/kernel/elf_file.hpp>
#include <nexus-plugin/kernel/library.hpp>
#include <nexus-plugin/kernel/name_table.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {
namespace gpu {

// Code for one device: the base class of a backend's Library, whose constructor calls load() and
// list(). Immutable afterwards; any thread may use it.
template <class G>
class LoadedLibrary : public LibraryFile {
 public:
  using Device = typename G::Device;
  using Module = typename G::Module;

  LoadedLibrary(const LoadedLibrary &) = delete;
  LoadedLibrary &operator=(const LoadedLibrary &) = delete;

  Device &device() const noexcept { return *device_; }
  Module handle() const noexcept { return module_; }

  // Returns the symbol of a kernel by its symbol, expression or plain name; empty if none is known.
  std::string symbol_of(const std::string &name) const {
    return symbol_of_name(name, names_, symbols_);
  }
  // Returns whether kernel_names() is known.
  bool lists_kernels() const noexcept { return listed_; }
  // Returns the kernels' names in alphabetical order.
  const std::vector<std::string> &kernel_names() const noexcept { return kernel_names_; }

  // Throws NXS_InvalidKernelName with similar names.
  [[noreturn]] void throw_no_kernel(const std::string &name) const {
    LibraryFile::throw_no_kernel(name, instead_of(name, kernel_names_, "no kernel"));
  }
  using LibraryFile::throw_no_kernel;

  // Implements nxsGetGlobal: finds the memory of a variable, which keeps the library.
  template <class Library>
  static FoundMemory<G> find_global(Ref<Library> library, const std::string &name) {
    Device &device = library->device();
    device.refuse_lost();
    const typename G::Use current(device);
    FoundMemory<G> found{MemoryKind::kForeign};
    // Of a kernel's name CUDA does not say that there is no such variable.
    if (name.empty() ||
        std::ranges::find(library->kernel_names_, name) != library->kernel_names_.end()) {
      library->throw_no_global(name, library->variables_);
    }
    size_t size = 0;
    const Result result = G::find_variable(&found.address, &size, library->handle(), name.c_str());
    if (result != G::kNotFound) device.check(result, "looking for a variable of a library");
    if (size == 0) library->throw_no_global(name, library->variables_);
    found.size = size;
    found.keeps = std::make_shared<const Ref<Library>>(std::move(library));
    return found;
  }

 protected:
  // Throws if the device is lost.
  LoadedLibrary(Device &device, std::string_view bytes, const std::string &path)
      : LibraryFile(bytes, path), device_(&device) {
    device.refuse_lost();
  }
  // Unloads it after the work that is in the streams now.
  ~LoadedLibrary() {
    if (module_ == Module()) return;
    const auto unload = [module = module_] {
      G::errors.log_unreleased(G::unload(module), "unloading a library");
    };
    DeviceState<G> &state = *device_->made_state();
    try {
      const typename G::Use current(*device_);
      state.memory.free_after(kAllStreams, unload);
    } catch (const std::exception &) {  // the device was not made current
      state.frees.add_when_idle(kAllStreams, unload);
    }
  }

  // Loads the code; names: expressions and their symbols. format: of the code, for errors. The
  // device must be current. Throws NXS_InvalidBinary.
  void load(const std::string &code, NameTable names, const char *format) {
    names_ = std::move(names);
    char said[8192] = "";
    Module loaded{};  // not module_, to which a driver might write even if it fails
    const Result result =
        device_->state().memory.with_room([&] { return G::load(&loaded, code, said); });
    if (result == kSuccess) {
      module_ = loaded;
      if (!code.starts_with("\177ELF")) return;
      for (const uint32_t table : {elf::kDynamicSymbols, elf::kSymbolTable}) {
        if (!variables_.empty()) return;
        elf::each_symbol(code, table, [&](std::string_view symbol, const elf::Symbol &entry) {
          if (entry.type() == elf::kObject) variables_.emplace_back(symbol);
        });
      }
      return;
    }
    if (G::errors.is_fatal(result)) device_->check(result, "loading a library");
    std::string_view log(said, std::find(said, std::end(said), '\0') - said);
    while (log.ends_with('\n')) log.remove_suffix(1);
    const nxs_status told = G::errors.status_of(result);
    const nxs_status status = result == G::kOutOfMemory   ? NXS_OutOfResources
                              : told == NXS_InternalError ? NXS_InvalidBinary
                                                          : told;
    throw G::errors.make(
        result, status,
        join("loading the library (", format, ") for '", device_->name(), "' (",
             device_->architecture(), ")", log.empty() ? "" : "; the driver's compiler said: ", log,
             log.empty() ? "" : ":"));
  }

  // symbols: of the kernels. Called after load(), if they are known.
  void list(std::vector<std::string> symbols) {
    symbols_ = std::move(symbols);
    for (const std::string &symbol : symbols_) {
      kernel_names_.push_back(name_of_symbol(symbol, names_));
    }
    std::sort(kernel_names_.begin(), kernel_names_.end());
    listed_ = true;
  }

 private:
  Device *device_;
  Module module_{};
  NameTable names_;
  std::vector<std::string> symbols_, kernel_names_;
  std::vector<std::string> variables_;  // for errors; empty for code that is not an ELF file
  bool listed_ = false;
};

// The properties of a backend's Library, which has format().
template <class G, class Library = typename G::Library>
inline constexpr auto library_properties =
    joined(library_file_properties<Library>,
           property_table<Library>({
               {NP_Type, [](const Library &) -> Value { return join(G::kName, " library"); }},
               {NP_NativeHandle,
                [](const Library &library) -> Value {
                  return reinterpret_cast<uintptr_t>(library.handle());
                }},
               {NP_Format, member<&Library::format>},
               {NP_Count,
                [](const Library &library) -> Value {
                  return library.lists_kernels() ? Value(library.kernel_names().size()) : Value();
                }},
               {NP_KernelNames,
                [](const Library &library) -> Value {
                  return library.lists_kernels() ? Value(library.kernel_names()) : Value();
                }},
           }));

}  // namespace gpu
}  // namespace nexus_plugin

// Defines nxsGetGlobal.
//   NEXUS_PLUGIN_GPU_GLOBALS(libraries, buffers)
#define NEXUS_PLUGIN_GPU_GLOBALS(libraries, buffers)                                           \
  extern "C" nxs_status nxsGetGlobal(nxs_id id, const nxs_string *name, nxs_id *out_buffer) {  \
    return nexus_plugin::guarded(out_buffer, [&] {                                             \
      auto library = (libraries).pin(id);                                                      \
      auto &device = library->device();                                                        \
      return (buffers).create(                                                                 \
          device,                                                                              \
          library->find_global(library, std::string(nexus_plugin::check_text(name, "name")))); \
    });                                                                                        \
  }

#endif  // NEXUS_PLUGIN_GPU_LIBRARY_HPP_
