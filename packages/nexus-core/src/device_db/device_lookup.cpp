// SPDX-License-Identifier: Apache-2.0
#include "device_db/device_lookup.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "base/text.hpp"
#include "device/device.hpp"
#include "device_db/device_cache.hpp"
#include "device_db/device_folder.hpp"
#include "device_db/device_info.hpp"
#include "device_db/device_name.hpp"
#include "device_db/device_names.hpp"

namespace nexus::core {
namespace {

constexpr std::size_t kMostCandidates = 10;

// The file or variant that has a name.
struct Match {
  std::string stem;
  std::string variant;  // its Name; empty: the file itself
};

std::string quoted(const std::string &text) {
  return "'" + text + "'";
}

std::string listQuoted(std::vector<std::string> candidates) {
  const std::size_t left =
      candidates.size() > kMostCandidates ? candidates.size() - kMostCandidates : 0;
  candidates.resize(candidates.size() - left);
  std::transform(candidates.begin(), candidates.end(), candidates.begin(), quoted);
  if (left != 0) {
    candidates.push_back(std::to_string(left) + " more");
  }
  return listWords(candidates, "");
}

std::vector<Match> matchesOfStem(const DeviceListing &listing, std::string_view name) {
  const std::string wanted = foldedName(name);
  std::vector<Match> matches;
  for (const auto &[stem, places] : listing) {
    const bool is_devices = !partsOfStem(stem).architecture.empty();
    if (is_devices && foldedName(stem) == wanted) matches.push_back({stem, {}});
  }
  return matches;
}

// Compares names with the wanted one, with or without the file's vendor before them.
class IsName {
 public:
  IsName(std::string_view stem, std::string_view wanted)
      : vendor_(foldedName(partsOfStem(stem).vendor)), wanted_(wanted) {}

  bool operator()(const std::string &name) const {
    return isSameName(foldedName(name), wanted_, vendor_);
  }

 private:
  std::string vendor_;
  std::string_view wanted_;
};

// Adds the variant of that Name, else those that have it as an alias.
void addVariantMatches(std::vector<Match> &matches, const DeviceNames &names,
                       std::string_view wanted) {
  const IsName isWanted(names.stem, wanted);
  const std::size_t before = matches.size();
  for (const VariantNames &variant : names.variants) {
    if (isWanted(variant.name)) {
      matches.resize(before);
      matches.push_back({names.stem, variant.name});
      return;
    }
    if (std::any_of(variant.aliases.begin(), variant.aliases.end(), isWanted)) {
      matches.push_back({names.stem, variant.name});
    }
  }
}

// Finds "nvidia-gpu-sm_90/H200": a file's stem and the Name or an alias of a variant.
std::vector<Match> matchesOfVariantIn(const std::vector<DeviceNames> &all, std::string_view name) {
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) {
    return {};
  }
  const std::string stem = foldedName(name.substr(0, slash));
  const std::string wanted = foldedName(name.substr(slash + 1));
  std::vector<Match> matches;
  for (const DeviceNames &names : all) {
    if (foldedName(names.stem) == stem) addVariantMatches(matches, names, wanted);
  }
  return matches;
}

std::vector<Match> matchesOfArchitecture(const DeviceListing &listing, std::string_view name) {
  const std::string wanted = foldedName(fileWord(name));
  std::vector<Match> matches;
  for (const auto &[stem, places] : listing) {
    const StemParts parts = partsOfStem(stem);
    if (parts.architecture.empty()) {
      continue;  // no device file has such a stem
    }
    const std::string architecture = foldedName(parts.architecture);
    // The vendor is not removed from the architecture: "M1" does not only mean the cores
    // "apple-m1".
    if (wanted == architecture || wanted == foldedName(parts.vendor) + "-" + architecture) {
      matches.push_back({stem, {}});
    }
  }
  return matches;
}

// A file's variants come before the file itself, since their names are more specific.
void addMatches(std::vector<Match> &matches, const DeviceNames &names, std::string_view wanted) {
  const std::size_t before = matches.size();
  addVariantMatches(matches, names, wanted);
  const IsName isWanted(names.stem, wanted);
  if (matches.size() == before && std::any_of(names.names.begin(), names.names.end(), isWanted)) {
    matches.push_back({names.stem, {}});
  }
}

std::vector<Match> matchesOfNames(const std::vector<DeviceNames> &all, std::string_view name) {
  const std::string wanted = foldedName(name);
  std::vector<Match> matches;
  for (const DeviceNames &names : all) {
    addMatches(matches, names, wanted);
  }
  return matches;
}

[[noreturn]] void refuseAmbiguous(std::string_view name, const std::vector<Match> &matches) {
  std::string text = "name is '" + std::string(name) + "', which " +
                     std::to_string(matches.size()) + " devices have; write one of";
  for (std::size_t i = 0; i < matches.size() && i < kMostCandidates; ++i) {
    const auto &[stem, variant] = matches[i];
    const json::Value found(variant.empty() ? stem : stem + "/" + variant);
    text += "\n  nexus.lookup_device_info(" + json::write(found) + ")";
  }
  if (matches.size() > kMostCandidates) {
    text += "\n  and " + std::to_string(matches.size() - kMostCandidates) + " more";
  }
  throw Failure(NXS_InvalidValue, text);
}

// Returns all names, as candidates for an error.
std::vector<std::string> candidatesOf(const DeviceListing &listing,
                                      const std::vector<DeviceNames> &all) {
  std::vector<std::string> candidates;
  for (const auto &[stem, places] : listing) {
    candidates.push_back(stem);
    candidates.emplace_back(partsOfStem(stem).architecture);
  }
  for (const DeviceNames &names : all) {
    candidates.insert(candidates.end(), names.names.begin(), names.names.end());
    for (const VariantNames &variant : names.variants) {
      candidates.push_back(variant.name);
      candidates.insert(candidates.end(), variant.aliases.begin(), variant.aliases.end());
    }
  }
  return candidates;
}

[[noreturn]] void refuseUnknown(std::string_view name, std::vector<std::string> candidates) {
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  const std::string wanted = foldedName(name);
  std::vector<std::string> near;
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(near),
               [&](const std::string &candidate) {
                 return findWords(foldedName(candidate), wanted) != std::string::npos;
               });
  if (near.empty() && name.size() <= 200) {
    near = nearNames(name, candidates);
  }
  throw Failure(NXS_InvalidValue,
                "name is '" + std::string(name) +
                    "', and no device has that file name, Architecture, Name or alias; " +
                    (near.empty() ? "nexus_get_device_info, or nexus.get_device_info() in Python, "
                                    "tells what is known."
                                  : "did you mean " + listQuoted(std::move(near)) + "?"));
}

