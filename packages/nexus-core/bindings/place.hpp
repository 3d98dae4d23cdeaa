// SPDX-License-Identifier: Apache-2.0
//
// The line of Python that calls, for the messages of the layer `validate`.
#pragma once

namespace nexus::python {

/// Returns whether NEXUS_LAYERS named the layer when the module was imported. Without it nothing is
/// noted.
bool notesPlaces();

/// Notes the innermost line that is not of the package nexus itself as this thread's place. Called
/// with the GIL held.
void notePlace() noexcept;

}  // namespace nexus::python
