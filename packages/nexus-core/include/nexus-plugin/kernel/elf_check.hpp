// SPDX-License-Identifier: Apache-2.0
//
// Checks the tables of an ELF library that the system's loader reads without checks of its own: an
// address, count or index that points outside of the library crashes the process in dlopen().
// Everything else, such as machine code, is not checked.
#ifndef NEXUS_PLUGIN_ELF_CHECK_HPP_
#define NEXUS_PLUGIN_ELF_CHECK_HPP_

#include <nexus-plugin/kernel/elf_image.hpp>

#include <iterator>
#include <optional>

namespace nexus_plugin __attribute__((visibility("hidden"))) {

  namespace elf {

  // The checks of one library. Each throws Damage.
  class Tables {
   public:
    explicit Tables(std::string_view bytes)
        : image_(bytes),
          dynamic_(image_, only(kDynamic)),
          sections_(image_),
          strings_(read_strings()) {}

    void check() {
      check_segments();
      check_dynamic();
      read_hashes();
      check_symbols();
      check_versions();
      check_relocations();
      check_arrays();
    }

   private:
    // Returns the table of names. Each name ends with a zero byte, so the table does too.
    std::string_view read_strings() const {
      constexpr const char *kOutside = "its names lie outside of the file";
      const uint64_t size = dynamic_[tag::kStringsSize];
      require(size != 0, kOutside);
      const std::string_view found = image_.bytes_at(dynamic_[tag::kStrings], size, kOutside);
      require(found.back() == '\0', "its last name has no end");
      return found;
    }
    std::string_view name_at(uint64_t offset) const {
      require(offset < strings_.size(), "a name lies outside of its names");
      return strings_.data() + offset;
    }

    const Segment &only(uint32_t type) const {
      const Segment *found = nullptr;
      for (const Segment &segment : image_.segments()) {
        if (segment.type != type) continue;
        require(found == nullptr, "it has a segment twice");
        found = &segment;
      }
      require(found != nullptr, "it has no dynamic section");
      return *found;
    }

    // ---- Segments and the dynamic section ----

    void check_segments() const {
      for (const Segment &segment : image_.segments()) {
        const bool in_memory = image_.has(segment.address, segment.memory_size, kReadable);
        switch (segment.type) {
          case kProgramHeaders:
            require(in_memory && image_.offset_of(segment.address, segment.file_size, kPlace) ==
                                     image_.header().program_offset,
                    "its headers lie elsewhere");
            break;
          case kThread:
            require(segment.file_size <= segment.memory_size &&
                        (segment.alignment == 0 || std::has_single_bit(segment.alignment)) &&
                        image_.has(segment.address, segment.file_size, kReadable),
                    kPlace);
            break;
          case kRelro:
            check_relro(segment);
            break;
          case kUnwinding:
            require(in_memory, kPlace);
            break;
          case kNote:
          case kProperty:
            require(in_memory, kPlace);
            check_notes(segment);
            break;
          default:
            break;
        }
      }
    }

    // Checks memory that becomes read-only after relocation. Linkers round its end up to a page.
    void check_relro(const Segment &segment) const {
      const uint64_t page = is_x86() ? 0x1000 : 0x10000;
      const Segment *load = image_.load_of(segment.address, 1);
      require(load != nullptr && (load->flags & kWritable) != 0, kPlace);
      const uint64_t end = load->address + load->memory_size + page - 1;
      require(segment.memory_size <= end - end % page - segment.address, kPlace);
    }

    void check_notes(const Segment &segment) const {
      struct Note {
        uint32_t name, description, type;
      };
      const uint64_t alignment = segment.alignment == 8 ? 8 : 4;
      const auto up = [&](uint64_t size) { return (size + alignment - 1) / alignment * alignment; };
      const uint64_t end =
          image_.offset_of(segment.address, segment.memory_size, kPlace) + segment.memory_size;
      for (uint64_t at = end - segment.memory_size; end - at >= sizeof(Note);) {
        const Note note = image_.read<Note>(at);
        const uint64_t size = up(up(sizeof(note) + note.name) + note.description);
        require(size <= up(end - at), "a note reaches beyond its segment");
        at = std::min(end, at + size);
      }
    }