Ref<DeviceProperties> infoOf(const DeviceListing &listing, const Match &match,
                             std::string_view name) {
  std::vector<DeviceFileProblem> problems;
  std::shared_ptr<const DeviceFile> file =
      firstDeviceFile(listing.find(match.stem)->second, &problems);
  if (file == nullptr) {
    throw Failure(NXS_InvalidValue,
                  "name is '" + std::string(name) + "'. " +
                      (problems.empty() ? "The device file " + quoted(match.stem + ".json") +
                                              " was removed meanwhile; ask again."
                                        : problemText(problems.front())));
  }
  if (!match.variant.empty() && findVariant(file->tree, match.variant) == nullptr) {
    throw Failure(NXS_InvalidValue, "name is '" + std::string(name) +
                                        "', which the index beside '" + file->path +
                                        "' knows and that file does not; make the index again.");
  }
  return fileInfo(std::move(file), match.variant);
}

// Skips a lost device.
Ref<DeviceProperties> infoOrNothing(Device &device) {
  try {
    return deviceInfo(device);
  } catch (const Failure &failure) {
    logLine(NXS_LogLevel_Warning, device.plugin().name, failure.text());
    return {};
  }
}

// Returns the properties of the present device without a file that has the name; adds the names of
// the others to candidates.
Ref<DeviceProperties> infoOfDeviceHere(const DeviceListing &listing, std::string_view name,
                                       std::vector<std::string> &candidates) {
  const std::string wanted = foldedName(name);
  for (const DeviceHere &here : devicesHere()) {
    if (listing.contains(here.stem)) {
      continue;
    }
    Ref<DeviceProperties> info = infoOrNothing(*here.device);
    if (!info) {
      continue;
    }
    candidates.push_back(here.stem);
    const std::string vendor = foldedName(partsOfStem(here.stem).vendor);
    for (const char *key : {"Architecture", "Name"}) {
      const json::Value *value = info->tree().find(key);
      if (value != nullptr && value->isString()) candidates.push_back(*value->string());
    }
    if (foldedName(here.stem) == wanted ||
        isSameName(foldedName(partsOfStem(here.stem).architecture), wanted, vendor) ||
        isSameName(foldedName(candidates.back()), wanted, vendor)) {
      return info;
    }
  }
  return {};
}

}  // namespace

Ref<DeviceProperties> lookUpDevice(std::string_view name) {
  if (std::shared_ptr<const DeviceFile> file = deviceFileOf(name)) {
    return fileInfo(std::move(file), {});
  }
  const DeviceListing listing = listDeviceFiles(deviceFolders());
  std::vector<Match> matches = matchesOfStem(listing, name);
  if (matches.empty()) {
    matches = matchesOfArchitecture(listing, name);
  }
  std::vector<DeviceNames> all;
  if (matches.empty()) {
    all = namesOfFiles(listing);
    matches = matchesOfVariantIn(all, name);
  }
  if (matches.empty()) {
    matches = matchesOfNames(all, name);
  }
  if (matches.size() > 1) {
    refuseAmbiguous(name, matches);
  }
  if (!matches.empty()) {
    return infoOf(listing, matches.front(), name);
  }
  std::vector<std::string> candidates = candidatesOf(listing, all);
  if (Ref<DeviceProperties> info = infoOfDeviceHere(listing, name, candidates)) {
    return info;
  }
  refuseUnknown(name, std::move(candidates));
}

}  // namespace nexus::core
