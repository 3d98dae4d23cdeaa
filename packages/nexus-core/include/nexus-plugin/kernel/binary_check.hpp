// SPDX-License-Identifier: Apache-2.0
//
// Checks a shared library before dlopen() loads it.
//
// The system's loader maps a library's segments as its header describes them. If the file was cut
// short, they reach beyond its end, and the first access kills the process with SIGBUS. If the file
// is for another system or processor, the loader's message names neither. These checks return a
// sentence instead. They read the headers of a file; of bytes in memory also the tables that the
// loader follows.
#ifndef NEXUS_PLUGIN_BINARY_CHECK_HPP_
#define NEXUS_PLUGIN_BINARY_CHECK_HPP_

#include <nexus-plugin/kernel/elf_check.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

namespace nexus_plugin __attribute__((visibility("hidden"))) {

  // Bytes in memory or in a file. Reads from a file only the parts that are asked for, since
  // libraries may be large.
  class ByteSource {
   public:
    ByteSource(const void *data, uint64_t size)
        : data_(static_cast<const char *>(data)), size_(size), open_(true) {}

    explicit ByteSource(const std::string &path) : file_(path, std::ios::binary | std::ios::ate) {
      const std::streamoff end = file_ ? static_cast<std::streamoff>(file_.tellg()) : -1;
      // A folder can be opened too; its size is then negative or absurd.
      open_ = end >= 0 && end < (std::streamoff{1} << 60);
      size_ = open_ ? static_cast<uint64_t>(end) : 0;
    }

    bool isOpen() const { return open_; }
    uint64_t size() const { return size_; }

    // Returns false if the range is not within the source or can't be read.
    bool read(uint64_t offset, void *out, uint64_t count) {
      if (offset > size_ || count > size_ - offset) return false;
      if (data_ != nullptr) {
        std::memcpy(out, data_ + offset, static_cast<size_t>(count));
        return true;
      }
      file_.clear();
      file_.seekg(static_cast<std::streamoff>(offset));
      file_.read(static_cast<char *>(out), static_cast<std::streamsize>(count));
      return static_cast<uint64_t>(file_.gcount()) == count;
    }

    template <typename T>
    bool readAs(uint64_t offset, T *out) {
      return read(offset, out, sizeof(T));
    }

   private:
    const char *data_ = nullptr;
    std::ifstream file_;
    uint64_t size_ = 0;
    bool open_ = false;
  };

  namespace binary_detail {

  // The parts of 64-bit Mach-O that are checked, declared here since only macOS has
  // <mach-o/loader.h>.
  struct MachHeader {
    uint32_t magic, cpu_type, cpu_subtype, file_type, command_count, commands_size, flags, reserved;
  };
  static_assert(sizeof(MachHeader) == 32);

  struct MachCommand {
    uint32_t command, size;
  };

  struct MachSegment {
    MachCommand head;
    std::array<char, 16> name;
    uint64_t address, memory_size, file_offset, file_size;
  };
  static_assert(sizeof(MachSegment) == 56);

  // As a little-endian machine reads them.
  inline constexpr uint32_t kMachMagic = 0xfeedfacf, kMachFatMagic = 0xbebafeca;
  inline constexpr uint32_t kMachDylib = 6, kMachBundle = 8, kMachSegment64 = 0x19;
  inline constexpr uint32_t kMachX86 = 0x01000007, kMachArm = 0x0100000c;

  struct Processor {
    uint16_t elf;
    uint32_t mach;
    const char *name;
  };
  inline constexpr std::array<Processor, 6> kProcessors{{{elf::kX86, kMachX86, "x86-64"},
                                                         {elf::kAarch64, kMachArm, "aarch64"},
                                                         {243, 0, "RISC-V"},
                                                         {21, 0, "ppc64"},
                                                         {3, 0, "32-bit x86"},
                                                         {40, 0, "32-bit ARM"}}};

  inline constexpr const char *hostProcessor() {
#if defined(__x86_64__)
    return "x86-64";
#elif defined(__aarch64__)
    return "aarch64";
#elif defined(__riscv)
    return "RISC-V";
#elif defined(__powerpc64__)
    return "ppc64";
#else
    return "";  // unknown: left to the system's loader
#endif
  }

  inline std::string number(uint64_t value) {
    return std::to_string(value);
  }