    void check_dynamic() const {
      require(!dynamic_.has(tag::kRel), "it has relocations of 32-bit libraries");
      dynamic_.require_together(
          {tag::kStrings, tag::kStringsSize, tag::kSymbols, tag::kSymbolEntry});
      dynamic_.require_together({tag::kRela, tag::kRelaSize, tag::kRelaEntry});
      dynamic_.require_together({tag::kPlt, tag::kPltSize, tag::kPltType});
      dynamic_.require_together({tag::kRelr, tag::kRelrSize, tag::kRelrEntry});
      dynamic_.require_together({tag::kInitArray, tag::kInitSize});
      dynamic_.require_together({tag::kFiniArray, tag::kFiniSize});
      dynamic_.require_together({tag::kNeeds, tag::kNeedsCount});
      dynamic_.require_together({tag::kDefined, tag::kDefinedCount});
      require(dynamic_.has(tag::kVersions) ||
                  !(dynamic_.has(tag::kNeeds) || dynamic_.has(tag::kDefined)),
              kVersion);
      const auto is = [&](uint64_t which, uint64_t wanted) {
        return !dynamic_.has(which) || dynamic_[which] == wanted;
      };
      require(is(tag::kSymbolEntry, sizeof(Symbol)) && is(tag::kRelaEntry, sizeof(Relocation)) &&
                  is(tag::kRelrEntry, sizeof(uint64_t)) && is(tag::kPltType, tag::kRela),
              "its dynamic section has the size of an entry wrong");
      constexpr uint64_t kKnownFlags = 0x1f;
      require((dynamic_[tag::kFlags] & ~kKnownFlags) == 0, "its dynamic section has unknown flags");
      for (const uint64_t which :
           {tag::kName, tag::kRpath, tag::kRunPath, tag::kAuxiliary, tag::kFilter}) {
        if (dynamic_.has(which)) (void)name_at(dynamic_[which]);
      }
      for (const uint64_t name : dynamic_.needed()) (void)name_at(name);
      for (const uint64_t which : {tag::kInit, tag::kFini}) {
        require(!dynamic_.has(which) || image_.has(dynamic_[which], 1, kExecutable),
                "a function that begins or ends it lies outside of its code");
      }
      require(!dynamic_.has(tag::kPltGot) || image_.has(dynamic_[tag::kPltGot], 1, kWritable),
              kPlace);
      if (!sections_.known()) return;
      const Section *symbols = sections_.find(kDynamicSymbols);
      const Section *section = sections_.find(kDynamicSection);
      require(symbols != nullptr && symbols->link < sections_.all().size() &&
                  symbols->address == dynamic_[tag::kSymbols] && section != nullptr &&
                  section->address == only(kDynamic).address,
              kDisagree);
      const Section &strings = sections_.all()[symbols->link];
      require(strings.address == dynamic_[tag::kStrings] && strings.size == strings_.size(),
              kDisagree);
    }

    // ---- Symbols ----

    // Counts the symbols, by the section headers if known, else by the hash tables, and reads them.
    void read_hashes() {
      if (const Section *section = sections_.find(kDynamicSymbols)) {
        symbol_count_ = section->size / sizeof(Symbol);
      }
      std::optional<uint64_t> by_hash;
      if (dynamic_.has(tag::kHash)) by_hash = check_hash(dynamic_[tag::kHash]);
      if (dynamic_.has(tag::kGnuHash)) {
        const uint64_t end = check_gnu_hash(dynamic_[tag::kGnuHash]);
        require(!by_hash || end <= *by_hash, kHashes);
        by_hash = std::max(by_hash.value_or(0), end);
      }
      require(by_hash.has_value(), "it has no table of its symbols");
      if (!sections_.known()) symbol_count_ = *by_hash;
      require(*by_hash <= symbol_count_, kHashes);
      symbols_ = image_.table<Symbol>(dynamic_[tag::kSymbols], symbol_count_,
                                      "its symbols lie outside of the file");
    }

    // Returns the number of symbols.
    uint64_t check_hash(uint64_t address) const {
      sections_.require_table(kHashTable, address, sections_.size_of(kHashTable));
      const auto head = image_.table<uint32_t>(address, 2, kHashes);
      const uint64_t buckets = head[0], count = head[1];
      const auto all = image_.table<uint32_t>(address, 2 + buckets + count, kHashes);
      require(buckets != 0 && (!sections_.known() || count == symbol_count_), kHashes);
      const uint32_t *chains = all.data() + 2 + buckets;
      for (uint64_t i = 0; i < buckets; ++i) {
        uint64_t steps = 0;
        for (uint32_t at = all[2 + i]; at != 0; at = chains[at]) {
          require(at < count && ++steps <= count, kHashes);
        }
      }
      return count;
    }

