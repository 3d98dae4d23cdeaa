// SPDX-License-Identifier: Apache-2.0
#include "device_db/device_names.hpp"

#include <filesystem>
#include <map>
#include <utility>

#include "device/device_merge.hpp"
#include "device_db/device_cache.hpp"

namespace nexus::core {
namespace {

void addTexts(std::vector<std::string> &texts, const json::Value *value) {
  const json::Value::Array *list = value == nullptr ? nullptr : value->array();
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
    if ((*list)[i].isString()) texts.push_back(*(*list)[i].string());
  }
}

DeviceNames namesOfIndex(const std::string &stem, const json::Value &entry) {
  DeviceNames names{stem, {}, {}};
  addTexts(names.names, entry.find("Names"));
  if (const json::Value *variants = entry.find("Variants")) {
    for (const json::Member &variant : *variants->object()) {
      names.variants.push_back({variant.name, {}});
      addTexts(names.variants.back().aliases, &variant.value);
    }
  }
  return names;
}

// The indexes of the folders, each read once.
class Indexes {
 public:
  const json::Value *entryOf(const std::string &stem, const DeviceFilePlace &place) {
    const auto [found, fresh] = indexes_.try_emplace(place.folder);
    if (fresh) {
      found->second = indexOf(place.folder, place.backend);
    }
    return found->second == nullptr ? nullptr : found->second->tree.find(stem);
  }

 private:
  std::map<std::string, std::shared_ptr<const DeviceFile>> indexes_;
};

}  // namespace

std::shared_ptr<const DeviceFile> indexOf(const std::string &folder, const std::string &backend,
                                          std::vector<DeviceFileProblem> *problems) {
  const std::filesystem::path path =
      std::filesystem::path(folder) / (std::string(kIndexStem) + ".json");
  const auto read = DeviceCache::ofThisProcess().read(path.string(), backend);
  if (read != nullptr && read->file == nullptr && problems != nullptr) {
    problems->push_back(read->problem);
  }
  return read == nullptr ? nullptr : read->file;
}

DeviceNames namesOfTree(std::string stem, const json::Value &tree) {
  DeviceNames names{std::move(stem), {}, {}};
  if (const json::Value *name = tree.find("Name"); name != nullptr && name->isString()) {
    names.names.push_back(*name->string());
  }
  addTexts(names.names, tree.find("Aliases"));
  const json::Value *variants = tree.find("Variants");
  if (variants != nullptr && isNamedList(*variants)) {
    for (const json::Value &variant : *variants->array()) {
      names.variants.push_back({nameOfEntry(variant), {}});
      addTexts(names.variants.back().aliases, variant.find("Aliases"));
    }
  }
  return names;
}

std::vector<DeviceNames> namesOfFiles(const DeviceListing &listing) {
  Indexes indexes;
  std::vector<DeviceNames> all;
  for (const auto &[stem, places] : listing) {
    if (const json::Value *entry = indexes.entryOf(stem, places.front())) {
      all.push_back(namesOfIndex(stem, *entry));
    } else if (const auto file = firstDeviceFile(places)) {
      all.push_back(namesOfTree(stem, file->tree));
    }
  }
  return all;
}

}  // namespace nexus::core
