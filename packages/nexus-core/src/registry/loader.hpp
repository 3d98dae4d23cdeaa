// SPDX-License-Identifier: Apache-2.0
//
// Loads one plug-in: checks its library, opens it, and negotiates.
#pragma once

#include "registry/manifest.hpp"
#include "registry/plugin.hpp"

namespace nexus::core {

/// Throws where the manifest's versions and this host do not fit, without opening
/// the library: NXS_IncompatibleVersion.
void requireFittingVersions(const Manifest &manifest);

/// Loads the plug-in of a manifest. Its library stays open for the life of the
/// process, also where the plug-in then refuses. Throws, with one sentence:
/// NXS_InvalidBinary (no library that can be loaded), NXS_IncompatibleVersion,
/// NXS_InvalidOperation (it breaks the rules of the C-API), NXS_DeviceNotFound (it
/// has no device), or the plug-in's own status, such as NXS_DeviceNotAvailable.
///
/// One thread at a time calls it. In the child of a fork() a plug-in of before is
/// asked again, and gets a new tag.
const Plugin &loadPlugin(const Manifest &manifest);

}  // namespace nexus::core
