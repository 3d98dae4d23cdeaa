// SPDX-License-Identifier: Apache-2.0
//
// What is common to the functions that give work to a stream, and to those that make objects.
#pragma once

#include "layers/validate/call.hpp"

namespace nexus::core::layers::validation {

/// The stream gets work that uses call.uses. Where NEXUS_VALIDATE is `raise`, looks for conflicts.
void beforeSubmission(Call &call, nxs_id stream);
/// It got it: checks the ticket, looks for conflicts, and notes the uses.
void afterSubmission(Call &call, nxs_id stream, nxs_ticket ticket);

/// Checks an id that the plug-in gave for a new object.
void checkGivenId(Call &call, nxs_id id, nxs_object_type type);
/// What is noted of every new object. Under the objects' lock.
void noteNew(Facts &facts, nxs_id device, const Place &place);

/// Notes that two objects are given together.
void checkSameDevice(Call &call, const char *what, nxs_id object, const char *other_what,
                     nxs_id other);

}  // namespace nexus::core::layers::validation