    // Returns one more than the last symbol in the table. Checks each hash against the name.
    uint64_t check_gnu_hash(uint64_t address) const {
      sections_.require_table(kGnuHashTable, address, sections_.size_of(kGnuHashTable));
      const auto head = image_.table<uint32_t>(address, 4, kHashes);
      const uint64_t buckets = head[0], first = head[1], filter = head[2];
      require(std::has_single_bit(filter) && head[3] < 64, kHashes);
      const uint64_t at = address + sizeof(uint32_t) * 4 + filter * sizeof(uint64_t);
      require(filter <= image_.file_size(), kHashes);
      const auto heads = image_.table<uint32_t>(at, buckets, kHashes);
      const uint64_t chains = at + buckets * sizeof(uint32_t);
      uint64_t end = first;
      for (uint64_t i = 0; i < buckets; ++i) {
        if (heads[i] == 0) continue;
        require(heads[i] >= first, kHashes);
        uint64_t symbol = heads[i];
        for (bool last = false; !last; ++symbol) {
          require(!sections_.known() || symbol < symbol_count_, kHashes);
          const uint32_t hash =
              image_.table<uint32_t>(chains + (symbol - first) * sizeof(uint32_t), 1, kHashes)[0];
          check_name(symbol, hash, i, buckets);
          last = (hash & 1U) != 0;
        }
        end = std::max(end, symbol);
      }
      return end;
    }

    void check_name(uint64_t index, uint32_t hash, uint64_t bucket, uint64_t buckets) const {
      const uint64_t address = dynamic_[tag::kSymbols] + index * sizeof(Symbol);
      const Symbol symbol = image_.table<Symbol>(address, 1, kHashes)[0];
      uint32_t made = 5381;
      for (const char letter : name_at(symbol.name)) {
        made = made * 33 + static_cast<unsigned char>(letter);
      }
      require((made | 1U) == (hash | 1U) && made % buckets == bucket, kHashes);
    }

    void check_symbols() const {
      for (const Symbol &symbol : symbols_) {
        (void)name_at(symbol.name);
        if (symbol.section == kUndefined) {
          // The loader would take any other for a symbol of the library itself.
          const bool elsewhere = symbol.value == 0 && symbol.visibility() == 0 &&
                                 (symbol.binding() == kGlobal || symbol.binding() == kWeak);
          require(&symbol == symbols_.data() || elsewhere, kSymbol);
        } else if (symbol.section >= kReserved) {
          require(symbol.section == kAbsolute && symbol.size == 0, kSymbol);
        } else if (symbol.type() == kThreadVariable) {
          const Segment &thread = only(kThread);
          require(symbol.value <= thread.memory_size &&
                      symbol.size <= thread.memory_size - symbol.value,
                  kSymbol);
        } else {
          const bool runs = symbol.type() == kFunction || symbol.type() == kResolved;
          require(image_.has(symbol.value, symbol.size, runs ? kExecutable : kReadable), kSymbol);
          check_section(symbol);
        }
      }
    }

    void check_section(const Symbol &symbol) const {
      // Symbols that linkers add, such as the end of all data, may lie outside of their section.
      if (!sections_.known() || symbol.type() == 0) return;
      require(symbol.section < sections_.all().size(), kSymbol);
      const Section &section = sections_.all()[symbol.section];
      require(symbol.value >= section.address &&
                  symbol.value + symbol.size <= section.address + section.size,
              kSymbol);
    }

    // ---- Versions ----

    void check_versions() {
      sections_.require_table(kVersionNeeds, dynamic_[tag::kNeeds],
                              sections_.size_of(kVersionNeeds));
      sections_.require_table(kVersionDefinitions, dynamic_[tag::kDefined],
                              sections_.size_of(kVersionDefinitions));
      std::set<uint16_t> known{0, 1};
      read_needs(known);
      read_definitions(known);
      if (!dynamic_.has(tag::kVersions)) return;
      sections_.require_table(kSymbolVersions, dynamic_[tag::kVersions],
                              symbol_count_ * sizeof(uint16_t));
      for (const uint16_t version :
           image_.table<uint16_t>(dynamic_[tag::kVersions], symbol_count_, kVersion)) {
        require(known.count(version & 0x7fffU) != 0, kVersion);
      }
    }

