// SPDX-License-Identifier: Apache-2.0
#include "code/memory_cache.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "base/wait.hpp"

namespace nexus::core {
namespace {

constexpr std::size_t kMaxEntries = 256;
constexpr uint64_t kMaxSize = uint64_t{256} << 20;

uint64_t sizeOf(const std::string &key, const CachedCode &code) {
  const CodeContents &contents = *code.contents;
  return key.size() + contents.code.size() + contents.log.size() + contents.kernels.size() +
         contents.flags.size() + code.files.size() * sizeof(FileState);
}

bool isGood(const CachedCode &code) {
  return std::all_of(code.files.begin(), code.files.end(), isUnchanged);
}

CachedCode fromMemory(const CachedCode &code) {
  return {code.contents, {}, NEXUS_CODE_FROM_MEMORY, true};
}

}  // namespace

CachedCode MemoryCache::get(const std::string &key, const Maker &maker) {
  while (true) {
    if (const auto known = find(key); known && isGood(*known)) return fromMemory(*known);
    std::shared_ptr<Making> making;
    bool mine = false;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      std::shared_ptr<Making> &slot = makings_[key];
      mine = !slot;
      if (mine) slot = std::make_shared<Making>();
      making = slot;
    }
    if (mine) return make(key, making, maker);
    if (const auto made = waitFor(*making)) return fromMemory(*made);
  }
}

std::shared_ptr<const CachedCode> MemoryCache::find(const std::string &key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->code;
}

CachedCode MemoryCache::make(const std::string &key, const std::shared_ptr<Making> &making,
                             const Maker &maker) {
  std::shared_ptr<const CachedCode> code;
  std::exception_ptr thrown;
  // copied for each thread: exceptions are not shared between threads
  std::optional<Failure> failure;
  try {
    code = std::make_shared<const CachedCode>(maker());
  } catch (const WaitEnded &) {  // this thread's wait only
    thrown = std::current_exception();
  } catch (const Failure &caught) {
    thrown = std::current_exception();
    failure = caught;
  } catch (...) {
    thrown = std::current_exception();
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    making->done = true;
    making->code = code;
    making->failure = std::move(failure);
    makings_.erase(key);
    if (code && code->may_keep) keep(key, code);
  }
  made_->notify_all();
  if (thrown) {
    std::rethrow_exception(thrown);
  }
  return *code;
}

std::shared_ptr<const CachedCode> MemoryCache::waitFor(Making &making) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!making.done) {
    made_->wait_for(lock, std::chrono::nanoseconds(kWaitSlice));
    if (!making.done) {
      lock.unlock();
      checkInterrupt();
      lock.lock();
    }
  }
  if (making.failure) {
    throw *making.failure;
  }
  return making.code;
}

void MemoryCache::keep(const std::string &key, const std::shared_ptr<const CachedCode> &code) {
  if (const auto old = by_key_.find(key); old != by_key_.end()) {
    forget(old->second);
  }
  const uint64_t size = sizeOf(key, *code);
  if (size > kMaxSize) return;
  entries_.push_front({key, code, size});
  by_key_.emplace(entries_.front().key, entries_.begin());
  size_ += size;
  while (entries_.size() > kMaxEntries || size_ > kMaxSize) {
    forget(std::prev(entries_.end()));
  }
}

void MemoryCache::forget(Entries::iterator entry) {
  size_ -= entry->size;
  by_key_.erase(entry->key);
  entries_.erase(entry);
}

void MemoryCache::clear() {
  const std::lock_guard<std::mutex> lock(mutex_);
  by_key_.clear();
  entries_.clear();
  size_ = 0;
}

}  // namespace nexus::core
