// SPDX-License-Identifier: Apache-2.0
#include "device_db/device_source.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>

#include "base/text.hpp"

namespace nexus::core {
namespace {

// Collects the sources of the values below a path.
class Gathering {
 public:
  explicit Gathering(const DeviceParts &parts) : parts_(parts) {
    if (parts.file == nullptr) {
      return;
    }
    variant_ = parts.variant.empty() ? nullptr : findVariant(parts.file->tree, parts.variant);
    const json::Value *sources = parts.file->tree.find("Sources");
    sources_ = sources == nullptr ? nullptr : sources->array();
    for (std::size_t i = 0; sources_ != nullptr && i < sources_->size(); ++i) {
      if (const json::Value *values = (*sources_)[i].find("Values")) {
        for (const json::Value &path : *values->array()) claims_[*path.string()].push_back(i);
      }
    }
  }

  void visit(const json::Value &value, const TreePath &path) {
    if (const ComputedValue *computed = computedAt(path)) {
      addComputedValue(*computed);
    } else if (value.isObject() && !value.object()->empty()) {
      for (const json::Member &member : *value.object()) {
        visit(member.value, below(path, member.name));
      }
    } else if (isNamedList(value)) {
      for (const json::Value &entry : *value.array()) {
        visitEntry(entry, below(path, nameOfEntry(entry)));
      }
    } else if (!value.isNull()) {
      addLeaf(path);
    }
  }

  /// Visits an entry of a named list without its Name; an entry with only a Name is itself a value.
  void visitEntry(const json::Value &entry, const TreePath &path) {
    if (entry.object()->size() == 1) {
      addLeaf(path);
    }
    for (const json::Member &member : *entry.object()) {
      if (member.name != "Name") {
        visit(member.value, below(path, member.name));
      }
    }
  }

  /// The sources of an entry's Name are those of its other values.
  void visitNameOfEntry(const json::Value &entry, const TreePath &path) {
    addLeaf(path);
    if (cited_.empty() && kinds_.contains("device file")) {
      const std::set<std::string_view> kinds = kinds_;
      visitEntry(entry, {path.begin(), path.end() - 1});
      kinds_ = kinds;
    }
  }

  json::Value result() const {
    json::Value made{json::Value::Object{}};
    made.set("Kind", kinds_.size() > 1 ? "mixed" : kinds_.empty() ? "driver" : *kinds_.begin());
    if (of_file_) {
      made.set("File", asUtf8(parts_.file->path));
    }
    json::Value::Array citations;
    for (const std::size_t place : cited_) {
      citations.push_back((*sources_)[place]);
      citations.back().erase("Values");
    }
    made.set("Citations", std::move(citations));
    if (kinds_.size() == 1 && kinds_.contains("computed")) {
      made.set("From", json::Value::Array(from_.begin(), from_.end()));
    }
    return made;
  }

 private:
  static TreePath below(TreePath path, const std::string &key) {
    path.push_back(key);
    return path;
  }

  const ComputedValue *computedAt(const TreePath &path) const {
    const std::string joined = joinedPath(path);
    const auto found =
        std::find_if(parts_.computed.begin(), parts_.computed.end(),
                     [&](const ComputedValue &value) { return value.path == joined; });
    return found == parts_.computed.end() ? nullptr : &*found;
  }

  bool isDrivers(const TreePath &path) const { return valueAt(parts_.driver, path) != nullptr; }

  void addLeaf(const TreePath &path) {
    if (parts_.file == nullptr || isDrivers(path)) {
      kinds_.insert("driver");
    } else {
      kinds_.insert("device file");
      cite(path);
    }
  }

  // Cites the sources of those values in the file from which it was computed.
  void addComputedValue(const ComputedValue &computed) {
    kinds_.insert("computed");
    for (const std::string &joined : computed.from) {
      if (!contains(from_, joined)) from_.push_back(joined);
      const TreePath path = splitPath(joined);
      if (!isDrivers(path) && parts_.file != nullptr) {
        cite(path);
      }
    }
  }

  void cite(const TreePath &path) {
    of_file_ = true;
    const std::string joined = joinedPath(path);
    const std::string variant = "Variants/" + parts_.variant;
    if (variant_ != nullptr && valueAt(*variant_, path) != nullptr &&
        citeLongest(variant + "/" + joined)) {
      return;
    }
    if (variant_ == nullptr || joined != "Name") {
      citeLongest(joined);
      return;
    }
    // the sources of a product's values are those of its name
    for (const auto &[claim, places] : claims_) {
      if (claim.starts_with(variant + "/")) cited_.insert(places.begin(), places.end());
    }
  }

  // Cites the sources that name the longest prefix of a path; returns whether there are any.
  bool citeLongest(std::string_view path) {
    for (std::size_t end = path.size(); end != 0 && end != std::string_view::npos;
         end = path.rfind('/', end - 1)) {
      if (const auto found = claims_.find(path.substr(0, end)); found != claims_.end()) {
        cited_.insert(found->second.begin(), found->second.end());
        return true;
      }
    }
    return false;
  }

  const DeviceParts &parts_;
  const json::Value *variant_ = nullptr;         // that of parts, in the file
  const json::Value::Array *sources_ = nullptr;  // of the file
  std::unordered_map<std::string_view, std::vector<std::size_t>> claims_;  // sources by path
  std::set<std::string_view> kinds_;
  std::set<std::size_t> cited_;  // indices of sources
  std::vector<std::string> from_;
  bool of_file_ = false;
};

}  // namespace

json::Value sourceOf(const DeviceParts &parts, const json::Value &tree, const TreePath &path) {
  Gathering gathering(parts);
  const TreePath above(path.begin(), path.empty() ? path.end() : path.end() - 1);
  const json::Value *parent = path.empty() ? nullptr : valueAt(tree, above);
  const bool names_entry = path.size() > 1 && path.back() == "Name" &&
                           isNamedList(*valueAt(tree, {above.begin(), above.end() - 1}));
  if (names_entry) {
    gathering.visitNameOfEntry(*parent, path);
  } else if (parent != nullptr && isNamedList(*parent)) {
    gathering.visitEntry(*valueAt(tree, path), path);
  } else {
    gathering.visit(*valueAt(tree, path), path);
  }
  return gathering.result();
}

}  // namespace nexus::core
