// SPDX-License-Identifier: Apache-2.0
//
// Ownership of a plug-in's object.
#pragma once

#include "base/ref.hpp"
#include "registry/plugin.hpp"

namespace nexus::core {

using ReleaseFunction = nxs_status (*nxs_functions::*)(nxs_id);

/// Releases a plug-in's object; id 0 is ignored. For destructors: calls nothing in the child of a
/// fork(), and logs a failure as a warning. what completes "release a ...".
void releaseNative(const Plugin &plugin, ReleaseFunction function, nxs_id id,
                   const char *what) noexcept;

/// Releases a plug-in's object with its last reference, so that closing it does not wait for
/// another thread's call of the plug-in, which keeps a reference.
class Native final : public Counted {
 public:
  /// Takes over the id.
  Native(const Plugin &plugin, ReleaseFunction function, nxs_id id, const char *what) noexcept
      : plugin_(plugin), function_(function), id_(id), what_(what) {}
  ~Native() override { releaseNative(plugin_, function_, id_, what_); }

  nxs_id id() const noexcept { return id_; }

 private:
  const Plugin &plugin_;
  const ReleaseFunction function_;
  const nxs_id id_;
  const char *const what_;
};

}  // namespace nexus::core
