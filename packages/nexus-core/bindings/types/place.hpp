// SPDX-License-Identifier: Apache-2.0
//
// The calling line of Python, for the messages of the layer `validate`.
#pragma once

namespace nexus::python {

/// Returns whether NEXUS_LAYERS named the layer when the module was imported. Without it no places
/// are noted.
bool notesPlaces();

/// Notes the innermost line outside of the package nexus as this thread's place. Call it with the
/// GIL held.
void notePlace() noexcept;

}  // namespace nexus::python
