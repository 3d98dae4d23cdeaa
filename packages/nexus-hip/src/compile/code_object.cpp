// SPDX-License-Identifier: Apache-2.0
#include "compile/code_object.hpp"

#include "compile/message_pack.hpp"

#include <algorithm>
#include <array>
#include <nexus-plugin/kernel/elf_file.hpp>
#include <span>
#include <utility>

namespace nexus_hip NXS_HIDDEN {
namespace {

namespace elf = nexus_plugin::elf;
using nexus_plugin::Error;
using nexus_plugin::join;

constexpr uint16_t kAmdMachine = 224, kRelocatable = 1;
constexpr uint32_t kNoteSection = 7, kMetadataNote = 32;
constexpr std::size_t kClassAt = 4, kOsAt = 7, kAbiVersionAt = 8;  // in Header::ident
constexpr unsigned char k64Bit = 2, kHsa = 64;
constexpr int kVersionOfAbi0 = 2;  // the version of code objects whose ABI version is 0
constexpr std::string_view kBundleMagic = "__CLANG_OFFLOAD_BUNDLE__", kCompressedMagic = "CCOB";
constexpr std::string_view kAgain = "; copy or build it again";

[[noreturn]] void throw_damaged(std::string_view what) {
  throw Error(NXS_InvalidBinary, "the library is a code object for AMD GPUs, and ", what, kAgain);
}

// ---- What the ELF file's head says ------------------------------------

// Describes bytes that are not code for AMD GPUs, for a sentence.
std::string_view what_else(std::string_view bytes) {
  elf::Header head{};
  if (bytes.starts_with("\177ELF")) {
    if (!elf::read_at(bytes, 0, head)) return "the beginning of an ELF file";
    if (head.machine == 190) return "code for NVIDIA GPUs";
    if (head.machine != kAmdMachine) return "a library or program of a host";
    if (head.type == kRelocatable) return "an object file that is not linked yet";
    return "code for AMD GPUs of another form than HIP's";
  }
  if (bytes.starts_with("BC\xC0\xDE")) return "LLVM bitcode";
  if (bytes.starts_with("!<arch>\n")) return "a static library";
  return bytes.empty() ? "empty" : "of no known format";
}

void check_form(std::string_view bytes) {
  elf::Header head{};
  const bool whole_head = bytes.starts_with("\177ELF") && elf::read_at(bytes, 0, head);
  if (!whole_head || head.machine != kAmdMachine || head.type != elf::kShared ||
      head.ident[kClassAt] != k64Bit || head.ident[kOsAt] != kHsa) {
    throw Error(NXS_InvalidBinary, "the library is ", what_else(bytes),
                ", and no code object for AMD GPUs: give what hipRTC makes, or clang with "
                "--cuda-device-only --offload-arch");
  }
  if (!elf::is_whole(bytes)) {
    throw_damaged(
        join("truncated or damaged: parts of it lie beyond its ", bytes.size(), " bytes"));
  }
}

// Code objects of version 3 name their processor by a number alone: EF_AMDGPU_MACH of LLVM 12, from
// 0x20. Later ones have it in words too, in their metadata.
constexpr std::string_view kProcessors[] = {
    "gfx600",  "gfx601",  "gfx700", "gfx701",  "gfx702",  "gfx703",  "gfx704",  "",
    "gfx801",  "gfx802",  "gfx803", "gfx810",  "gfx900",  "gfx902",  "gfx904",  "gfx906",
    "gfx908",  "gfx909",  "gfx90c", "gfx1010", "gfx1011", "gfx1012", "gfx1030", "gfx1031",
    "gfx1032", "gfx1033", "gfx602", "gfx705",  "gfx805",  "gfx1035", "gfx1034", "gfx90a"};

TargetId target_of_flags(uint32_t flags) {
  constexpr uint32_t kFirst = 0x20, kXnack = 0x100, kSramecc = 0x200;
  const uint32_t number = (flags & 0xff) - kFirst;
  if (number >= std::size(kProcessors) || kProcessors[number].empty()) {
    throw_damaged(join("for a processor that its version does not know, number ", flags & 0xff));
  }
  TargetId made{std::string(kProcessors[number]), {}, {}};
  if ((flags & kXnack) != 0) made.xnack = true;
  if ((flags & kSramecc) != 0) made.sramecc = true;
  return made;
}

// ---- The metadata -----------------------------------------------------

// The metadata that the compiler wrote; empty if there is none.
std::string_view metadata_of(std::string_view code) {
  struct Note {
    uint32_t name_size, size, type;
  };
  std::string_view found;
  const auto padded = [](uint64_t size) { return (size + 3) / 4 * 4; };
  elf::each_section(code, kNoteSection, [&](const elf::Section &section) {
    const std::string_view notes = elf::bytes_of(code, section);
    Note note{};
    for (uint64_t at = 0; elf::read_at(notes, at, note);) {
      const uint64_t name = at + sizeof(note), begin = name + padded(note.name_size);
      if (!elf::inside(begin, note.size, notes.size())) return;
      const bool of_amd = notes.substr(name, note.name_size) == std::string_view("AMDGPU\0", 7);
      if (of_amd && note.type == kMetadataNote) found = notes.substr(begin, note.size);
      at = begin + padded(note.size);
    }
  });
  return found;
}

template <class Struct, class Member>
struct Field {
  std::string_view key;
  Member Struct::*member;
};

// Reads the value of a key into its member. Returns whether the table has the key.
template <class Struct, class Member, std::size_t count>
bool read_field(const Field<Struct, Member> (&fields)[count], std::string_view key, Struct &out,
                MessagePack &pack) {
  for (const auto &field : fields) {
    if (field.key != key) continue;
    if constexpr (std::is_same_v<Member, std::string>) {
      out.*field.member = pack.text();
    } else {
      out.*field.member = pack.number();
    }
    return true;
  }
  return false;
}

CodeArgument read_argument(MessagePack &pack) {
  constexpr Field<CodeArgument, uint64_t> kNumbers[] = {{".offset", &CodeArgument::offset},
                                                        {".size", &CodeArgument::size}};
  constexpr Field<CodeArgument, std::string> kTexts[] = {
      {".name", &CodeArgument::name},
      {".value_kind", &CodeArgument::value_kind},
      {".address_space", &CodeArgument::address_space},
      {".actual_access", &CodeArgument::actual_access}};
  CodeArgument made;
  pack.each_pair([&](std::string_view key) {
    if (!read_field(kNumbers, key, made, pack) && !read_field(kTexts, key, made, pack)) pack.skip();
  });
  return made;
}

CodeKernel read_kernel(MessagePack &pack) {
  constexpr Field<CodeKernel, uint64_t> kNumbers[] = {
      {".kernarg_segment_size", &CodeKernel::argument_bytes},
      {".wavefront_size", &CodeKernel::wavefront_size},
      {".max_flat_workgroup_size", &CodeKernel::max_group_items},
      {".group_segment_fixed_size", &CodeKernel::group_bytes},
      {".private_segment_fixed_size", &CodeKernel::private_bytes},
      {".vgpr_count", &CodeKernel::vector_registers},
      {".sgpr_count", &CodeKernel::scalar_registers}};
  constexpr Field<CodeKernel, std::string> kTexts[] = {{".name", &CodeKernel::name},
                                                       {".symbol", &CodeKernel::symbol}};
  CodeKernel made;
  pack.each_pair([&](std::string_view key) {
    if (key == ".args") {
      pack.each([&] {
        CodeArgument argument = read_argument(pack);
        (argument.hidden() ? made.hidden : made.arguments).push_back(std::move(argument));
      });
    } else if (key == ".reqd_workgroup_size") {
      std::size_t count = 0;
      nexus_plugin::Size3 size{};
      pack.each(
          [&] { (count < size.size() ? size[count] : size.back()) = pack.number(), ++count; });
      if (count != size.size()) throw BadMessage{};
      made.required_group_size = size;
    } else if (!read_field(kNumbers, key, made, pack) && !read_field(kTexts, key, made, pack)) {
      pack.skip();
    }
  });
  return made;
}

// Throws unless launches can rely on the kernel's metadata.
void check_kernel(const CodeKernel &kernel) {
  if (kernel.name.empty() || (kernel.wavefront_size != 32 && kernel.wavefront_size != 64) ||
      kernel.max_group_items == 0) {
    throw_damaged(join("what it says of the kernel '", kernel.name, "' is not complete"));
  }
  uint64_t end = 0;  // of the arguments so far, which lie one behind the other
  for (const CodeArgument &argument : kernel.arguments) {
    if (argument.offset < end ||
        !elf::inside(argument.offset, argument.size, kernel.argument_bytes)) {
      throw_damaged(join("an argument of the kernel '", kernel.name, "' lies outside of them"));
    }
    end = argument.offset + argument.size;
  }
}

void read_metadata(std::string_view metadata, CodeObject &out, std::string &target) {
  MessagePack pack(metadata);
  pack.each_pair([&](std::string_view key) {
    if (key == "amdhsa.kernels") {
      pack.each([&] { out.kernels.push_back(read_kernel(pack)); });
    } else if (key == "amdhsa.target") {
      target = pack.text();
    } else {
      pack.skip();
    }
  });
}

// The target in "amdgcn-amd-amdhsa--gfx90a:xnack+", also after the kind of a bundle's entry.
std::optional<TargetId> target_of_triple(std::string_view triple) {
  const std::size_t at = triple.find("-gfx");
  if (at == std::string_view::npos) return std::nullopt;
  return read_target_id(triple.substr(at + 1));
}

void add_descriptions(std::string_view code, CodeObject &object) {
  constexpr std::string_view kPrefix = "nexus_kernel_";
  elf::each_symbol(code, elf::kDynamicSymbols, [&](std::string_view name, const auto &symbol) {
    if (!name.starts_with(kPrefix)) return;
    name.remove_prefix(kPrefix.size());
    const auto kernel = std::find_if(object.kernels.begin(), object.kernels.end(),
                                     [&](const CodeKernel &each) { return each.name == name; });
    if (kernel == object.kernels.end()) return;
    const std::string_view bytes = elf::bytes_of(code, symbol);
    kernel->description =
        nexus_plugin::read_description(std::as_bytes(std::span(bytes.data(), bytes.size())), name);
    std::vector<uint64_t> sizes;
    for (const CodeArgument &argument : kernel->arguments) sizes.push_back(argument.size);
    nexus_plugin::check_description(*kernel->description, sizes, name);
  });
}

// ---- Bundles ----------------------------------------------------------

struct BundleEntry {
  TargetId target;
  std::string_view code;
};

[[noreturn]] void throw_cut_bundle(std::string_view bundle) {
  throw Error(NXS_InvalidBinary,
              "the library is a clang bundle, truncated or damaged: parts of it lie beyond its ",
              bundle.size(), " bytes", kAgain);
}

// Its entries for AMD GPUs.
std::vector<BundleEntry> entries_of(std::string_view bundle) {
  struct Head {
    uint64_t offset, size, id_size;
  };
  std::vector<BundleEntry> entries;
  uint64_t at = kBundleMagic.size(), count = 0;
  if (!elf::read_at(bundle, at, count)) throw_cut_bundle(bundle);
  at += sizeof(count);
  for (; count != 0; --count) {
    Head head{};
    const bool known = elf::read_at(bundle, at, head);
    at += sizeof(head);
    if (!known || !elf::inside(at, head.id_size, bundle.size()) ||
        !elf::inside(head.offset, head.size, bundle.size())) {
      throw_cut_bundle(bundle);
    }
    const std::string_view id = bundle.substr(at, head.id_size);
    at += head.id_size;
    if (auto target = target_of_triple(id)) {
      entries.push_back({std::move(*target), bundle.substr(head.offset, head.size)});
    }
  }
  return entries;
}

// More is closer to a device.
int closeness(const TargetId &target) {
  return (target.generic() ? 0 : 4) + (target.sramecc ? 1 : 0) + (target.xnack ? 1 : 0);
}

}  // namespace

std::string_view code_for(std::string_view library, const TargetId &device) {
  if (library.starts_with(kCompressedMagic)) {
    throw Error(NXS_InvalidBinary,
                "the library is a compressed clang bundle, whose kernels can't be listed; build it "
                "with --no-offload-compress");
  }
  if (!library.starts_with(kBundleMagic)) return library;
  const std::vector<BundleEntry> entries = entries_of(library);
  const BundleEntry *best = nullptr;
  std::string names;
  for (const BundleEntry &each : entries) {
    names += (names.empty() ? "" : ", ") + each.target.name();
    if (!each.target.runs_on(device)) continue;
    if (best == nullptr || closeness(each.target) > closeness(best->target)) best = &each;
  }
  if (best != nullptr) return best->code;
  throw Error(NXS_InvalidBinary, "the library is a clang bundle with code for ",
              names.empty() ? "no AMD GPU" : names, ", and the device is ", device.name(),
              "; build it with --offload-arch=", device.processor, " too");
}

CodeObject read_code_object(std::string_view code, const TargetId &device) {
  check_form(code);
  const auto head = elf::struct_at<elf::Header>(code, 0);
  CodeObject made;
  made.version = head.ident[kAbiVersionAt] + kVersionOfAbi0;
  if (made.version < 3 || made.version > 6) {
    throw Error(NXS_InvalidBinary, "the library is a code object of version ", made.version,
                ", and this backend reads 3 to 6; build it with -mcode-object-version=5");
  }
  std::string triple;
  try {
    read_metadata(metadata_of(code), made, triple);
  } catch (const BadMessage &) {
    throw_damaged("its description of its kernels is damaged or missing");
  }
  const auto told = made.version == 3 ? target_of_flags(head.flags) : target_of_triple(triple);
  if (!told) throw_damaged("it does not say which processor it is for");
  made.target = *told;
  if (!made.target.runs_on(device)) {
    throw Error(NXS_InvalidBinary, "the library is a code object for ", made.target.name(),
                ", and the device is ", device.name(), "; compile it for that");
  }
  for (const CodeKernel &kernel : made.kernels) check_kernel(kernel);
  add_descriptions(code, made);
  return made;
}

void refuse_host_calls(const CodeKernel &kernel) {
  for (const CodeArgument &argument : kernel.hidden) {
    if (argument.value_kind != "hidden_hostcall_buffer") continue;
    throw Error(NXS_NotSupported, "the kernel '", kernel.name,
                "' calls the host, as printf and assert do, which Nexus does not support on AMD "
                "GPUs; leave them out, or compile with optimization 1 or more, which removes what "
                "is not used");
  }
}

}  // namespace nexus_hip
