// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "base/text.hpp"
#include "device/device.hpp"
#include "device/device_merge.hpp"
#include "device_db/device_folder.hpp"
#include "device_db/device_info.hpp"
#include "device_db/device_name.hpp"

// Finds devices by name.
namespace nexus::core {
namespace {

constexpr std::size_t kMostCandidates = 10;

// Matches are the stem of a file, or "<stem>/<Name of a variant>".

// Returns the files of that stem, else those of that Architecture.
std::vector<std::string> matchesOfStem(const DeviceListing &listing, std::string_view name) {
  const std::string wanted = foldedName(name);
  const std::string word = foldedName(fileWord(name));
  std::vector<std::string> by_stem;
  std::vector<std::string> by_architecture;
  for (const auto &[stem, places] : listing) {
    const StemParts parts = partsOfStem(stem);
    if (parts.architecture.empty()) {
      continue;  // no device file has such a stem
    }
    if (foldedName(stem) == wanted) by_stem.push_back(stem);
    // The vendor is not removed from the architecture: "M1" does not only mean the cores
    // "apple-m1".
    const std::string architecture = foldedName(parts.architecture);
    if (word == architecture || word == foldedName(parts.vendor) + "-" + architecture) {
      by_architecture.push_back(stem);
    }
  }
  return by_stem.empty() ? by_architecture : by_stem;
}

// Adds the variant of that name, else those with that alias, else the file: names of variants are
// more specific. wanted is folded.
void addMatches(std::vector<std::string> &matches, const std::string &stem, const json::Value &tree,
                std::string_view wanted, bool only_variants = false) {
  const std::string vendor = foldedName(partsOfStem(stem).vendor);
  const auto isWanted = [&](const std::string &one) {
    return isSameName(foldedName(one), wanted, vendor);
  };
  const std::size_t before = matches.size();
  for (const json::Value &variant : variantsOf(tree)) {
    const std::vector<std::string> names = namesAndAliases(variant);
    const auto found = std::find_if(names.begin(), names.end(), isWanted);
    if (found == names.begin()) matches.resize(before);
    if (found != names.end()) matches.push_back(stem + "/" + names.front());
    if (found == names.begin()) return;
  }
  const std::vector<std::string> names = namesAndAliases(tree);
  if (matches.size() == before && !only_variants &&
      std::any_of(names.begin(), names.end(), isWanted)) {
    matches.push_back(stem);
  }
}

// "nvidia-gpu-sm_90/H200" is a variant of the file of that stem.
std::vector<std::string> matchesOfNames(const DeviceListing &listing, std::string_view name) {
  const std::size_t slash = name.find('/');
  const std::string wanted = foldedName(name);
  std::vector<std::string> matches;
  for (const auto &[stem, tree] : deviceNames(listing)) {
    if (slash != std::string_view::npos && foldedName(name.substr(0, slash)) == foldedName(stem)) {
      addMatches(matches, stem, *tree, foldedName(name.substr(slash + 1)), true);
    } else {
      addMatches(matches, stem, *tree, wanted);
    }
  }
  return matches;
}

[[noreturn]] void refuseAmbiguous(std::string_view name, const std::vector<std::string> &matches) {
  std::string text = "name is '" + std::string(name) + "', which names " +
                     std::to_string(matches.size()) + " devices; write one of";
  for (std::size_t i = 0; i < matches.size() && i < kMostCandidates; ++i) {
    text += "\n  nexus.lookup_device_info(" + json::write(json::Value(matches[i])) + ")";
  }
  if (matches.size() > kMostCandidates) {
    text += "\n  and " + std::to_string(matches.size() - kMostCandidates) + " more";
  }
  throw Failure(NXS_InvalidValue, text);
}

// Returns all names, as candidates for an error.
std::set<std::string> namesOfFiles(const DeviceListing &listing) {
  std::set<std::string> all;
  const auto add = [&](const json::Value &entry) {
    for (std::string &name : namesAndAliases(entry)) all.insert(std::move(name));
  };
  for (const auto &[stem, tree] : deviceNames(listing)) {
    all.insert(stem);
    all.emplace(partsOfStem(stem).architecture);
    add(*tree);
    for (const json::Value &variant : variantsOf(*tree)) add(variant);
  }
  return all;
}

[[noreturn]] void refuseUnknown(std::string_view name, const std::set<std::string> &candidates) {
  const std::string wanted = foldedName(name);
  std::vector<std::string> near;
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(near),
               [&](const std::string &candidate) {
                 return findWords(foldedName(candidate), wanted) != std::string::npos;
               });
  if (near.empty() && name.size() <= 200) {
    near = nearNames(name, {candidates.begin(), candidates.end()});
  }
  const std::size_t shown = std::min(near.size(), kMostCandidates);
  const std::size_t left = near.size() - shown;
  near.resize(shown);
  for (std::string &each : near) each = "'" + each + "'";
  if (left != 0) near.push_back(std::to_string(left) + " more");
  throw Failure(NXS_InvalidValue,
                "name is '" + std::string(name) +
                    "': no known device has this name, file name, Architecture or alias; " +
                    (near.empty() ? "nexus.get_device_info() (in C nexus_get_device_info()) lists "
                                    "the known devices."
                                  : "did you mean " + listWords(near, "") + "?"));
}

Ref<DeviceProperties> infoOf(const DeviceListing &listing, const std::string &match,
                             std::string_view name) {
  const std::string begin = "name is '" + std::string(name) + "'";
  const std::string stem = match.substr(0, match.find('/'));
  const std::string variant = stem == match ? "" : match.substr(stem.size() + 1);
  const std::vector<DevicePlace> &places = listing.find(stem)->second;
  std::vector<DeviceFileProblem> problems;
  std::shared_ptr<const DeviceFile> file = firstDeviceFile(places, &problems);
  if (file == nullptr && !problems.empty()) {
    throw Failure(NXS_InvalidValue, begin + ". " + problemText(problems.front()));
  }
  // removed meanwhile, or newer than the index
  if (file == nullptr || (!variant.empty() && findVariant(file->tree, variant) == nullptr)) {
    throw Failure(NXS_InvalidValue, begin + ", and '" + places.front().path +
                                        "' no longer has it; look it up again, or create "
                                        "the folder's index again.");
  }
  return make<DeviceProperties>(std::move(file), variant);
}

// Returns the properties of the present device without a file that has the name; adds the names of
// the others to candidates. Skips a lost device.
Ref<DeviceProperties> infoOfDeviceHere(const DeviceListing &listing, std::string_view name,
                                       std::set<std::string> &candidates) {
  const std::string wanted = foldedName(name);
  for (const DeviceHere &here : devicesHere()) {
    if (listing.contains(here.stem)) {
      continue;
    }
    try {
      Ref<DeviceProperties> info = deviceInfo(*here.device);
      const StemParts parts = partsOfStem(here.stem);
      std::vector<std::string> names = namesAndAliases(info->tree());
      names.emplace_back(parts.architecture);
      const std::string vendor = foldedName(parts.vendor);
      if (foldedName(here.stem) == wanted ||
          std::any_of(names.begin(), names.end(), [&](const std::string &one) {
            return isSameName(foldedName(one), wanted, vendor);
          })) {
        return info;
      }
      candidates.insert(here.stem);
      candidates.insert(names.begin(), names.end());
    } catch (const Failure &failure) {
      logLine(NXS_LogLevel_Warning, here.device->plugin().name, failure.text());
    }
  }
  return {};
}

/// Returns the properties in the file with that name: a stem; else an Architecture; else a Name or
/// alias, or that of a variant, which is then merged into the file; "<stem>/<variant>" names a
/// variant of that file. Without such a file, returns the own properties of the present device with
/// that name. Names are compared in the form of foldedName(), and with or without the vendor's name
/// before them.
///
/// Reads no other device file in folders with an index, and loads backends only if no file has the
/// name. Throws NXS_InvalidValue, with candidates, if none or several have the name.
Ref<DeviceProperties> lookUpDevice(std::string_view name) {
  if (std::shared_ptr<const DeviceFile> file = deviceFileOf(name)) {
    return make<DeviceProperties>(std::move(file));
  }
  const DeviceListing listing = listDeviceFiles(deviceFolders());
  std::vector<std::string> matches = matchesOfStem(listing, name);
  if (matches.empty()) matches = matchesOfNames(listing, name);
  if (matches.size() > 1) {
    refuseAmbiguous(name, matches);
  }
  if (!matches.empty()) {
    return infoOf(listing, matches.front(), name);
  }
  std::set<std::string> candidates = namesOfFiles(listing);
  if (Ref<DeviceProperties> info = infoOfDeviceHere(listing, name, candidates)) {
    return info;
  }
  refuseUnknown(name, candidates);
}

}  // namespace
}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_lookup_device_info(nxs_string name, nexus_properties **out_properties) {
  return giveResult(out_properties, "out_properties",
                    [&] { return lookUpDevice(viewOf(name, "name")); });
}
