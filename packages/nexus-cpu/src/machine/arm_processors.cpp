// SPDX-License-Identifier: Apache-2.0
#include "machine/arm_processors.hpp"

#include <algorithm>

namespace nexus_cpu NXS_HIDDEN {
namespace {

constexpr std::string_view kCpuinfo = "/proc/cpuinfo";
// What goes through the C-API as a text is not longer; a brand is a line.
constexpr std::size_t kLongestName = 256;

// The value of the key's first line, which is the first processor's.
std::string cpuinfo_value(std::string_view cpuinfo, std::string_view key) {
  std::string found;
  for_each_line(cpuinfo, [&](std::string_view line) {
    const auto value = value_of(line, key);
    if (value) found = *value;
    return !value.has_value();
  });
  return found;
}

// In a block of lines for each processor the number comes first and the revision last.
std::map<unsigned, ArmSignature> signatures_in(std::string_view cpuinfo) {
  std::map<unsigned, ArmSignature> found;
  std::optional<unsigned> processor;
  ArmSignature signature;
  const auto take = [](unsigned &field, std::string_view line, std::string_view key, int base) {
    const auto value = value_of(line, key);
    if (const auto number = parse_number(value.value_or(""), base)) {
      field = static_cast<unsigned>(*number);
    }
  };
  for_each_line(cpuinfo, [&](std::string_view line) {
    if (const auto value = value_of(line, "processor")) {
      const auto number = parse_number(*value);
      processor = number ? std::optional(static_cast<unsigned>(*number)) : std::nullopt;
      signature = {};
    }
    take(signature.implementer, line, "CPU implementer", 16);
    take(signature.variant, line, "CPU variant", 16);
    take(signature.part, line, "CPU part", 16);
    take(signature.revision, line, "CPU revision", 10);
    if (processor && signature.implementer != 0) found[*processor] = signature;
    return true;
  });
  return found;
}

// The largest kind of core is what a program is compiled for: that of the highest capacity, and of
// several such the last.
ArmSignature largest_core(const SystemTree &tree,
                          const std::map<unsigned, ArmSignature> &signatures) {
  std::map<unsigned, uint64_t> capacities;
  ArmSignature best;
  uint64_t highest = 0;
  for (const auto &[processor, signature] : signatures) {
    const auto [known, is_new] = capacities.try_emplace(signature.kind(), 0);
    if (!is_new) continue;
    known->second = tree.number(processor_file(processor, "/cpu_capacity")).value_or(0);
    if (known->second < highest) continue;
    highest = known->second;
    best = signature;
  }
  return best;
}

bool is_plain(std::string_view word) {
  return std::all_of(word.begin(), word.end(), [](char c) { return c > ' ' && c <= '~'; });
}

// Without what is no name of anything.
std::vector<std::string> cpuinfo_words(std::string_view text) {
  std::vector<std::string> all;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    if (is_plain(text.substr(0, end))) all.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return all;
}

}  // namespace

std::map<unsigned, ArmSignature> read_arm_signatures(const SystemTree &tree) {
  std::map<unsigned, ArmSignature> found = signatures_in(tree.text(std::string(kCpuinfo)));
  if (!found.empty()) return found;
  for (const unsigned processor : tree.list("/sys/devices/system/cpu/online")) {
    const std::string file = processor_file(processor, "/regs/identification/midr_el1");
    const auto midr = parse_number(tree.line(file), 16);
    if (midr) found[processor] = arm_signature(*midr);
  }
  return found;
}

Processor read_arm_processor(const SystemTree &tree) {
  Processor out;
  const std::map<unsigned, ArmSignature> signatures = read_arm_signatures(tree);
  const std::string cpuinfo = tree.text(std::string(kCpuinfo));
  out.features = cpuinfo_words(cpuinfo_value(cpuinfo, "Features"));
  out.name = cpuinfo_value(cpuinfo, "model name").substr(0, kLongestName);
  if (signatures.empty()) return out;
  const ArmSignature signature = largest_core(tree, signatures);
  out.vendor = arm_vendor(signature.implementer);
  out.level = "armv8-a";
  out.architecture = arm_architecture(signature);
  if (out.architecture.empty()) out.architecture = out.level;
  if (out.name.empty()) out.name = out.architecture;
  out.model = signature.part;
  out.stepping = signature.stepping();
  out.simd_lanes = 4;
  return out;
}

}  // namespace nexus_cpu
