// SPDX-License-Identifier: Apache-2.0
#include "device_citations.hpp"

#include <utility>

namespace nexus::core {
namespace {

bool covers(std::string_view claim, std::string_view path) {
  return path.starts_with(claim) && (path.size() == claim.size() || path[claim.size()] == '/');
}

}  // namespace

Citations::Citations(const DeviceFile *file) : file_(file) {
  const json::Value *sources = file == nullptr ? nullptr : file->tree.find("Sources");
  sources_ = sources == nullptr ? nullptr : sources->array();
  for (std::size_t i = 0; sources_ != nullptr && i < sources_->size(); ++i) {
    const json::Value *values = (*sources_)[i].find("Values");
    const json::Value::Array *paths = values == nullptr ? nullptr : values->array();
    for (std::size_t k = 0; paths != nullptr && k < paths->size(); ++k) {
      claims_.push_back({*(*paths)[k].string(), i});
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
  if (own != nullptr && joined == "Name") {  // a product is named where its values stand
    addBelow("Variants/" + std::string(variant), cited);
    return;
  }
  addLongest(joined, cited);
}

void Citations::addBelow(std::string_view path, std::set<std::size_t> &cited) const {
  for (const Claim &claim : claims_) {
    if (covers(path, claim.path)) {
      cited.insert(claim.source);
    }
  }
}

bool Citations::addLongest(std::string_view path, std::set<std::size_t> &cited) const {
  std::size_t longest = 0;
  for (const Claim &claim : claims_) {
    if (claim.path.size() > longest && covers(claim.path, path)) {
      longest = claim.path.size();
    }
  }
  for (const Claim &claim : claims_) {
    if (longest != 0 && claim.path.size() == longest && covers(claim.path, path)) {
      cited.insert(claim.source);
    }
  }
  return longest != 0;
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
