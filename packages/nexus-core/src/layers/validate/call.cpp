// SPDX-License-Identifier: Apache-2.0
#include "layers/validate/call.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.hpp"

namespace nexus::core::layers::validation {

Call::Call(uint32_t tag, const nxs_functions &next, std::string_view function) noexcept
    : tag_(tag), next_(next), function_(function), error_before_(threadErrorRecord()) {
  countCall();
}

Call::~Call() {
  if (submitting == nullptr && recording == nullptr) return;
  const Locked objects;
  if (submitting != nullptr) --submitting->submitting;
  if (recording != nullptr) recording->recording = false;
}

void Call::take(Message message, nxs_status status, std::string text) {
  constexpr std::pair<nxs_status, Message> kOwn[] = {{NXS_InvalidArgIndex, Message::ArgumentIndex},
                                                     {NXS_InvalidArgSize, Message::ArgumentSize},
                                                     {NXS_MemCopyOverlap, Message::Overlap},
                                                     {NXS_NotSupported, Message::Flags},
                                                     {NXS_InvalidHostPtr, Message::Null}};
  for (const auto &[own, of] : kOwn) {
    if (own == status) message = of;
  }
  if (text.ends_with('.')) text.pop_back();
  stopped_ = stopped_ || message == Message::Null;
  find(message, status, text);
}

bool Call::refuses() const noexcept {
  return stopped_ || (raises() && !findings_.empty() &&
                      levelOf(findings_.front().message) >= NXS_LogLevel_Warning);
}

nxs_status Call::refuse() noexcept {
  const nxs_status status = findings_.front().status;
  attempt([&] {
    std::string first;
    for (const Finding &finding : findings_) {
      const std::string text = report(tag_, function_, finding, false);
      if (first.empty()) first = text;
    }
    makeErrorRecord(tag_, 0, first);
  });
  return status;
}

nxs_status Call::finish(nxs_status status) noexcept {
  const uint64_t error = threadErrorRecord();
  attempt([&] {
    if (std::string_view(statusName(status)) == "NXS_Unknown") {
      blame(Message::Status, "it returned ", status, ", which is not a status");
    } else if (status != NXS_Success && (error == 0 || error == error_before_)) {
      blame(Message::NoReason, "it returned ", status, " without an error record");
    }
    std::string blamed;
    for (const Finding &finding : findings_) {
      const bool of_plugin = isAboutPlugin(finding.message);
      const std::string text =
          report(tag_, function_, finding, status != NXS_Success && !of_plugin);
      if (of_plugin && blamed.empty()) blamed = text;
    }
    if (raises() && !blamed.empty() && status == NXS_Success) {
      status = NXS_InternalError;
      makeErrorRecord(tag_, 0, blamed);
    }
  });
  return status;
}

bool isIdOf(const Call &call, nxs_id id, nxs_object_type type) noexcept {
  return id > 0 && NXS_ID_TYPE(id) == type && NXS_ID_TAG(id) == call.tag();
}

void reportOutOfBounds(const Call &call, nxs_status status, uint64_t error) {
  const auto record = findErrorRecord(error);
  report(call.tag(), call.function(),
         {Message::OutOfBounds, status, record ? record->text : std::string()}, false);
}

void OutCheck::mark(void *result, std::size_t size) noexcept {
  result_ = result;
  size_ = size;
  std::memcpy(before_, result, size);
  std::memset(result, kMark, size);
}

void OutCheck::finish(Call &call, nxs_status status) {
  if (result_ == nullptr) return;
  const auto *bytes = static_cast<const unsigned char *>(result_);
  const bool kept =
      std::all_of(bytes, bytes + size_, [](unsigned char byte) { return byte == kMark; });
  const bool succeeded = status == NXS_Success;
  if (kept || !succeeded) std::memcpy(result_, before_, size_);
  if (kept && succeeded) {
    call.blame(Message::NotWritten, "it succeeded without writing its result");
  } else if (!kept && !succeeded) {
    call.blame(Message::WrittenOnFailure, "it returned ", status, " and wrote a result");
  }
}

}  // namespace nexus::core::layers::validation
