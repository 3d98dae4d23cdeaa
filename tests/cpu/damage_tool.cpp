// SPDX-License-Identifier: Apache-2.0
//
// damage_tool LIBRARY SYMBOL ROUNDS: changes each byte of the library's headers and tables, one at
// a time. If it is not refused, a child loads it and reads the symbol. Prints the changes
// that were refused, survived, and crashed the child, by the part of the file.
//
// damage_tool FILE...: prints which undamaged libraries are refused.
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <nexus-plugin/kernel/binary_check.hpp>
#include <string>
#include <vector>

namespace {

namespace elf = nexus_plugin::elf;

std::string read_file(const char *path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string refusal_of(const std::string &bytes) {
  return nexus_plugin::checkBinary("it", bytes.data(), bytes.size());
}

// Bytes of the file that are changed, by the name of their part.
std::map<std::string, std::vector<uint64_t>> parts_of(const std::string &bytes) {
  std::map<std::string, std::vector<uint64_t>> parts;
  const auto add = [&](const std::string &name, uint64_t offset, uint64_t size) {
    for (uint64_t at = offset; at < offset + size; ++at) parts[name].push_back(at);
  };
  const elf::Image image(bytes);
  const elf::Header &header = image.header();
  add("ELF header", 0, sizeof(header));
  add("program headers", header.program_offset, header.program_count * sizeof(elf::Segment));
  const elf::Sections sections(image);
  for (const elf::Section &section : sections.all()) {
    if (section.type == elf::kDynamicSection) add("dynamic section", section.offset, section.size);
    if (section.type == elf::kDynamicSymbols) add("symbols", section.offset, section.size);
    if (section.type == elf::kHashTable) add("hash table", section.offset, section.size);
    if (section.type == elf::kGnuHashTable) add("hash table", section.offset, section.size);
    if (section.type == elf::kVersionNeeds) add("versions", section.offset, section.size);
    if (section.type == elf::kSymbolVersions) add("versions", section.offset, section.size);
    if (section.type == elf::kRelocations) add("relocations", section.offset, section.size);
  }
  return parts;
}

// Loads the library as the plug-in does, and reads the start of what the symbol names.
[[noreturn]] void load(const std::string &bytes, const char *symbol) {
  const rlimit none{0, 0};
  (void)setrlimit(RLIMIT_CORE, &none);
  alarm(20);  // a loader that does not return is one that ends the process
  const int file = memfd_create("damaged", 0);
  if (write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) _exit(0);
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) {
    const auto *found = static_cast<const volatile char *>(dlsym(library, symbol));
    if (found != nullptr) (void)*found;
    dlclose(library);
  }
  _exit(0);
}

bool ends_a_child(const std::string &bytes, const char *symbol) {
  const pid_t child = fork();
  if (child == 0) {
    if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(0);
    load(bytes, symbol);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
  }
  return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

void damage(const std::string &whole, const char *symbol, unsigned rounds) {
  for (const auto &[name, offsets] : parts_of(whole)) {
    unsigned refused = 0, survived = 0, ended = 0;
    for (const uint64_t at : offsets) {
      for (unsigned round = 0; round < rounds; ++round) {
        std::string bytes = whole;
        const auto masks = "\xff\x01\x10\x80";
        bytes[at] = static_cast<char>(bytes[at] ^ masks[round % 4]);
        if (!refusal_of(bytes).empty()) {
          ++refused;
        } else if (ends_a_child(bytes, symbol)) {
          ++ended;
          std::fprintf(stderr, "%s: byte %llu, %02x to %02x\n", name.c_str(),
                       static_cast<unsigned long long>(at), whole[at] & 0xff, bytes[at] & 0xff);
        } else {
          ++survived;
        }
      }
    }
    std::printf("%s: %u %u %u\n", name.c_str(), refused, survived, ended);
  }
}

}  // namespace

int main(int count, char **words) {
  if (count == 4 && std::atoi(words[3]) > 0) {
    damage(read_file(words[1]), words[2], static_cast<unsigned>(std::atoi(words[3])));
    return 0;
  }
  for (int i = 1; i < count; ++i) {
    const std::string why = refusal_of(read_file(words[i]));
    if (!why.empty()) std::printf("%s: %s\n", words[i], why.c_str());
  }
}
