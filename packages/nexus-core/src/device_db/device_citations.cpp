// SPDX-License-Identifier: Apache-2.0
#include "device_db/device_citations.hpp"

#include <utility>

namespace nexus::core {

Citations::Citations(const DeviceFile *file) : file_(file) {
  const json::Value *sources = file == nullptr ? nullptr : file->tree.find("Sources");
  sources_ = sources == nullptr ? nullptr : sources->array();
  for (std::size_t i = 0; sources_ != nullptr && i < sources_->size(); ++i) {
    const json::Value *values = (*sources_)[i].find("Values");
    const json::Value::Array *paths = values == nullptr ? nullptr : values->array();
    for (std::size_t k = 0; paths != nullptr && k < paths->size(); ++k) {
      claims_[*(*paths)[k].string()].push_back(i);
    }
  }
}

void Citations::add(const TreePath &path, std::string_view variant,
                    std::set<std::size_t> &cited) const {
  const std::string joined = joinedPath(path);
  const json::Value *own =
      variant.empty() || file_ == nullptr ? nullptr : findVariant(file_->tree, variant);
  if (own != nullptr && valueAt(*own, path) != nullptr &&
      addLongest("Variants/" + std::string(variant) + "/" + joined, cited)) {
    return;
  }
  // the sources of a product's values are those of its name
  if (own != nullptr && joined == "Name") {
    addBelow("Variants/" + std::string(variant), cited);
    return;
  }
  addLongest(joined, cited);
}

void Citations::addBelow(const std::string &path, std::set<std::size_t> &cited) const {
  for (const auto &[claim, places] : claims_) {
    if (claim == path || claim.starts_with(path + "/")) {
      cited.insert(places.begin(), places.end());
    }
  }
}

bool Citations::addLongest(std::string_view path, std::set<std::size_t> &cited) const {
  for (std::size_t end = path.size(); end != 0 && end != std::string_view::npos;
       end = path.rfind('/', end - 1)) {
    if (const auto found = claims_.find(path.substr(0, end)); found != claims_.end()) {
      cited.insert(found->second.begin(), found->second.end());
      return true;
    }
  }
  return false;
}

json::Value Citations::inFull(const std::set<std::size_t> &cited) const {
  json::Value::Array list;
  for (const std::size_t place : cited) {
    json::Value::Object members;
    for (const json::Member &member : *(*sources_)[place].object()) {
      if (member.name != "Values") members.push_back(member);
    }
    list.emplace_back(std::move(members));
  }
  return json::Value(std::move(list));
}

}  // namespace nexus::core
