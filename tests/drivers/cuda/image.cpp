// SPDX-License-Identifier: Apache-2.0
#include "image.hpp"

#include "../kernels/form.hpp"
#include "ptx.hpp"

#include <cstring>
#include <regex>

using simulator::Code;
using simulator::require;

namespace {

constexpr uint32_t kFatbin = 0xba55ed50;  // what a fatbin begins with
constexpr uint16_t kFatbinCubin = 2;

// A cubin runs on devices of the same major version and at least the same minor one.
bool runs_on(int built_for, int device) {
  return built_for / 10 == device / 10 && built_for % 10 <= device % 10;
}

Code parse_cubin(const char *code, int architecture) {
  Elf64_Ehdr header;
  std::memcpy(&header, code, sizeof(header));
  require(simulated_kernels::has_sections(header, simulated_kernels::kCudaMachine),
          CUDA_ERROR_INVALID_IMAGE);
  // From ABI version 8 on the architecture is in the second byte.
  constexpr unsigned char kWideFlags = 8;
  const bool wide = header.e_ident[EI_ABIVERSION] >= kWideFlags;
  const auto built_for = static_cast<int>((wide ? header.e_flags >> 8 : header.e_flags) & 0xff);
  require(runs_on(built_for, architecture), CUDA_ERROR_NO_BINARY_FOR_GPU);
  Code image;
  simulated_kernels::for_each_section(code, [&](const std::string &name, std::string_view content) {
    const std::string kernel_prefix = ".text.";
    if (name == NEXUS_SIMULATED_SECTION) {
      image.host_object = content;
    } else if (name.starts_with(kernel_prefix)) {
      image.names.push_back(name.substr(kernel_prefix.size()));
    }
  });
  return image;
}

struct FatbinHeader {
  uint32_t magic;
  uint16_t version;
  uint16_t header_size;
  uint64_t size;
};

struct FatbinEntry {
  uint16_t kind;
  uint16_t version;
  uint32_t header_size;
  uint64_t size;
  uint32_t unused[3];
  uint32_t architecture;
};

// The best cubin for the device in it.
Code parse_fatbin(const char *code, int architecture) {
  FatbinHeader header;
  std::memcpy(&header, code, sizeof(header));
  require(header.header_size >= sizeof(header), CUDA_ERROR_INVALID_IMAGE);
  const char *at = code + header.header_size;
  const char *const end = at + header.size;
  const char *best = nullptr;
  int best_architecture = 0;
  while (end - at >= static_cast<std::ptrdiff_t>(sizeof(FatbinEntry))) {
    FatbinEntry entry;
    std::memcpy(&entry, at, sizeof(entry));
    require(entry.header_size >= sizeof(entry), CUDA_ERROR_INVALID_IMAGE);
    const int built_for = static_cast<int>(entry.architecture);
    if (entry.kind == kFatbinCubin && runs_on(built_for, architecture) &&
        built_for > best_architecture) {
      best = at + entry.header_size;
      best_architecture = built_for;
    }
    at += entry.header_size + entry.size;
  }
  require(best != nullptr, CUDA_ERROR_NO_BINARY_FOR_GPU);
  return parse_cubin(best, architecture);
}

int number_of(const std::string &text) {
  return std::atoi(text.c_str());
}

Code parse_ptx(const std::string &text, int architecture) {
  std::smatch version, target;
  static const std::regex version_line(R"(\.version\s+(\d+)\.(\d+))");
  static const std::regex target_line(R"(\.target\s+sm_(\d+))");
  static const std::regex entry(R"(\.entry\s+([A-Za-z_$][\w$]*))");
  require(std::regex_search(text, version, version_line) &&
              std::regex_search(text, target, target_line),
          CUDA_ERROR_INVALID_PTX);
  const int ptx_version = number_of(version[1]) * 10 + number_of(version[2]);
  // CUDA 12.0 has PTX 8.0, each minor version one more; 13.0 has 9.0.
  const int driver = simulator::world().settings.driver_version;
  const int newest = (driver / 1000 - 4) * 10 + driver % 1000 / 10;
  require(ptx_version <= newest, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  require(number_of(target[1]) <= architecture, CUDA_ERROR_INVALID_PTX);
  Code image;
  for (std::sregex_iterator each(text.begin(), text.end(), entry), end; each != end; ++each) {
    image.names.push_back((*each)[1]);
  }
  image.host_object = simulated_kernels::object_in_ptx(text);
  if (text.find("cudaGraphSetConditional") != std::string::npos) {
    for (const std::string &name : image.names) {
      image.interpreted[name] = interpret_ptx(text, name);
    }
  }
  return image;
}

}  // namespace

Code parse_image(const void *code, int architecture) {
  require(code != nullptr);
  const char *bytes = static_cast<const char *>(code);
  if (std::memcmp(bytes, ELFMAG, SELFMAG) == 0) return parse_cubin(bytes, architecture);
  uint32_t magic;
  std::memcpy(&magic, bytes, sizeof(magic));
  if (magic == kFatbin) return parse_fatbin(bytes, architecture);
  const std::string text = bytes;
  require(text.find(".version") != std::string::npos, CUDA_ERROR_INVALID_IMAGE);
  return parse_ptx(text, architecture);
}
