// SPDX-License-Identifier: Apache-2.0
//
// The object code that this process used last.
#pragma once

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

#include "base/error.hpp"
#include "base/file_state.hpp"
#include "base/lock.hpp"
#include "code/object_code.hpp"

namespace nexus::core {

/// The object code of a program, and the files that it depends on.
struct CachedCode {
  std::shared_ptr<const CodeContents> contents;
  std::vector<FileState> files;
  nexus_code_origin origin = NEXUS_CODE_COMPILED;
  bool may_keep = true;  // false if it depends on other files too
};

/// At most 256 entries and 256 MiB; beyond that the least recently used are removed. Any thread may
/// use it, through ofProcess<MemoryCache>(). Holds no lock while a program is compiled.
class MemoryCache {
 public:
  using Maker = std::function<CachedCode()>;

  /// Returns the entry of a key, with the origin NEXUS_CODE_FROM_MEMORY, if its files are
  /// unchanged; else the result of make, which becomes the entry. For one key, one thread at a time
  /// calls make; others wait and get its result or its failure.
  CachedCode get(const std::string &key, const Maker &make);

  void clear();

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const CachedCode> code;
    uint64_t size;
  };
  /// An entry that is being made, for the threads that wait for it.
  struct Making {
    bool done = false;
    std::shared_ptr<const CachedCode> code;  // NULL on failure
    std::optional<Failure> failure;          // none if the waiting threads must try themselves
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
  Entries entries_;  // under mutex_, as all below; most recently used first
  std::unordered_map<std::string_view, Entries::iterator> by_key_;
  std::unordered_map<std::string, std::shared_ptr<Making>> makings_;
  uint64_t size_ = 0;
};

}  // namespace nexus::core
