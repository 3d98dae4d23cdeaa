// SPDX-License-Identifier: Apache-2.0
#include "layers/validate/submission.hpp"

#include <algorithm>

#include "layers/validate/leaks.hpp"
#include "layers/validate/words.hpp"

namespace nexus::core::layers::validation {
namespace {

const char *doing(Access access) {
  switch (access) {
    case Access::Read:
      return "reads";
    case Access::Write:
      return "writes";
    default:
      return "may write";
  }
}

const char *stillDoing(Access access) {
  switch (access) {
    case Access::Read:
      return "may still read";
    case Access::Write:
      return "may still write";
    default:
      return "may still use";
  }
}

std::string memoryText(const Objects &objects, const Use &use) {
  if (use.buffer == 0) {
    return words(use.end - use.begin, " bytes of host memory");
  }
  const auto buffer = objects.buffers.find(use.buffer);
  const uint64_t base = buffer == nullptr ? 0 : buffer->base;
  return words("the bytes ", use.begin - base, " to ", use.end - base - 1, " of ",
               idText(use.buffer),
               buffer == nullptr ? std::string() : placeNote("made at", buffer->place));
}

Finding findingOf(const Objects &objects, const Conflict &conflict, nxs_id stream) {
  const Use &use = conflict.use;
  const Noted &earlier = conflict.earlier;
  const bool of_host = use.space == 0 && (use.buffer == 0 || earlier.use.buffer == 0);
  const Message message = of_host            ? Message::HostMemory
                          : conflict.certain ? Message::Hazard
                                             : Message::PossibleHazard;
  return {message, NXS_InvalidOperation,
          words("it ", doing(use.access), " ", memoryText(objects, use), " in ", idText(stream),
                ", and ", earlier.function, placeNote("at", earlier.place), " ",
                stillDoing(earlier.use.access), " them in ", idText(earlier.stream))};
}

// Looks for a conflict; the finding is told after the lock is gone.
void findConflict(Call &call, Objects &objects, nxs_id stream) {
  if (call.uses.empty()) {
    return;
  }
  if (const auto conflict = objects.order.conflict(call.uses, stream, call.schedule)) {
    Finding finding = findingOf(objects, *conflict, stream);
    call.find(finding.message, finding.status, std::move(finding.text));
  }
}

}  // namespace

void beforeSubmission(Call &call, nxs_id stream) {
  const Locked objects;
  const auto facts = objects->streams.find(stream);
  if (facts == nullptr) {
    return;
  }
  call.newest_before = facts->newest;
  call.submitting = facts;
  ++facts->submitting;
  if (raises()) findConflict(call, *objects, stream);
}

void afterSubmission(Call &call, nxs_id stream, nxs_ticket ticket) {
  const Place place = presentPlace();
  const Locked objects;
  const auto facts = objects->streams.find(stream);
  if (facts == nullptr) {
    return;
  }
  if (ticket <= call.newest_before) {
    call.blame(Message::TicketOrder, words("it gave the ticket ", ticket, ", and ", idText(stream),
                                           " had given ", call.newest_before, " before"));
    return;
  }
  facts->newest = std::max(facts->newest, ticket);
  if (objects->order.isDone(stream, ticket)) {
    return;
  }
  if (!raises()) findConflict(call, *objects, stream);
  objects->order.note(call.uses, {{}, stream, ticket, call.schedule, call.function(), place});
}

void checkGivenId(Call &call, nxs_id id, nxs_object_type type) {
  if (id <= 0 || NXS_ID_TYPE(id) != type || NXS_ID_TAG(id) != call.tag()) {
    call.blame(Message::GivenId, words("it gave ", idText(id),
                                       ", which is no id of that type with "
                                       "the plug-in's tag"));
    return;
  }
  const Locked objects;
  if (type != NXS_ObjectType_Device && objects->lives(id)) {
    call.blame(Message::GivenId, words("it gave ", idText(id),
                                       ", which is the id of an object "
                                       "that lives"));
  }
}

void noteNew(Facts &facts, nxs_id device, const Place &place) {
  facts.device = device;
  facts.place = place;
  facts.of_core = OwnObjects::present();
}

void checkSameDevice(Call &call, const char *what, nxs_id object, const char *other_what,
                     nxs_id other) {
  nxs_id device = 0;
  nxs_id other_device = 0;
  {
    const Locked objects;
    device = objects->deviceOf(object);
    other_device = objects->deviceOf(other);
  }
  if (device != 0 && other_device != 0 && device != other_device) {
    call.find(
        Message::OtherDevice, NXS_InvalidDevice,
        words(what, " is of ", idText(device), ", and ", other_what, " of ", idText(other_device)));
  }
}

}  // namespace nexus::core::layers::validation
