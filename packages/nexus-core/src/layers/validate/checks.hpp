// SPDX-License-Identifier: Apache-2.0
//
// What calls are checked for, by call.given.
#pragma once

#include "layers/validate/call.hpp"

namespace nexus::core::layers::validation {

/// Reads a property of an object.
using Getter = nxs_status (*nxs_functions::*)(nxs_id, nxs_property, nxs_value *);

/// What a call asks for, before it is made; not where that could end the process.
void before(Call &call);
/// The call succeeded: what it answers, and what it changed.
void after(Call &call);
/// The call failed.
void refused(Call &call, nxs_status status);

// ---- memory_checks.cpp ----
/// Ranges, buffers and the host's memory; notes what work uses.
void checkMemory(Call &call);

// ---- command_checks.cpp ----
/// A call that records, or runs what was recorded.
void checkRecording(Call &call);

// ---- order_checks.cpp: streams and events ----
void checkStreams(Call &call);
/// The call gave work to a stream.
void noteSubmission(Call &call);
/// The call asked for a ticket or an event.
void checkAnswers(Call &call);

// ---- capability_checks.cpp ----
/// Whether the plug-in refuses what it claims to be able to.
void checkClaims(Call &call, nxs_status status);
/// Notes what a plug-in claims, and checks that its table, before stubs fill it, has the functions.
void noteClaims(uint32_t tag, uint64_t capabilities, const nxs_functions &table);

// ---- property_checks.cpp ----
void afterProperty(Call &call, Getter getter, nxs_id object, nxs_property property,
                   const nxs_value &value);
void refusedProperty(Call &call, nxs_status status, nxs_id object, nxs_property property);

}  // namespace nexus::core::layers::validation
