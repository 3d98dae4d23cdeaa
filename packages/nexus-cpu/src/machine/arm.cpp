// SPDX-License-Identifier: Apache-2.0 Arm processors as Linux reports them; compiled on every
// machine.
#include "machine/processor.hpp"

#include <algorithm>
#include <cstdio>
#include <nexus-plugin/base/text.hpp>

namespace nexus_cpu NXS_HIDDEN {
namespace {

struct ArmPart {
  unsigned kind;  // the implementer and the part
  const char *name;
};

// The numbers are those of LLVM's Host.cpp; processors that run 64-bit programs.
constexpr ArmPart kArmParts[] = {
    {0x41d02, "cortex-a34"},    {0x41d03, "cortex-a53"},     {0x41d04, "cortex-a35"},
    {0x41d05, "cortex-a55"},    {0x41d06, "cortex-a65"},     {0x41d07, "cortex-a57"},
    {0x41d08, "cortex-a72"},    {0x41d09, "cortex-a73"},     {0x41d0a, "cortex-a75"},
    {0x41d0b, "cortex-a76"},    {0x41d0c, "neoverse-n1"},    {0x41d0d, "cortex-a77"},
    {0x41d0e, "cortex-a76ae"},  {0x41d14, "cortex-r82ae"},   {0x41d15, "cortex-r82"},
    {0x41d40, "neoverse-v1"},   {0x41d41, "cortex-a78"},     {0x41d42, "cortex-a78ae"},
    {0x41d43, "cortex-a65ae"},  {0x41d44, "cortex-x1"},      {0x41d46, "cortex-a510"},
    {0x41d47, "cortex-a710"},   {0x41d48, "cortex-x2"},      {0x41d49, "neoverse-n2"},
    {0x41d4a, "neoverse-e1"},   {0x41d4b, "cortex-a78c"},    {0x41d4c, "cortex-x1c"},
    {0x41d4d, "cortex-a715"},   {0x41d4e, "cortex-x3"},      {0x41d4f, "neoverse-v2"},
    {0x41d80, "cortex-a520"},   {0x41d81, "cortex-a720"},    {0x41d82, "cortex-x4"},
    {0x41d83, "neoverse-v3ae"}, {0x41d84, "neoverse-v3"},    {0x41d85, "cortex-x925"},
    {0x41d87, "cortex-a725"},   {0x41d88, "cortex-a520ae"},  {0x41d89, "cortex-a720ae"},
    {0x41d8e, "neoverse-n3"},   {0x41d8f, "cortex-a320"},    {0x42516, "thunderx2t99"},
    {0x43516, "thunderx2t99"},  {0x430af, "thunderx2t99"},   {0x430a1, "thunderxt88"},
    {0x46001, "a64fx"},         {0x46003, "fujitsu-monaka"}, {0x48d01, "tsv110"},
    {0x4e004, "carmel"},        {0x4e010, "olympus"},        {0x51001, "oryon-1"},
    {0x51201, "kryo"},          {0x51205, "kryo"},           {0x51211, "kryo"},
    {0x51800, "cortex-a73"},    {0x51801, "cortex-a73"},     {0x51802, "cortex-a75"},
    {0x51803, "cortex-a75"},    {0x51804, "cortex-a76"},     {0x51805, "cortex-a76"},
    {0x51c00, "falkor"},        {0x51c01, "saphira"},        {0x61020, "apple-m1"},
    {0x61021, "apple-m1"},      {0x61022, "apple-m1"},       {0x61023, "apple-m1"},
    {0x61024, "apple-m1"},      {0x61025, "apple-m1"},       {0x61028, "apple-m1"},
    {0x61029, "apple-m1"},      {0x61030, "apple-m2"},       {0x61031, "apple-m2"},
    {0x61032, "apple-m2"},      {0x61033, "apple-m2"},       {0x61034, "apple-m2"},
    {0x61035, "apple-m2"},      {0x61038, "apple-m2"},       {0x61039, "apple-m2"},
    {0x61048, "apple-m3"},      {0x61049, "apple-m3"},       {0x6dd49, "neoverse-n2"},
    {0xc0ac3, "ampere1"},       {0xc0ac4, "ampere1a"},       {0xc0ac5, "ampere1b"},
};

constexpr ArmPart kArmVendors[] = {
    {0x41, "ARM"},       {0x42, "Broadcom"},  {0x43, "Cavium"},   {0x46, "Fujitsu"},
    {0x48, "HiSilicon"}, {0x4e, "NVIDIA"},    {0x51, "Qualcomm"}, {0x53, "Samsung"},
    {0x61, "Apple"},     {0x6d, "Microsoft"}, {0xc0, "Ampere"},
};

template <std::size_t Count>
const char *find_name(const ArmPart (&known)[Count], unsigned number) {
  for (const ArmPart &each : known) {
    if (each.kind == number) return each.name;
  }
  return nullptr;
}

// Returns the value of the key's first line, which is the first processor's.
std::string cpuinfo_value(std::string_view cpuinfo, std::string_view key) {
  std::optional<std::string_view> found;
  for_each_line(cpuinfo, [&](std::string_view line) {
    if (!found) found = value_of(line, key);
  });
  return std::string(found.value_or(""));
}

// In a block of lines for each processor the number comes first and the revision last.
std::map<unsigned, ArmSignature> signatures_in(std::string_view cpuinfo) {
  std::map<unsigned, ArmSignature> found;
  std::optional<uint64_t> processor;
  ArmSignature signature;
  const auto take = [](unsigned &field, std::string_view line, std::string_view key, int base) {
    const auto number = parse_number(value_of(line, key).value_or(""), base);
    if (number) field = static_cast<unsigned>(*number);
  };
  for_each_line(cpuinfo, [&](std::string_view line) {
    if (const auto value = value_of(line, "processor")) {
      processor = parse_number(*value);
      signature = {};
    }
    take(signature.implementer, line, "CPU implementer", 16);
    take(signature.variant, line, "CPU variant", 16);
    take(signature.part, line, "CPU part", 16);
    take(signature.revision, line, "CPU revision", 10);
    if (processor && signature.implementer != 0) {
      found[static_cast<unsigned>(*processor)] = signature;
    }
  });
  return found;
}

// Returns the largest kind of core, for which programs are compiled: the one with the highest
// capacity, and the last of several such.
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

// Splits at blanks, and leaves out words with characters that no name has.
std::vector<std::string> cpuinfo_words(std::string_view text) {
  std::vector<std::string> all = nexus_plugin::split(text, ' ');
  std::erase_if(all, [](const std::string &word) {
    return std::ranges::any_of(word, [](char c) { return c <= ' ' || c > '~'; });
  });
  return all;
}

}  // namespace

std::string arm_vendor(unsigned implementer) {
  if (const char *name = find_name(kArmVendors, implementer)) return name;
  char text[16];
  std::snprintf(text, sizeof(text), "0x%02x", implementer);
  return text;
}

std::string arm_architecture(const ArmSignature &signature) {
  const char *name = find_name(kArmParts, signature.kind());
  return name != nullptr ? name : "";
}

std::map<unsigned, ArmSignature> read_arm_signatures(const SystemTree &tree) {
  std::map<unsigned, ArmSignature> found = signatures_in(tree.text("/proc/cpuinfo"));
  if (!found.empty()) return found;
  for (const unsigned processor : tree.list("/sys/devices/system/cpu/online")) {
    const std::string file = processor_file(processor, "/regs/identification/midr_el1");
    const auto midr = parse_number(tree.line(file), 16);
    if (!midr) continue;
    const auto bits = static_cast<unsigned>(*midr);
    found[processor] = {bits >> 24 & 0xff, bits >> 4 & 0xfff, bits >> 20 & 0xf, bits & 0xf};
  }
  return found;
}

Processor read_arm_processor(const SystemTree &tree) {
  // Texts of the C-API are not longer; a brand is a line.
  constexpr std::size_t kLongestName = 256;
  Processor out;
  const std::map<unsigned, ArmSignature> signatures = read_arm_signatures(tree);
  const std::string cpuinfo = tree.text("/proc/cpuinfo");
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
  out.stepping = signature.variant << 4 | signature.revision;
  out.simd_lanes = 4;
  return out;
}

#if !defined(__x86_64__) && !defined(__APPLE__)

Processor read_processor(const SystemTree &tree) {
  Processor out = read_arm_processor(tree);
  // Without /proc and /sys, or on other processors, only the target of this build is known.
#if defined(__aarch64__)
  if (out.level.empty()) out.level = "armv8-a";
  out.simd_lanes = 4;
#elif defined(__riscv)
  if (out.level.empty()) out.level = "rv64";
#endif
  if (out.architecture.empty()) out.architecture = out.level;
  return out;
}

// The system lists all that it lets programs use.
bool can_tell_feature(std::string_view) {
  return true;
}

#endif

}  // namespace nexus_cpu