  inline std::string cutShort(const std::string &what, uint64_t needed, uint64_t size) {
    return what + " is cut short: its header asks for " + number(needed) + " bytes, and it has " +
           number(size) + "; copy or build it again";
  }

  inline std::string wrongProcessor(const std::string &what, const char *found) {
    const std::string host = hostProcessor();
    if (host.empty() || host == found) return {};
    return what + " is for " + found + ", and this machine is " + host + "; build it for " + host;
  }

  // Returns whether count bytes from offset on are within size bytes.
  inline bool inside(uint64_t offset, uint64_t count, uint64_t size) {
    return offset <= size && count <= size - offset;
  }

  inline uint64_t endOf(uint64_t offset, uint64_t count) {
    return count > UINT64_MAX - offset ? UINT64_MAX : offset + count;
  }

  inline std::string checkElfSegments(const std::string &what, ByteSource &source,
                                      const elf::Header &header) {
    bool has_code = false;
    bool has_dynamic = false;
    for (uint16_t i = 0; i < header.program_count; ++i) {
      elf::Segment segment{};
      const uint64_t at = header.program_offset + uint64_t{i} * header.program_size;
      if (!source.readAs(at, &segment)) {
        return cutShort(what, endOf(at, sizeof(segment)), source.size());
      }
      has_code = has_code || segment.type == elf::kLoad;
      has_dynamic = has_dynamic || segment.type == elf::kDynamic;
      if (!inside(segment.offset, segment.file_size, source.size())) {
        return cutShort(what, endOf(segment.offset, segment.file_size), source.size());
      }
      if (segment.type == elf::kLoad && segment.file_size > segment.memory_size) {
        return what + " is damaged: a segment has more bytes in the file than in memory";
      }
    }
    if (!has_code || !has_dynamic) {
      return what + " is an ELF file without code to load; build it with -shared";
    }
    return {};
  }

  inline std::string checkElf(const std::string &what, ByteSource &source) {
    elf::Header header{};
    if (!source.readAs(0, &header)) return cutShort(what, sizeof(header), source.size());
    constexpr unsigned char kClass64 = 2;
    constexpr unsigned char kLittleEndian = 1;
    if (header.ident[4] != kClass64 || header.ident[5] != kLittleEndian) {
      return what + " is not a 64-bit little-endian library; build it for " + hostProcessor();
    }
    for (const Processor &processor : kProcessors) {
      if (processor.elf != header.machine) continue;
      if (std::string error = wrongProcessor(what, processor.name); !error.empty()) return error;
    }
    if (std::none_of(kProcessors.begin(), kProcessors.end(),
                     [&](const Processor &p) { return p.elf == header.machine; })) {
      return what + " is for the processor with ELF number " + number(header.machine) +
             ", and this machine is " + hostProcessor();
    }
    if (header.type != elf::kShared) {
      return what + " is an ELF file but not a shared library; build it with -shared";
    }
    if (header.program_size != sizeof(elf::Segment) || header.program_count == 0) {
      return what + " is damaged: it has no table of segments";
    }
    const uint64_t table = uint64_t{header.program_count} * header.program_size;
    if (!inside(header.program_offset, table, source.size())) {
      return cutShort(what, endOf(header.program_offset, table), source.size());
    }
    if (std::string error = checkElfSegments(what, source, header); !error.empty()) return error;
    // Linkers write the section headers last. In a file that was cut short they are missing, and
    // with them the names that others read there.
    const uint64_t sections = uint64_t{header.section_count} * header.section_size;
    if (sections != 0 && !inside(header.section_offset, sections, source.size())) {
      return cutShort(what, endOf(header.section_offset, sections), source.size());
    }
    return {};
  }

