// SPDX-License-Identifier: Apache-2.0
#include "host/property_name.hpp"

#include <cstddef>
#include <deque>
#include <mutex>
#include <unordered_map>

#include "base/process.hpp"
#include "base/text.hpp"

namespace nexus::core {
namespace {

constexpr std::size_t kMaxVendorNames = 1U << 20;

#define NEXUS_PROPERTY_NAME(name, number, type) #name,
constexpr std::string_view kCatalogue[] = {NXS_FOR_EACH_PROPERTY(NEXUS_PROPERTY_NAME)};
#undef NEXUS_PROPERTY_NAME

#define NEXUS_PROPERTY_TYPE(name, number, type) #type,
constexpr std::string_view kPropertyTypes[] = {NXS_FOR_EACH_PROPERTY(NEXUS_PROPERTY_TYPE)};
#undef NEXUS_PROPERTY_TYPE

#define NEXUS_PROPERTY_CHECK(name, number, type) static_assert(kCatalogue[number] == #name);
NXS_FOR_EACH_PROPERTY(NEXUS_PROPERTY_CHECK)
#undef NEXUS_PROPERTY_CHECK

// Constant once made; never destroyed.
const std::unordered_map<std::string_view, nxs_property> &catalogueNumbers() {
  static const auto &numbers = *[] {
    auto *made = new std::unordered_map<std::string_view, nxs_property>;
    for (nxs_property number = 0; number < NXS_PROPERTY_CNT; ++number) {
      made->emplace(kCatalogue[number], number);
    }
    return made;
  }();
  return numbers;
}

// All under tableMutex. Never destroyed, and a deque never moves its texts.
struct VendorNames {
  std::deque<std::string> names;  // for NXS_PROPERTY_VENDOR_FIRST + index
  std::unordered_map<std::string_view, nxs_property> numbers;
};

VendorNames &vendorNames() {
  static VendorNames &all = *new VendorNames;
  return all;
}

}  // namespace

nxs_property internProperty(std::string_view name) {
  if (name.empty() || !isUtf8(name)) return NXS_PROPERTY_INVALID;
  if (const auto known = propertyNumber(name)) return *known;
  const std::lock_guard<std::mutex> lock(tableMutex());
  VendorNames &all = vendorNames();
  if (const auto found = all.numbers.find(name); found != all.numbers.end()) {
    return found->second;  // another thread added it between the two locks
  }
  if (all.names.size() == kMaxVendorNames) return NXS_PROPERTY_INVALID;
  const auto number = static_cast<nxs_property>(NXS_PROPERTY_VENDOR_FIRST + all.names.size());
  const std::string &kept = all.names.emplace_back(name);
  all.numbers.emplace(kept, number);
  return number;
}

std::optional<nxs_property> propertyNumber(std::string_view name) {
  const auto &catalogue = catalogueNumbers();
  if (const auto found = catalogue.find(name); found != catalogue.end()) return found->second;
  const std::lock_guard<std::mutex> lock(tableMutex());
  const auto &numbers = vendorNames().numbers;
  const auto found = numbers.find(name);
  return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

std::string_view propertyName(nxs_property number) {
  if (number >= 0 && number < NXS_PROPERTY_CNT) return kCatalogue[number];
  const std::lock_guard<std::mutex> lock(tableMutex());
  const auto &names = vendorNames().names;
  const int64_t index = int64_t{number} - NXS_PROPERTY_VENDOR_FIRST;
  if (index < 0 || index >= static_cast<int64_t>(names.size())) return {};
  return names[static_cast<std::size_t>(index)];
}

std::string_view propertyType(nxs_property number) {
  return number >= 0 && number < NXS_PROPERTY_CNT ? kPropertyTypes[number] : std::string_view();
}

}  // namespace nexus::core
