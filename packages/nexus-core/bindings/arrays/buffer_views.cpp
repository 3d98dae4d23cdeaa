// SPDX-License-Identifier: Apache-2.0
#include "arrays/buffer_views.hpp"

#include <string>
#include <unordered_map>

#include "python/errors.hpp"
#include "python/shared_state.hpp"

namespace nexus::python {
namespace {

StateMutex viewsMutex;  // for the counts and the list of Closing

using Counts = std::unordered_map<const nexus_object *, std::weak_ptr<ViewCount>>;

// Never destroyed: views may outlive the module. A count's owners also own the
// buffer, so the key of a live count can't be another buffer's.
Counts &counts() {
  static auto *const table = new Counts;
  return *table;
}

// Before the table grows, removes the counts without views and instances.
void dropUnused(Counts &table) {
  if (table.size() + 1 > static_cast<std::size_t>(static_cast<float>(table.bucket_count()) *
                                                  table.max_load_factor())) {
    std::erase_if(table, [](const auto &entry) { return entry.second.expired(); });
  }
}

}  // namespace

std::shared_ptr<ViewCount> ViewCount::of(const Buffer &buffer) {
  const StateLock lock(viewsMutex);
  Counts &table = counts();
  const auto found = table.find(buffer.get());
  if (found != table.end()) {
    if (std::shared_ptr<ViewCount> count = found->second.lock()) {
      return count;
    }
    table.erase(found);
  }
  dropUnused(table);
  auto count = std::make_shared<ViewCount>(buffer.get());
  table.emplace(buffer.get(), count);
  return count;
}

void ViewCount::add() {
  const StateLock lock(viewsMutex);
  if (Closing::runs(buffer_)) {
    throw py::buffer_error("The buffer is being closed by another thread.");
  }
  live_.fetch_add(1, std::memory_order_relaxed);
}

Closing::Closing(const Buffer &buffer) : buffer_(buffer.get()) {
  const StateLock lock(viewsMutex);
  const auto found = counts().find(buffer_);
  const auto count = found == counts().end() ? nullptr : found->second.lock();
  const std::size_t live = count == nullptr ? 0 : count->live_.load(std::memory_order_acquire);
  if (live != 0) {
    throw py::buffer_error("The buffer has " + counted(live, "live view") +
                           " (arrays, memoryviews and DLPack tensors of its memory): delete them "
                           "before close().");
  }
  older_ = newest;
  if (older_ != nullptr) older_->newer_ = this;
  newest = this;
}

Closing::~Closing() {
  const StateLock lock(viewsMutex);
  (newer_ == nullptr ? newest : newer_->older_) = older_;
  if (older_ != nullptr) older_->newer_ = newer_;
}

bool Closing::runs(const nexus_object *buffer) noexcept {
  const Closing *closing = newest;
  while (closing != nullptr && closing->buffer_ != buffer) closing = closing->older_;
  return closing != nullptr;
}

}  // namespace nexus::python
