// SPDX-License-Identifier: Apache-2.0
#include "base/error_record.hpp"

#include <cstddef>
#include <mutex>
#include <new>
#include <unordered_map>
#include <utility>

#include "base/process.hpp"
#include "base/text.hpp"

namespace nexus::core {
namespace {

constexpr uint64_t kOutOfMemory = UINT64_MAX;  // the id for which there is no record in memory
constexpr std::size_t kMaxText = 4096;

struct CountedRecord {
  ErrorRecord record;
  uint64_t holders = 1;
};

// All under tableMutex.
struct Records {
  uint64_t next = 1;
  std::unordered_map<uint64_t, CountedRecord> by_id;
};

Records &records() {
  // Never destroyed, since backends' threads may fail while the process exits.
  static Records &all = *new Records;
  return all;
}

// The latest record of a thread, 0 for none. Its owner releases it when the thread ends; the number
// outlives the owner, so that later destructors of the thread see that it was released.
thread_local uint64_t thread_record = 0;

struct ThreadRecordOwner {
  ~ThreadRecordOwner() { releaseErrorRecord(std::exchange(thread_record, 0)); }
};

void setThreadRecord(uint64_t id) noexcept {
  thread_local ThreadRecordOwner owner;
  static_cast<void>(owner);
  thread_record = id;
}

// Returns at most kMaxText bytes of text, without cutting a character.
std::string_view clipped(std::string_view text) {
  if (text.size() <= kMaxText) {
    return text;
  }
  std::size_t end = kMaxText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
    --end;
  }
  return text.substr(0, end);
}

}  // namespace

uint64_t makeErrorRecord(uint32_t tag, int64_t native_code, std::string_view text) noexcept {
  forgetThreadErrorRecord();
  uint64_t id = kOutOfMemory;
  try {
    CountedRecord made;
    made.record.tag = tag;
    made.record.native_code = native_code;
    made.record.text = isUtf8(text) ? clipped(text) : "(the backend's text is not UTF-8)";
    const std::lock_guard<std::mutex> lock(tableMutex());
    Records &all = records();
    all.by_id.emplace(all.next, std::move(made));
    id = all.next++;
  } catch (const std::bad_alloc &) {
    id = kOutOfMemory;
  }
  setThreadRecord(id);
  return id;
}

void retainErrorRecord(uint64_t id) noexcept {
  const std::lock_guard<std::mutex> lock(tableMutex());
  const auto found = records().by_id.find(id);
  if (found != records().by_id.end()) {
    ++found->second.holders;
  }
}

void releaseErrorRecord(uint64_t id) noexcept {
  if (id == 0) {
    return;
  }
  const std::lock_guard<std::mutex> lock(tableMutex());
  const auto found = records().by_id.find(id);
  if (found != records().by_id.end() && --found->second.holders == 0) {
    records().by_id.erase(found);
  }
}

std::optional<ErrorRecord> findErrorRecord(uint64_t id) {
  if (id == kOutOfMemory) {
    return ErrorRecord{0, 0, "There was no memory left for the backend's own text.", {}};
  }
  const std::lock_guard<std::mutex> lock(tableMutex());
  const auto found = records().by_id.find(id);
  if (found == records().by_id.end()) {
    return std::nullopt;
  }
  return found->second.record;
}

void setErrorPlace(uint64_t id, std::string_view place) {
  const std::lock_guard<std::mutex> lock(tableMutex());
  const auto found = records().by_id.find(id);
  if (found != records().by_id.end()) {
    found->second.record.place = place;
  }
}

uint64_t threadErrorRecord() noexcept {
  return thread_record;
}

void forgetThreadErrorRecord() noexcept {
  if (thread_record != 0) {
    releaseErrorRecord(std::exchange(thread_record, 0));
  }
}

}  // namespace nexus::core
