// SPDX-License-Identifier: Apache-2.0
#include "layers/validate/call.hpp"

#include <utility>

#include "base/error_record.hpp"

namespace nexus::core::layers::validation {
namespace {

bool isStatus(nxs_status status) noexcept {
  switch (status) {
#define NEXUS_VALIDATE_STATUS(name, number) case number:
    NXS_FOR_EACH_STATUS(NEXUS_VALIDATE_STATUS)
#undef NEXUS_VALIDATE_STATUS
    return true;
    default:
      return false;
  }
}

}  // namespace

Call::Call(uint32_t tag, const nxs_functions &next, std::string_view function) noexcept
    : tag_(tag), next_(next), function_(function), error_before_(threadErrorRecord()) {
  countCall();
}

Call::~Call() {
  if (submitting == nullptr && recording == nullptr) {
    return;
  }
  const Locked objects;
  if (submitting != nullptr) --submitting->submitting;
  if (recording != nullptr) recording->recording = false;
}

bool Call::claims(nxs_capability capability) const {
  const Locked objects;
  return (objects->capabilities[tag_] & capability) != 0;
}

void Call::find(Message message, nxs_status status, std::string text) {
  findings_.push_back({message, status, std::move(text)});
}

void Call::stop(Message message, nxs_status status, std::string text) {
  stopped_ = true;
  find(message, status, std::move(text));
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
  find(message, status, std::move(text));
}

void Call::blame(Message message, std::string text) {
  lies_.push_back({message, NXS_InternalError, std::move(text)});
}

bool Call::refuses() const noexcept {
  return stopped_ || (raises() && !findings_.empty() &&
                      infoOf(findings_.front().message).level >= NXS_LogLevel_Warning);
}

nxs_status Call::refuse() noexcept {
  nxs_status status = findings_.front().status;
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
    if (!isStatus(status)) {
      blame(Message::Status, join("it returned ", status, ", which is no status"));
    } else if (status != NXS_Success && (error == 0 || error == error_before_)) {
      blame(Message::NoReason, join("it returned ", status, " and made no error record"));
    }
    const bool refused = status != NXS_Success;
    for (const Finding &finding : findings_) {
      report(tag_, function_, finding, refused);
    }
    std::string first;
    for (const Finding &lie : lies_) {
      const std::string text = report(tag_, function_, lie, false);
      if (first.empty()) first = text;
    }
    if (raises() && !lies_.empty() && status == NXS_Success) {
      status = NXS_InternalError;
      makeErrorRecord(tag_, 0, first);
    }
  });
  return status;
}

}  // namespace nexus::core::layers::validation
