// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"

#include <nexus/nexus_c.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <new>
#include <unordered_map>

#include "base/process.hpp"
#include "base/text.hpp"

namespace nexus::core {

namespace {

// This thread's result of nexus_get_last_error.
struct LastError {
  nxs_status status = NXS_Success;
  int64_t native_code = 0;
  std::string backend;
  std::string text;
  std::string log;
};

// Allocated at the thread's first failure and deleted when the thread ends. A failure after that,
// in the destructor of another thread_local object, allocates it again.
thread_local LastError *thread_error = nullptr;

struct ThreadErrorOwner {
  ~ThreadErrorOwner() {
    delete thread_error;
    thread_error = nullptr;
  }
};

// Returns NULL if there is no memory.
LastError *lastError() noexcept {
  thread_local ThreadErrorOwner owner;
  static_cast<void>(owner);
  if (thread_error == nullptr) {
    thread_error = new (std::nothrow) LastError;
  }
  return thread_error;
}

}  // namespace

std::string escapeZeros(std::string text) {
  for (std::size_t at = text.find('\0'); at != std::string::npos; at = text.find('\0', at)) {
    text.replace(at, 1, "\\0");
  }
  return text;
}

nxs_status noteFailure(const Failure &failure) noexcept {
  LastError *last = lastError();
  if (last == nullptr) return failure.status();
  last->status = failure.status();
  last->native_code = failure.nativeCode();
  try {
    last->backend = failure.backend();
    last->text = failure.text();
    last->log = failure.log();
  } catch (const std::bad_alloc &) {
    // Keeps the status and the native code; there is no memory for the text.
    last->backend.clear();
    last->text.clear();
    last->log.clear();
  }
  return failure.status();
}

void forgetFailure() noexcept {
  delete thread_error;
  thread_error = nullptr;
}

nxs_status noteCurrentException() noexcept {
  try {
    throw;
  } catch (const Failure &failure) {
    return noteFailure(failure);
  } catch (const std::bad_alloc &) {
    if (LastError *last = lastError(); last != nullptr) {
      last->status = NXS_OutOfHostMemory;
      last->native_code = 0;
      last->backend.clear();
      last->log.clear();
      last->text.assign("no host memory");  // short enough to need no allocation
    }
    return NXS_OutOfHostMemory;
  } catch (const std::exception &error) {
    return noteFailure(
        Failure(NXS_InternalError, join("libnexus met an error that it did not expect (",
                                        error.what(), "); please report it.")));
  } catch (...) {
    return noteFailure(Failure(NXS_InternalError,
                               "libnexus met an exception of an unknown type; please report it."));
  }
}

const char *statusName(nxs_status status) noexcept {
  switch (status) {
#define NEXUS_STATUS_CASE(name, number) \
  case number:                          \
    return "NXS_" #name;
    NXS_FOR_EACH_STATUS(NEXUS_STATUS_CASE)
#undef NEXUS_STATUS_CASE
    default:
      return "NXS_Unknown";
  }
}

void requireSize(uint64_t struct_size, uint64_t least, const char *parameter, const char *type) {
  if (struct_size < least) {
    failWith(NXS_InvalidValue, parameter, "->struct_size is ", struct_size, "; set it to sizeof(",
             type, ").");
  }
}

std::string_view viewOf(nxs_string text, std::string_view parameter) {
  if (text.size == 0) return {};
  if (text.data == nullptr) {
    failWith(NXS_InvalidValue, parameter, " has a NULL pointer and a size of ", text.size,
             " bytes; give the text, or a size of 0.");
  }
  const std::string_view view(text.data, static_cast<std::size_t>(text.size));
  if (!isUtf8(view)) {
    failWith(NXS_InvalidValue, parameter, " is not UTF-8; give text in that encoding.");
  }
  return view;
}

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

}  // namespace

uint64_t makeErrorRecord(uint32_t tag, int64_t native_code, std::string_view text) noexcept {
  forgetThreadErrorRecord();
  uint64_t id = kOutOfMemory;
  try {
    CountedRecord made;
    made.record.tag = tag;
    made.record.native_code = native_code;
    // A character that lies across the limit is cut off whole.
    const std::string_view kept = text.substr(0, kMaxText);
    made.record.text = isUtf8(text) ? kept.substr(0, utf8Prefix(kept))
                                    : std::string_view("(the backend's text is not UTF-8)");
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
  if (id == 0) return;
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
  if (found == records().by_id.end()) return std::nullopt;
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

extern "C" {

void nexus_get_last_error(nexus_error_info *out_info) {
  if (out_info == nullptr) return;
  nexus_error_info info{};
  info.struct_size = out_info->struct_size;
  if (const nexus::core::LastError *last = nexus::core::thread_error; last != nullptr) {
    info.status = last->status;
    info.native_code = last->native_code;
    info.backend = nexus::core::stringOf(last->backend);
    info.text = nexus::core::stringOf(last->text);
    info.log = nexus::core::stringOf(last->log);
  }
  std::memcpy(out_info, &info, std::min<std::size_t>(info.struct_size, sizeof(info)));
}

const char *nexus_status_name(nxs_status status) {
  return nexus::core::statusName(status);
}

}  // extern "C"
