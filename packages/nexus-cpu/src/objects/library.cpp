// SPDX-License-Identifier: Apache-2.0
#include "objects/library.hpp"

#include <nexus-kernel/cpu/descriptor.h>

#include <dlfcn.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <nexus-plugin/kernel/binary_check.hpp>
#if defined(__linux__)
#include <linux/memfd.h>
#include <sys/syscall.h>
#endif

namespace nexus_cpu NXS_HIDDEN {

using namespace nexus_plugin;

constinit HandleTable<Library, NXS_ObjectType_Library> libraries;

namespace {

// The name of the nexus_cpu_target constant in which a library says what it was compiled for.
constexpr const char *kCompiledFor = "nexus_cpu_compiled_for";

// ---- Loading ----------------------------------------------------------

std::string loader_message() {
  const char *text = dlerror();
  return text == nullptr ? "no reason given" : text;
}

// Makes _cpu_barrier available to libraries loaded from now on. A missing helper library is logged,
// and libraries that need it fail to load.
void load_barrier() {
  // Beside this plug-in's library.
  Dl_info info{};
  static const char anchor = 0;
  const bool found = dladdr(&anchor, &info) != 0 && info.dli_fname != nullptr;
  std::string path = found ? info.dli_fname : "";
  path.resize(path.rfind('/') + 1);
  path = (path.empty() && found ? "./" : "") + path + NEXUS_CPU_BARRIER_LIBRARY;
  // RTLD_GLOBAL, since kernel libraries use the symbol without linking the library.
  if (dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr) return;
  log(NXS_LogLevel_Warning, "kernels that use _cpu_barrier can't be loaded: ", loader_message());
}

// A file that holds the bytes while they are loaded.
class LoadableCopy {
 public:
  explicit LoadableCopy(std::string_view bytes) {
    if (!open_in_memory() && !open_temporary()) {
      throw Error(NXS_OutOfResources, "no folder for a copy of the library: ", std::strerror(errno),
                  "; set TMPDIR to a folder that can be written");
    }
    while (!bytes.empty()) {
      const ssize_t count = write(file_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) {
        const int reason = errno;
        remove();
        throw Error(NXS_OutOfResources,
                    "no space for a copy of the library: ", std::strerror(reason));
      }
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  ~LoadableCopy() { remove(); }
  LoadableCopy(const LoadableCopy &) = delete;
  LoadableCopy &operator=(const LoadableCopy &) = delete;

  const char *path() const noexcept { return path_.c_str(); }

 private:
  bool open_in_memory() {
#if defined(__linux__)
    // A system call, since glibc has memfd_create only since 2.27.
    file_ = static_cast<int>(syscall(SYS_memfd_create, "nexus-kernels", MFD_CLOEXEC));
    if (file_ < 0) return false;
    // A path that no other copy has, since the loader takes equal paths for the same library and
    // file numbers are reused: an additional slash for each 1 among a counter's bits.
    static std::atomic<uint32_t> counter{0};
    path_ = "/proc/self/fd/";
    for (uint32_t bits = counter.fetch_add(1, std::memory_order_relaxed); bits != 0; bits >>= 1) {
      path_ += (bits & 1) != 0 ? ".//" : "./";
    }
    path_ += std::to_string(file_);
    if (access(path_.c_str(), R_OK) == 0) return true;  // else: no /proc here
    close(file_);
#endif
    return false;
  }

  bool open_temporary() {
    const char *folder = std::getenv("TMPDIR");
    path_ = join(folder != nullptr && *folder != '\0' ? folder : "/tmp", "/nexus-kernels-XXXXXX");
    file_ = mkstemp(path_.data());  // private: mode 0600
    temporary_ = file_ >= 0;
    return temporary_;
  }

  void remove() noexcept {
    close(file_);
    if (temporary_) unlink(path_.c_str());
  }

  int file_ = -1;
  bool temporary_ = false;
  std::string path_;
};

// ---- Symbols ----------------------------------------------------------

struct Symbols {
  std::vector<std::string> functions;
  std::vector<std::string> objects;           // variables and constants
  std::map<std::string, uint64_t> variables;  // those that can be written: their sizes in bytes
  bool told_apart = true;                     // false: both lists have all symbols
};

// The structures of 64-bit Mach-O that binary_check.hpp lacks.
struct MachSymbolTable {
  uint32_t command, size, symbols, symbol_count, strings, strings_size;
};

struct MachSymbol {
  uint32_t name;
  uint8_t type, section;
  uint16_t description;
  uint64_t value;
};
static_assert(sizeof(MachSymbol) == 16);

std::string_view text_at(std::string_view bytes, uint64_t offset) {
  if (offset >= bytes.size()) return {};
  const std::string_view rest = bytes.substr(static_cast<std::size_t>(offset));
  const std::size_t end = rest.find('\0');
  return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

// Returns whether the loader leaves the symbol's memory writable.
bool is_writable(const elf::Image &image, const elf::Symbol &symbol) {
  const auto holds = [&](const elf::Segment &segment) {
    return segment.type == elf::kRelro && symbol.value >= segment.address &&
           symbol.value - segment.address < segment.memory_size;
  };
  return symbol.size != 0 && image.has(symbol.value, symbol.size, elf::kWritable) &&
         std::ranges::none_of(image.segments(), holds);
}

void add_elf_symbol(const elf::Image &image, const elf::Symbol &symbol, std::string_view name,
                    Symbols &out) {
  const unsigned type = symbol.type();
  const bool shown = symbol.visibility() == 0 &&
                     (symbol.binding() == elf::kGlobal || symbol.binding() == elf::kWeak);
  if (symbol.section == 0 || !shown || name.empty() || name == "_init" || name == "_fini") return;
  // kResolved: a function with several clones, one of which the loader chooses.
  if (type == elf::kFunction || type == elf::kResolved) out.functions.emplace_back(name);
  if (type != elf::kObject) return;
  out.objects.emplace_back(name);
  const bool named_in_c = name.find('.') == std::string_view::npos;  // not AddressSanitizer's own
  if (named_in_c && is_writable(image, symbol)) out.variables.emplace(name, symbol.size);
}

Symbols read_elf(std::string_view bytes) {
  Symbols found;
  try {
    const elf::Image image(bytes);
    const elf::Sections sections(image);
    const elf::Section *table = sections.find(elf::kDynamicSymbols);
    if (table == nullptr) return found;
    const auto strings = image.read<elf::Section>(image.header().section_offset +
                                                  uint64_t{table->link} * sizeof(elf::Section));
    for (uint64_t i = 0; i < table->size / sizeof(elf::Symbol); ++i) {
      const auto symbol = image.read<elf::Symbol>(table->offset + i * sizeof(elf::Symbol));
      add_elf_symbol(image, symbol, text_at(bytes, strings.offset + symbol.name), found);
    }
  } catch (const elf::Damage &) {  // gives fewer symbols
  }
  return found;
}

// Mach-O's symbol table does not distinguish functions from variables: each is listed as both. It
// has no sizes, so there are no variables to write.
Symbols read_mach(std::string_view bytes) {
  constexpr uint32_t kSymbolTable = 2;
  constexpr unsigned kExternal = 1, kTypeMask = 0x0e, kInSection = 0x0e;
  Symbols found;
  found.told_apart = false;
  ByteSource source(bytes.data(), bytes.size());
  binary_detail::MachHeader header{};
  if (!source.readAs(0, &header)) return found;
  uint64_t at = sizeof(header);
  for (uint32_t i = 0; i < header.command_count; ++i) {
    MachSymbolTable table{};
    if (!source.readAs(at, &table) || table.size == 0) return found;
    at += table.size;
    if (table.command != kSymbolTable) continue;
    for (uint32_t s = 0; s < table.symbol_count; ++s) {
      MachSymbol symbol{};
      if (!source.readAs(table.symbols + uint64_t{s} * sizeof(symbol), &symbol)) return found;
      if ((symbol.type & kExternal) == 0 || (symbol.type & kTypeMask) != kInSection) continue;
      const std::string_view name = text_at(bytes, uint64_t{table.strings} + symbol.name);
      if (name.size() < 2 || name.front() != '_') continue;
      found.functions.emplace_back(name.substr(1));
      found.objects.emplace_back(name.substr(1));
    }
  }
  return found;
}

// Returns the symbols that a library defines and exports. The bytes must have passed checkBinary;
// damaged tables give fewer symbols.
Symbols read_symbols(std::string_view bytes) {
  return bytes.substr(0, 4) == "\177ELF" ? read_elf(bytes) : read_mach(bytes);
}

// ---- Libraries --------------------------------------------------------

// Throws NXS_InvalidBinary if the library may use instructions that the processor lacks, which
// would crash the process. A library without that constant passes, and so do features with unknown
// names, from later headers.
void check_compiled_for(const SharedObject &object, const Processor &processor,
                        std::string_view path) {
  const auto *target = static_cast<const nexus_cpu_target *>(object.find(kCompiledFor));
  constexpr uint64_t kKnown = offsetof(nexus_cpu_target, features) + sizeof(target->features);
  if (target == nullptr || target->struct_size < kKnown || target->features == nullptr) return;
  std::vector<std::string> missing = split(target->features, ' ');
  std::erase_if(missing, [&](const std::string &feature) {
    const auto &present = processor.features;
    return !can_tell_feature(feature) || std::ranges::find(present, feature) != present.end();
  });
  if (missing.empty()) return;
  const std::string what = path.empty() ? "the library in memory" : join("'", path, "'");
  throw Error(
      NXS_InvalidBinary, what, " is compiled for a processor with ", joined_by(", ", missing),
      ", which this one lacks; compile it for this device, or for the target ", processor.level);
}

void sort_once_each(std::vector<std::string> &names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

constexpr auto library_properties = nexus_plugin::joined(
    library_file_properties<Library>,
    property_table<Library>({
        {NP_Type, [](const Library &) -> Value { return "shared object"; }},
        {NP_Count, [](const Library &library) -> Value { return library.callable_names().size(); }},
        {NP_SubUnits, member<&Library::callable_names>},
        {NP_KernelNames, member<&Library::kernel_names>},
    }));

}  // namespace

SharedObject::SharedObject(std::string_view bytes, const std::string &path) {
  const std::string what = path.empty() ? "the library in memory" : "'" + path + "'";
  if (const std::string wrong = checkBinary(what, bytes.data(), bytes.size()); !wrong.empty()) {
    throw Error(NXS_InvalidBinary, wrong);
  }
  static std::once_flag once;
  std::call_once(once, load_barrier);
  {
    const LoadableCopy copy(bytes);
    handle_ = dlopen(copy.path(), RTLD_NOW | RTLD_LOCAL);
  }
  if (handle_ != nullptr) return;
  std::string reason = loader_message();
  // A library that finds its dependencies through its own folder ($ORIGIN) can only be loaded from
  // there.
  if (!path.empty()) {
    const std::string place = path.find('/') == std::string::npos ? "./" + path : path;
    handle_ = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) return;
    reason = loader_message();
  }
  throw Error(NXS_InvalidBinary, what, " can't be loaded: ", reason);
}

SharedObject::~SharedObject() {
  dlclose(handle_);
}

void *SharedObject::find(const std::string &symbol) const noexcept {
  void *found = dlsym(handle_, symbol.c_str());
  (void)dlerror();
  return found;
}

Library::Library(const Device &device, std::string_view bytes, const std::string &path)
    : LibraryFile(bytes, path), object_(bytes, path), names_(find_names(bytes)) {
  check_compiled_for(object_, device.processor(), path);
}

// Reads the header first, so that a wrong file is refused whatever its size.
std::string Library::read_file(const std::string &path) {
  const bool readable = !path.empty() && ByteSource(path).isOpen();
  if (const std::string wrong = readable ? checkBinary(path) : std::string(); !wrong.empty()) {
    throw Error(NXS_InvalidBinary, wrong);
  }
  return read_library_file(path);
}

std::span<std::byte> Library::global(const std::string &name) const {
  const auto found = names_.variables.find(name);
  if (found == names_.variables.end()) {
    std::vector<std::string> names;
    for (const auto &[variable, size] : names_.variables) names.push_back(variable);
    throw_no_global(name, names);
  }
  return {static_cast<std::byte *>(object_.find(name)), static_cast<std::size_t>(found->second)};
}

Library::Names Library::find_names(std::string_view bytes) {
  Symbols symbols = read_symbols(bytes);
  Names names;
  names.variables = std::move(symbols.variables);
  const std::string_view prefix = kDescriptorPrefix;
  for (const std::string &object : symbols.objects) {
    if (object.starts_with(prefix)) names.kernels.push_back(object.substr(prefix.size()));
  }
  names.callable = names.kernels;
  for (std::string &function : symbols.functions) {
    if (!function.starts_with(prefix) && function != kCompiledFor)
      names.callable.push_back(std::move(function));
  }
  sort_once_each(names.kernels);
  sort_once_each(names.callable);
  if (names.kernels.empty() && symbols.told_apart) names.kernels = names.callable;
  return names;
}

}  // namespace nexus_cpu

using namespace nexus_cpu;

NEXUS_PLUGIN_OBJECT(Library, libraries, library_properties)
