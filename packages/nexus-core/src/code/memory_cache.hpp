// SPDX-License-Identifier: Apache-2.0
//
// The object code that this process used last.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/condition.hpp"
#include "base/error.hpp"
#include "base/file_state.hpp"
#include "code/object_code.hpp"

namespace nexus::core {

/// What a program became, and the files that it came from.
struct CachedCode {
  std::shared_ptr<const CodeContents> contents;
  std::vector<FileState> files;
  nexus_code_origin origin = NEXUS_CODE_COMPILED;
  bool may_keep = true;  // false where it came from more than those files
};

/// At most 256 entries and 256 MiB, beyond which those go that were not used for longest. Any
/// thread may use it; use ofProcess<MemoryCache>(). Holds no lock while a program is compiled.
class MemoryCache {
 public:
  using Maker = std::function<CachedCode()>;

  /// The entry of a key where its files are as they were, with the origin NEXUS_CODE_FROM_MEMORY;
  /// else what `make` gives, which becomes the entry. One thread at a time makes the entry of one
  /// key: others wait, and get what it made or why it failed.
  CachedCode get(const std::string &key, const Maker &make);

  /// Forgets all entries; how many there were.
  uint64_t clear();

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const CachedCode> code;
    uint64_t size;
  };
  /// The making of an entry, for those who wait for it.
  struct Making {
    bool done = false;
    std::shared_ptr<const CachedCode> code;  // NULL where it failed
    std::optional<Failure> failure;          // none where the waiting ones try themselves
  };
  using Entries = std::list<Entry>;

  std::shared_ptr<const CachedCode> find(const std::string &key);
  void keep(const std::string &key, const std::shared_ptr<const CachedCode> &code);
  void forget(Entries::iterator entry);
  CachedCode make(const std::string &key, const std::shared_ptr<Making> &making,
                  const Maker &maker);
  std::shared_ptr<const CachedCode> waitFor(Making &making);

  std::mutex mutex_;
  Condition made_;
  Entries entries_;  // under mutex_, as all below; used last first
  std::unordered_map<std::string_view, Entries::iterator> by_key_;
  std::unordered_map<std::string, std::shared_ptr<Making>> makings_;
  uint64_t size_ = 0;
};

}  // namespace nexus::core