    // Reads the symbol versions that it needs of other libraries. The dynamic section must name
    // each of those libraries.
    void read_needs(std::set<uint16_t> &known) const {
      struct Need {
        uint16_t version, count;
        uint32_t file, parts, next;
      };
      struct Part {
        uint32_t hash;
        uint16_t flags, number;
        uint32_t name, next;
      };
      uint64_t at = dynamic_[tag::kNeeds];
      for (uint64_t left = dynamic_[tag::kNeedsCount]; left != 0; --left) {
        const Need need = image_.table<Need>(at, 1, kVersion)[0];
        require(need.version == 1 && need.count != 0 && is_needed(name_at(need.file)), kVersion);
        uint64_t part_at = at + need.parts;
        for (uint16_t i = 0; i < need.count; ++i) {
          const Part part = image_.table<Part>(part_at, 1, kVersion)[0];
          require(part.hash == hash_of(name_at(part.name)), kVersion);
          require((part.next == 0) == (i + 1 == need.count), kVersion);
          known.insert(part.number & 0x7fffU);
          part_at += part.next;
        }
        require((need.next == 0) == (left == 1), kVersion);
        at += need.next;
      }
    }

    void read_definitions(std::set<uint16_t> &known) const {
      struct Definition {
        uint16_t version, flags, number, count;
        uint32_t hash, parts, next;
      };
      struct Part {
        uint32_t name, next;
      };
      uint64_t at = dynamic_[tag::kDefined];
      for (uint64_t left = dynamic_[tag::kDefinedCount]; left != 0; --left) {
        const Definition made = image_.table<Definition>(at, 1, kVersion)[0];
        require(made.version == 1 && made.count != 0, kVersion);
        const Part part = image_.table<Part>(at + made.parts, 1, kVersion)[0];
        require(made.hash == hash_of(name_at(part.name)), kVersion);
        require((made.next == 0) == (left == 1), kVersion);
        known.insert(made.number & 0x7fffU);
        at += made.next;
      }
    }

    bool is_needed(std::string_view file) const {
      const auto &needed = dynamic_.needed();
      return std::any_of(needed.begin(), needed.end(),
                         [&](uint64_t name) { return name_at(name) == file; });
    }

    static uint32_t hash_of(std::string_view name) {
      uint32_t hash = 0;
      for (const char letter : name) {
        hash = (hash << 4) + static_cast<unsigned char>(letter);
        const uint32_t high = hash & 0xf0000000U;
        hash = (hash ^ (high >> 24)) & ~high;
      }
      return hash;
    }

    // ---- Relocations ----

    void check_relocations() {
      const uint64_t plain = dynamic_[tag::kRelaCount];
      const auto relocations = read_relocations(tag::kRela, tag::kRelaSize);
      require(plain <= relocations.size(), kRelocation);
      for (std::size_t i = 0; i < relocations.size(); ++i) {
        check_relocation(relocations[i]);
        require(i >= plain || relocations[i].type == relative(), kRelocation);
      }
      for (const Relocation &each : read_relocations(tag::kPlt, tag::kPltSize)) {
        // Some linkers count the relocations of functions among the others too.
        const bool counted_twice = dynamic_[tag::kPlt] >= dynamic_[tag::kRela] &&
                                   dynamic_[tag::kPlt] + dynamic_[tag::kPltSize] <=
                                       dynamic_[tag::kRela] + dynamic_[tag::kRelaSize];
        if (!counted_twice) check_relocation(each);
      }
      check_packed();
    }

    std::vector<Relocation> read_relocations(uint64_t where, uint64_t size) const {
      sections_.require_table(kRelocations, dynamic_[where], dynamic_[size]);
      require(dynamic_[size] % sizeof(Relocation) == 0, kRelocation);
      if (dynamic_[size] == 0) return {};
      return image_.table<Relocation>(dynamic_[where], dynamic_[size] / sizeof(Relocation),
                                      kRelocation);
    }

