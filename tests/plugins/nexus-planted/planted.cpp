// SPDX-License-Identifier: Apache-2.0
// The reference plug-in as the backend `planted`, with the mistake whose name the option PLANTED
// is.
#include "planted.hpp"

#include "answers.hpp"
#include "completion.hpp"
#include "data.hpp"

namespace planted NXS_HIDDEN {
namespace {

constexpr char kName[] = "planted";

// The runtime has the name of the backend.
nxs_status read(nxs_id runtime, nxs_property property, nxs_value *out_value) {
  const nxs_status status = right.GetRuntimeProperty(runtime, property, out_value);
  if (status == NXS_Success && property == NP_Name) {
    out_value->size = sizeof(kName) - 1;
    if (out_value->size <= out_value->capacity)
      std::memcpy(out_value->data, kName, out_value->size);
  }
  return status;
}

}  // namespace
}  // namespace planted

extern "C" {

// nexus_reference.cpp, compiled with -DnxsQueryPlugin=nxsQueryReference.
nxs_status nxsQueryReference(const nxs_host *host, nxs_plugin *plugin);

NXS_EXPORT nxs_status nxsQueryPlugin(const nxs_host *host, nxs_plugin *plugin) {
  const nxs_status status = nxsQueryReference(host, plugin);
  // A host of before would have a shorter table.
  if (status == NXS_Success && plugin->functions->struct_size >= sizeof(nxs_functions)) {
    planted::host = host;
    planted::right = *plugin->functions;
    plugin->name = {planted::kName, sizeof(planted::kName) - 1};
    plugin->functions->GetRuntimeProperty = planted::read;
#ifdef PLANTED
    planted::PLANTED::plant({*plugin->functions, *plugin});
#endif
  }
  return status;
}

}  // extern "C"