  // Checks the image of one architecture: length bytes from offset on.
  inline std::string checkMachImage(const std::string &what, ByteSource &source, uint64_t offset,
                                    uint64_t length) {
    MachHeader header{};
    if (!inside(offset, length, source.size()) || !source.readAs(offset, &header)) {
      return cutShort(what, endOf(offset, std::max<uint64_t>(length, sizeof(header))),
                      source.size());
    }
    if (header.magic != kMachMagic) return what + " is not a 64-bit little-endian Mach-O library";
    for (const Processor &processor : kProcessors) {
      if (processor.mach == 0 || processor.mach != header.cpu_type) continue;
      if (std::string error = wrongProcessor(what, processor.name); !error.empty()) return error;
    }
    if (header.file_type != kMachDylib && header.file_type != kMachBundle) {
      return what + " is a Mach-O file but not a library; build it with -dynamiclib or -bundle";
    }
    uint64_t at = sizeof(header);
    for (uint32_t i = 0; i < header.command_count; ++i) {
      MachCommand command{};
      if (!inside(at, sizeof(command), length) || !source.readAs(offset + at, &command)) {
        return cutShort(what, endOf(offset + at, sizeof(command)), source.size());
      }
      if (command.size < sizeof(command)) return what + " is damaged: a load command has no length";
      if (command.command == kMachSegment64) {
        MachSegment segment{};
        if (!source.readAs(offset + at, &segment)) {
          return cutShort(what, endOf(offset + at, sizeof(segment)), source.size());
        }
        if (!inside(segment.file_offset, segment.file_size, length)) {
          return cutShort(what, endOf(offset + segment.file_offset, segment.file_size),
                          source.size());
        }
      }
      at += command.size;
    }
    return {};
  }

  inline uint32_t swapBytes(uint32_t v) {
    return (v >> 24) | ((v >> 8) & 0xff00U) | ((v << 8) & 0xff0000U) | (v << 24);
  }

  // Checks a universal file, which begins with a big-endian record for each architecture.
  inline std::string checkMachUniversal(const std::string &what, ByteSource &source) {
    std::array<uint32_t, 2> head{};
    if (!source.readAs(0, &head)) return cutShort(what, sizeof(head), source.size());
    const uint32_t count = std::min<uint32_t>(swapBytes(head[1]), 64);
    for (uint32_t i = 0; i < count; ++i) {
      std::array<uint32_t, 5> image{};  // cpu type, subtype, offset, length, alignment
      const uint64_t at = sizeof(head) + uint64_t{i} * sizeof(image);
      if (!source.readAs(at, &image)) return cutShort(what, at + sizeof(image), source.size());
      const uint32_t cpu = swapBytes(image[0]);
      const bool ours = std::any_of(kProcessors.begin(), kProcessors.end(), [&](const auto &p) {
        return p.mach == cpu && std::string_view(p.name) == hostProcessor();
      });
      if (ours) return checkMachImage(what, source, swapBytes(image[2]), swapBytes(image[3]));
    }
    return what + " is a universal library without code for " + hostProcessor();
  }

  inline std::string checkMach(const std::string &what, ByteSource &source, uint32_t magic) {
    if (magic == kMachFatMagic) return checkMachUniversal(what, source);
    return checkMachImage(what, source, 0, source.size());
  }

  inline std::string checkSource(const std::string &what, ByteSource &source) {
    if (source.size() == 0) return what + " is empty";
    uint32_t magic = 0;
    const bool has_magic = source.readAs(0, &magic);
    const bool elf = has_magic && std::memcmp(&magic, "\177ELF", 4) == 0;
    const bool mach = has_magic && (magic == kMachMagic || magic == kMachFatMagic);
#if defined(__APPLE__)
    if (mach) return checkMach(what, source, magic);
    if (elf) return what + " is a library for Linux (ELF), and this system is macOS";
#else
    if (elf) return checkElf(what, source);
    if (mach) return what + " is a library for macOS (Mach-O), and this system is Linux";
#endif
    return what + " is not a shared library: its format is unknown";
  }

  }  // namespace binary_detail

  // Returns why this process can't load the bytes as a shared library, in a sentence that begins
  // with `what`; empty if no check fails.
  inline std::string checkBinary(std::string_view what, const void *data, uint64_t size) {
    ByteSource source(data, data == nullptr ? 0 : size);
    std::string error = binary_detail::checkSource(std::string(what), source);
#if !defined(__APPLE__)
    if (!error.empty()) return error;
    const std::string damage = elf::find_damage({static_cast<const char *>(data), size});
    if (!damage.empty()) {
      error = std::string(what) + " is damaged: " + damage + "; copy or build it again";
    }
#endif
    return error;
  }

  // Does the same for a file, of which it reads only the headers. Also reports a file that can't be
  // read.
  inline std::string checkBinary(const std::string &path) {
    ByteSource source(path);
    const std::string what = "'" + path + "'";
    if (!source.isOpen()) return what + " can't be read: no such file, or no permission";
    return binary_detail::checkSource(what, source);
  }

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_BINARY_CHECK_HPP_