    void check_relocation(const Relocation &each) {
      require(each.symbol < symbol_count_, kRelocation);
      if (each.type == 0) return;  // does nothing
      require(is_known(each.type), kRelocation);
      const Segment &dynamic = only(kDynamic);
      require(image_.has(each.offset, sizeof(uint64_t), kWritable) &&
                  (each.offset + sizeof(uint64_t) <= dynamic.address ||
                   each.offset >= dynamic.address + dynamic.memory_size) &&
                  is_first(each.offset),
              kRelocation);
      if (each.type == relative()) {
        require(each.symbol == 0 && image_.has(each.addend, 0, kReadable), kRelocation);
      } else if (each.type == resolved()) {
        require(image_.has(each.addend, 1, kExecutable), kRelocation);
      } else if (each.type == variable() || each.type == function()) {
        require(each.symbol != 0, kRelocation);
      }
    }

    // Returns whether no earlier relocation changes the same bytes.
    bool is_first(uint64_t offset) {
      const auto [place, is_new] = relocated_.insert(offset);
      const auto next = std::next(place);
      return is_new && (next == relocated_.end() || *next - offset >= sizeof(uint64_t)) &&
             (place == relocated_.begin() || offset - *std::prev(place) >= sizeof(uint64_t));
    }

    // Checks packed relocations (RELR): an address, and then bit maps of the words after it.
    void check_packed() {
      const auto words = image_.table<uint64_t>(
          dynamic_[tag::kRelr], dynamic_[tag::kRelrSize] / sizeof(uint64_t), kRelocation);
      uint64_t next = 0;
      const auto add = [&](uint64_t place) {
        require(image_.has(place, sizeof(uint64_t), kWritable), kRelocation);
        relocated_.insert(place);
      };
      for (const uint64_t word : words) {
        if ((word & 1U) == 0) {
          add(word);
          next = word + sizeof(uint64_t);
          continue;
        }
        for (unsigned bit = 1; bit < 64; ++bit) {
          if ((word >> bit & 1U) != 0) add(next + (bit - 1) * sizeof(uint64_t));
        }
        next += 63 * sizeof(uint64_t);
      }
    }

    bool is_x86() const { return image_.header().machine == kX86; }
    uint32_t relative() const { return is_x86() ? 8 : 1027; }
    uint32_t resolved() const { return is_x86() ? 37 : 1032; }
    uint32_t variable() const { return is_x86() ? 6 : 1025; }
    uint32_t function() const { return is_x86() ? 7 : 1026; }
    bool is_known(uint32_t type) const {
      if (is_x86())
        return type == 1 || (type >= 6 && type <= 8) || (type >= 16 && type <= 18) ||
               (type >= 36 && type <= 37);
      return image_.header().machine != kAarch64 || type == 257 || (type >= 1025 && type <= 1032);
    }

    // Checks the arrays of functions that the loader calls: a relocation sets each address.
    void check_arrays() const {
      check_array(kInitArray, dynamic_[tag::kInitArray], dynamic_[tag::kInitSize]);
      check_array(kFiniArray, dynamic_[tag::kFiniArray], dynamic_[tag::kFiniSize]);
    }
    void check_array(uint32_t type, uint64_t address, uint64_t size) const {
      sections_.require_table(type, address, size);
      require(size % sizeof(uint64_t) == 0 && size <= image_.file_size(), kPlace);
      for (uint64_t at = address; at < address + size; at += sizeof(uint64_t)) {
        require(relocated_.count(at) != 0, "a function that begins or ends it has no address");
      }
    }

    static constexpr const char *kPlace = "a segment lies outside of its memory";
    static constexpr const char *kDisagree = "its dynamic section and its section headers disagree";
    static constexpr const char *kHashes = "the table of its symbols' names is wrong";
    static constexpr const char *kSymbol = "a symbol lies outside of its code and data";
    static constexpr const char *kVersion = "its symbols' versions are wrong";
    static constexpr const char *kRelocation = "a relocation leads outside of it";

    Image image_;
    Dynamic dynamic_;
    Sections sections_;
    std::string_view strings_;
    uint64_t symbol_count_ = 0;
    std::vector<Symbol> symbols_;
    std::set<uint64_t> relocated_;
  };

  // Returns what is wrong with the tables of a library, such as "its names lie outside of the
  // file", or an empty text. The header and the segments must lie within bytes.
  inline std::string find_damage(std::string_view bytes) {
    try {
      Tables(bytes).check();
      return {};
    } catch (const Damage &damage) {
      return damage.why;
    }
  }

  }  // namespace elf

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_ELF_CHECK_HPP_
