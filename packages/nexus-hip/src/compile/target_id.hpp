// SPDX-License-Identifier: Apache-2.0
// Target ids, as AMD's compilers and the driver write them: "gfx90a:sramecc+:xnack-".
#ifndef NEXUS_HIP_TARGET_ID_HPP_
#define NEXUS_HIP_TARGET_ID_HPP_

#include <nexus-api/nxs.h>
#include <optional>
#include <string>
#include <string_view>

namespace nexus_hip NXS_HIDDEN {

// A processor, and the state that its code expects of the two features that a device has on or off.
struct TargetId {
  std::string processor;               // "gfx90a", or of a family "gfx9-4-generic"
  std::optional<bool> sramecc, xnack;  // none: either state is fine

  bool generic() const { return processor.ends_with("-generic"); }
  // "gfx90a:sramecc+:xnack-"
  std::string name() const;
  // Whether code for this target runs on a device whose own target is `device`.
  bool runs_on(const TargetId &device) const;
};

// Nothing if the text is not a target id.
std::optional<TargetId> read_target_id(std::string_view text);

}  // namespace nexus_hip

#endif  // NEXUS_HIP_TARGET_ID_HPP_
