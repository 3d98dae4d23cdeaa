// SPDX-License-Identifier: Apache-2.0
//
// An ELF library as its headers describe it: segments, dynamic section, and section headers, which
// the system's loader ignores. Reading throws Damage if they point outside of the file or
// contradict each other.
#ifndef NEXUS_PLUGIN_ELF_IMAGE_HPP_
#define NEXUS_PLUGIN_ELF_IMAGE_HPP_

#include <nexus-plugin/kernel/elf_form.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_plugin __attribute__((visibility("hidden"))) {

  namespace elf {

  // Thrown for a damaged library. why: such as "its symbol table lies outside of the file".
  struct Damage {
    std::string why;
  };

  inline void require(bool holds, const char *why) {
    if (!holds) throw Damage{why};
  }

  // The segments of a library, and where the file has the bytes at an address.
  class Image {
   public:
    // The header and the table of segments must lie within bytes.
    explicit Image(std::string_view bytes) : bytes_(bytes), header_(read<Header>(0)) {
      for (uint64_t i = 0; i < header_.program_count; ++i) {
        segments_.push_back(read<Segment>(header_.program_offset + i * sizeof(Segment)));
      }
      for (const Segment &segment : segments_) {
        if (segment.type == kLoad) add_load(segment);
      }
    }

    const Header &header() const { return header_; }
    const std::vector<Segment> &segments() const { return segments_; }
    uint64_t file_size() const { return bytes_.size(); }

    // Returns the struct at an offset of the file.
    template <typename T>
    T read(uint64_t offset) const {
      T made;
      require(offset <= bytes_.size() && sizeof(T) <= bytes_.size() - offset,
              "a table reaches beyond its end");
      std::memcpy(&made, bytes_.data() + offset, sizeof(T));
      return made;
    }

    // Returns the loaded segment whose memory contains the bytes at an address, or NULL.
    const Segment *load_of(uint64_t address, uint64_t count) const {
      for (const Segment &load : loads_) {
        if (address >= load.address && address - load.address <= load.memory_size &&
            count <= load.memory_size - (address - load.address)) {
          return &load;
        }
      }
      return nullptr;
    }
    // Returns whether the bytes are in memory that has all of the flags.
    bool has(uint64_t address, uint64_t count, uint32_t flags) const {
      const Segment *load = load_of(address, count);
      return load != nullptr && (load->flags & flags) == flags;
    }
    // Returns the file's offset of bytes in memory. Throws Damage if the file does not have them.
    uint64_t offset_of(uint64_t address, uint64_t count, const char *why) const {
      const Segment *load = load_of(address, count);
      require(load != nullptr && address - load->address <= load->file_size &&
                  count <= load->file_size - (address - load->address),
              why);
      return load->offset + (address - load->address);
    }
    // Returns the structs of a table in memory. Throws Damage if the file does not have it.
    template <typename T>
    std::vector<T> table(uint64_t address, uint64_t count, const char *why) const {
      if (count == 0) return {};
      require(count <= bytes_.size() / sizeof(T), why);
      const uint64_t offset = offset_of(address, count * sizeof(T), why);
      std::vector<T> made(static_cast<std::size_t>(count));
      std::memcpy(made.data(), bytes_.data() + offset, count * sizeof(T));
      return made;
    }
    std::string_view bytes_at(uint64_t address, uint64_t count, const char *why) const {
      return bytes_.substr(static_cast<std::size_t>(offset_of(address, count, why)),
                           static_cast<std::size_t>(count));
    }

   private:
    void add_load(const Segment &load) {
      constexpr uint64_t kHighest = uint64_t{1} << 46;
      require(load.address < kHighest && load.memory_size < kHighest,
              "a segment lies beyond all addresses");
      require(
          std::has_single_bit(load.alignment) && (load.address - load.offset) % load.alignment == 0,
          "a segment is not aligned");
      require((load.flags & kReadable) != 0, "a segment can't be read");
      require(loads_.empty() || loads_.back().address + loads_.back().memory_size <= load.address,
              "its segments overlap");
      loads_.push_back(load);
    }

    std::string_view bytes_;
    Header header_;
    std::vector<Segment> segments_;
    std::vector<Segment> loads_;
  };

  // The dynamic section: a value for each tag, and the libraries that the library needs.
  class Dynamic {
   public:
    Dynamic(const Image &image, const Segment &segment) {
      constexpr const char *kOutside = "its dynamic section lies outside of its memory";
      require(image.has(segment.address, segment.memory_size, kWritable) &&
                  image.offset_of(segment.address, segment.file_size, kOutside) == segment.offset,
              kOutside);
      const auto entries =
          image.table<Entry>(segment.address, segment.file_size / sizeof(Entry), kOutside);
      for (const Entry &entry : entries) {
        if (entry.tag == tag::kEnd) return;
        if (entry.tag == tag::kNeeded) {
          needed_.push_back(entry.value);
        } else {
          require(values_.emplace(entry.tag, entry.value).second,
                  "its dynamic section has an entry twice");
        }
      }
      throw Damage{"its dynamic section has no end"};
    }

    bool has(uint64_t which) const { return values_.count(which) != 0; }
    uint64_t operator[](uint64_t which) const {
      const auto found = values_.find(which);
      return found == values_.end() ? 0 : found->second;
    }
    const std::vector<uint64_t> &needed() const { return needed_; }

    // Throws Damage unless all of the tags are there, or none.
    void require_together(std::initializer_list<uint64_t> tags) const {
      const auto is_there = [this](uint64_t which) { return has(which); };
      require(std::all_of(tags.begin(), tags.end(), is_there) ||
                  std::none_of(tags.begin(), tags.end(), is_there),
              "its dynamic section names a table by half");
    }

   private:
    std::map<uint64_t, uint64_t> values_;
    std::vector<uint64_t> needed_;
  };

  // The section headers, which describe the library a second time; there may be none.
  class Sections {
   public:
    explicit Sections(const Image &image) {
      const Header &header = image.header();
      if (header.section_offset == 0 || header.section_size != sizeof(Section)) return;
      for (uint64_t i = 0; i < header.section_count; ++i) {
        all_.push_back(image.read<Section>(header.section_offset + i * sizeof(Section)));
      }
      for (const Section &section : all_) check_place(image, section);
    }

    bool known() const { return !all_.empty(); }
    const std::vector<Section> &all() const { return all_; }

    // Returns the loaded section of a type, or NULL.
    const Section *find(uint32_t type) const {
      const auto found = std::find_if(all_.begin(), all_.end(), [&](const Section &each) {
        return each.type == type && (each.flags & kAllocated) != 0;
      });
      return found == all_.end() ? nullptr : &*found;
    }
    uint64_t size_of(uint32_t type) const {
      const Section *section = find(type);
      return section == nullptr ? 0 : section->size;
    }
    // Throws Damage unless a table begins with one section of that type and ends with the same or
    // another one.
    void require_table(uint32_t type, uint64_t address, uint64_t size) const {
      if (!known() || size == 0) return;
      bool begins = false, ends = false;
      for (const Section &each : all_) {
        if (each.type != type || (each.flags & kAllocated) == 0) continue;
        begins = begins || each.address == address;
        ends = ends || each.address + each.size == address + size;
      }
      require(begins && ends, "its dynamic section and its section headers disagree");
    }

   private:
    static void check_place(const Image &image, const Section &section) {
      constexpr const char *kDisagree = "its segments and its section headers disagree";
      const bool in_thread = (section.flags & kThreadLocal) != 0;
      if ((section.flags & kAllocated) == 0 || section.size == 0 || in_thread) return;
      uint32_t flags = kReadable;
      if ((section.flags & kWritten) != 0) flags |= kWritable;
      if ((section.flags & kInstructions) != 0) flags |= kExecutable;
      require(image.has(section.address, section.size, flags), kDisagree);
      if (section.type == kNoBits) return;
      require(image.offset_of(section.address, section.size, kDisagree) == section.offset,
              kDisagree);
    }

    std::vector<Section> all_;
  };

  }  // namespace elf

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_ELF_IMAGE_HPP_
