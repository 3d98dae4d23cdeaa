// SPDX-License-Identifier: Apache-2.0
#include "device_db/device_source.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/text.hpp"
#include "device_db/device_citations.hpp"

namespace nexus::core {
namespace {

// Collects the sources of the values below a path.
class Gathering {
 public:
  explicit Gathering(const DeviceParts &parts) : parts_(parts), citations_(parts.file.get()) {}

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
    made.set("Citations", citations_.inFull(cited_));
    if (kinds_.size() == 1 && kinds_.contains("computed")) {
      json::Value::Array from;
      for (const std::string &path : from_) from.emplace_back(path);
      made.set("From", std::move(from));
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

  void cite(const TreePath &path) {
    of_file_ = true;
    citations_.add(path, parts_.variant, cited_);
  }

  void addLeaf(const TreePath &path) {
    if (isDrivers(path)) {
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
      if (std::find(from_.begin(), from_.end(), joined) == from_.end()) {
        from_.push_back(joined);
      }
      const TreePath path = splitPath(joined);
      if (!isDrivers(path) && parts_.file != nullptr) {
        cite(path);
      }
    }
  }

  const DeviceParts &parts_;
  const Citations citations_;
  std::set<std::string_view> kinds_;
  std::set<std::size_t> cited_;
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
