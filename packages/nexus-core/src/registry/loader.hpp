// SPDX-License-Identifier: Apache-2.0
//
// Loads one plug-in: checks its library, opens it, and negotiates.
#pragma once

#include "registry/manifest.hpp"
#include "registry/plugin.hpp"

namespace nexus::core {

/// Throws NXS_IncompatibleVersion if the manifest's versions don't fit this host, without opening
/// the library.
void requireFittingVersions(const Manifest &manifest);

/// Loads the plug-in of a manifest. Its library stays open until the process exits, even if the
/// plug-in then refuses. Throws, with one sentence: NXS_InvalidBinary (no library that can be
/// loaded), NXS_IncompatibleVersion, NXS_InvalidOperation (it breaks the rules of the C-API),
/// NXS_DeviceNotFound (it has no device), or the plug-in's own status, such as
/// NXS_DeviceNotAvailable.
///
/// Only one thread at a time may call it. In the child of a fork() a plug-in loaded before is
/// queried again and gets a new tag.
const Plugin &loadPlugin(const Manifest &manifest);

}  // namespace nexus::core
